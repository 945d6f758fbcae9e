"""A worked solution beside the short answer that it comes to: graded against it everybody would be wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from moot.data import Dataset, load
from moot.data.tables.proposal import Stated
from moot.errors import FileError

SUMS = (("3 trays of 4 buns. How many?", 3, 4), ("2 trays of 5?", 2, 5), ("6 rows of 9 seats?", 6, 9))


def first(dataset: Dataset) -> str | None:
    return next(iter(dataset)).answer


def worked(path: Path, way: str, short: str, said: str = "We multiply {} by {} and get {} of them.") -> Path:
    rows = [{"question": text, way: said.format(a, b, a * b), short: str(a * b)} for text, a, b in SUMS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("said", ["We multiply {} by {} and get {} of them.", "{}*{}={}"])
@pytest.mark.parametrize("short", ["final_answer", "Final Answer", "short_answer", "numeric_answer"])
def test_a_worked_solution_is_not_what_somebody_who_is_right_says(short: str, said: str, tmp_path: Path) -> None:
    dataset = load(worked(tmp_path / "sums.jsonl", "solution", short, said))
    assert [case.answer for case in dataset] == ["12", "10", "54"]
    assert "not used: solution" in " ".join(dataset.notes)


@pytest.mark.parametrize(
    ("way", "short"),
    [
        *(("solution", short) for short in ("result", "final", "value", "answer_number", "Ergebnis")),
        *(("answer", short) for short in ("final_answer", "short_answer", "answer_value")),
    ],
)
def test_nor_where_the_short_one_may_be_something_else(way: str, short: str, tmp_path: Path) -> None:
    path = worked(tmp_path / "sums.jsonl", way, short)
    with pytest.raises(FileError, match=f"2 columns could be answer: {way} and {short}; say which") as caught:
        load(path)
    assert f"such as columns: {{answer: {short}}}" in str(caught.value)
    assert [case.answer for case in load(path, stated=Stated({"answer": short}))] == ["12", "10", "54"]
    assert first(load(path, stated=Stated({"answer": way}))) != "12", "whoever says so is believed"


def test_nor_in_a_language_whose_names_are_only_advised(tmp_path: Path) -> None:
    path = worked(tmp_path / "sums.jsonl", "Lösung", "Ergebnis")
    with pytest.raises(FileError, match=r"columns: \{answer: Ergebnis\}"):
        load(path)


def test_several_solutions_beside_one_answer(tmp_path: Path) -> None:
    rows = [
        {"question": text, "solution": [f"So {a} by {b} is {a * b}", "Another way."], "final_answer": [f"${a * b}$"]}
        for text, a, b in SUMS
    ]
    path = tmp_path / "olympiad.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [case.answer for case in load(path)] == ["$12$", "$10$", "$54$"]


def test_lists_of_one_answer_beside_lists_of_one_solution(tmp_path: Path) -> None:
    rows = [
        {"question": text, "solution": [f"So {a} by {b} is {a * b}"], "final_answer": [str(a * b)]}
        for text, a, b in SUMS
    ]
    (tmp_path / "olympiad.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [case.answer for case in load(tmp_path / "olympiad.jsonl")] == ["12", "10", "54"]


def test_a_solution_in_which_the_answer_is_marked_is_read_as_before(tmp_path: Path) -> None:
    path = worked(tmp_path / "sums.jsonl", "answer", "final_answer", "{}*{}\n#### {}")
    assert [case.answer for case in load(path)] == ["12", "10", "54"]


@pytest.mark.parametrize(
    ("beside", "cell"), [("value", "200"), ("is_correct", "1"), ("unit", "kg"), ("result", "passed")]
)
def test_what_a_solution_does_not_come_to_is_no_rival(beside: str, cell: str, tmp_path: Path) -> None:
    rows = [{"question": text, "solution": f"It is {a * b}", beside: cell} for text, a, b in SUMS]
    (tmp_path / "sums.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert first(load(tmp_path / "sums.jsonl")) == "It is 12"
