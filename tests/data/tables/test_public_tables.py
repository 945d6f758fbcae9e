"""Tables that everybody has: each is played as it is meant, or refused with a line that has only to be pasted.

What is asked is compared as a model would see it: a choice, a passage or a right answer that is lost shows in no figure.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars
import pytest
import yaml
from public_tables import TABLES, Asked, PublicTable

from moot.cli.asked_columns import find_questions
from moot.data import Dataset, load
from moot.data.tables.advised_columns import WHICH_COLUMN
from moot.data.tables.header_notes import without_notes
from moot.data.tables.object_cells import opened
from moot.data.tables.proposal import NOTHING_STATED, Stated, stated_too
from moot.errors import FileError

PLAYED, REFUSED = sum(not table.advised for table in TABLES), sum(table.advised > 0 for table in TABLES)
LONGEST = 4 * 80
"""Letters of a refusal, without the name of the file."""


def written(folder: Path, table: PublicTable) -> Path:
    path, content = folder / table.name, table.content
    if isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in content), encoding="utf-8")
    elif path.suffix == ".json":
        path.write_text(json.dumps(content), encoding="utf-8")
    elif path.suffix == ".parquet":
        polars.DataFrame(list(content)).write_parquet(path)
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            rows = csv.DictWriter(file, list(content[0]))
            rows.writeheader()
            rows.writerows(content)
    return path


def shown(dataset: Dataset, table: PublicTable) -> list[Asked]:
    found = []
    for case in list(dataset)[: len(table.asked)]:
        question = case.question
        choices = tuple(sorted(question.choices)) if table.drawn else question.choices
        lettered = dict(zip(question.letters, question.choices, strict=True))
        right = lettered[str(case.answer)] if question.choices else case.answer
        found.append(Asked(question.text, right, choices, question.context, case.accepted))
    return found


def meant(table: PublicTable) -> list[Asked]:
    return [
        Asked(
            each.text,
            each.right,
            tuple(sorted(each.choices)) if table.drawn else each.choices,
            each.context,
            each.accepted,
        )
        for each in table.asked
    ]


def pasted(message: str, which: str | None) -> Stated:
    """What a refusal says to write, as it would be read from an experiment file."""
    found = re.search(r"columns: (\{.*?\})(?=[;,:. ]|$)", message)
    assert found is not None, f"no line to paste in {message}"
    line = found[1].replace(WHICH_COLUMN, which) if which is not None else found[1]
    return stated_by({"columns": yaml.safe_load(line)})


def stated_by(keys: Mapping[str, Any]) -> Stated:
    columns = {key: tuple(each) if isinstance(each, list) else each for key, each in keys.get("columns", {}).items()}
    return Stated(columns, keys.get("answers"))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_public_table_is_played_as_it_is_meant_or_refused_with_what_to_write(
    table: PublicTable, tmp_path: Path
) -> None:
    path = written(tmp_path, table)
    stated = NOTHING_STATED
    for _ in range(table.advised):
        with pytest.raises(FileError) as caught:
            load(path, stated=stated)
        message = str(caught.value).removeprefix(str(path))
        assert len(message) <= LONGEST, message
        stated = stated_too(stated, pasted(message, table.which))
    assert shown(load(path, stated=stated), table) == meant(table)


def test_most_of_them_need_no_word() -> None:
    assert (PLAYED, REFUSED) == (67, 2)
    assert max(Counter(table.name for table in TABLES).values()) == 1


HARMFUL: dict[str, tuple[list[dict[str, Any]], str]] = {
    "what a model said beside what is right": (
        [
            {"instruction": f"What is {n}?", "context": "", "response": f"no {n}", "reference": f"it {n}"}
            for n in range(4)
        ],
        "it 0",
    ),
    "an output beside an answer": (
        [{"instruction": f"What is {n}?", "input": "", "output": f"no {n}", "answer": f"it {n}"} for n in range(4)],
        "it 0",
    ),
}


@pytest.mark.parametrize("kind", HARMFUL)
def test_a_set_is_known_by_all_of_its_columns_and_by_no_other(kind: str, tmp_path: Path) -> None:
    rows, right = HARMFUL[kind]
    path = written(tmp_path, PublicTable("log.jsonl", rows, ()))
    assert next(iter(load(path))).answer == right


def test_whoever_names_a_column_of_a_known_set_otherwise_is_believed(tmp_path: Path) -> None:
    table = next(each for each in TABLES if each.name == "hellaswag.jsonl")
    first, *_ = load(written(tmp_path, table), stated=Stated({"text": "activity_label", "choices": "endings"}))
    assert first.question.text == "Asking"


def test_a_name_of_a_file_is_no_passage(tmp_path: Path) -> None:
    rows = [{"question": f"What is {n}?", "document": f"report {n}.pdf", "answer": f"it {n}"} for n in range(4)]
    assert next(iter(load(written(tmp_path, PublicTable("cup.jsonl", rows, ()))))).question.context is None


SENTENCES = "This is told in all of the old books, as everybody knows who has ever read one of them, and it is number"


@pytest.mark.parametrize(
    ("name", "asked"), [("Lore", True), ("Erklärung", False), ("explanation_2", False), ("Hint", False), ("cot", False)]
)
def test_sentences_that_no_rule_takes_are_asked_about_once(name: str, asked: bool, tmp_path: Path) -> None:
    rows = [{"question": f"What is {n}?", name: f"{SENTENCES} {n}", "answer": f"it {n}"} for n in range(4)]
    path = written(tmp_path, PublicTable("cup.csv", rows, ()))
    if asked:
        with pytest.raises(
            FileError, match=f"context: {name}}} under questions shows {name}, and columns: {{context: null}}"
        ):
            load(path)
        assert next(iter(load(path, stated=Stated({"context": name})))).question.context == f"{SENTENCES} 0"
    assert next(iter(load(path, stated=Stated({"context": None} if asked else {})))).question.context is None


def test_one_passage_for_all_questions_is_asked_about(tmp_path: Path) -> None:
    rows = [
        {"question": f"What is {n}?", "Lore": f"{SENTENCES} one. {SENTENCES} two.", "answer": f"it {n}"}
        for n in range(4)
    ]
    with pytest.raises(FileError, match="Lore has sentences and would not be shown"):
        load(written(tmp_path, PublicTable("cup.csv", rows, ())))


@pytest.mark.parametrize(
    "header", ["Answer (year)", "Answer (student)", "Answer (wrong)", "Question (id)", "Correct answer (points)"]
)
def test_a_note_that_says_something_else_is_part_of_the_name(header: str) -> None:
    assert without_notes(header) == header


@pytest.mark.parametrize(
    ("cell", "choices"),
    [
        ("['a' 'b'\n 'c']", ["a", "b", "c"]),
        ("""["He said 'a' 'b' c" 'x']""", ["He said 'a' 'b' c", "x"]),
        ("""["He said 'a' 'b' c", 'x']""", ["He said 'a' 'b' c", "x"]),
        ("""['it\\'s' "d 'e' 'f'"]""", ["it's", "d 'e' 'f'"]),
        ("[1 2 3]", [1, 2, 3]),
        ("['a' 'b']  # it's", ["a", "b"]),
        ("['a' 'it\\'s]", "['a' 'it\\'s]"),
        ("['np.array([1])', 'array(2)']", ["np.array([1])", "array(2)"]),
        ("[1] is what it says", "[1] is what it says"),
    ],
)
def test_lists_as_numpy_and_python_write_them(cell: str, choices: Any) -> None:
    assert opened(cell) == choices


def test_choices_that_say_each_whether_they_are_right(tmp_path: Path) -> None:
    """Never is the first of them what is right."""
    rows = [
        {
            "question": f"What is {n}?",
            "answers": [{"text": each, "correct": place == n} for place, each in enumerate(("x", "y", "z"))],
        }
        for n in range(3)
    ]
    path = written(tmp_path, PublicTable("cup.json", rows, ()))
    assert [case.answer for case in load(path)] == ["A", "B", "C"]
    rows[1]["answers"][0]["correct"] = True
    with pytest.raises(FileError):
        load(written(tmp_path, PublicTable("cup.json", rows, ())))


def test_lists_at_which_numbers_point_are_no_answers(tmp_path: Path) -> None:
    rows = [{"question": f"What is {n}?", "answers": ["a", "b", "c", "d"], "right_id": n % 4} for n in range(5)]
    path = written(tmp_path, PublicTable("cup.jsonl", rows, ()))
    with pytest.raises(FileError) as caught:
        load(path)
    dataset = load(path, stated=pasted(str(caught.value), None))
    assert [case.answer for case in dataset] == ["A", "B", "C", "D", "A"]


def test_several_doubts_have_one_line_to_paste(tmp_path: Path) -> None:
    rows = [
        {
            "question": f"q{n}?",
            "prompt": f"p{n}?",
            "answer": f"a{n}",
            "label": f"l{n}",
            "options": "x|y",
            "choices": "z|w",
        }
        for n in range(4)
    ]
    with pytest.raises(FileError) as caught:
        load(written(tmp_path, PublicTable("cup.csv", rows, ())))
    assert str(caught.value).count("columns: {") == 1
    assert "columns: {text: question, choices: options, answer: WHICH_COLUMN}" in str(caught.value)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"title": "x", "paragraphs": [{"context": "so", "qas": []}]}, "format: squad"),
        ({"question": "x", "mc1_targets": {}, "mc2_targets": {}}, "format: truthfulqa"),
    ],
)
def test_a_set_that_is_no_table_is_told_its_format(row: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=said):
        load(written(tmp_path, PublicTable("cup.jsonl", [row], ())))


def test_texts_with_gaps_of_anki_have_no_question(tmp_path: Path) -> None:
    (tmp_path / "cup.txt").write_text("#separator:tab\nThe {{c1::sun}} is a star\tso it is\n")
    with pytest.raises(FileError, match=r"cup\.txt:2: Front: expected a question, found a text with gaps"):
        load(tmp_path / "cup.txt")


@pytest.mark.parametrize("table", [each for each in TABLES if not each.advised], ids=lambda table: table.name)
def test_what_init_writes_is_read_as_it_was_proposed(table: PublicTable, tmp_path: Path) -> None:
    path = written(tmp_path, table)
    found = find_questions(path, tmp_path / "moot.yaml", yes=True, small=False)
    assert found.unsettled is None
    assert shown(load(path, stated=stated_by(found.written.keys)), table) == meant(table)
