"""A CSV file with columns of its own through `moot run` and `moot.run`, with simulated models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

import moot
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.data.tables.known_names import COLUMN_KEYS

ROWS = "\n".join(f"What is {n} + {n}?;{n};{2 * n};{3 * n};{'ABC'[1]};sums" for n in range(2, 14))
COLUMNS = {"text": "Frage", "choices": ["erste", "zweite", "dritte"], "answer": "richtig", "category": "Fach"}


def experiment(folder: Path, **questions: object) -> Path:
    (folder / "quiz.csv").write_text(f"Frage;erste;zweite;dritte;richtig;Fach\n{ROWS}\n", encoding="utf-8")
    keys = {
        "name": "quiz",
        "questions": {"file": "quiz.csv", **questions},
        "models": {
            "ann": {"provider": "simulated", "accuracy": 1.0},
            "bob": {"provider": "simulated", "accuracy": 1.0},
        },
        "strategies": ["solo", "vote"],
    }
    (folder / "quiz.yaml").write_text(yaml.safe_dump(keys))
    return folder / "quiz.yaml"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_own_columns_are_played_and_graded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(experiment(tmp_path, columns=COLUMNS))
    assert run_app(app, ["run", path]) == 0
    said = capsys.readouterr().err
    assert "quiz.csv: no column is known to be id, so questions are numbered by their rows" in said
    assert "answers are read as letters" in said
    assert run_app(app, ["report", path, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["accuracy"]
    assert {(row["value"], row["n"]) for row in rows} == {(1.0, 12)}


def test_from_python_it_is_the_same(tmp_path: Path) -> None:
    path = experiment(tmp_path)
    keys = yaml.safe_load(path.read_text())
    choices = tuple(COLUMNS["choices"])
    questions = {"file": path.with_name("quiz.csv"), "columns": {**COLUMNS, "choices": choices}, "answers": "letters"}
    results = moot.run({**keys, "questions": questions})
    assert {(row["value"], row["n"]) for row in results.figures["accuracy"]} == {(1.0, 12)}
    assert any("numbered by their rows" in warning for warning in results.warnings)
    with pytest.raises(moot.MootError, match=r"questions\.columns\.anser: unknown key; .*did you mean 'answer'"):
        moot.run({**keys, "questions": {**questions, "columns": {"anser": "x"}}})


@pytest.mark.parametrize(
    ("questions", "message"),
    [
        ({}, "quiz.csv:1: no column is known to be text ('Frage' could be it); the columns are Frage ("),
        ({"columns": {**COLUMNS, "text": "Farge"}}, "quiz.csv:1: no column 'Farge' for text (did you mean 'Frage'?)"),
        ({"columns": {"txt": "Frage"}}, "questions.columns.txt: unknown key"),
        ({"columns": {"text": ["Frage"]}}, "questions.columns.text: expected the name of a column, or null"),
        ({"columns": {"choices": [1, 2]}}, "questions.columns.choices: expected the name of a column, a list of such"),
        ({"columns": {"choices": ["a", "a"]}}, "questions.columns.choices: expected each column once, found 'a' twice"),
        ({"columns": {"choices": ["a"]}}, "questions.columns: choices: expected one column or 2 to 26, found 1"),
        ({"columns": {"human": ["a"]}}, "questions.columns: human: expected one column, or two"),
        ({"columns": {"answer": None}}, "questions.columns: a question needs answer"),
        ({"columns": {"text": "a", "answer": "a"}}, "questions.columns: 'a' is text and answer"),
        (
            {"answers": "numbers"},
            "questions.answers: expected letters, letters-ru, from-0, from-1, texts, lists or as-written",
        ),
        ({"sheet": "one"}, "questions: sheet goes with a spreadsheet (.xlsx, .xls, .ods)"),
        ({"format": "mmlu", "columns": COLUMNS}, "questions: columns goes with a file that is a table"),
    ],
)
def test_a_mistake_is_named_by_file_line_and_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], questions: dict[str, object], message: str
) -> None:
    assert run_app(app, ["run", str(experiment(tmp_path, **questions))]) == 2
    assert message in capsys.readouterr().err


def test_the_schema_has_the_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, ["schema"]) == 0
    forms = json.loads(capsys.readouterr().out)["$defs"]
    assert set(forms["ColumnsSpec"]["properties"]) == set(COLUMN_KEYS)
    assert {"columns", "answers", "sheet"} <= set(forms["QuestionsSpec"]["properties"])
