"""Tables with columns of their own: found by name or by what the file says, the same questions from every kind of file."""

from __future__ import annotations

import csv
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest
from workbooks import workbook

from moot.data import Dataset, load, propose_columns
from moot.data.case import KEYS
from moot.data.tables.known_names import NAMES, guessed
from moot.data.tables.proposal import NOTHING_STATED, Stated
from moot.errors import FileError
from moot.types import HumanRate

OURS = [
    {"id": "7", "text": "Which is the largest?", "choices": ["Mars", "Jupiter", "Venus"], "answer": "B", "year": 1999},
    {"id": "8", "text": 'Two, or "three"; or?', "choices": ["x", "y"], "answer": "A", "accepted": ["ex"]},
]
NAMES_OF_THEIRS = ["No", "What", "1st", "2nd", "3rd", "Key", "When", "Also"]
THEIRS: list[list[Any]] = [
    [7, "Which is the largest?", "Mars", "Jupiter", "Venus", 2, 1999, None],
    [8, 'Two, or "three"; or?', "x", "y", None, 1, None, "ex"],
]
STATED = Stated(
    {
        "id": "No",
        "text": "What",
        "choices": ("1st", "2nd", "3rd"),
        "answer": "Key",
        "year": "When",
        "accepted": "Also",
    },
    answers="from-1",
)


def delimited(path: Path, delimiter: str) -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([NAMES_OF_THEIRS, *THEIRS])


def as_objects() -> list[dict[str, Any]]:
    return [dict(zip(NAMES_OF_THEIRS, row, strict=True)) for row in THEIRS]


WRITERS: dict[str, Callable[[Path], object]] = {
    "cup.csv": lambda path: delimited(path, ","),
    "semicolons.csv": lambda path: delimited(path, ";"),
    "cup.tsv": lambda path: delimited(path, "\t"),
    "cup.jsonl": lambda path: path.write_text("".join(json.dumps(row) + "\n" for row in as_objects())),
    "cup.json": lambda path: path.write_text(json.dumps(as_objects())),
    "cup.parquet": lambda path: polars.DataFrame(as_objects()).write_parquet(path),
    "cup.xlsx": lambda path: workbook(path, {"Cup": [NAMES_OF_THEIRS, *THEIRS]}),
}


@pytest.mark.parametrize(("name", "write"), WRITERS.items(), ids=WRITERS)
def test_a_question_is_the_same_from_every_file(name: str, write: Callable[[Path], object], tmp_path: Path) -> None:
    ours = tmp_path / "ours.jsonl"
    ours.write_text("".join(json.dumps(row) + "\n" for row in OURS))
    write(tmp_path / name)
    dataset = load(tmp_path / name, stated=STATED)
    assert [case.digest for case in dataset] == [case.digest for case in load(ours)]
    assert [case.year for case in dataset] == [1999, None]
    assert dataset.notes == (f"{name}: 1 of the questions have fewer choices than the 3 columns",)


def test_the_fingerprint_follows_the_columns(tmp_path: Path) -> None:
    delimited(tmp_path / "cup.csv", ",")
    other = Stated({**STATED.columns, "choices": ("2nd", "1st")}, answers="from-1")
    (tmp_path / "cup.csv").write_text((tmp_path / "cup.csv").read_text().replace(",Venus,2", ",Venus,1"))
    assert load(tmp_path / "cup.csv", stated=STATED).fingerprint != load(tmp_path / "cup.csv", stated=other).fingerprint


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def loaded(path: Path, text: str, stated: Stated = NOTHING_STATED) -> Dataset:
    return load(written(path, text), stated=stated)


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("Question ID,Question,A,B,C,D,Correct Answer,Subject", {"id": "Question ID", "choices": ("A", "B", "C", "D")}),
        ("qid;prompt;option_a;option_b;label;explanation", {"choices": ("option_a", "option_b"), "comment": "explanation"}),
        ("question,opa,opb,opc,opd,cop,subject_name", {"choices": ("opa", "opb", "opc", "opd"), "answer": "cop"}),
        ("question,choice0,choice1,choice2,answer", {"choices": ("choice0", "choice1", "choice2")}),
        ("question,choice1,choice2,answer_index", {"choices": ("choice1", "choice2"), "answer": "answer_index"}),
        ("question,answer,answer_idx", {"answer": "answer"}),
        ("question,answers,answer_a,answer_b,correct", {"choices": ("answer_a", "answer_b"), "answer": "correct"}),
        ("query,options,target,topic", {"text": "query", "choices": "options", "answer": "target", "category": "topic"}),
        ("Номер;Вопрос;Варианты ответа;Правильный ответ;Тема", {"choices": "Варианты ответа", "category": "Тема"}),
        ("Текст вопроса;Вариант А;Вариант Б;Ответ;Зачёт", {"choices": ("Вариант А", "Вариант Б"), "accepted": "Зачёт"}),
        (" ID, TEXT, Answer, meta.tour", {"id": " ID", "text": " TEXT"}),
        ("text,answer,meta.tour", {"text": "text", "meta": ("meta.tour",)}),
    ],
)  # fmt: skip
def test_common_names_are_known(header: str, columns: dict[str, Any]) -> None:
    names = header.split(";" if ";" in header else ",")
    guess = guessed(names, {})
    assert not guess.doubts
    assert guess.columns | columns == guess.columns
    assert {"text", "answer"} <= set(guess.columns)


def test_names_are_of_one_key_only_and_of_keys_that_there_are() -> None:
    every = [name for names in NAMES.values() for name in names]
    assert len(every) == len(set(every))
    assert NAMES.keys() <= set(KEYS)


def test_what_was_guessed_is_said(tmp_path: Path) -> None:
    (case,) = dataset = loaded(tmp_path / "cup.csv", "Question;A;B;Correct;level of it\nWhich?;x;y;b;3\n")
    assert (case.question.id, case.question.choices, case.answer) == ("1", ("x", "y"), "B")
    assert dataset.notes == (
        "cup.csv: by their names, columns: {text: Question, choices: [A, B], answer: Correct}; no column is known to be"
        " id, so questions are numbered by their rows; not used: level of it; answers are read as letters",
    )
    said = Stated({"id": None, "text": "Question", "choices": ("A", "B"), "answer": "Correct"}, answers="letters")
    assert load(tmp_path / "cup.csv", stated=said).notes == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question,prompt,answer\na,b,c\n", "question and prompt; say which under questions, such as columns: {text: question}"),
        ("text,question,answer\na,b,c\n", "2 columns could be text: text and question"),
        ("question,answer,label\na,b,c\n", "2 columns could be answer: answer and label"),
        ("question,options,option_a,option_b,answer\n", "2 columns could be choices: options and [option_a, option_b]"),
        ("question,a,b,d,answer\n", "2 columns could be choices: [a, b] and [a, b, d]"),
        ("question,answer,subject,topic\na,b,c,d\n", "columns: {category: subject}, or category: null for none"),
        ("question,prompt,answer,label\n", "2 columns could be answer"),
        ("qestion,ansver\na,b\n", "text ('qestion' could be it); the columns are"),
        ("foo,bar\na,b\n", "say which under questions, such as columns: {text: foo}; no column is known to be answer"),
        ("id,text,answer,riddle\n1,a,b,c\n", "riddle: unknown key; expected one of id, text"),
    ],
)  # fmt: skip
def test_a_header_in_doubt_is_blamed_as_a_header(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FileError) as caught:
        loaded(tmp_path / "cup.csv", text)
    assert str(caught.value).startswith(f"{tmp_path}/cup.csv:1: ")
    assert message in str(caught.value)
    assert propose_columns(tmp_path / "cup.csv").doubts


def test_all_wrong_columns_are_in_one_message(tmp_path: Path) -> None:
    stated = Stated({"text": "Qestion", "choices": ("A", "E"), "answer": "right"})
    with pytest.raises(FileError) as caught:
        loaded(tmp_path / "cup.csv", "Question,A,B,Correct\na,b,c,A\n", stated)
    assert str(caught.value).removeprefix(f"{tmp_path}/") == (
        "cup.csv:1: no column 'Qestion' for text (did you mean 'Question'?), 'E' for choices, 'right' for answer;"
        " the columns are Question, A, B, Correct"
    )


def test_what_is_said_settles_a_doubt_and_leaves_the_rest_to_be_found(tmp_path: Path) -> None:
    text = "question,prompt,answer,subject,topic\nwhy,be brief,so,c,d\n"
    (case,) = loaded(tmp_path / "cup.csv", text, Stated({"text": "question", "category": None}))
    assert (case.question.text, case.answer, case.category) == ("why", "so", None)


@pytest.mark.parametrize(
    "cells",
    [
        ("x|y|z", "a; b | c"),
        ("x; y; z", "a | b; c | d"),
        ('["x", "y", "z"]', '["a;b", "c|d"]'),
        ("['x', 'y', 'z']", "['it\\'s', 'c']"),
    ],
)
def test_choices_in_one_cell(tmp_path: Path, cells: tuple[str, str]) -> None:
    path = tmp_path / "cup.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["question", "options", "answer"], ["p", cells[0], "A"], ["q", cells[1], "B"]])
    first, second = load(path)
    assert first.question.choices == ("x", "y", "z")
    assert len(second.question.choices) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "question,options,answer\na,x;y|z,A\nb,x;y|z,B\n",
            "options: the choices can be cut at | and at ;, in every row",
        ),
        ("question,options,answer\na,x|y,A\nb,x|y,B\nc,x;y,A\n", "4: options: expected choices with | between them"),
        ("question,a,b,c,answer\nq,x,,z,A\n", "2: b: nothing in it, though 'c' after it has a choice"),
        ("question,a,b,answer\nq,x,y,A\nr,x,y,\n", "3: answer: the reference is missing"),
        ("question,a,b,correct\nq,x,y,A\n,x,y,B\n", "3: question: expected a text that is not empty"),
        ("question,a,b,correct,year\nq,x,y,A,long ago\n", "2: year: expected a whole number"),
        ("№,вопрос,ответ\n1,а,б\n1,в,г\n", "3: id: '1' is the question of line 2 already"),
    ],
)
def test_a_row_is_blamed_by_line_and_column(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FileError) as caught:
        loaded(tmp_path / "cup.csv", text)
    assert message in str(caught.value)


def test_a_null_answer_cannot_be_answered_and_an_empty_cell_is_missing(tmp_path: Path) -> None:
    (case,) = dataset = loaded(tmp_path / "cup.jsonl", '{"question": "who?", "answer": null, "passage": "nobody"}\n')
    assert (case.answer, case.question.context) == (None, "nobody")
    assert "1 of the answers are null, which says that the question cannot be answered" in dataset.notes[0]
    polars.DataFrame({"question": ["a", "b"], "gold": ["x", None]}).write_parquet(tmp_path / "cup.parquet")
    assert [case.answer for case in load(tmp_path / "cup.parquet")] == ["x", None]
    (case,) = loaded(tmp_path / "cup.csv", "question,answer\nwho?,[UNKNOWN]\n,\n")
    assert case.answer is None


def test_a_proposal_says_what_to_write(tmp_path: Path) -> None:
    path = written(tmp_path / "cup.csv", "Question;A;B;Correct\nWhich?;x;y;b\n")
    assert propose_columns(path).keys == {
        "columns": {"text": "Question", "choices": ["A", "B"], "answer": "Correct"},
        "answers": "letters",
    }
    assert propose_columns(written(path, "id,text,answer\n1,a,b\n")).keys == {}


def test_a_header_of_thousands_is_not_printed(tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        loaded(tmp_path / "cup.csv", ",".join(f"column {'x' * 500} {n}" for n in range(5_000)) + "\n")
    assert "and 4960 more" in str(caught.value)
    assert len(str(caught.value)) < 10_000


def test_what_reads_a_table_can_be_sent_elsewhere(tmp_path: Path) -> None:
    for name, write in WRITERS.items():
        write(tmp_path / name)
        dataset = load(tmp_path / name, stated=STATED)
        assert [case.digest for case in pickle.loads(pickle.dumps(dataset))] == [case.digest for case in dataset]


@pytest.mark.parametrize("choices", [("B", "A", "C"), ("A", "B", "D"), ("A", "C")])
def test_letters_of_columns_that_are_not_in_order_are_a_doubt(tmp_path: Path, choices: tuple[str, ...]) -> None:
    """Is "A" the column of this name, or the first that is listed?"""
    text = "question,A,B,C,D,answer\nq,w,x,y,z,A\nr,w,x,y,z,B\n"
    stated = Stated({"choices": choices})
    with pytest.raises(FileError, match=r"cup\.csv:1: the columns of the choices are not in order .* answers: letters"):
        loaded(tmp_path / "cup.csv", text, stated)
    assert [case.answer for case in load(tmp_path / "cup.csv", stated=Stated({"choices": choices}, "letters"))] == [
        "A",
        "B",
    ]
    by_text = loaded(tmp_path / "cup.csv", text.replace("z,A", "z,w").replace("z,B", "z,w"), stated)
    assert {case.question.choices["ABC".index(case.answer or "")] for case in by_text} == {"w"}


def test_how_people_did_may_be_in_two_columns(tmp_path: Path) -> None:
    text = "question,answer,solved,asked\na,b,301,390\nc,d,,\n"
    stated = Stated({"human": ("solved", "asked")})
    assert [case.human for case in loaded(tmp_path / "cup.csv", text, stated)] == [HumanRate(301, 390), None]
    with pytest.raises(FileError, match=r"cup\.csv:3: solved … asked: expected .*301/390"):
        loaded(tmp_path / "cup.csv", text.replace("d,,", "d,5,"), stated)


FLOATS: dict[str, list[Any]] = {
    "No": [1.0, 2.0, 3.0],
    "Question": ["a?", "b?", "c?"],
    "Answer": [5.0, 1967.0, 2.5],
    "Accepted": [[5.0, 5.5], [], None],
}


def test_a_whole_float_of_parquet_is_that_number_and_that_is_said(tmp_path: Path) -> None:
    """So a column of whole numbers is written where one of them is missing; "5.0" would be wrong whenever 5 is the answer."""
    path = tmp_path / "cup.parquet"
    polars.DataFrame(FLOATS).write_parquet(path)
    dataset = load(path, stated=Stated({"id": "No", "text": "Question", "answer": "Answer", "accepted": "Accepted"}))
    assert [(case.question.id, case.answer, case.accepted) for case in dataset] == [
        ("1", "5", ("5", "5.5")),
        ("2", "1967", ()),
        ("3", "2.5", ()),
    ]
    assert dataset.notes == ("cup.parquet: No, Answer, Accepted: floats are read without a .0 behind them: 5.0 is 5",)


def test_a_whole_float_in_our_own_form(tmp_path: Path) -> None:
    path = tmp_path / "cup.parquet"
    ours = {"id": [1.0, 2.0], "text": ["a?", "b?"], "choices": [[1.0, 2.5], [3.0, 4.0]], "answer": ["A", "B"]}
    polars.DataFrame({**ours, "meta": [{"weight": 1.0}, {"weight": 2.0}]}).write_parquet(path)
    dataset = load(path)
    assert [(case.question.id, case.question.choices) for case in dataset] == [("1", ("1", "2.5")), ("2", ("3", "4"))]
    assert [case.meta for case in dataset] == [{"weight": 1.0}, {"weight": 2.0}]
    assert dataset.notes == ("cup.parquet: id, choices: floats are read without a .0 behind them: 5.0 is 5",)


def test_a_float_of_half_the_bits_is_read_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "cup.parquet"
    half = {"Answer": polars.Float32, "Accepted": polars.List(polars.Float32)}
    frame = polars.DataFrame({"Question": ["a?", "b?"], "Answer": [0.1, 3.0], "Accepted": [[0.2], [7.0]]})
    frame.cast(half).write_parquet(path)  # type: ignore[arg-type]
    assert [(case.answer, case.accepted) for case in load(path)] == [("0.1", ("0.2",)), ("3", ("7",))]


def test_what_a_float_does_not_know_to_the_last_digit_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "cup.parquet"
    polars.DataFrame({"Question": ["a?", "b?"], "Answer": [1e300, 2.0**53]}).write_parquet(path)
    assert [case.answer for case in load(path)] == ["1e+300", "9007199254740992"]
