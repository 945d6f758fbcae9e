"""What a question needs and no model is shown: images, and tables and programs that are left out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from moot.cli.asked_columns import find_questions
from moot.data import load
from moot.data.tables.pictured_rows import has_image
from moot.data.tables.proposal import Stated, propose_columns
from moot.errors import FileError


def table(path: Path, cells: Sequence[Any], name: str, more: Mapping[str, Any] | None = None) -> Path:
    rows = [
        {"question": f"What is {n}?", name: cell, "answer": f"it {n}", **(more or {})} for n, cell in enumerate(cells)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("name", ["image", "Bild", "picture_url", "Картинка", "chart"])
def test_rows_with_an_image_are_asked_about_and_left_out(name: str, tmp_path: Path) -> None:
    path = table(tmp_path / "cup.jsonl", ["img/1.png", "", None, "img/4.png"], name)
    with pytest.raises(FileError, match=f"{name}: 2 of 4 rows have an image, which no player is shown") as caught:
        load(path)
    assert f"columns: {{image: {name}}} under questions leaves them out" in str(caught.value)
    without = load(path, stated=Stated({"image": name}))
    assert [case.question.id for case in without] == ["2", "3"]
    assert "2 rows are left out: they have an image, which no player is shown (line 1, 4)" in without.notes[0]
    assert len(load(path, stated=Stated({"image": None}))) == 4


def test_where_all_have_one_there_is_nothing_to_leave_out(tmp_path: Path) -> None:
    path = table(tmp_path / "cup.jsonl", ["1.png", "2.png"], "image")
    for stated in (Stated(), Stated({"image": "image"})):
        with pytest.raises(
            FileError, match=r"2 of 2 rows .* without it, columns: \{image: null\} under questions asks"
        ):
            load(path, stated=stated)
    found = find_questions(path, tmp_path / "moot.yaml", yes=True, small=False)
    assert found.unsettled is not None, "nobody has said that they can be answered"


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("image", ["", None]),
        ("image", ["no", "null"]),
        ("image_caption", ["a cat", "a dog"]),
        ("figure", ["12.5", "13"]),
        ("map", ["yes", "no"]),
    ],
)
def test_what_is_no_image_needs_no_word(name: str, cells: Sequence[Any], tmp_path: Path) -> None:
    assert not propose_columns(table(tmp_path / "cup.jsonl", cells, name)).doubts


@pytest.mark.parametrize(
    ("cell", "there"),
    [
        ({"bytes": "x", "path": None}, True),
        ({"bytes": None, "path": None}, False),
        ([], False),
        (["a.png"], True),
        (True, True),
        (b"x", True),
        ("data:image/png;base64,x", True),
    ],
)
def test_images_as_tools_write_them(cell: Any, there: bool) -> None:
    assert has_image("image", cell) == there


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("table", "Year|N\n2003|5"),
        ("code", "def f(s):\n    return s[::-1]"),
        ("code snippet", "return s + s"),
        ("gold_context", "Nile and Congo are rivers of Africa, as everybody knows who has been there."),
    ],
)
def test_what_a_question_may_be_about_is_asked_about(name: str, cell: str, tmp_path: Path) -> None:
    path = table(tmp_path / "cup.jsonl", [f"{cell}{n}" for n in range(3)], name)
    with pytest.raises(FileError, match="would not be shown") as caught:
        load(path)
    assert f"columns: {{context: {name}}}" in str(caught.value)
    assert next(iter(load(path, stated=Stated({"context": name})))).question.context == f"{cell}0"


def test_a_table_that_is_an_object_cannot_be_shown(tmp_path: Path) -> None:
    path = table(
        tmp_path / "cup.jsonl", [{"header": ["Year"], "rows": [["2003"], [str(n)]]} for n in range(3)], "table"
    )
    with pytest.raises(FileError, match=r"\{context: null\} under questions leaves it out; to be shown it has to be a"):
        load(path)


@pytest.mark.parametrize("name", ["code", "table"])
def test_codes_and_numbers_are_no_programs_and_tables(name: str, tmp_path: Path) -> None:
    assert not propose_columns(table(tmp_path / "cup.jsonl", ["Q-1", "Q-2"], name)).doubts


def test_the_hint_of_science_questions_is_their_passage(tmp_path: Path) -> None:
    more = {"choices": ["red", "blue"], "answer": 1, "image": None, "lecture": "Light is light.", "solution": "Look."}
    path = table(tmp_path / "science.jsonl", ["It is blue.", ""], "hint", more)
    assert [(case.question.context, case.answer) for case in load(path)] == [("It is blue.", "B"), (None, "B")]
