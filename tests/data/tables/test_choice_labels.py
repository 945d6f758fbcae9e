"""Choices with labels of their own: the label says the same as the place in the list, or nobody is told what is right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.data import load, propose_columns
from moot.data.tables.answer_forms import AnswersSeen, place_of
from moot.data.tables.choice_labels import labelled_choices
from moot.data.tables.proposal import Stated
from moot.errors import FileError

PLANETS = ["Mars", "Jupiter", "Venus"]
LOOKS_RUSSIAN = {"А": "A", "В": "B", "Е": "E"}
Rows = list[tuple[list[str], Any]]


def table(tmp_path: Path, rows: Rows, names: list[str] | None = None) -> Path:
    path = tmp_path / "cup.jsonl"
    objects = [
        {"question": f"Which, {place}?", "correct": right}
        | (dict(zip(names, choices, strict=True)) if names else {"options": choices})
        for place, (choices, right) in enumerate(rows)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in objects))
    return path


def right(path: Path, stated: Stated | None = None) -> str:
    return "".join(case.answer or "-" for case in load(path, stated=stated or Stated()))


SHUFFLED = [
    (["B) Mars", "A) Jupiter", "C) Venus"], "A", "letters"),
    (["(b) Mars", "(a) Jupiter", "(c) Venus"], "A", "letters"),
    (["B. Mars", "A. Jupiter", "C. Venus"], "a)", "letters"),
    (["B.Mars", "A.Jupiter", "C.Venus"], "A", "letters"),
    (["B: 10", "A: 20", "C: 15"], "A", "letters"),
    (["B - Mars", "A – Jupiter", "C — Venus"], "A", "letters"),
    (["B Mars", "A Jupiter", "C Venus"], "A", "letters"),
    (["Option B: Mars", "Option A: Jupiter", "Option C: Venus"], "A", "letters"),
    (["B)", "A)", "C)"], "A", "letters"),
    (["[3] Mars", "[1] Jupiter", "[2] Venus"], 3, "from-1"),
    (["2. Mars", "1. Jupiter", "3. Venus"], "3", None),  # 3 is the third in both: no doubt
    (["1) Mars", "2) Jupiter", "0) Venus"], 0, "from-0"),
    (["(б) Марс", "(а) Юпитер", "(в) Венера"], "а", "letters-ru"),
    (["Б) Марс", "А) Юпитер", "В) Венера"], "A", "letters"),  # Latin A
    (["B) Mars", "A) Jupiter", "C) Venus"], "А", "letters-ru"),  # Russian А
]  # fmt: skip


@pytest.mark.parametrize("in_columns", [False, True])
@pytest.mark.parametrize(("choices", "answer", "form"), SHUFFLED)
def test_a_label_that_says_another_choice(
    tmp_path: Path, choices: list[str], answer: Any, form: Any, in_columns: bool
) -> None:
    path = table(tmp_path, [(choices, answer)], ["Option A", "Option B", "Option C"] if in_columns else None)
    if form is None:
        assert right(path) == "C"
        return
    with pytest.raises(FileError, match=r"cup\.jsonl:1: correct: the answers can be read in \d ways") as caught:
        load(path)
    said = [
        "as the choices' own labels",
        f"answers: {form}",
        "or leave the labels out of the choices and write the text",
    ]
    assert [part for part in said if part not in str(caught.value)] == []
    assert Stated(answers=form) in propose_columns(path).doubts[0].ways
    assert right(path, Stated(answers=form)) in ("A", "C")


def test_one_row_whose_label_says_otherwise_is_enough(tmp_path: Path) -> None:
    in_order = ["1) Mars", "2) Jupiter", "3) Venus"]
    with pytest.raises(FileError, match=r"cup\.jsonl:1: .* from 0 '1' is '2\) Jupiter', .* labels '1' is '1\) Mars'"):
        load(table(tmp_path, [(in_order, 1), (in_order, 0)]))
    with pytest.raises(FileError, match=r"cup\.jsonl:3: "):
        load(table(tmp_path, [(PLANETS, "C"), (PLANETS, "A"), (["B) Mars", "A) Jupiter"], "B")]))


@pytest.mark.parametrize(
    "choices", [["1.5", "0.5", "2.5"], ["2:30", "1:45", "3:00"], ["Mars", "A) x", "B) y"], ["A) x", "A) y"]]
)
def test_what_is_no_label(choices: list[str]) -> None:
    assert labelled_choices(choices) == []


def test_a_label_that_never_comes_costs_no_time() -> None:
    assert labelled_choices(["option" + " " * 200_000 + "!"] * 2) == []


def test_labels_in_order_agree_and_nothing_is_said(tmp_path: Path) -> None:
    latin, russian = ["A) Mars", "B) Jupiter", "C) Venus"], ["А. Марс", "Б. Юпитер", "В. Венера"]
    numbers = ["1. Mars", "2. Jupiter", "3. Venus"]
    for choices, answers in (
        (latin, "CBA"),
        (russian, "ВБА"),
        (numbers, "321"),
        (latin, ["Venus", "jupiter", "A) Mars"]),
    ):
        path = table(tmp_path, [(choices, answer) for answer in answers])
        assert right(path) == "CBA"
        assert "too; answers" not in load(path).notes[0]


def test_a_text_without_its_label(tmp_path: Path) -> None:
    shuffled = ["B) Mars", "A) Jupiter", "C) Venus"]
    assert right(table(tmp_path, [(shuffled, "Jupiter"), (shuffled, "mars"), (shuffled, "C) Venus")])) == "BAC"
    for choices, answer in ((["A) Mars", "B) Mars"], "Mars"), (shuffled, "B) Jupiter")):
        with pytest.raises(FileError, match=r"correct: expected a letter, a position or the text of a choice"):
            load(table(tmp_path, [(choices, answer)]))


def test_a_letter_with_its_text(tmp_path: Path) -> None:
    written = ["B) Jupiter", "a. mars", "C"]
    assert right(table(tmp_path, [(PLANETS, answer) for answer in written])) == "BAC"
    assert right(table(tmp_path, [(PLANETS, answer) for answer in ("1) Mars", "2. Jupiter")])) == "AB"
    assert right(table(tmp_path, [(PLANETS, answer) for answer in ("0) Mars", "1. Jupiter")])) == "AB"
    assert right(table(tmp_path, [(PLANETS, answer) for answer in ("А) Mars", "В) Venus")])) == "AC"
    why = r"found 'A\) Jupiter' \('Jupiter' is choice 2 of 3, and 'A' is not\)"
    for rows in ([(PLANETS, "A) Jupiter")], [(PLANETS, "B"), (PLANETS, "A) Jupiter")]):
        with pytest.raises(FileError, match=why):
            load(table(tmp_path, rows))
    with pytest.raises(FileError, match=why):
        load(table(tmp_path, [(PLANETS, "A) Jupiter")]), stated=Stated(answers="letters"))


@pytest.mark.parametrize("names", [["А", "Б", "В", "Г"], ["Вариант А", "Вариант Б", "Вариант В", "Вариант Г"], None])
def test_latin_letters_that_look_russian(tmp_path: Path, names: list[str] | None) -> None:
    choices = ["x", "y", "z", "w"] if names else ["А) x", "Б) y", "В) z", "Г) w"]
    path = table(tmp_path, [(choices, "A"), (choices, "B")], names)
    with pytest.raises(
        FileError, match=r"cup\.jsonl:2: correct: the answers can be read in 2 ways: as letters 'B'"
    ) as caught:
        load(path)
    assert "as letters that only look Russian 'B' is" in str(caught.value)
    assert str(caught.value).endswith("answers: letters, or write Russian letters")
    # D and C look like no Russian letter of four: the whole column is Latin
    assert right(table(tmp_path, [(choices, answer) for answer in "ABCD"], names)) == "ABCD"
    assert right(table(tmp_path, [(choices, answer) for answer in "АБВГ"], names)) == "ABCD"
    assert right(table(tmp_path, [(["x", "y", "z", "w"], answer) for answer in "AB"])) == "AB"


TEXTS = ["Mars", "Io", "A", "b", "2", "1"]
MARKS = ["{}) {}", "({}) {}", "{}. {}", "{}: {}", "{} - {}"]
ALPHABETS = ["ABCD", "abcd", "1234", "0123", "АБВГ"]
WRITE = {
    "letter": lambda labels, texts, place: "ABCD"[place],
    "Russian letter": lambda labels, texts, place: "АБВГ"[place],
    "from 0": lambda labels, texts, place: str(place),
    "from 1": lambda labels, texts, place: str(place + 1),
    "label": lambda labels, texts, place: labels[place],
    "label in the other alphabet": lambda labels, texts, place: LOOKS_RUSSIAN.get(labels[place], labels[place]),
    "text": lambda labels, texts, place: texts[place],
}  # fmt: skip


@st.composite
def rows(draw: st.DrawFn) -> tuple[list[str], list[str], list[str], int]:
    texts = draw(st.lists(st.sampled_from(TEXTS), min_size=2, max_size=4, unique_by=str.casefold))
    labels = draw(st.permutations(draw(st.sampled_from(ALPHABETS))[: len(texts)]))
    mark = draw(st.sampled_from(MARKS))
    choices = [mark.format(label, text) for label, text in zip(labels, texts, strict=True)]
    return choices, list(labels), texts, draw(st.integers(0, len(texts) - 1))


@given(st.lists(rows(), min_size=1, max_size=5), st.sampled_from(list(WRITE)))
@settings(max_examples=150, deadline=None)
def test_whatever_was_meant_by_labelled_choices_is_read_or_nothing_is(
    drawn: list[tuple[list[str], list[str], list[str], int]], meant: str
) -> None:
    seen = AnswersSeen()
    written = [WRITE[meant](labels, texts, place) for _, labels, texts, place in drawn]
    for line, (answer, (choices, *_)) in enumerate(zip(written, drawn, strict=True)):
        seen.see(line, answer, choices)
    if seen.form is None:
        return
    read = [place_of(answer, choices, seen.form) for answer, (choices, *_) in zip(written, drawn, strict=True)]
    assert read == [place for *_, place in drawn]
