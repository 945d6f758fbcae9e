"""A team that is put together for a question: of the file's models, kept like every other, refused in words."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from served import THREE, serving

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.serve.admission import KeyLimits
from moot.serve.app import ServeSettings


async def test_it_plays_and_is_kept_under_a_name_of_its_own(tmp_path: Path) -> None:
    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}) as served:
        _, listed = await served.get("/v1/moot/teams")
        assert [player["name"] for player in listed["parts"]["players"]] == ["ann", "bob", "cat"]
        assert listed["parts"]["strategies"] == ["vote", "talkative", "council"]
        team = {"players": ["cat", "bob"], "captain": "bob", "strategy": "talkative"}
        for _ in range(2):
            status, body = await served.chat("Which river?", moot={"team": team})
            assert status == 200, body
            assert body["model"] == "cat+bob/talkative@bob"
            assert (body["moot"]["captain"], body["moot"]["calls"]) == ("bob", 3)
        status, again = await served.chat("Which hill?", "cat+bob/talkative@bob")
        assert status == 200, again
        _, past = await served.get("/v1/moot/episodes")
        assert {each["model"] for each in past["episodes"]} == {"cat+bob/talkative@bob"}
        _, whole = await served.get(f"/v1/moot/episodes/{body['moot']['episode']}")
        assert whole["model"] == "cat+bob/talkative@bob"
        assert [call["player"] for call in whole["calls"]] == ["cat", "bob", "bob"]
        learnt = await served.post("/v1/feedback", {"episode": body["moot"]["episode"], "correct": True})
        assert learnt[0] == 200
        _, listed = await served.get("/v1/models")
        assert listed["data"][0]["id"] == "three/vote", "what is offered stays what it was"


async def test_one_that_was_never_asked_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = f"sqlite:///{tmp_path / 'served.db'}"
    async with serving(tmp_path, {**THREE, "store": store}) as served:
        team = {"players": ["ann", "bob"], "strategy": "vote"}
        status, body = await served.chat("Plan?", moot={"team": team, "kind": "text"})
        assert (status, "vote" in body["error"]["message"]) == (400, True), "nobody votes on long answers"
    assert await asyncio.to_thread(run_app, app, ["runs", "--store", store, "--json"]) == 0
    ((only,),) = [each["runs"] for each in json.loads(capsys.readouterr().out)]
    assert only["experiment"] == "three:served"


async def test_no_name_of_the_file_is_taken_by_it(tmp_path: Path) -> None:
    teams = {"ann": {"players": ["ann", "bob", "cat"], "captain": "ann"}}
    async with serving(tmp_path, {**THREE, "teams": teams, "strategies": ["vote"]}) as served:
        _, before = await served.chat("Which river?", "ann/vote")
        assert before["moot"]["calls"] == 3
        _, alone = await served.chat("Which hill?", moot={"team": {"players": ["ann"], "strategy": "vote"}})
        assert (alone["model"], alone["moot"]["calls"]) == ("+ann/vote", 1)
        _, after = await served.chat("Which lake?", "ann/vote")
        assert after["moot"]["calls"] == 3, "what is served is what it was"


async def test_what_it_was_asked_is_in_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}) as served:
        await served.chat("Which river?")
        for question in ("Which hill?", "Which lake?", "Which river?"):
            team = {"players": ["cat", "bob"], "strategy": "vote"}
            assert (await served.chat(question, moot={"team": team}))[0] == 200
    report = ["report", str(tmp_path / "team.yaml"), "--served", "--json"]
    assert await asyncio.to_thread(run_app, app, report) == 0
    told = json.loads(capsys.readouterr().out)["served"]
    assert told["asked"] == 4
    assert sorted(row["asked"] for row in told["by_team"]) == [1, 3]


async def test_who_would_not_be_let_in_makes_none(tmp_path: Path) -> None:
    limited = ServeSettings(limits=KeyLimits(per_minute=1))
    async with serving(tmp_path, THREE, settings=limited) as served:
        assert (await served.chat("Which river?"))[0] == 200
        for players in (["ann", "bob"], ["bob", "ann"], ["cat", "ann"]):
            status, _ = await served.chat("Which hill?", moot={"team": {"players": players, "strategy": "vote"}})
            assert status == 429
        assert served.live.edited.made == 0


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"players": ["dan"], "strategy": "vote"}, "players: there is no 'dan'"),
    ({"players": ["ann", "ann"], "strategy": "vote"}, "each once"),
    ({"players": ["ann", "bob"], "strategy": "riddle"}, "strategy: there is no 'riddle'; expected one of"),
    ({"players": ["ann", "bob"], "strategy": "talkative", "captain": "cat"}, "captain: 'cat' does not play"),
    ({"players": ["ann", "bob"], "strategy": "talkative"}, "has no captain"),
    ({"players": [], "strategy": "vote"}, "players"),
    ({"strategy": "vote"}, "players"),
]


@pytest.mark.parametrize(("team", "words"), WRONG, ids=[words for _, words in WRONG])
async def test_what_cannot_be_is_told(tmp_path: Path, team: dict[str, Any], words: str) -> None:
    async with serving(tmp_path) as served:
        for path, asked in (
            ("/v1/chat/completions", {"messages": [{"role": "user", "content": "Why?"}]}),
            ("/v1/responses", {"input": "Why?"}),
        ):
            status, body = await served.post(path, {**asked, "moot": {"team": team}})
            assert status == 400, body
            assert words in body["error"]["message"]
            assert body["error"]["param"].startswith("moot.team")


async def test_a_server_may_offer_its_teams_alone(tmp_path: Path) -> None:
    async with serving(tmp_path, settings=ServeSettings(edit_teams=False)) as served:
        _, listed = await served.get("/v1/moot/teams")
        assert listed["parts"] is None
        status, body = await served.chat("Why?", moot={"team": {"players": ["ann"], "strategy": "vote"}})
        assert (status, body["error"]["code"]) == (400, "teams_not_edited")
