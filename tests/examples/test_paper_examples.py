"""The examples of the papers run as they are, once their endpoints are replaced by simulated models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from papers_page import counterparts, parts

from moot.cli.app import app
from moot.cli.exit import run_app

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("paper-*.yaml"))
REPEATED = {"paper-complementary-moa": {"mixture": 10}}
"""Strategies that ask about a question more than once, and how often."""


def simulated(path: Path, questions: int) -> dict[str, Any]:
    """The file with models that need no key: all else, officers too, as it is written."""
    spec: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    for number, name in enumerate(spec["models"]):
        assert spec["models"][name]["provider"] == "endpoint"
        spec["models"][name] = {"provider": "simulated", "accuracy": round(0.8 - 0.04 * number, 2)}
    spec.pop("budget_usd", None)
    spec["questions"]["sample"] = questions
    return spec


def report(file: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert run_app(app, ["report", str(file), "--json"]) == 0
    return dict(json.loads(capsys.readouterr().out))


@pytest.fixture
def played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def play(name: str, questions: int) -> dict[str, Any]:
        spec = simulated(next(path for path in EXAMPLES if path.stem == name), questions)
        file = tmp_path / f"{name}.yaml"
        file.write_text(yaml.safe_dump(spec, allow_unicode=True), encoding="utf-8")
        assert run_app(app, ["run", str(file), "--quiet"]) == 0
        return {**report(file, capsys), "spec": spec}

    return play


def check_page(name: str, shown: dict[str, Any]) -> None:
    """What docs/papers.md promises of the example is in its report, but for what says that it needs more."""
    promised = [each for each in counterparts(parts()[name]) if each.command.startswith("`moot report")]
    assert promised
    for each in promised:
        assert each.needs or not {*each.named_keys} - shown.keys(), f"{each.what}: not in the report of {name}"


def test_there_is_one_for_each_paper() -> None:
    assert [path.stem.removeprefix("paper-") for path in EXAMPLES] == [
        "chgk-teams",
        "complementary-moa",
        "decision-protocols",
        "safety-multiple",
    ]
    for path in EXAMPLES:
        first = path.read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith('# "'), "it begins with the title of the paper"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_with_simulated_models(path: Path, played: Any) -> None:
    shown = played(path.stem, 3)
    assert shown["questions"] == 3
    strategies = {next(iter(entry)) if isinstance(entry, dict) else entry for entry in shown["spec"]["strategies"]}
    assert {row["strategy"] for row in shown["accuracy"]} == strategies
    often = REPEATED.get(path.stem, {})
    for row in shown["accuracy"]:
        asked = 3 * shown["spec"].get("repeats", 1) * often.get(row["strategy"], 1)
        assert sum(row["outcomes"].values()) == asked, row["label"]
        assert {*row["outcomes"]} <= {"answered", "undecided"}, "simulated models play every role to the end"
        assert row["n"] == 3, "what a simulated judge was asked, it graded"
    if path.stem != "paper-safety-multiple":  # of three questions one cohort may be no better than the other
        check_page(path.stem, shown)


def test_the_safety_example_answers_its_hypotheses(played: Any) -> None:
    shown = played("paper-safety-multiple", 12)
    check_page("paper-safety-multiple", shown)
    assert [each["verdict"] in ("confirmed", "refuted", "open") for each in shown["hypotheses"]] == [True] * 3
    rows = {(row["stage"], row["cohort"]): row for row in shown["safety"]}
    assert {cohort for stage, cohort in rows if stage == "peer-review"} >= {"open", "proprietary"}
    review = rows["peer-review", "open"]
    assert review["rescues"] > review["regressions"], "arguments of simulated models tell something"


def test_the_protocols_example_varies_one_thing_at_a_time(played: Any) -> None:
    path = next(path for path in EXAMPLES if path.stem == "paper-decision-protocols")
    entries = [each["discuss"] for each in yaml.safe_load(path.read_text())["strategies"] if isinstance(each, dict)]
    besides = [{*each} - {"decision", "planted_by"} for each in entries if "step_by_step" not in each]
    assert all(len(each) <= 1 for each in besides)
    decisions = {each["decision"] for each in entries}
    assert len(decisions) == 8, "seven protocols and counting"
