"""Advice and rules from a run in which a model could not be reached: who was away may be the best of all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cup_commands import command, ended, questions, write
from outages import asked, gone

ABLE = {"ann": 0.6, "bob": 0.9, "cat": 0.6, "dan": 0.6}


def cup(folder: Path, many: int = 80, strategies: list[Any] | None = None) -> Path:
    models = {name: {"provider": "simulated", "accuracy": share} for name, share in ABLE.items()}
    teams = {"four": {"players": list(ABLE), "captain": "ann"}}
    return write(folder, questions(many), models=models, teams=teams, strategies=strategies or ["solo", "vote"])


def outage(path: Path, share: int, *names: str) -> None:
    with asked(gone(*names, questions=lambda n: n % share == 0)):
        assert ended("run", path, "--quiet")[0] == 1


@pytest.mark.parametrize(
    "more", [(), ("--most-accurate",), ("--min-accuracy", "0.85"), ("--json",), ("-o", "team.yaml")], ids=str
)
def test_nothing_is_advised_where_somebody_was_away_too_often(tmp_path: Path, more: tuple[str, ...]) -> None:
    path = cup(tmp_path)
    outage(path, 2, "bob")
    words = tuple(tmp_path / word if word == "team.yaml" else word for word in more)
    status, said = ended("advise", path, *words)
    why = "a model could not be reached on this many questions: bob (40 of 80); moot run cup.yaml asks again"
    assert (status, said) == (2, f"moot: nothing can be advised: {why}")
    assert not (tmp_path / "team.yaml").exists()


def test_after_the_next_run_it_is_what_a_whole_run_says(tmp_path: Path) -> None:
    for name in ("broken", "whole"):
        (tmp_path / name).mkdir()
    broken, whole = cup(tmp_path / "broken"), cup(tmp_path / "whole")
    outage(broken, 2, "bob")
    assert ended("advise", broken)[0] == 2
    for path in (broken, whole):
        command("run", path, "--quiet")
    advised = [json.loads(command("advise", path, "--json")) for path in (broken, whole)]
    assert advised[0] == advised[1]
    assert advised[0]["recommended"]["players"] == ["bob"]


def test_a_few_are_said_and_decide_no_claim(tmp_path: Path) -> None:
    path = cup(tmp_path, 100)
    outage(path, 25, "bob")
    advised = json.loads(command("advise", path, "--json"))
    who = "a model could not be reached on this many questions: bob (4 of 100); moot run asks again"
    note = f"{who}. What is claimed holds whatever they say"
    assert note in advised["notes"]
    assert f"Note: {note}." in command("advise", path)
    rows = {tuple(row["players"]): row for row in (*advised["frontier"], *advised["beside"]) if row["rule"] == "single"}
    command("run", path, "--quiet")
    after = json.loads(command("advise", path, "--json"))
    assert not any("reached" in note for note in after["notes"])
    whole = {tuple(row["players"]): row for row in (*after["frontier"], *after["beside"]) if row["rule"] == "single"}
    assert rows[("bob",)]["low"] < rows[("bob",)]["accuracy"] <= whole[("bob",)]["accuracy"] < rows[("bob",)]["high"]


def test_nothing_is_learnt_where_somebody_was_away_too_often(tmp_path: Path) -> None:
    path, rule = cup(tmp_path), tmp_path / "rule.json"
    outage(path, 2, "bob", "cat")
    status, said = ended("fit", path, "-o", rule)
    who = "bob (40 of 80) and cat (40 of 80)"
    why = f"a model could not be reached on this many questions: {who}; moot run {path} asks again"
    assert (status, said) == (2, f"moot: nothing is learnt: {why}")
    assert not rule.exists()
    command("run", path, "--quiet")
    assert "reached" not in command("fit", path, "-o", rule)


def test_a_rule_says_that_somebody_was_away_on_a_few(tmp_path: Path) -> None:
    path, rule = cup(tmp_path), tmp_path / "rule.json"
    outage(path, 20, "bob")
    said = command("fit", path, "-o", rule)
    note = (
        "a model could not be reached on this many questions: bob (4 of 80); moot run asks again."
        " They count as having given no answer there"
    )
    assert f"Note: {note}." in said
    assert note in json.loads(rule.read_text())["notes"]


def test_how_sure_a_captain_is_is_not_learnt_from_plays_without_it(tmp_path: Path) -> None:
    """Its drafts are whole; what it makes of all drafts is missing."""
    path, rule = cup(tmp_path, 60, ["solo", "vote", "talkative"]), tmp_path / "rule.json"

    drafted: dict[Any, Any] = {}

    def silenced(name: str, request: Any) -> Any:
        is_draft = drafted.setdefault((name, request.question_id), request.messages) == request.messages
        return None if is_draft else gone("ann", questions=lambda n: n % 2 == 0)(name, request)

    with asked(silenced):
        ended("run", path, "--quiet")
    said = command("fit", path, "-o", rule)
    why = "in 30 of 60 plays a model could not be reached; moot run asks again"
    assert f"talkative@ann: its confidence is not known: {why}." in said
    assert not any(row["label"] == "talkative" for row in json.loads(rule.read_text())["verdicts"])
