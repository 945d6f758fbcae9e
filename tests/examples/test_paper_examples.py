"""The examples of the papers run as they are, once their endpoints are replaced by simulated models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from moot.cli.app import app
from moot.cli.exit import run_app

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("paper-*.yaml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_with_simulated_models(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = yaml.safe_load(path.read_text(encoding="utf-8"))
    for number, name in enumerate(spec["models"]):
        spec["models"][name] = {"provider": "simulated", "accuracy": 0.3 + 0.05 * number}
    # A simulated model neither groups nor judges in earnest.
    spec = {key: value for key, value in spec.items() if key not in ("grouping", "judge", "budget_usd", "store")}
    officers = {"grouper", "judge"} & set(spec["models"])
    spec["models"] = {name: value for name, value in spec["models"].items() if name not in officers}
    spec["questions"] = {"builtin": "quiz-ru", "sample": 6}
    file = tmp_path / path.name
    file.write_text(yaml.safe_dump(spec, allow_unicode=True), encoding="utf-8")
    assert run_app(app, ["run", str(file), "--quiet"]) == 0
    capsys.readouterr()
    assert run_app(app, ["report", str(file), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["questions"] == 6
    strategies = {next(iter(entry)) if isinstance(entry, dict) else entry for entry in spec["strategies"]}
    assert {row["strategy"] for row in shown["accuracy"]} == strategies
    often = {"mixture": 10}  # a summariser is asked ten times a question
    assert all(row["outcomes"] == {"answered": 6 * often.get(row["strategy"], 1)} for row in shown["accuracy"])
    assert shown["skyline"]["n"] == 6
