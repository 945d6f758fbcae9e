"""Tables in the forms of public sets: whoever answers everything right has 100 %, or the table is refused in one message.

The worst that could be is a figure of 0 % without a word, since nobody answers in the form in which a reference is written.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from public_references import TABLES, PublicTable

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.data import load
from moot.data.questions_spec import QuestionsSpec

Captured = pytest.CaptureFixture[str]
REFUSED = [table for table in TABLES if table.refused]
READ = [table for table in TABLES if not table.refused]


def experiment(table: PublicTable, folder: Path) -> Path:
    """With a model that is right about everything."""
    source = {"file": table.write(folder).name, **yaml.safe_load(table.more or "{}")}
    file = folder / "cup.yaml"
    ann = {"provider": "recorded", "file": "replies.jsonl", "model": "ann"}
    file.write_text(yaml.safe_dump({"name": "cup", "questions": source, "models": {"ann": ann}}))
    (folder / "replies.jsonl").write_text("")
    if not table.refused:
        stated = QuestionsSpec(**source).stated
        ids = [case.question.id for case in load(folder / source["file"], stated=stated)]
        replies = [
            {"model": "ann", "question_id": ident, "text": json.dumps({"reasoning": "", "answer": said})}
            for ident, said in zip(ids, table.right, strict=True)
        ]
        (folder / "replies.jsonl").write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    return file


@pytest.mark.parametrize("table", READ, ids=lambda table: table.name)
def test_who_is_right_about_all_of_a_public_table_has_all_of_it(
    table: PublicTable, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = experiment(table, tmp_path)
    assert run_app(app, ["run", file.name]) == 0, capsys.readouterr().err
    ending = capsys.readouterr().out
    (right,) = re.findall(r"^solo +ann +(\S+) % .*\) +(\d+) +1\.0$", ending, re.MULTILINE)
    assert right == ("100.0", str(len(table.rows))), ending
    assert "without a grade" not in ending


@pytest.mark.parametrize("table", REFUSED, ids=lambda table: table.name)
def test_a_public_table_that_cannot_be_told_is_refused_in_one_message(
    table: PublicTable, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_app(app, ["run", experiment(table, tmp_path).name, "--quiet"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert table.refused in said
