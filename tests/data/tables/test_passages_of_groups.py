"""A passage that only the first row of each group has, as merged cells of a spreadsheet are stored."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from moot.data import load
from moot.data.tables.proposal import Stated
from moot.errors import FileError

PASSAGE = "In the year 1800 the town was visited by many, and they stayed for weeks in its inns."


def table(path: Path, passages: list[str]) -> Path:
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["Passage", "Question", "Answer"])
        rows.writerows(
            [passage, f"What is asked {place} times?", f"word {place}"] for place, passage in enumerate(passages)
        )
    return path


def test_whoever_would_be_asked_without_it_is_told_of(tmp_path: Path) -> None:
    path = table(tmp_path / "cup.csv", [PASSAGE, "", "", f"{PASSAGE} Later.", ""])
    with pytest.raises(FileError) as caught:
        load(path)
    said = str(caught.value)
    assert "cup.csv:3: context (Passage) is empty in 3 of 5 rows, each below a filled one" in said
    assert "repeat the text in every row" in said
    cases = list(load(path, stated=Stated({"context": "Passage"})))
    assert [case.question.context is None for case in cases] == [False, True, True, False, True]


@pytest.mark.parametrize("passages", [["", PASSAGE, "", PASSAGE], [PASSAGE] * 7 + [""], ["a", "", "b", ""]])
def test_a_slip_or_a_label_is_no_merged_cell(tmp_path: Path, passages: list[str]) -> None:
    assert len(list(load(table(tmp_path / "cup.csv", passages)))) == len(passages)


def test_a_column_without_a_name_is_called_so(tmp_path: Path) -> None:
    path = tmp_path / "cup.csv"
    path.write_text(",Question,Answer\n0,Which river?,Seine\n1,Which town?,Paris\n")
    assert "not used: a column without a name" in " ".join(load(path).notes)


def test_a_file_without_anything_right_says_that_it_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "lambada.jsonl"
    path.write_text('{"text": "He went to Paris"}\n{"text": "She went to Rome"}\n')
    with pytest.raises(FileError, match="no column is known to be answer, and none is left that could be it"):
        load(path)


def test_yes_and_no_point_at_no_choices(tmp_path: Path) -> None:
    path = tmp_path / "policy.csv"
    path.write_text(
        "Question,Answer (Y/N),Ref\nMay staff go home early?,Y,the first part\nMay staff stay?,N,the last part\n"
    )
    with pytest.raises(FileError) as caught:
        load(path)
    assert "columns: {answer: Answer (Y/N)}" in str(caught.value)
    dataset = load(path, stated=Stated({"answer": "Answer (Y/N)"}))
    assert [case.answer for case in dataset] == ["yes", "no"]
    assert "choices" not in " ".join(dataset.notes)


@pytest.mark.parametrize(
    ("question", "first"), [("Ann has 2 apples and buys 3?", "null"), ("What does it print?", "code")]
)
def test_a_program_that_works_out_the_answer_is_not_advised_first(tmp_path: Path, question: str, first: str) -> None:
    path = tmp_path / "sums.jsonl"
    row = f'{{"input": "{question}", "code": "def solution():\\n  x = 1\\n  return x", "target": 12.0}}\n'
    path.write_text(row * 2)
    with pytest.raises(FileError) as caught:
        load(path)
    said = str(caught.value)
    assert said.index(f"{{context: {first}}}") < said.index("{context: code}" if first == "null" else "{context: null}")
