"""Columns in which the answer stands: shown without a word they would give it away, and nobody would see why all are right."""

from __future__ import annotations

import csv
import io
import re
import sys
from pathlib import Path

import pytest
import yaml

from moot.cli.asked_columns import find_questions
from moot.data import load
from moot.data.tables.proposal import Stated
from moot.errors import FileError

PLANETS = ("Jupiter", "Mercury", "Venus", "Mars")
SAYS = "{} is one of the planets of the sun, and it is told in every book about them."


def quiz(path: Path, header: str, said: str = SAYS, *, choices: bool = False) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["Question", *("ABCD" if choices else ()), "Answer", header])
        for place, planet in enumerate(PLANETS):
            right = "ABCD"[place] if choices else planet
            rows.writerow([f"Which is number {place}?", *(PLANETS if choices else ()), right, said.format(planet)])
    return path


def first_shown(path: Path, stated: Stated) -> str | None:
    return next(iter(load(path, stated=stated))).question.context


@pytest.mark.parametrize("choices", [True, False])
@pytest.mark.parametrize("header", ["Background", "Hintergrund", "Info", "Notes", "facts", "fact1", "Body", "Excerpt"])
def test_what_may_explain_the_answer_is_shown_to_nobody_unasked(header: str, choices: bool, tmp_path: Path) -> None:
    path = quiz(tmp_path / "quiz.csv", header, choices=choices)
    with pytest.raises(FileError) as caught:
        load(path)
    left_out, shown = map(yaml.safe_load, re.findall(r"columns: (\{.*?\})(?=[;,:. ]|$)", str(caught.value)))
    assert (left_out, shown) == ({"context": None}, {"context": header})
    assert first_shown(path, Stated(left_out)) is None
    assert first_shown(path, Stated(shown)) == SAYS.format("Jupiter")


def test_a_few_words_of_background_are_asked_about(tmp_path: Path) -> None:
    path = quiz(tmp_path / "quiz.csv", "Background", "It is {}, {}, {}".format("{}", "the", "planet"))
    with pytest.raises(FileError, match="Background has sentences and would not be shown"):
        load(path)
    (tmp_path / "labels.csv").write_text(path.read_text().replace(", the, planet", "").replace("It is ", ""))
    assert first_shown(tmp_path / "labels.csv", Stated()) is None, "a word is no passage"


@pytest.mark.parametrize("choices", [True, False])
def test_a_passage_by_its_name_is_shown_and_what_stands_in_it_is_said(choices: bool, tmp_path: Path) -> None:
    dataset = load(quiz(tmp_path / "quiz.csv", "Passage", choices=choices))
    assert next(iter(dataset)).question.context == SAYS.format("Jupiter")
    assert "Passage has the right answer in 4 of 4 rows" in dataset.notes[0]


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("Passage", "It is one of the planets of the sun, and it is told in every book about them: not {0[0]}."),
        ("Body", f"{', '.join(PLANETS)} are planets of the sun, and it is told in every book about them."),
        ("Body", f"{{}} {'and so on ' * 30}"),
    ],
)
def test_passages_without_the_answer_or_of_some_length_need_no_word(header: str, said: str, tmp_path: Path) -> None:
    dataset = load(quiz(tmp_path / "quiz.csv", header, said))
    assert next(iter(dataset)).question.context is not None
    assert "right answer" not in dataset.notes[0]


def test_a_column_that_explains_nothing_is_rather_shown(tmp_path: Path) -> None:
    path = quiz(
        tmp_path / "quiz.csv", "Lore", "It is {0[0]}, and told in every one of the books about the sky and more."
    )
    with pytest.raises(FileError, match=r"columns: \{context: Lore\} under questions shows Lore"):
        load(path)


def test_who_is_asked_hears_that_it_is_shown_and_sees_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = quiz(tmp_path / "quiz.csv", "Background")
    monkeypatch.setattr(sys, "stdin", io.StringIO("3\n"))
    find_questions(path, tmp_path / "moot.yaml", yes=False, small=False)
    said = capsys.readouterr().out
    assert "SHOWN TO THE PLAYERS" in said
    assert f"shown with it: {SAYS.format('Jupiter')}" in said
