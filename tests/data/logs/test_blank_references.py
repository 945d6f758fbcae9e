"""Rows of a table of replies without a reference: told and left out, unless hardly any question has one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from cup_commands import command

from moot.data.logs.imported import ImportedLogs, import_logs
from moot.errors import FileError

LETTERS = ("id,question,A,B,answer,ann,bob", "q{},Which of {}?,red,blue,{},A,B")
OPEN = ("id,question,answer,ann,bob", "q{},Who is {}?,{},Ann,Bob")
WRONG = ("id,question,correct answer,incorrect answers,ann,bob", "q{},Who is {}?,{},Eve|Kim,Ann,Bob")
RIGHT = {LETTERS: "A", OPEN: "Ann", WRONG: "Ann"}


def imported(folder: Path, form: tuple[str, str], answers: list[str]) -> ImportedLogs:
    header, row = form
    rows = [row.format(number, number, answer) for number, answer in enumerate(answers)]
    (folder / "kept.csv").write_text("\n".join([header, *rows]) + "\n")
    return import_logs("csv", [folder / "kept.csv"])


@pytest.mark.parametrize("form", [LETTERS, OPEN, WRONG])
def test_a_few_are_left_out_with_a_line(form: tuple[str, str], tmp_path: Path) -> None:
    right = RIGHT[form]
    logs = imported(tmp_path, form, [right, "", right, " ", right, right])
    assert [row["id"] for row in logs.questions] == ["q0", "q2", "q4", "q5"]
    said = [note for note in logs.notes if "no reference under" in note]
    assert len(said) == 1
    assert not any("without a reference" in note for note in logs.notes), "it is said once"
    assert said[0].startswith("kept.csv: 2 rows have no reference under ")
    assert said[0].endswith("left out of the questions (line 3, 5)")
    assert [(model.here, model.graded) for model in logs.models] == [(1.0, 4), (0.0, 4)], "as if they were not there"
    assert logs.unreferenced == 2


@pytest.mark.parametrize("answers", [["", "", "", ""], ["Ann", "", "", ""]])
def test_most_of_them_are_refused_with_what_to_do_here(answers: list[str], tmp_path: Path) -> None:
    with pytest.raises(FileError) as refused:
        imported(tmp_path, OPEN, answers)
    told = str(refused.value)
    assert f"the reference is missing of {answers.count('')} of 4 questions (line" in told
    assert "skip_blank" not in told
    (tmp_path / "kept.csv").write_text("id,question,ann,bob\nq1,Who is it?,Ann,Bob\n")
    assert import_logs("csv", [tmp_path / "kept.csv"]).unreferenced == 1, "what it says to do can be done"


def test_half_of_them_are_left_out(tmp_path: Path) -> None:
    assert len(imported(tmp_path, OPEN, ["Ann", "", "Ann", ""]).questions) == 2


def test_the_reference_of_a_question_may_stand_in_one_of_its_rows(tmp_path: Path) -> None:
    """As in a table whose cells were merged: of three rows of a question the first has its reference."""
    rows = [
        f"Who is {number}?,{model},{model},{'Ann' if model == 'Ann' else ''}"
        for number in range(3)
        for model in ("Ann", "Bob", "Cat")
    ]
    (tmp_path / "kept.csv").write_text("\n".join(["question,model,output,answer", *rows]) + "\n")
    logs = import_logs("csv", [tmp_path / "kept.csv"])
    assert [(model.name, model.here, model.graded) for model in logs.models] == [
        ("Ann", 1.0, 3),
        ("Bob", 0.0, 3),
        ("Cat", 0.0, 3),
    ]
    assert not any("reference" in note for note in logs.notes)


def test_the_command_and_the_recording_go_without_them(tmp_path: Path) -> None:
    imported(tmp_path, OPEN, ["Ann", "", "Ann", "Ann"])
    into = ("-o", tmp_path / "recorded.jsonl", "--experiment", tmp_path / "cup.yaml")
    said = command("import", "csv", tmp_path / "kept.csv", *into)
    assert "kept.csv: 1 row has no reference under answer, left out of the questions (line 3)" in said
    assert len((tmp_path / "recorded-questions.jsonl").read_text().splitlines()) == 3
    replies = [json.loads(line) for line in (tmp_path / "recorded.jsonl").read_text().splitlines()]
    assert len(replies) == 8, "for questions of your own with the same ids"


def _table(path: Path, bad: Sequence[str], model: str = "ann") -> None:
    rows = [["id", "question", "model", "reply", "answer"]]
    for number in range(20):
        rows.append([f"q{number}", f"What is {number} + 1?", model, str(number + 1), str(number + 1)])
        if number % 4 == 0:
            rows.append([cell.format(number) for cell in bad])
    path.write_text("\n".join(map(",".join, rows)))


def test_blank_rows_are_told_in_one_line_for_each_file(tmp_path: Path) -> None:
    for name in ("one", "two"):
        _table(tmp_path / f"{name}.csv", [""] * 5, model=name)
    logs = import_logs("csv", [tmp_path / "one.csv", tmp_path / "two.csv"])
    told = [note for note in logs.notes if "blank" in note]
    assert told == [f"{name}.csv: 5 blank rows left out (line 3, 8, 13, 18, 23)" for name in ("one", "two")]


@pytest.mark.parametrize(
    ("bad", "key", "what"),
    [
        (["x{}", "", "ann", "3", "3"], "question", "question"),
        (["", "Why {}?", "ann", "3", "3"], "id", "id"),
        (["x{}", "Why {}?", "", "3", "3"], "model", "model"),
    ],
)
def test_rows_without_what_each_must_say_are_told_all_at_once(
    bad: Sequence[str], key: str, what: str, tmp_path: Path
) -> None:
    _table(tmp_path / "log.csv", bad)
    with pytest.raises(FileError) as told:
        import_logs("csv", [tmp_path / "log.csv"])
    assert (told.value.key, told.value.line) == (key, 3)
    assert told.value.problem == f"no {what} in 5 rows (line 3, 8, 13, 18, 23); fill in or delete"
