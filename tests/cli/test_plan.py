"""`moot plan`: how many questions, and the assumption behind it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import moot
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.stats.power import needed


def test_with_a_discordance(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, ["plan", "--accuracy", "0.4", "--gain", "0.03", "--discordance", "0.2", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["questions"] == needed(0.4, 0.03, 0.2)
    assert (row["assumed"], row["table"]) == (False, [])
    assert run_app(app, ["plan", "--accuracy", "0.4", "--gain", "0.03", "--discordance", "0.2"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"{row['questions']:,} questions show it in 80 of 100 runs" in said
    assert "assumption" not in said


def test_without_one_the_assumption_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, ["plan", "--accuracy", "0.4", "--gain", "0.03"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "The 48.6 % are an assumption" in said
    assert run_app(app, ["plan", "--accuracy", "0.4", "--gain", "0.03", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["assumed"]
    assert {each["discordance"]: each["questions"] for each in row["table"]}[0.2] == needed(0.4, 0.03, 0.2)
    assert row["questions"] >= max(each["questions"] for each in row["table"])


def test_only_what_is_possible_is_in_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, ["plan", "--accuracy", "0.9", "--gain", "0.06", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert [each["discordance"] for each in row["table"]] == [0.1]


def test_every_family_of_the_report_is_planned_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Discussions too: two protocols against each other and against their models alone."""
    keys = {
        "name": "talks",
        "questions": {"builtin": "general-en"},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob", "cat")},
        "teams": {"three": {"players": ["ann", "bob", "cat"]}},
        "strategies": ["solo", "discuss", {"discuss": {"decision": "unanimity-consensus"}}],
    }
    path = tmp_path / "talks.yaml"
    path.write_text(json.dumps(keys), encoding="utf-8")
    asked = ["plan", str(path), "--accuracy", "0.4", "--gain", "0.1", "--discordance", "0.2"]
    assert run_app(app, [*asked, "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    families = {family["family"]: family for family in row["families"]}
    assert families["protocol_baselines"]["comparisons"] == 2
    assert families["protocol_baselines"]["questions"] == needed(0.4, 0.1, 0.2, comparisons=2)
    assert (row["comparisons"], row["questions"]) == (2, needed(0.4, 0.1, 0.2, comparisons=2))
    assert run_app(app, asked) == 0
    assert "voting against consensus" in " ".join(capsys.readouterr().out.split())


def test_as_many_comparisons_are_planned_for_as_a_report_corrects_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Talking where it pays is held against always voting and against always talking: a table has two of them."""
    keys = {
        "name": "talks",
        "questions": {"builtin": "general-en", "sample": 8},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob", "cat")},
        "teams": {"three": {"players": ["ann", "bob", "cat"], "captain": "each"}},
        "strategies": ["vote", "talkative"],
    }
    path = tmp_path / "talks.yaml"
    path.write_text(json.dumps(keys), encoding="utf-8")
    asked = ["plan", str(path), "--accuracy", "0.4", "--gain", "0.1", "--discordance", "0.2", "--json"]
    assert run_app(app, asked) == 0
    planned = {row["family"]: row["comparisons"] for row in json.loads(capsys.readouterr().out)["families"]}
    learnt = moot.run(path).figures["talk_threshold"]
    assert planned["talk_threshold"] == sum("p_holm" in learnt[over] for over in ("over_vote", "over_talk")) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--accuracy", "0.4", "--gain", "0.3", "--discordance", "0.2"], "expected 0.3 or more, found 0.2"),
        (["--accuracy", "0.4", "--gain", "0"], "that is not 0"),
        (["--accuracy", "1.4", "--gain", "0.1"], "between 0 and 1"),
        (["--accuracy", "0.9", "--gain", "0.2"], "which is no accuracy"),
        (["--accuracy", "0.4", "--gain", "0.03", "--power", "1"], "power"),
    ],
)
def test_mistakes(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, ["plan", *arguments]) == 2
    assert said in capsys.readouterr().err
