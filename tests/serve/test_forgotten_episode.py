"""One question is forgotten by whoever asked it: looked for in every byte that is left, and by others who may not."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hostile_server import hostile, http
from served import THREE, Served, serving
from sqlalchemy import func, select
from test_owners import ANN, BOB, BOSS, KEYS, asked, listed
from test_purge import SECRET, holding, purged_by_another_process

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.live import served as served_record
from moot.models.model import Model, Wrapper
from moot.prompts import Prompts
from moot.simulate.simulated import SimulatedModel
from moot.store import schema
from moot.types import NOTHING, Reply, Request

ASKED = f"Where is the well of {SECRET}, and who keeps it in the dry months?"
FORM = {
    "type": "json_schema",
    "json_schema": {"name": "well", "schema": {"type": "object", "properties": {"well": {"type": "string"}}}},
}


async def test_no_byte_of_it_is_left_and_all_else_is(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        _, other = await served.chat("Which river?")
        _, body = await served.chat(ASKED, response_format=FORM)
        episode = body["moot"]["episode"]
        told = {"episode": episode, "answer": f"{SECRET} the first"}
        assert (await served.post("/v1/feedback", told))[0] == 200
        assert holding(tmp_path)
        async with served.session.delete(f"{served.url}/v1/moot/episodes/{episode}") as response:
            removed = (await response.json())["forgotten"]
            assert response.status == 200
        assert (removed["episodes"], removed["questions"]) == (1, 1)
        assert removed["calls"] >= 3
        assert holding(tmp_path) == []
        assert (await served.get(f"/v1/moot/episodes/{episode}"))[0] == 404
        status, whole = await served.get(f"/v1/moot/episodes/{other['moot']['episode']}")
        assert status == 200
        assert all(call["text"] for call in whole["calls"]), "the calls of others stay"
        async with served.session.delete(f"{served.url}/v1/moot/episodes/{episode}") as response:
            assert response.status == 404, "what is gone is gone"


async def test_no_copy_of_it_is_left_where_rows_have_grown(tmp_path: Path) -> None:
    """Pages were split while questions came, and rows made longer by feedback, which leaves copies where nobody looks."""
    async with serving(tmp_path) as served:
        marks = [f"{SECRET}{number:03d}" for number in range(12)]
        episodes = {}
        for number, mark in enumerate(marks):
            _, body = await served.chat(f"Who is {mark}? {'And why? ' * 40 * (number % 5)}")
            episodes[mark] = body["moot"]["episode"]
            if number % 3:
                told = {"episode": episodes[marks[number // 2]], "answer": f"{marks[number // 2]} {'x' * 60 * number}"}
                assert (await served.post("/v1/feedback", told))[0] == 200
        for mark, episode in episodes.items():
            assert holding(tmp_path, mark)
            await forgotten(served, episode)
            assert holding(tmp_path, mark) == []


async def test_of_a_question_asked_twice_the_other_answer_stays(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        first, second = [(await served.chat("Which river?"))[1]["moot"]["episode"] for _ in range(2)]
        async with served.session.delete(f"{served.url}/v1/moot/episodes/{first}") as response:
            assert (await response.json())["forgotten"]["questions"] == 0
        status, whole = await served.get(f"/v1/moot/episodes/{second}")
        assert status == 200
        assert all(call["text"] for call in whole["calls"])
        assert (await served.post("/v1/feedback", {"episode": second, "correct": True}))[0] == 200


@pytest.mark.parametrize("way", ["a team of one's own", "a changed file"])
async def test_one_question_in_several_plans_is_forgotten_once(tmp_path: Path, way: str) -> None:
    own = {"moot": {"team": {"players": ["ann", "bob"], "strategy": "vote"}}} if way.startswith("a team") else {}
    async with serving(tmp_path) as served:
        first = [(await served.chat(f"Which river {number}?"))[1]["moot"]["episode"] for number in range(3)]
    async with serving(tmp_path, THREE if own else {**THREE, "seed": 9}) as served:
        again = [(await served.chat(f"Which river {number}?", **own))[1]["moot"]["episode"] for number in range(3)]
        assert (await forgotten(served, first[0]))["questions"] == 0, "it was asked once more"
        assert (await forgotten(served, again[0]))["questions"] == 1
        await served.live.record.flush()
        said = await asyncio.to_thread(purged_by_another_process, tmp_path)
        assert "forgotten: 4 answers, 2 questions" in said


async def test_one_question_that_was_asked_by_hand_in_two_ways_is_forgotten_once(tmp_path: Path) -> None:
    async with serving(tmp_path, {**THREE, "store": f"sqlite:///{tmp_path / 'kept.db'}"}) as served:
        await served.chat("Which river?")
    for strategy in ("vote", "talkative"):
        asked_by_hand = ["ask", "Which river?", "--team", str(tmp_path / "team.yaml"), "--strategy", strategy]
        assert await asyncio.to_thread(run_app, app, asked_by_hand) == 0
    said = await asyncio.to_thread(purged_by_another_process, tmp_path)
    assert "forgotten: 3 answers, 2 questions" in said, "what was served is another"


async def test_nobody_forgets_what_is_anothers(tmp_path: Path) -> None:
    async with serving(tmp_path, settings=KEYS) as served:
        anns, bobs = [(await asked(served, "Which river?", key))["moot"]["episode"] for key in (ANN, BOB)]
        for headers, status in (({}, 401), (BOB, 404), (ANN, 200)):
            async with served.session.delete(f"{served.url}/v1/moot/episodes/{anns}", headers=headers) as response:
                assert response.status == status
        assert await listed(served, ANN) == []
        assert await listed(served, BOB) == ["Which river?"]
        elsewhere = {"Origin": "http://elsewhere.example", **BOB}
        async with served.session.delete(f"{served.url}/v1/moot/episodes/{bobs}", headers=elsewhere) as response:
            assert response.status == 403, "no page of another site"
        async with served.session.delete(f"{served.url}/v1/moot/episodes/{bobs}", headers=BOSS) as response:
            assert response.status == 200, "an admin may"


# --- whose calls are whose ----------------------------------------------------------------------------------------------

OURS = Prompts(language="en").render("served", instruction="", is_long=False).strip()
"""A part of what everybody's players are told."""


class FirstHeld(Wrapper):
    """Who is asked first waits until it is let go."""

    def __init__(self, inner: Model, go: asyncio.Event, begun: asyncio.Event) -> None:
        super().__init__(inner)
        self._go, self._begun = go, begun

    async def generate(self, request: Request) -> Reply:
        if not self._begun.is_set():
            self._begun.set()
            await self._go.wait()
        return await self.inner.generate(request)


async def forgotten(served: Served, episode: str, key: Mapping[str, str] = NOTHING) -> dict[str, int]:
    async with served.session.delete(f"{served.url}/v1/moot/episodes/{episode}", headers=dict(key)) as response:
        assert response.status == 200
        removed: dict[str, int] = (await response.json())["forgotten"]
        return removed


@pytest.mark.parametrize("reuse", [False, True], ids=["made", "used again"])
@pytest.mark.parametrize("question", ["Which river?", OURS], ids=["the same question", "words of every prompt"])
async def test_a_question_of_another_that_is_under_way_keeps_its_calls(
    tmp_path: Path, question: str, reuse: bool
) -> None:
    go, begun = asyncio.Event(), asyncio.Event()

    def wrap(name: str, model: Model) -> Model:
        return FirstHeld(model, go, begun) if name == "cat" else model

    async with serving(tmp_path, settings=KEYS, wrap=wrap, reuse=reuse) as served:
        bobs = asyncio.create_task(asked(served, "Which river?", BOB, "three/talkative"))
        await begun.wait()
        anns = (await asked(served, question, ANN, "three/talkative"))["moot"]["episode"]
        removed = await forgotten(served, anns, ANN)
        go.set()
        status, whole = await served.get(f"/v1/moot/episodes/{(await bobs)['moot']['episode']}", headers=BOB)
        assert status == 200
        assert len(whole["calls"]) == 4
        assert all(call["text"] and call["cost_usd"] is not None for call in whole["calls"])
        assert removed["calls"] == (4 if not reuse or question == OURS else 2), "but those that both use"


CAPPED = {
    **THREE,
    "models": {
        name: {**model, "price": {"prompt": 1.0, "completion": 1.0}, "max_tokens": 500}
        for name, model in THREE["models"].items()
    },
    "budget_usd": 5.0,
}


@pytest.mark.parametrize("config", [THREE, CAPPED], ids=["behind the reply", "before the reply"])
@pytest.mark.parametrize("when", ["made", "under way", "not begun"])
async def test_the_call_that_writes_a_form_late_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: dict[str, Any], when: str
) -> None:
    """However long after the answer it comes, and also if the question is forgotten before it does."""
    go, writing = asyncio.Event(), asyncio.Event()
    go.set() if when == "made" else None

    def held(generate: Any) -> Any:
        async def later(self: Any, request: Request) -> Reply:
            if "well" in str(request.schema):
                writing.set()
                await go.wait()
            reply: Reply = await generate(self, request)
            return reply

        return later

    class Later(Wrapper):
        generate = held(lambda self, request: self.inner.generate(request))

    if when == "under way":
        monkeypatch.setattr(SimulatedModel, "generate", held(SimulatedModel.generate))
    wrap = (lambda _, model: Later(model)) if when == "not begun" else None
    async with serving(tmp_path, config, wrap=wrap) as served:
        await served.chat("Which river?")
        asking = asyncio.create_task(served.chat(ASKED, response_format=FORM))
        if when == "made":
            await asking
            with closing(sqlite3.connect(tmp_path / "three.db")) as store:
                spoken = "SELECT 1 FROM episodes WHERE transcript LIKE '%' || key || '%'"
                later = f"UPDATE calls SET created_at = created_at + 60 WHERE NOT EXISTS ({spoken})"
                await served.live.record.flush()
                assert store.execute(later).rowcount == 1
                store.commit()
        else:
            await writing.wait()
        episodes = (await served.get("/v1/moot/episodes"))[1]["episodes"]
        (episode,) = [each["episode"] for each in episodes if SECRET in each["question"]]
        spent = await spent_usd(served)
        removed = await forgotten(served, episode)
        assert removed["calls"] == (4 if when == "made" else 3)
        go.set()
        assert (await asking)[0] == 200
        assert holding(tmp_path) == [], "it was never written: whoever is killed in this moment has nothing to remove"
        await served.live.record.flush()
        assert holding(tmp_path) == []
        assert await spent_usd(served) >= spent - 1e-9
    assert holding(tmp_path) == []
    with closing(sqlite3.connect(tmp_path / "three.db")) as store:
        assert store.execute("SELECT count(*) FROM calls").fetchone() == (3,), "of the other question"
        assert store.execute("SELECT count(*) FROM served_calls").fetchone() == (4,)


async def spent_usd(served: Served) -> float:
    """In the books: calls and losses."""
    await served.live.record.flush()
    sums = [select(func.coalesce(func.sum(column), 0.0)) for column in (schema.calls.c.cost_usd, schema.losses.c.usd)]
    return await served.live.store.run(lambda connection: sum(connection.execute(each).scalar_one() for each in sums))


async def test_failures_of_a_question_are_forgotten_with_it_and_those_of_others_stay(tmp_path: Path) -> None:
    def refused(body: Any, number: int) -> bytes:
        return http({"error": {"message": f"no to {body['messages'][-1]['content'][:300]}"}}, 400)

    async with hostile(refused) as server:
        ann = {"provider": "endpoint", "base_url": server.base_url, "model": "ann"}
        config = {**THREE, "models": {**THREE["models"], "ann": ann}}
        async with serving(tmp_path, config) as served:
            _, other = await served.chat("What is Placidia?")
            _, body = await served.chat(ASKED)
            await served.live.record.flush()
            assert holding(tmp_path)
            await forgotten(served, body["moot"]["episode"])
            assert holding(tmp_path) == []
            with closing(sqlite3.connect(tmp_path / "three.db")) as store:
                ((message,),) = store.execute("SELECT message FROM failures").fetchall()
            assert "Placidia" in message
            await forgotten(served, other["moot"]["episode"])
        assert holding(tmp_path, "Placidia") == []


def before_ties(folder: Path) -> None:
    """As a store was before calls were tied to questions."""
    with closing(sqlite3.connect(folder / "three.db")) as store:
        store.execute("DELETE FROM served_calls")
        store.execute("UPDATE migrations SET applied_at = 1e12 WHERE name = '0018-served-calls'")
        store.commit()


async def test_what_was_asked_before_calls_were_tied_is_found_by_the_whole_question(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        _, body = await served.chat(ASKED, response_format=FORM)
        _, words = await served.chat(OURS)
        _, kept = await served.chat(f"Of which well is it asked here: {ASKED}", response_format=FORM)
        await served.live.record.flush()
        await asyncio.to_thread(before_ties, tmp_path)
        assert (await forgotten(served, words["moot"]["episode"]))["calls"] == 3
        assert (await forgotten(served, body["moot"]["episode"]))["calls"] == 4
        _, whole = await served.get(f"/v1/moot/episodes/{kept['moot']['episode']}")
        assert all(call["text"] for call in whole["calls"])
        assert (await forgotten(served, kept["moot"]["episode"]))["calls"] == 4
        assert holding(tmp_path) == []


async def test_what_was_asked_before_judges_calls_were_tied_is_nobodys_but_the_judges(tmp_path: Path) -> None:
    """A question in words that stand in every prompt takes no prompt of others with it."""
    async with serving(tmp_path) as served:
        _, kept = await served.chat("Which river?")
        await served.live.record.flush()
        with closing(sqlite3.connect(tmp_path / "three.db")) as store:
            store.execute("UPDATE migrations SET applied_at = 1e12 WHERE name = '0012-judge-calls'")
            store.commit()
        _, words = await served.chat(OURS)
        assert (await forgotten(served, words["moot"]["episode"]))["calls"] == 3
        _, whole = await served.get(f"/v1/moot/episodes/{kept['moot']['episode']}")
        assert all(call["text"] for call in whole["calls"])


@pytest.mark.parametrize("capped", [False, True], ids=["behind the reply", "before the reply"])
async def test_postgresql_forgets_one_question_and_what_comes_for_it_later(
    tmp_path: Path, postgres: Any, capped: bool
) -> None:
    url, go, writing = postgres.database(), asyncio.Event(), asyncio.Event()

    class Later(Wrapper):
        async def generate(self, request: Request) -> Reply:
            if "well" in str(request.schema):
                writing.set()
                await go.wait()
            return await self.inner.generate(request)

    config = {**(CAPPED if capped else THREE), "store": url}
    async with serving(tmp_path, config, wrap=lambda _, model: Later(model)) as served:
        _, other = await served.chat("Which river?")
        asking = asyncio.create_task(served.chat(ASKED, response_format=FORM))
        await writing.wait()
        episodes = (await served.get("/v1/moot/episodes"))[1]["episodes"]
        (episode,) = [each["episode"] for each in episodes if SECRET in each["question"]]
        assert (await forgotten(served, episode))["calls"] == 3
        go.set()
        assert (await asking)[0] == 200
        await served.live.record.flush()
        assert postgres.sql(url, f"SELECT count(*) FROM calls WHERE shape LIKE '%{SECRET}%'") == [(0,)]
        _, whole = await served.get(f"/v1/moot/episodes/{other['moot']['episode']}")
        assert all(call["text"] for call in whole["calls"])


# --- several servers at once ------------------------------------------------------------------------


async def test_a_call_that_another_server_has_just_taken_up_is_not_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long it takes until what waits to be written is."""
    monkeypatch.setattr(served_record, "LINGER_S", 60.0)
    go, begun = asyncio.Event(), asyncio.Event()

    def wrap(name: str, model: Model) -> Model:
        return FirstHeld(model, go, begun) if name == "cat" else model

    async with (
        serving(tmp_path, settings=KEYS, reuse=True) as first,
        serving(tmp_path, settings=KEYS, wrap=wrap, reuse=True) as second,
    ):
        anns = (await asked(first, "Which river?", ANN, "three/talkative"))["moot"]["episode"]
        await first.live.record.flush()
        bobs = asyncio.create_task(asked(second, "Which river?", BOB, "three/talkative"))
        await begun.wait()
        await asyncio.sleep(0.3)  # who plays beside the one that is held has found its calls
        await forgotten(first, anns, ANN)
        go.set()
        status, whole = await second.get(f"/v1/moot/episodes/{(await bobs)['moot']['episode']}", headers=BOB)
        assert status == 200
        assert len(whole["calls"]) == 4
        assert all(call["text"] for call in whole["calls"])
