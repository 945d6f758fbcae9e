"""Several answers that are right, beside choices or wrong ones: none of them is missing, and of choices one is right."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from moot.data import Dataset, load
from moot.data.tables.proposal import Stated
from moot.errors import FileError


def table(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def right(dataset: Dataset) -> list[str | None]:
    found = []
    for case in dataset:
        lettered = dict(zip(case.question.letters, case.question.choices, strict=True))
        found.append(lettered.get(str(case.answer), case.answer))
    return found


TRUTHFUL = [
    {
        "type": "Adversarial",
        "category": "Myths",
        "question": "What happens if you eat seeds?",
        "best_answer": "They pass through",
        "correct_answers": ["They pass through", "Nothing happens"],
        "incorrect_answers": ["You grow plants", "You die"],
        "source": "a book",
    },
    {
        "type": "Adversarial",
        "category": "Myths",
        "question": "Where do fortune cookies come from?",
        "best_answer": "Nobody knows",
        "correct_answers": ["Nobody knows", "Japan"],
        "incorrect_answers": ["China", "Taiwan"],
        "source": "a book",
    },
]


def test_truthful_answers_are_the_best_one_among_wrong_ones(tmp_path: Path) -> None:
    dataset = load(table(tmp_path / "truthful.jsonl", TRUTHFUL))
    assert right(dataset) == ["They pass through", "Nobody knows"]
    assert {*next(iter(dataset)).question.choices} == {"They pass through", "You grow plants", "You die"}


def test_a_list_of_several_right_ones_is_no_missing_reference(tmp_path: Path) -> None:
    path = table(tmp_path / "truthful.jsonl", TRUTHFUL)
    with pytest.raises(FileError, match="correct_answers holds several right answers") as caught:
        load(path, stated=Stated({"answer": "correct_answers"}))
    assert "columns: {wrong: null}" in str(caught.value)
    assert "missing" not in str(caught.value)
    cases = list(load(path, stated=Stated({"answer": "correct_answers", "wrong": None})))
    assert (cases[0].answer, cases[0].accepted) == ("They pass through", ("Nothing happens",))


def test_nor_is_it_in_one_row(tmp_path: Path) -> None:
    rows = [{"question": f"Which is {n}?", "correct_answers": ["x"], "incorrect_answers": ["y", "z"]} for n in range(5)]
    path = table(tmp_path / "cup.jsonl", rows)
    assert right(load(path, stated=Stated({"answer": "correct_answers"}))) == ["x"] * 5
    rows[3]["correct_answers"] = ["x", "w"]
    with pytest.raises(FileError, match=r"cup\.jsonl:4: correct_answers: 2 answers are right by it \(\[x, w\]\)"):
        load(table(path, rows), stated=Stated({"answer": "correct_answers"}))


@pytest.mark.parametrize(("answer", "said"), [(["A", "C"], "2 answers are right by it"), (["B"], None), (["y"], None)])
def test_lists_of_what_is_right_of_choices(answer: list[str], said: str | None, tmp_path: Path) -> None:
    rows = [{"question": f"Which is {n}?", "choices": ["x", "y", "z"], "answer": answer} for n in range(3)]
    path = table(tmp_path / "cup.jsonl", rows)
    if said is None:
        assert right(load(path)) == ["y"] * 3
        return
    with pytest.raises(FileError, match=said):
        load(path)


def flagged(*texts: tuple[str, bool]) -> dict[str, Any]:
    return {"question": "Which?", "answers": [{"text": text, "correct": said} for text, said in texts]}


def test_two_choices_that_are_said_to_be_right(tmp_path: Path) -> None:
    one = flagged(("k", True), ("l", False))
    assert right(load(table(tmp_path / "cup.jsonl", [one]))) == ["k"]
    with pytest.raises(FileError, match=r":2: answer: 2 answers are right by it \(\[w, x\]\)"):
        load(table(tmp_path / "cup.jsonl", [one, flagged(("w", True), ("x", True), ("y", False))]))
    with pytest.raises(FileError, match=":2: answer: the reference is missing"):
        load(table(tmp_path / "cup.jsonl", [one, flagged(("w", False), ("x", False))]))
    with pytest.raises(FileError, match=":2: answer: expected the text of one choice, and of no other"):
        load(table(tmp_path / "cup.jsonl", [one, flagged(("w", True), ("w", False))]))


def test_choices_with_points_are_texts(tmp_path: Path) -> None:
    choices = [{"text": "w", "points": 0}, {"text": "x", "points": 1}]
    path = table(tmp_path / "cup.jsonl", [{"question": "Which?", "choices": choices, "answer": "x"}] * 2)
    (first, _) = load(path)
    assert (first.question.choices, first.answer) == (("w", "x"), "B")
