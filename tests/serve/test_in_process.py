"""A team asked inside a program is asked in the words of the API, and refuses what the API refuses."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest
import yaml
from served import THREE, serving

import moot
from moot.errors import UsageError
from moot.openai_form.refusal import Refused
from moot.openai_form.requests import ChatMessage, WantedJson
from moot.serve.asked_for import AskedOfTeam, MootOptions
from moot.serve.in_process import LONGEST, answered, served_team
from moot.serve.long_past import listed_episodes
from moot.types import Call


def asked(text: str, **options: object) -> AskedOfTeam:
    return AskedOfTeam([ChatMessage(role="user", content=text)], MootOptions.model_validate(options))


SAID = ChatMessage(role="user", content="x" * (LONGEST // 10))
WITH_QUESTIONS = {**THREE, "questions": {"builtin": "general-en", "sample": 3}}


@pytest.fixture
def team(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "three.yaml"
    path.parent.mkdir()
    path.write_text(yaml.safe_dump(WITH_QUESTIONS), encoding="utf-8")
    return path


async def test_players_read_what_they_read_through_the_api(team: Path, tmp_path: Path) -> None:
    calls: list[Call] = []
    async with served_team(team) as live:
        done = await answered(
            live, asked("Which?", choices=["Rome", "Seine"]), model="three/talkative", heard=calls.append
        )
    async with serving(tmp_path, WITH_QUESTIONS) as server:
        _, reply = await server.chat("Which?", "three/talkative", moot={"choices": ["Rome", "Seine"]})
        _, episode = await server.get(f"/v1/moot/episodes/{reply['moot']['episode']}")
    # What the captain reads hangs on what the players said this time; what they read does not.
    there = [call["messages"] for call in episode["calls"] if call["stage"] == "draft"]
    here = [call.request.messages for call in calls if call.stage == "draft"]
    assert len(here) == 3
    assert sorted([(m.role, m.content) for m in sent] for sent in here) == sorted(
        [(m["role"], m["content"]) for m in sent] for sent in there
    )
    assert done.more["moot"]["choice"] in ("Rome", "Seine")


async def test_what_is_asked_is_kept(team: Path) -> None:
    async with served_team(team) as live:
        done = await answered(live, asked("Which river is the longest?"))
    async with served_team(team) as live:
        asked_before = partial(listed_episodes, name=live.record.name, most=5, asker=None)
        listed = await live.store.run(asked_before)
    assert [row["text"] for row in listed] == ["Which river is the longest?"]
    assert done.text


@pytest.mark.parametrize(
    ("wish", "model", "status", "words"),
    [
        (asked("Who?"), "nobody", 404, "there is no team"),
        (asked(" "), None, 400, "with a text"),
        (asked("Write a plan", kind="text"), "three/vote", 400, "moot.kind"),
        (AskedOfTeam([ChatMessage(role="user", content="Who?")], wanted=WantedJson({})), None, 400, "moot serve"),
        (asked("x" * (LONGEST + 1)), None, 413, "at most 1,000,000 characters"),
        (asked("Who?", context="x" * LONGEST), None, 413, "at most 1,000,000 characters"),
        (AskedOfTeam([SAID] * 11), None, 413, "at most 1,000,000 characters"),
    ],
    ids=["no such team", "nothing asked", "no such kind", "a form", "too long", "about too much", "a long talk"],
)
async def test_what_cannot_be_asked_is_refused(
    team: Path, wish: AskedOfTeam, model: str | None, status: int, words: str
) -> None:
    calls: list[Call] = []
    async with served_team(team) as live:
        with pytest.raises(Refused, match=words) as refusal:
            await answered(live, wish, model=model, heard=calls.append)
    assert refusal.value.status == status
    assert not calls


AFTER_A_RUN = {
    **WITH_QUESTIONS,
    "teams": {"three": {"players": ["ann", "bob", "cat"], "captain": "ann"}},
    "strategies": ["vote", "silent", "solo"],
    "store": "sqlite:///three.db",
}


def ran(folder: Path, **keys: object) -> Path:
    path = folder / "three.yaml"
    path.write_text(yaml.safe_dump({**AFTER_A_RUN, **keys}), encoding="utf-8")
    moot.run(path)
    return path


async def test_after_a_run_every_strategy_goes_by_its_name(tmp_path: Path) -> None:
    path = await asyncio.to_thread(ran, tmp_path)
    async with served_team(path) as live:
        in_front = await answered(live, asked("Which?"))
        others = [name for name in live.every if live.every[name].id != live.cell("three").id]
        assert len(others) >= 4
        for name in others:
            done = await answered(live, asked("Which?"), model=name)
            assert done.more["moot"]["strategy"] in name
    assert in_front.head.model == "three"
    async with served_team(path, only=["three/silent"]) as live:
        with pytest.raises(Refused, match="three/vote' is in the file and is not served here"):
            await answered(live, asked("Which?"), model="three/vote")


async def test_where_what_did_best_cannot_be_asked_the_others_can(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever asks for one by name does not mind; and whoever asks for the team is told which it is."""
    path = tmp_path / "three.yaml"
    path.write_text(yaml.safe_dump({**AFTER_A_RUN, "strategies": ["learnt", "vote", "solo"], "primary": "learnt"}))
    with pytest.raises(UsageError, match="learnt learns from graded drafts"):
        async with served_team(path):
            pass
    async with served_team(path, every=True) as live:
        done = await answered(live, asked("Which?"), model="three/vote")
        assert done.more["moot"]["strategy"] == "vote"
    assert "in front is now three/vote, the first of the file that can be asked" in caplog.text
