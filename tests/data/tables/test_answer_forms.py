"""The right choice is read out of a column in one way, or in none: never in the wrong one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.data import load, propose_columns
from moot.data.tables.answer_forms import ANSWER_FORMS, AnswersAs, AnswersSeen, place_of
from moot.data.tables.proposal import Stated
from moot.errors import FileError

PLANETS = ["Mars", "Jupiter", "Venus"]
Rows = list[tuple[list[Any], Any]]


def table(path: Path, rows: Rows) -> Path:
    objects = [
        {"question": f"Which, {place}?", "options": each, "correct": right} for place, (each, right) in enumerate(rows)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in objects))
    return path


def right(path: Path, answers: AnswersAs | None = None) -> str:
    return "".join(case.answer or "-" for case in load(path, stated=Stated(answers=answers)))


@pytest.mark.parametrize(
    ("answers", "letters", "form"),
    [
        (["A", "b", "C)", "(A)", "[b]", "c.", " B "], "ABCABCB", "letters"),
        (["А", "б", "В)"], "ABC", "letters-ru"),
        ([0, 1, 2], "ABC", "from-0"),
        (["1", "3", "2"], "ACB", "from-1"),
        (["1.0", 3.0, 2], "ACB", "from-1"),
        (["Mars", " jupiter", "VENUS "], "ABC", "texts"),
    ],
)
def test_a_column_of_one_form(tmp_path: Path, answers: list[Any], letters: str, form: str) -> None:
    path = table(tmp_path / "cup.jsonl", [(PLANETS, answer) for answer in answers])
    assert right(path) == letters
    assert propose_columns(path).answers == form


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        # no 0 and nothing equal to the number of choices
        ([(PLANETS, 1), (PLANETS, 2)], ["'1' is 'Jupiter'", "'1' is 'Mars'", "answers: from-0 or answers: from-1"]),
        # the number of choices is each row's own: 3 of 4 decides nothing
        ([([*PLANETS, "Earth"], 3), (PLANETS, 2)], ["answers: from-0 or answers: from-1"]),
        # texts that are letters, in another order
        ([(["B", "A", "C"], "A"), (["C", "A", "B"], "B")], ["'A' is 'B'", "'A' is 'A'", "letters or answers: texts"]),
        # texts that are numbers: also where positions are decided among themselves
        ([([3, 0, 1], 0), ([2, 1, 0], 1)], ["from-0", "texts"]),
        ([([1, 2, 3], 3), ([3, 2, 1], 1)], ["from-1", "texts"]),
        # В is the third Russian letter and looks like the second Latin one
        ([(PLANETS, "А"), (PLANETS, "В")], ["'В' is 'Venus'", "'В' is 'Jupiter'", "or write Latin letters"]),
    ],
)
def test_a_column_with_two_meanings_is_refused_with_both(tmp_path: Path, rows: Rows, said: list[str]) -> None:
    path = table(tmp_path / "cup.jsonl", rows)
    with pytest.raises(FileError, match=r"cup\.jsonl:\d: correct: the answers can be read in [23] ways") as caught:
        load(path)
    assert [part for part in said if part not in str(caught.value)] == []
    (doubt,) = propose_columns(path).doubts
    assert doubt.column == "correct"


def test_two_readings_that_say_the_same_are_no_doubt(tmp_path: Path) -> None:
    assert right(table(tmp_path / "cup.jsonl", [(["A", "B", "C"], "B"), (["a", "b"], "A")])) == "BA"
    assert right(table(tmp_path / "cup.jsonl", [([0, 1, 2], 1), ([0, 1, 2], 0)])) == "BA"


def test_what_the_file_says_goes_over_what_is_seen(tmp_path: Path) -> None:
    path = table(tmp_path / "cup.jsonl", [(PLANETS, 1), (PLANETS, 2)])
    assert (right(path, "from-0"), right(path, "from-1")) == ("BC", "AB")
    path = table(tmp_path / "cup.jsonl", [(["B", "A"], "A")])
    assert (right(path, "letters"), right(path, "texts")) == ("A", "B")
    with pytest.raises(FileError, match=r"cup\.jsonl:1: correct: expected a position from 1 to 2, found 'A'"):
        load(path, stated=Stated(answers="from-1"))


def test_an_answer_that_the_other_rows_decide_is_said(tmp_path: Path) -> None:
    path = table(tmp_path / "cup.jsonl", [(PLANETS, "C"), (["vitamin C", "A", "B"], "A")])
    dataset = load(path)
    assert [case.answer for case in dataset] == ["C", "A"]
    assert "line 2: 'A' is the text of another choice too; answers: letters settles it" in dataset.notes[0]


def test_of_texts_that_could_be_something_else_the_most_are_said(tmp_path: Path) -> None:
    numbers = [(["2", "1", "x"], "1"), (["x", "y", "2"], "2")]
    path = table(tmp_path / "cup.jsonl", [(["B", "A", "x"], "A"), *numbers, (PLANETS, "Mars")])
    dataset = load(path)
    assert [case.answer for case in dataset] == ["B", "B", "C", "A"]
    assert "line 2 and 1 more: '1' is a letter or a position too; answers: texts settles it" in dataset.notes[0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(PLANETS, "A"), (PLANETS, "B"), (PLANETS, "D")], "expected one of the letters A, B, C, found 'D'; 2 of the 3"),
        ([(PLANETS, "A"), (PLANETS, "B"), (PLANETS, "С")], "3: correct: expected one of the letters"),  # Russian С
        ([(PLANETS, -1)], "1: correct: expected a letter, a position or the text of a choice, found '-1'"),
        ([(PLANETS, 0), (PLANETS, 3), (PLANETS, 1)], "expected a position from 0 to 2, found '3'"),
        ([(PLANETS, 3), (PLANETS, 2.5)], "2: correct: expected a position from 1 to 3, found '2.5'"),
        ([(["Mars", "mars", "x"], "MARS")], "1: correct: expected a letter, a position or the text"),
        ([(["Mars", "Mars"], "Mars")], "1: correct: expected a letter"),
        ([(PLANETS, "A"), ([], "B")], "2: options: no choices, though the answer is 'B'"),
        ([(PLANETS, "A"), (PLANETS, None)], "2: correct: the reference is missing"),
        ([(PLANETS, "A"), (PLANETS, True)], "2: correct: expected one of the letters A, B, C, found 'True'"),
    ],
)  # fmt: skip
def test_a_row_that_does_not_fit_is_named(tmp_path: Path, rows: Rows, message: str) -> None:
    with pytest.raises(FileError) as caught:
        load(table(tmp_path / "cup.jsonl", rows))
    assert message in str(caught.value)


CHOICES = st.lists(
    st.sampled_from(["A", "B", "C", "0", "1", "2", "3", "Mars", "b"]), min_size=2, max_size=4, unique=True
)
WRITE: Mapping[AnswersAs, Any] = {
    "letters": lambda choices, place: "ABCD"[place],
    "letters-ru": lambda choices, place: "АБВГ"[place],
    "from-0": lambda choices, place: str(place),
    "from-1": lambda choices, place: str(place + 1),
    "texts": lambda choices, place: choices[place],
}


@given(
    st.lists(
        CHOICES.flatmap(lambda each: st.tuples(st.just(each), st.integers(0, len(each) - 1))), min_size=1, max_size=6
    ),
    st.sampled_from(ANSWER_FORMS),
)
@settings(max_examples=150, deadline=None)
def test_whatever_was_meant_is_read_or_nothing_is(rows: list[tuple[list[str], int]], meant: AnswersAs) -> None:
    """Of a column in one form, in choices made to be mistaken for letters and positions."""
    seen = AnswersSeen()
    written = [(WRITE[meant](choices, place), choices, place) for choices, place in rows]
    for line, (answer, choices, _) in enumerate(written):
        seen.see(line, answer, choices)
    assert meant in seen.fitting
    if seen.form is None:
        assert seen.doubt is not None
    else:
        read = [place_of(answer, choices, seen.form) for answer, choices, _ in written]
        assert read == [place for _, _, place in written]
