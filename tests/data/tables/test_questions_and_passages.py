"""Texts and the questions about them, under names of which either could be the question."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from moot.cli.asked_columns import find_questions
from moot.data import load
from moot.data.tables.proposal import Stated, propose_columns
from moot.errors import FileError

MILL = "The mill stands by the river and was built in 1800 by Tom."
BRIDGE = "The bridge over the river was built in 1900 by Ann and her two sons."
ROWS = ((MILL, "Who built it?", "Tom"), (BRIDGE, "When?", "1900"), (BRIDGE, "Who built it?", "Ann"))


def table(path: Path, names: tuple[str, str, str], rows: tuple[tuple[str, ...], ...] = ROWS) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    return path


def pasted(error: FileError, place: int = 0) -> Mapping[str, Any]:
    lines = re.findall(r"columns: (\{.*?\})(?=[;,:. ]|$)", str(error))
    found: Mapping[str, Any] = yaml.safe_load(lines[place])
    return found


NAMES = [
    *[(name, "question", "answer") for name in ("text", "Text", "prompt", "input")],
    ("Текст", "Вопрос", "Ответ"),
    ("Text", "Frage", "answer"),
    ("Text", "Question", "Antwort"),
    ("Text", "Frage", "Antwort"),
]


@pytest.mark.parametrize("names", NAMES)
def test_what_is_to_be_pasted_asks_the_question_and_shows_the_text(names: tuple[str, str, str], tmp_path: Path) -> None:
    path = table(tmp_path / "cup.csv", names)
    with pytest.raises(FileError, match="2 columns could be text") as caught:
        load(path)
    assert {"text": names[1], "context": names[0]}.items() <= pasted(caught.value).items()
    cases = list(load(path, stated=Stated(pasted(caught.value))))
    assert [(case.question.context, case.question.text, case.answer) for case in cases] == list(ROWS)


@pytest.mark.parametrize("names", NAMES[:5])
def test_whoever_names_the_question_alone_is_asked_about_the_text_once(
    names: tuple[str, str, str], tmp_path: Path
) -> None:
    path = table(tmp_path / "cup.csv", names)
    with pytest.raises(FileError, match=f"{names[0]} has sentences and would not be shown") as caught:
        load(path, stated=Stated({"text": names[1]}))
    shown, left_out = (Stated({"text": names[1], **pasted(caught.value, place)}) for place in (0, 1))
    assert next(iter(load(path, stated=shown))).question.context == MILL
    assert next(iter(load(path, stated=left_out))).question.context is None
    assert next(iter(load(path, stated=Stated({"text": names[0]})))).question.text == MILL, (
        "whoever says so is believed"
    )


def test_one_text_for_all_questions_is_asked_about_too(tmp_path: Path) -> None:
    path = table(tmp_path / "cup.csv", ("Text", "Question", "Answer"), tuple((MILL, *row[1:]) for row in ROWS))
    with pytest.raises(FileError, match="Text has sentences and would not be shown"):
        load(path, stated=Stated({"text": "Question"}))


def test_texts_need_no_question_mark_within_to_be_told_from_questions(tmp_path: Path) -> None:
    told = tuple((f'"Who are you?" asked {right}. {passage}', "Name the builder", right) for passage, _, right in ROWS)
    path = table(tmp_path / "cup.csv", ("text", "question", "answer"), told)
    with pytest.raises(FileError, match=r"columns: \{text: question, context: text\}"):
        load(path)


def test_a_prompt_with_the_question_in_it_is_no_passage(tmp_path: Path) -> None:
    told = tuple((f"Answer as briefly as you can. {asked} Think first.", asked, right) for _, asked, right in ROWS)
    path = table(tmp_path / "cup.csv", ("prompt", "question", "answer"), told)
    with pytest.raises(FileError, match="2 columns could be text") as caught:
        load(path)
    assert pasted(caught.value) == {"text": "question"}
    assert next(iter(load(path, stated=Stated({"text": "question"})))).question.context is None


def test_a_text_that_asks_is_asked(tmp_path: Path) -> None:
    path = table(tmp_path / "cup.csv", ("Text", "Question type", "Answer"), tuple((q, "who", a) for _, q, a in ROWS))
    assert not propose_columns(path).doubts


def test_init_asks_the_question_and_leaves_the_text_to_be_settled(tmp_path: Path) -> None:
    path = table(tmp_path / "cup.csv", ("Text", "Question", "Answer"))
    found = find_questions(path, tmp_path / "moot.yaml", yes=True, small=False)
    assert found.written.keys["columns"]["text"] == "Question"
    assert "Text has sentences" in str(found.unsettled)
