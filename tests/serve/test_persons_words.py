"""Names of conversations and votes between two answers: kept for who gave them, and gone with the episodes."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from served import THREE, Served, reworded, serving

from moot.live.beside_episodes import votes_of
from moot.serve.app import ServeSettings

TWO = {**THREE, "strategies": ["vote", "talkative"]}
KEYS = ServeSettings(keys={"ANN": "ann-secret", "BOB": "bob-secret"})


def by(key: str) -> dict[str, Any]:
    return {"headers": {"Authorization": f"Bearer {key}-secret"}}


def bytes_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*.db*"))


async def asked(served: Served, key: str, model: str, text: str = "Which river?") -> str:
    body = {"model": model, "messages": [{"role": "user", "content": text}]}
    status, said = await served.post("/v1/chat/completions", body, **by(key))
    assert status == 200, said
    return str(said["moot"]["episode"])


async def listed(served: Served, key: str) -> dict[str, Any]:
    _, past = await served.get("/v1/moot/episodes", **by(key))
    return {each["episode"]: each["title"] for each in past["episodes"]}


async def test_a_conversation_is_called_what_its_key_calls_it(tmp_path: Path) -> None:
    async with serving(tmp_path, TWO, settings=KEYS) as served:
        mine, other = await asked(served, "ann", "three/vote"), await asked(served, "bob", "three/vote")
        path = f"/v1/moot/episodes/{mine}/title"
        assert await served.post(path, {"title": "  Rivers \n of Africa "}, **by("ann")) == (
            200,
            {"episode": mine, "title": "Rivers of Africa"},
        )
        assert await listed(served, "ann") == {mine: "Rivers of Africa"}
        assert await listed(served, "bob") == {other: None}
        assert (await served.post(path, {"title": "Mine"}, **by("bob")))[0] == 404, "a question of another's"
        for wrong in ({"title": "x" * 201}, {"title": "a\x00"}, {"name": "x"}, {}):
            assert (await served.post(path, wrong, **by("ann")))[0] == 400
        for unseen in ("\u200b", "\ufeff \u2060", "\u3164\u3164", "\u202e", "\u2800"):
            status, said = await served.post(path, {"title": unseen}, **by("ann"))
            assert (status, "not empty" in said["error"]["message"]) == (400, True), "a name that nobody sees"
        assert await listed(served, "ann") == {mine: "Rivers of Africa"}
        assert (await served.post(path, {"title": ""}, **by("ann")))[1]["title"] is None
        assert await listed(served, "ann") == {mine: None}


async def test_which_answer_is_better_is_kept_with_all_that_it_says(tmp_path: Path) -> None:
    async with serving(tmp_path, TWO, settings=KEYS) as served:
        left, right = await asked(served, "ann", "three/vote"), await asked(served, "ann", "three/talkative")
        await reworded(served, tmp_path, {left: "The Oka.", right: "The Don."})
        vote = {"first": left, "second": right, "preferred": "second"}
        assert await served.post("/v1/moot/preferences", vote, **by("ann")) == (200, {**vote, "judge": "person:ANN"})
        turned = {"first": right, "second": left, "preferred": "tie"}
        assert (await served.post("/v1/moot/preferences", turned, **by("ann")))[0] == 200
        (kept,) = await served.live.store.read(votes_of)
        assert (kept.first, kept.second, kept.preferred, kept.person) == (right, left, "tie", "ANN"), "the last word"
        assert kept.question in left
        assert kept.said_at > 0

        again = await asked(served, "ann", "three/vote")
        itself = {"first": left, "second": again, "preferred": "tie"}
        status, said = await served.post("/v1/moot/preferences", itself, **by("ann"))
        assert (status, said["error"]["code"]) == (409, "not_a_pair")
        assert said["error"]["message"] == "expected the answers of two teams, found two of one."
        other = await asked(served, "ann", "three/vote", "Which hill?")
        for second, status in ((other, 409), (left, 409), ("ep_" + "0" * 40, 404)):
            wrong = {"first": left, "second": second, "preferred": "first"}
            assert (await served.post("/v1/moot/preferences", wrong, **by("ann")))[0] == status
        assert (await served.post("/v1/moot/preferences", vote, **by("bob")))[0] == 404, "questions of another's"
        assert (await served.post("/v1/moot/preferences", {**vote, "preferred": "both"}, **by("ann")))[0] == 400


async def test_nobody_can_prefer_what_came_to_no_answer(tmp_path: Path) -> None:
    async with serving(tmp_path, TWO, settings=KEYS) as served:
        left, right = await asked(served, "ann", "three/vote"), await asked(served, "ann", "three/talkative")
        await served.live.record.all_written()
        with sqlite3.connect(tmp_path / f"{THREE['name']}.db") as store:
            failed = (int(right[3:11], 16), right[11:])
            store.execute(
                "update episodes set outcome = 'failed', answer = null where repeat = ? and question = ?", failed
            )
            assert store.execute("select changes()").fetchone() == (1,)
        for first, second, place in ((left, right, "second"), (right, left, "first")):
            for preferred in ("first", "second", "tie"):
                vote = {"first": first, "second": second, "preferred": preferred}
                status, said = await served.post("/v1/moot/preferences", vote, **by("ann"))
                assert (status, said["error"]["code"], said["error"]["param"]) == (409, "no_answer", place)
                told = f"expected two answers, but the {place} has none: it ended as failed."
                assert said["error"]["message"] == told
        assert await served.live.store.read(votes_of) == []


async def test_of_two_equal_answers_nobody_can_prefer_one(tmp_path: Path) -> None:
    async with serving(tmp_path, TWO, settings=KEYS) as served:
        left, right = await asked(served, "ann", "three/vote"), await asked(served, "ann", "three/talkative")
        await reworded(served, tmp_path, {left: "The Oka.", right: " The Oka.\n"})
        for preferred in ("first", "second", "tie"):
            vote = {"first": left, "second": right, "preferred": preferred}
            status, said = await served.post("/v1/moot/preferences", vote, **by("ann"))
            assert (status, said["error"]["code"]) == (409, "equal_answers")
            assert "equal word for word" in said["error"]["message"]
        assert await served.live.store.read(votes_of) == []


async def test_they_are_forgotten_with_the_episode(tmp_path: Path) -> None:
    async with serving(tmp_path, TWO, settings=KEYS) as served:
        left, right = await asked(served, "ann", "three/vote"), await asked(served, "ann", "three/talkative")
        for episode in (left, right):
            path = f"/v1/moot/episodes/{episode}/title"
            assert (await served.post(path, {"title": "Zanzibar-mark"}, **by("ann")))[0] == 200
        await reworded(served, tmp_path, {left: "The Oka.", right: "The Don."})
        vote = {"first": left, "second": right, "preferred": "second"}
        assert (await served.post("/v1/moot/preferences", vote, **by("ann")))[0] == 200
        async with served.session.delete(f"{served.url}/v1/moot/episodes/{left}", **by("ann")) as response:
            assert response.status == 200
        assert await served.live.store.read(votes_of) == []
        assert await listed(served, "ann") == {right: "Zanzibar-mark"}
        async with served.session.delete(f"{served.url}/v1/moot/episodes/{right}", **by("ann")) as response:
            assert response.status == 200
    assert b"Zanzibar-mark" not in bytes_in(tmp_path)


async def test_a_team_by_another_name_is_no_other_team(tmp_path: Path) -> None:
    """Put together of the same players in any order, with the same captain and strategy; or twice in the file."""
    twice = {"players": ["cat", "ann", "bob"], "captain": "ann"}
    teams = {**TWO["teams"], "again": twice, "other": {**twice, "captain": "cat"}}
    async with serving(tmp_path, {**TWO, "teams": teams}, settings=KEYS) as served:

        async def put_together(*players: str, captain: str = "ann", strategy: str = "vote") -> str:
            team = {"players": list(players), "captain": captain, "strategy": strategy}
            body = {"messages": [{"role": "user", "content": "Which river?"}], "moot": {"team": team}}
            status, said = await served.post("/v1/chat/completions", body, **by("ann"))
            assert status == 200, said
            return str(said["moot"]["episode"])

        async def voted(second: str) -> tuple[int, str | None]:
            vote = {"first": first, "second": second, "preferred": "first"}
            status, said = await served.post("/v1/moot/preferences", vote, **by("ann"))
            return status, said.get("error", {}).get("code")

        first = await asked(served, "ann", "three/vote")
        for itself in (
            await put_together("ann", "bob", "cat"),
            await put_together("cat", "bob", "ann"),
            await asked(served, "ann", "again/vote"),
        ):
            assert await voted(itself) == (409, "not_a_pair")
        assert await served.live.store.read(votes_of) == []
        for another in (
            await put_together("ann", "bob"),
            await put_together("ann", "bob", "cat", captain="bob"),
            await put_together("ann", "bob", "cat", strategy="talkative"),
            await asked(served, "ann", "other/vote"),
        ):
            await reworded(served, tmp_path, {first: "The Oka.", another: "The Don."})
            assert (await voted(another))[0] == 200
        _, told = await served.get("/v1/moot/teams", **by("ann"))
        line_ups = {each["model"]: each["line_up"] for each in told["teams"]}
        assert line_ups["three/vote"] == line_ups["again/vote"] != line_ups["other/vote"]
        assert line_ups["three/vote"] != line_ups["three/talkative"]
