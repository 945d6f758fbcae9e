"""A team's file changes between a question and the feedback on it: what was asked before is not lost, nor seen by others."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from served import THREE, Served, serving
from test_owners import ANN, BOB, BOSS, KEYS, asked, listed
from test_purge import holding

from moot.cli.app import app
from moot.cli.exit import run_app

BEFORE: dict[str, Any] = {**THREE, "strategies": ["vote"]}
AFTER: dict[str, Any] = {**THREE, "strategies": ["vote", "solo"]}
OTHERWISE: dict[str, Any] = {**THREE, "strategies": ["talkative"]}


async def told(served: Served, episode: str, **said: Any) -> tuple[int, Any]:
    return await served.post("/v1/feedback", {"episode": episode, **said})


@pytest.mark.parametrize("changed", [AFTER, OTHERWISE], ids=["a strategy more", "no strategy stays"])
async def test_what_was_asked_of_the_file_before_is_still_there(
    tmp_path: Path, changed: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(tmp_path, BEFORE) as served:
        first = (await served.chat("Which river?"))[1]["moot"]["episode"]
        second = (await served.chat("Which town?"))[1]["moot"]["episode"]
    async with serving(tmp_path, changed) as served:
        assert await told(served, first, answer="the Nile") == (
            200,
            {"episode": first, "correct": False, "stage": "match"},
        )
        assert (await told(served, second, correct=True))[0] == 200
        _, whole = await served.get(f"/v1/moot/episodes/{first}")
        assert (whole["question"], whole["reference"]) == ("Which river?", "the Nile")
        assert await listed(served, {}) == ["Which river?", "Which town?"]
    capsys.readouterr()
    assert await asyncio.to_thread(run_app, app, ["export", str(tmp_path / "team.yaml"), "--questions", "-o", "-"]) == 0
    exported = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["text"]: row["answer"] for row in exported}["Which river?"] == "the Nile"
    assert len(exported) == 2
    assert await asyncio.to_thread(run_app, app, ["report", str(tmp_path / "team.yaml"), "--json"]) == 0
    printed = capsys.readouterr()
    figures = json.loads(printed.out)
    assert figures["questions"] == 2, "what was asked last, and not the nothing that was asked since"
    assert "nothing has been asked of the team as it is now" in figures["not_of_file"]


EACH = {"three": {"players": ["ann", "bob", "cat"], "captain": "each"}}


@pytest.mark.parametrize(
    ("before", "after", "served_still"),
    [
        ({}, {"seed": 9}, True),
        ({"teams": EACH}, {"seed": 9}, True),
        ({"teams": EACH, "primary": "three/talkative@bob"}, {"seed": 9}, True),
        ({"strategies": [{"adaptive": {"talk_from": 2}}, "vote"]}, {"seed": 9}, True),
        ({}, {"strategies": ["council"], "seed": 9}, False),
        ({}, {"teams": {"pair": {"players": ["ann", "bob"], "captain": "bob"}}, "strategies": ["vote"]}, False),
    ],
    ids=["another seed", "each is captain", "a declared captain", "options", "other strategies", "another team"],
)
async def test_what_was_asked_is_called_as_it_was(
    tmp_path: Path, before: dict[str, Any], after: dict[str, Any], served_still: bool
) -> None:
    people = {**{name: {"model": name} for name in THREE["models"]}, "eve": {"model": "cat"}}
    config = {**THREE, "players": people, **before}
    called: dict[str, dict[str, Any]] = {}
    async with serving(tmp_path, config) as served:
        names = list(served.live.cells)
        for name in names:
            status, body = await served.chat("Which river?", name)
            assert status == 200, body
        own = {"players": ["eve", "ann"], "strategy": "vote"}
        assert (await served.chat("Which hill?", moot={"team": own}))[0] == 200
        before_it = await past_of(served, called)
    async with serving(tmp_path, {**config, **after}) as served:
        now: dict[str, dict[str, Any]] = {}
        assert await past_of(served, now) == before_it
        for episode, whole in called.items():
            assert {key: now[episode][key] for key in SAME} == {key: whole[key] for key in SAME}
            assert now[episode]["served"] is (served_still or whole["team"] is not None)
            if now[episode]["served"] and whole["team"] is None:
                assert (await served.chat("Which lake?", now[episode]["model"]))[0] == 200, "as it was said"


SAME = ("model", "captain", "players", "team")


async def test_what_is_offered_by_another_name_is_called_by_that(tmp_path: Path) -> None:
    """Before a change and after it the option in front goes by the name of its team, what is asked beside it by its own."""
    for offer, first, beside in (
        ({"every": True}, "three", "three/talkative"),
        ({"only": ["three/talkative"]}, "x", "three"),
    ):
        folder = tmp_path / first
        folder.mkdir()
        async with serving(folder, THREE, offer={"every": True}) as served:
            for name in ("three/vote", "three/talkative", "solo@ann"):
                assert (await served.chat(f"Who is {name}?", name))[0] == 200
        async with serving(folder, {**THREE, "seed": 9}, offer=offer) as served:
            wholes: dict[str, dict[str, Any]] = {}
            await past_of(served, wholes)
            found = {whole["question"]: (whole["model"], whole["served"]) for whole in wholes.values()}
            every = "every" in offer
            assert found == {
                "Who is three/vote?": ("three" if every else "three/vote", every),
                "Who is three/talkative?": (beside, True),
                "Who is solo@ann?": ("solo@ann", every),
            }


async def past_of(served: Served, wholes: dict[str, dict[str, Any]]) -> dict[str, str]:
    """What was asked, by whose name; whole, by its id."""
    _, past = await served.get("/v1/moot/episodes?limit=100")
    for each in past["episodes"]:
        _, wholes[each["episode"]] = await served.get(f"/v1/moot/episodes/{each['episode']}")
        assert wholes[each["episode"]]["model"] == each["model"]
    return {each["episode"]: each["model"] for each in past["episodes"]}


async def test_asked_again_after_a_change_it_is_one_question_with_one_reference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(tmp_path, BEFORE) as served:
        first = (await served.chat("Which river?"))[1]["moot"]["episode"]
        assert (await told(served, first, answer="the Nile"))[0] == 200
    async with serving(tmp_path, AFTER) as served:
        again = (await served.chat("Which river?"))[1]["moot"]["episode"]
        alone = (await served.chat("Which river?", "solo@ann"))[1]["moot"]["episode"]
        for episode in (again, alone):
            _, whole = await served.get(f"/v1/moot/episodes/{episode}")
            assert whole["reference"] == "the Nile", "somebody has said it already"
        assert await listed(served, {}) == ["Which river?"] * 3, "each play once, of however many plans its cell is"
        assert (await told(served, first, answer="the Amazon"))[0] == 200
        for episode in (first, again, alone):
            _, whole = await served.get(f"/v1/moot/episodes/{episode}")
            assert whole["reference"] == "the Amazon"
    capsys.readouterr()
    assert await asyncio.to_thread(run_app, app, ["export", str(tmp_path / "team.yaml"), "--questions", "-o", "-"]) == 0
    (row,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert row["answer"] == "the Amazon"
    with closing(sqlite3.connect(tmp_path / "three.db")) as connection:
        graded = 'SELECT count(*) FROM scores JOIN experiment_questions USING ("case") WHERE value IS NOT NULL'
        assert connection.execute(graded).fetchone()[0] >= 4, "in both plans, every play of it"


async def test_feedback_reaches_plans_that_had_other_judges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judged = {**BEFORE, "models": {**THREE["models"], "jim": {"provider": "simulated", "accuracy": 1.0}}}
    async with serving(tmp_path, BEFORE) as served:
        _, body = await served.chat("Which river?")
        first = body["moot"]["episode"]
        second = (await served.chat("Which town?"))[1]["moot"]["episode"]
    async with serving(tmp_path, {**judged, "strategies": ["vote", "solo"], "judge": {"models": ["jim"]}}) as served:
        assert (await told(served, first, answer=body["choices"][0]["message"]["content"]))[1]["correct"] is True
        assert (await told(served, second, correct=False))[1] == {
            "episode": second,
            "correct": False,
            "stage": "person",
        }
    assert await asyncio.to_thread(run_app, app, ["report", str(tmp_path / "team.yaml"), "--json"]) == 0
    (row,) = [row for row in json.loads(capsys.readouterr().out)["accuracy"] if row["strategy"] == "vote"]
    assert (row["value"], row["n"]) == (0.5, 2)


async def test_no_key_reaches_anothers_questions_through_a_changed_file(tmp_path: Path) -> None:
    async with serving(tmp_path, BEFORE, settings=KEYS) as served:
        hers = (await asked(served, "Ann's secret?", ANN))["moot"]["episode"]
        await asked(served, "The same?", ANN)
    async with serving(tmp_path, AFTER, settings=KEYS) as served:
        await asked(served, "Ann's secret?", BOB)
        await asked(served, "The same?", BOB)
        assert await listed(served, ANN) == ["Ann's secret?", "The same?"]
        assert await listed(served, BOB) == ["Ann's secret?", "The same?"]
        assert len(await listed(served, BOSS)) == 4
        assert (await served.get(f"/v1/moot/episodes/{hers}", headers=BOB))[0] == 404
        for said in ({"answer": "poison"}, {"correct": False}):
            status, answer = await served.post("/v1/feedback", {"episode": hers, **said}, headers=BOB)
            assert (status, answer["error"]["code"]) == (404, "no_such_episode")
        status, _ = await served.post("/v1/feedback", {"episode": hers, "answer": "the Nile"}, headers=ANN)
        assert status == 200


async def test_who_gets_anothers_question_a_place_of_its_own_does_not_see_it(tmp_path: Path) -> None:
    """Two keys whose questions fall on one id, as somebody might seek to have it: whoever asked first stays alone with it."""
    async with serving(tmp_path, BEFORE, settings=KEYS) as served:
        hers = (await asked(served, "Ann's secret?", ANN))["moot"]["episode"]
    async with serving(tmp_path, AFTER, settings=KEYS) as served:
        await asked(served, "Mine?", BOB)
        await served.live.record.flush()
        with closing(sqlite3.connect(tmp_path / "three.db")) as connection:
            (secret,) = connection.execute(
                "SELECT question FROM experiment_questions WHERE asker = 'ANN_KEY'"
            ).fetchone()
            connection.execute(
                'INSERT INTO experiment_questions (experiment, position, question, "case", asker)'
                ' SELECT b.experiment, 99, a.question, a."case", b.asker FROM experiment_questions a'
                " JOIN experiment_questions b ON b.asker = 'BOB_KEY' WHERE a.question = ?",
                (secret,),
            )
            connection.commit()
        assert await listed(served, BOB) == ["Mine?"]
        assert (await served.get(f"/v1/moot/episodes/{hers}", headers=BOB))[0] == 404
        body = {"episode": hers, "answer": "poison"}
        assert (await served.post("/v1/feedback", body, headers=BOB))[0] == 404
        assert len(await listed(served, BOSS)) == 2


async def test_another_team_on_the_store_is_not_seen(tmp_path: Path) -> None:
    async with serving(tmp_path, {**BEFORE, "store": "sqlite:///both.db"}) as served:
        episode = (await served.chat("Which river?"))[1]["moot"]["episode"]
    async with serving(tmp_path, {**AFTER, "name": "other", "store": "sqlite:///both.db"}) as served:
        assert await listed(served, {}) == []
        assert (await told(served, episode, answer="x"))[0] == 404
        assert (await served.get(f"/v1/moot/episodes/{episode}"))[0] == 404


async def test_purge_forgets_what_was_asked_of_the_file_before(tmp_path: Path) -> None:
    async with serving(tmp_path, BEFORE) as served:
        first = (await served.chat("Which river?"))[1]["moot"]["episode"]
        assert (await told(served, first, answer="the Zarqu"))[0] == 200
    async with serving(tmp_path, OTHERWISE) as served:
        await served.chat("Which river?", "three/talkative")
    async with serving(tmp_path, AFTER) as served:
        await served.chat("Which river?")
    assert await asyncio.to_thread(run_app, app, ["purge", str(tmp_path / "team.yaml"), "--older-than", "0"]) == 0
    assert await asyncio.to_thread(holding, tmp_path, "Zarqu") == []
    async with serving(tmp_path, AFTER) as served:
        assert await listed(served, {}) == []
        assert (await told(served, first, answer="x"))[0] == 404
        assert (await served.get(f"/v1/moot/episodes/{first}"))[0] == 404
