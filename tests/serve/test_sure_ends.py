"""How sure a served discussion is, and a cascade with a last stage: by what a rule file tells of the very same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_sure_captain import fitted, served, written

import moot
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.decide.abstaining import AnswerChance

TALK = {"decision": "simple-voting", "vote_from": 1}
STAGED = {"order": "learnt", "until": 0.9, "then": "talkative"}


async def test_a_discussion_is_learnt_promised_and_served(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = await fitted(tmp_path, "--promise", "0.4", strategies=["solo", {"discuss": TALK}])
    (talk,) = [each for each in content["verdicts"] if each["label"].startswith("discuss")]
    assert talk["ended"].keys() == {"right", "behind", "undecided", "turns"}
    assert [promise["target"] for promise in talk["promises"]] == [0.4]
    assert "its confidence was learnt from 24 graded verdicts" in capsys.readouterr().out
    entries: list[Any] = [{"discuss": {**TALK, "abstain": rule}} for rule in ({"below": 0.99}, {"target": 0.4})]
    async with served(tmp_path, {"discuss": TALK}, *entries) as team:
        plain, held, promised = [await team.ask("Which?", choices=list("wxyz"), strategy=name) for name in team.models]
    told = AnswerChance.of(plain)
    assert told.value is not None
    assert told.why == "from 24 of its own graded verdicts"
    assert held.outcome == "abstained"
    assert AnswerChance.of(promised).value == AnswerChance.of(held).value == told.value


async def test_a_cascade_with_a_last_stage_is_learnt_promised_and_served(tmp_path: Path) -> None:
    content = await fitted(tmp_path, "--promise", "0.4", strategies=["solo", "talkative", {"cascade": STAGED}])
    (staged,) = [each for each in content["verdicts"] if each["label"].startswith("cascade")]
    assert staged["captain"] == "ann"
    assert [promise["target"] for promise in staged["promises"]] == [0.4]
    options = {**STAGED, "from": "rule.json"}
    entries: list[Any] = [{"cascade": {**options, "abstain": rule}} for rule in ({"below": 0.999}, {"target": 0.4})]
    async with served(tmp_path, {"cascade": options}, *entries) as team:
        plain, held, promised = [await team.ask("Which?", choices=list("wxyz"), strategy=name) for name in team.models]
    told = AnswerChance.of(plain)
    assert told.value is not None
    assert told.why == "from 24 of the graded verdicts of talkative, and the drafts"
    assert held.outcome == "abstained"
    assert AnswerChance.of(promised).value == AnswerChance.of(held).value == told.value


async def test_a_cascade_is_served_as_sure_as_it_was_measured(tmp_path: Path) -> None:
    """It asks the best alone, here and there: one probability, whatever the others would say."""
    short = {"order": "best", "until": 0.6}
    await fitted(tmp_path, strategies=["learnt", {"cascade": short}])
    results = await moot.arun(tmp_path / "first.yaml")
    (measured,) = [row for row in results.figures["probability"] if row["strategy"] == "cascade"]
    async with served(tmp_path, {"cascade": {**short, "from": "rule.json"}}) as team:
        verdicts = [await team.ask(f"Which is {n}?", choices=list("wxyz")) for n in range(6)]
    (told,) = {AnswerChance.of(verdict).value for verdict in verdicts}
    assert [each["said"] for each in measured["bins"]] == pytest.approx([told] * len(measured["bins"]), abs=0.1)


async def test_a_cascade_whose_stage_nobody_has_graded_is_not_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = await fitted(tmp_path, strategies=["solo", {"cascade": STAGED}])
    assert not [each for each in content["verdicts"] if each["label"].startswith("cascade")]
    words = (
        "nobody has graded what its last stage makes of all questions; name talkative in the file too, and run again"
    )
    assert words in capsys.readouterr().out
    entry = {"cascade": {**STAGED, "from": "rule.json", "abstain": {"below": 0.5}}}
    teams = {"three": {"players": ["ann", "bob", "cat"], "captain": "ann"}}
    file = written(tmp_path, "team", strategies=[entry], teams=teams)
    assert run_app(app, ["ask", "Which?", "--team", str(file)]) == 2
    assert "the rule tells nothing of cascade as it is played here" in capsys.readouterr().err


async def test_what_is_promised_of_the_last_stage_is_not_promised_of_a_cascade(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another part of the questions goes as far as that: the rest ends before it, as sure as it was asked to be."""
    content = await fitted(tmp_path, "--promise", "0.4", strategies=["solo", "talkative"])
    (stage,) = [each for each in content["verdicts"] if each["label"].startswith("talkative")]
    assert [promise["target"] for promise in stage["promises"]] == [0.4]
    entry = {"cascade": {**STAGED, "until": 0.55, "from": "rule.json", "abstain": {"target": 0.4}}}
    teams = {"three": {"players": ["ann", "bob", "cat"], "captain": "ann"}}
    file = written(tmp_path, "team", strategies=[entry], teams=teams)
    assert run_app(app, ["ask", "Which?", "--team", str(file)]) == 2
    assert "promise" in capsys.readouterr().err
