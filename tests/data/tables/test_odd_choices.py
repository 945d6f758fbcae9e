"""Choices that are named by their headers, that are the same, or of which always the same one is right."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

from moot.cli.asked_columns import find_questions
from moot.data import load
from moot.data.tables.proposal import Stated
from moot.errors import FileError


def table(path: Path, names: Sequence[str], rows: Sequence[Sequence[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    return path


@pytest.mark.parametrize(
    ("headers", "answers"),
    [
        (("option_a", "option_b", "option_c"), ("option_b", "option_c")),
        (("Option A", "Option B", "Option C"), ("Option B", "option c")),
        (("Option 1", "Option 2", "Option 3"), ("Option 2", "Option 3")),
    ],
)
def test_an_answer_may_be_the_header_of_its_choice(
    headers: Sequence[str], answers: Sequence[str], tmp_path: Path
) -> None:
    rows = [("Which is one?", "w", "x", "y", answers[0]), ("Which is two?", "k", "l", "m", answers[1])]
    path = table(tmp_path / "quiz.csv", ("question", *headers, "answer"), rows)
    assert [case.answer for case in load(path)] == ["B", "C"]
    ours = table(path, ("question", *headers, "answer"), [("Which?", "w", "x", answers[0], answers[0])] * 2)
    assert {case.answer for case in load(ours)} == {"C"}, "a text of a choice is that choice"


def test_what_is_always_in_the_same_place_is_said(tmp_path: Path) -> None:
    rows = [(f"Which is {n}?", f"x{n}", f"y{n}", f"z{n}", "A") for n in range(12)]
    names = ("question", "A", "B", "C", "answer")
    assert "the right choice is A in all 12 rows" in load(table(tmp_path / "quiz.csv", names, rows)).notes[0]
    for fewer in (rows[:11], [*rows, ("Which?", "x", "y", "z", "B")]):
        assert "the right choice" not in load(table(tmp_path / "quiz.csv", names, fewer)).notes[0]


def test_choices_that_are_the_same_are_said(tmp_path: Path) -> None:
    rows = [("Which is one?", "x", "X ", "z", "A"), ("Which is two?", "x", "y", "z", "B")]
    path = table(tmp_path / "quiz.csv", ("question", "A", "B", "C", "answer"), rows)
    assert "two choices are the same in line 2: only one of them counts" in load(path).notes[0]


@pytest.mark.parametrize("names", [("Q", "A"), ("Term", "Definition")])
def test_a_run_advises_what_init_would_take(names: tuple[str, str], tmp_path: Path) -> None:
    path = table(tmp_path / "cards.csv", names, [("What is made of light?", "sugar"), ("Who wrote Faust?", "Goethe")])
    with pytest.raises(FileError) as caught:
        load(path)
    assert f"such as columns: {{text: {names[0]}, answer: {names[1]}}}" in str(caught.value)
    taken = find_questions(path, tmp_path / "moot.yaml", yes=True, small=False).written.keys["columns"]
    assert taken == {"text": names[0], "answer": names[1]}
    assert [case.answer for case in load(path, stated=Stated(taken))] == ["sugar", "Goethe"]
