"""What somebody names that is not there, or is no number: the message has what would be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app


def written(folder: Path, questions: dict[str, object]) -> Path:
    models = {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob")}
    spec = {"name": "cup", "questions": questions, "models": models, "strategies": ["solo", "vote"]}
    path = folder / "cup.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    return path


def test_a_file_of_questions_of_nearly_that_name_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "open.tsv").write_text("question\tanswer\nWho?\tAnn\n", encoding="utf-8")
    assert run_app(app, ["run", str(written(tmp_path, {"file": "open.csv"}))]) == 2
    assert "did you mean 'open.tsv'?" in capsys.readouterr().err


def test_a_condition_on_what_is_no_number_says_what_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, {"builtin": "general-en", "sample": 6})
    assert run_app(app, ["run", str(path), "--quiet"]) == 0
    capsys.readouterr()
    assert run_app(app, ["report", str(path), "--fail-under", "accuracy>0.5"]) == 2
    told = capsys.readouterr().err
    assert "accuracy is no number; expected one, such as value, low, over_best_single.low" in told
    assert run_app(app, ["report", str(path), "--fail-under", "over_best_single>0.5"]) == 2
    assert "over_best_single.difference" in capsys.readouterr().err
    assert run_app(app, ["report", str(path), "--fail-under", "ovr_best_single.low>0"]) == 2
    told = capsys.readouterr()
    assert "did you mean 'over_best_single'?" in told.err
    assert told.out == "", "a report above it would be all that is seen"


def test_a_strategy_of_the_command_line_is_no_line_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, {"builtin": "general-en", "sample": 6})
    assert run_app(app, ["ask", "Who?", "--team", str(path), "--strategy", "silent@ann"]) == 2
    told = capsys.readouterr().err
    assert "--strategy silent@ann: " in told
    assert "expected captain: each or captain: NAME" in told
    assert f"{path.name}:" not in told
