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


@pytest.mark.parametrize(
    ("condition", "way_out"),
    [
        ("over_best_single.low>-5", "-0.05 for -5 points"),
        ("headline.value>=80", "0.8 for 80"),
        ("over_captain.p<5", "0.05"),
    ],
)
def test_a_condition_in_points_is_refused_with_its_share(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], condition: str, way_out: str
) -> None:
    """It could never fail, or never hold; nothing has been played, so no report is made first."""
    path = written(tmp_path, {"builtin": "general-en", "sample": 6})
    assert run_app(app, ["report", str(path), "--fail-under", condition]) == 2
    told = capsys.readouterr()
    assert f"{condition}: " in told.err
    assert way_out in told.err
    assert told.out == ""


def test_a_condition_on_counts_may_be_beyond_one_and_what_holds_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, {"builtin": "general-en", "sample": 6})
    assert run_app(app, ["run", str(path), "--quiet"]) == 0
    conditions = ["questions>5", "calls<9", "cost_ratio<9", "over_best_single.n>=6", "value>=-1", "value<=1"]
    capsys.readouterr()
    assert run_app(app, ["report", str(path), *(word for each in conditions for word in ("--fail-under", each))]) == 0
    assert "moot: met: questions>5: it is 6" in capsys.readouterr().err.splitlines()


def test_a_strategy_of_the_command_line_is_no_line_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, {"builtin": "general-en", "sample": 6})
    assert run_app(app, ["ask", "Who?", "--team", str(path), "--strategy", "silent@ann"]) == 2
    told = capsys.readouterr().err
    assert "--strategy silent@ann: " in told
    assert "expected captain: each or captain: NAME" in told
    assert f"{path.name}:" not in told
