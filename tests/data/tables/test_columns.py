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
        ("input,ideal", {"text": "input", "answer": "ideal"}),
        ("case_id,user_message,expected_output,team", {"text": "user_message", "answer": "expected_output"}),
        ("instruction,output", {"text": "instruction", "answer": "output"}),
        ("prompt,completion", {"text": "prompt", "answer": "completion"}),
        ("question,answer_index,choice1,choice2,output", {"answer": "answer_index"}),
        ("question,answer,output", {"answer": "answer"}),
        ("question,correct_answer,distractor1,distractor2", {"wrong": ("distractor1", "distractor2")}),
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


GPQA = (
    "Record ID,Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,Incorrect Answer 3,Pre-Revision Question\n"
    + "".join(f"r{n},Which is number {n}?,right {n},wrong {n},bad {n},,Which?\n" for n in range(40))
)


def test_wrong_choices_beside_the_right_answer_are_drawn_into_an_order(tmp_path: Path) -> None:
    """In the file the right one is always the first."""
    dataset = loaded(tmp_path / "gpqa.csv", GPQA)
    cases = list(dataset)
    for n, case in enumerate(cases):
        right = case.question.choices["ABC".index(case.answer or "")]
        assert (right, {*case.question.choices}) == (f"right {n}", {f"right {n}", f"wrong {n}", f"bad {n}"})
    assert {case.answer for case in cases} == {"A", "B", "C"}
    assert "the choices are Correct Answer, Incorrect Answer 1, " in dataset.notes[0]
    moved = loaded(tmp_path / "moved.csv", "\n".join([GPQA.splitlines()[0], *reversed(GPQA.splitlines()[1:])]))
    assert {case.digest for case in moved} == {case.digest for case in cases}
    opened = load(tmp_path / "gpqa.csv", stated=Stated({"choices": None}))
    assert {case.question.kind for case in opened} == {"open"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("Who?,ann,Ann,bob", "2: wrong_1 … wrong_2: 'ann' is the right answer"),
        ("Who?,ann,,", "expected 1 to 25 wrong choices, found none"),
        ("Who?,,ann,bob", "2: answer: the reference is missing"),
    ],
)
def test_wrong_choices_that_are_none(tmp_path: Path, row: str, message: str) -> None:
    with pytest.raises(FileError, match=message):
        loaded(tmp_path / "cup.csv", f"question,answer,wrong_1,wrong_2\n{row}\n")


def test_a_name_that_is_nearly_right_is_answered_with_one_as_the_file_spells_it(tmp_path: Path) -> None:
    table = "user_message,Expected_Output,other\na,b,c\n"
    for said in ("expected-outputs", "ExpectedOutput", "EXPECTED_OUTPUT"):
        with pytest.raises(FileError, match=r"did you mean 'Expected_Output'\?"):
            loaded(tmp_path / "cup.csv", table, Stated({"answer": said}))


@pytest.mark.parametrize(
    ("table", "text", "answer"),
    [
        ("Team,Nachricht,Gut_so,created_at\nred,Wer ist das,x,1\nblue,Wo ist er denn,y,2\n", "Nachricht", None),
        ("team,stage,points\nred,one,1\nred,two,2\n", None, None),
        ("Frage,Lange,Loesung\nWer?,Das ist eine lange Begruendung,x\nWo?,Noch eine lange Begruendung,y\n", "Frage", "Loesung"),
        ("one,two\nthis is a long text,that is a long text\nand this one too,and that one also\n", None, None),
        # By its length alone: three words a row, and twice as long as the next one; of one row nothing is said.
        ("one,two\nabc def ghij,abcdef\nbcd efg hijk,bcdefg\n", "one", "two"),
        ("one,two\nabc def ghij,abcdefg\nbcd efg hijk,bcdefg\n", None, None),
        ("one,two\nabc defghijk,abcdef\nbcd efg hijk,bcdefg\n", None, None),
        ("one,two\nabc def ghij,abcdef\n", None, None),
        ("question_en,question_type,final_answer,answer_type\nWho is,o,x,t\nWhat is,o,y,t\n", "question_en", "final_answer"),
        ("userQuestionEn,expectedAnswerEn\nName it,x\nName them,y\n", "userQuestionEn", "expectedAnswerEn"),
    ],
)  # fmt: skip
def test_a_column_is_proposed_by_whole_words_and_by_what_it_holds(
    tmp_path: Path, table: str, text: str | None, answer: str | None
) -> None:
    """And never because its letters are near those of a known name: team is near stem."""
    doubts = propose_columns(written(tmp_path / "own.csv", table)).doubts
    likely = {}
    for doubt in doubts:
        assert doubt.about == "missing"
        (key,) = doubt.ways[0].columns
        likely[key] = None if doubt.likely is None else doubt.ways[doubt.likely].columns[key]
    assert likely == {"text": text, "answer": answer}


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
        ("question,answer,story,article\na,b,c d e,f g h\n", "columns: {context: story}, or context: null for none"),
        ("question,prompt,answer,label\n", "2 columns could be answer"),
        ("qestion,ansver\na,b\n", "text ('qestion' could be it); the columns are"),
        ("foo,bar\na,b\n", "no column is known to be text; the columns are foo (a), bar (b); no column is known to be answer"),
        ("foo,bar\na,b\n", "say which under questions, such as columns: {text: WHICH_COLUMN, answer: WHICH_COLUMN}"),
        ("Case-Nr,question,foo\n1,a,b\n", "foo (b); say which under questions, such as columns: {answer: WHICH_COLUMN}"),
        ("What is 1?,one\nWhat is 2?,two\n", "line 1 has to name the columns, such as question,answer; it seems to be a row"),
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
    assert "and 4998 more" in str(caught.value)
    assert len(str(caught.value)) < 500


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


def test_a_key_is_an_answer_where_there_are_choices_only(tmp_path: Path) -> None:
    """Else it may be an id, and a run would grade everything by it."""
    path = tmp_path / "quiz.csv"
    path.write_text("question,A,B,key\nWhy?,so,no,A\n")
    assert propose_columns(path).columns["answer"] == "key"
    path.write_text("question,key,Loesung\nWhy?,k1,so\nWho?,k2,me\n")
    assert "answer" not in propose_columns(path).columns
