"""How sure a captain's served word is: by what a rule file tells of it, and never by a rule that tells nothing of it."""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

import moot
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.decide.abstaining import AnswerChance
from moot.errors import FileError
from moot.experiment.spec import read_experiment
from moot.live.team import LiveTeam

NAMES = ("ann", "bob", "cat")
ACCURACIES = {"ann": 0.8, "bob": 0.7, "cat": 0.6}
QUESTIONS = [
    {"id": f"q{n}", "text": f"Which letter has number {n}?", "choices": list("wxyz"), "answer": "A"} for n in range(60)
]


def written(folder: Path, name: str, **keys: Any) -> Path:
    spec = {
        "name": name,
        "models": {name: {"provider": "simulated", "accuracy": ACCURACIES[name]} for name in NAMES},
        "teams": {"three": {"players": list(NAMES), "captain": "ann"}},
        "store": f"sqlite:///{name}.db",
        **keys,
    }
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(spec))
    return folder / f"{name}.yaml"


async def fitted(folder: Path, *more: str, strategies: Sequence[Any] = ("solo", "talkative")) -> dict[str, Any]:
    """The rule that was learnt of a run in which a captain played."""
    (folder / "first.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)))
    file = written(folder, "first", questions={"file": "first.jsonl"}, strategies=list(strategies))
    assert (await moot.arun(file)).state == "done"
    assert await asyncio.to_thread(run_app, app, ["fit", str(file), "-o", str(folder / "rule.json"), *more]) == 0
    content: dict[str, Any] = json.loads((folder / "rule.json").read_text())
    return content


def served(folder: Path, *strategies: Any, **keys: Any) -> LiveTeam:
    teams = {"three": {"players": list(NAMES), "captain": "ann", "rule": "rule.json"}}
    return LiveTeam(
        read_experiment(written(folder, "team", strategies=list(strategies), teams=teams, **keys), with_questions=False)
    )


async def test_a_captain_and_a_player_alone_tell_how_sure_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = await fitted(tmp_path, "--promise", "0.5")
    captain, *alone = sorted(content["verdicts"], key=lambda each: each["label"], reverse=True)
    assert (captain["label"], captain["captain"], captain["questions"]) == ("talkative", "ann", 24)
    assert [promise["target"] for promise in captain["promises"]] == [0.5]
    assert [each["label"] for each in alone] == ["solo@cat", "solo@bob", "solo@ann"]
    assert "talkative@ann: its confidence was learnt from 24 graded verdicts" in capsys.readouterr().out
    async with served(tmp_path, {"talkative": {"abstain": {"below": 0.99}}}, "talkative", "solo") as team:
        verdict = await team.ask("Which one is it?", choices=list("wxyz"), strategy="three/talkative")
        told = AnswerChance.of(verdict)
        assert told.value is not None
        assert 0 < told.value < 1
        assert told.why == "from 24 of its own graded verdicts"
        held = await team.ask("Which one is it?", choices=list("wxyz"), strategy=next(iter(team.models)))
        assert held.outcome == "abstained"
        assert AnswerChance.of(held).value == told.value
        alone_told = AnswerChance.of(await team.ask("Which one is it?", choices=list("wxyz"), strategy="solo@bob"))
        assert alone_told.value == pytest.approx(0.7, abs=0.25)


@pytest.mark.parametrize("played", ["peer-review", "debate"])
async def test_so_do_those_who_draft_in_two_calls(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], played: str
) -> None:
    """Their drafts are others than those that the rule is about: what tells of them stands beside."""
    content = await fitted(tmp_path, "--promise", "0.5", strategies=["solo", played])
    assert f"{played}@ann: its confidence was learnt from 24 graded verdicts" in capsys.readouterr().out
    (own,) = (each for each in content["verdicts"] if each["label"] == played)
    assert set(own["drafts"]["weights"]) == set(NAMES)
    assert all("drafts" not in each for each in content["verdicts"] if each["label"] != played)
    assert len(content["chosen_on"]) == len(QUESTIONS)
    entries = {played: {"abstain": {"target": 0.5}}}, played
    async with served(tmp_path, *entries) as team:
        told = AnswerChance.of(await team.ask("Which one is it?", choices=list("wxyz"), strategy=f"three/{played}"))
    assert told.value is not None
    assert told.why == "from 24 of its own graded verdicts"
    own["drafts"]["weights"]["ann"] = "much"
    (tmp_path / "rule.json").write_text(json.dumps(content))
    with pytest.raises(FileError, match=r"verdicts\.drafts\.weights"):
        served(tmp_path, *entries)


async def test_of_who_is_named_with_abstain_alone_it_is_said_why_nothing_is_learnt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = {"talkative": {"abstain": {"below": 0.5}}}
    content = await fitted(tmp_path, strategies=["solo", entry])
    assert {each["label"] for each in content["verdicts"]} == {f"solo@{name}" for name in NAMES}
    said = capsys.readouterr().out
    assert "talkative(abstain={below: 0.5}): its confidence is not known: what it held back nobody has graded" in said
    content = await fitted(tmp_path, strategies=["solo", entry, "talkative"])
    assert "talkative" in {each["label"] for each in content["verdicts"]}
    assert "what it held back" not in capsys.readouterr().out


async def test_a_rule_that_tells_nothing_of_a_captain_is_not_made_use_of_in_silence(tmp_path: Path) -> None:
    content = await fitted(tmp_path)
    (tmp_path / "rule.json").write_text(json.dumps({key: value for key, value in content.items() if key != "verdicts"}))
    with pytest.warns(
        UserWarning, match="the rule of team three is not made use of: the rule tells nothing of talkative"
    ):
        async with served(tmp_path, "talkative") as team:
            told = AnswerChance.of(await team.ask("Which one is it?", choices=list("wxyz")))
    assert told.value is None
    assert told.why.startswith("the rule tells nothing of talkative as it is played here: moot fit FILE")
    with pytest.raises(FileError, match="the rule tells nothing of talkative"):
        served(tmp_path, {"talkative": {"abstain": {"below": 0.5}}})


async def test_a_cascade_abstains_by_a_rule_that_knows_who_was_asked(tmp_path: Path) -> None:
    await fitted(tmp_path)
    entry = {"cascade": {"order": "learnt", "from": "rule.json", "abstain": {"below": 0.999}}}
    async with served(tmp_path, entry) as team:
        held = await team.ask("Which one is it?", choices=list("wxyz"))
        assert held.outcome == "abstained"
        assert AnswerChance.of(held).value is not None
    await fitted(tmp_path, "--promise", "0.5")
    with pytest.raises(
        FileError, match=r"the rule promises 0\.5 of a vote and of learnt, and nothing of cascade; expected it"
    ):
        served(tmp_path, {"cascade": {"order": "learnt", "from": "rule.json", "abstain": {"target": 0.5}}})
    with pytest.raises(FileError, match="where only cat and bob were asked; expected order: learnt or best"):
        served(tmp_path, {"cascade": {"order": ["cat", "bob", "ann"], "abstain": {"below": 0.5}}})


async def test_a_rule_tells_nothing_of_another_captain_nor_of_other_options(tmp_path: Path) -> None:
    await fitted(tmp_path)
    for entry in (
        {"talkative": {"captain": "bob", "abstain": {"below": 0.5}}},
        {"silent": {"abstain": {"below": 0.5}}},
    ):
        with pytest.raises(FileError, match="the rule tells nothing of"):
            served(tmp_path, entry)
    with pytest.raises(FileError, match=r"the rule does not hold 0\.9 of talkative"):
        served(tmp_path, {"talkative": {"abstain": {"target": 0.9}}})


async def test_a_promise_from_before_clusters_is_said_to_be_one(tmp_path: Path) -> None:
    content = await fitted(tmp_path, "--promise", "0.5", strategies=["solo"])
    entry = {"vote": {"abstain": {"target": 0.5}}}
    words = "from an older moot, which took every question for itself"
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        async with served(tmp_path, entry):
            pass
    assert not any(words in str(each.message) for each in said)
    for promise in (promise for several in content["promises"].values() for promise in several):
        del promise["clusters"], promise["largest"]
    (tmp_path / "rule.json").write_text(json.dumps(content))
    with pytest.warns(UserWarning, match=words):
        async with served(tmp_path, entry):
            pass
