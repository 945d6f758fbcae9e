"""What a served team keeps, when it keeps it, and what becomes of it when the store takes nothing."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml
from served import THREE, serving

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import RequestRejected
from moot.experiment.spec import read_experiment
from moot.live import served
from moot.live.feedback import learnt_questions
from moot.live.served import served_name
from moot.live.team import LiveTeam
from moot.models.model import Wrapper
from moot.store import queries, sqlite, store_at
from moot.types import Reply, Request

LONG_S = 60.0


def rows(store: Path, sql: str) -> list[Any]:
    connection = sqlite3.connect(store)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def count(store: Path, table: str) -> int:
    return int(rows(store, f"SELECT count(*) FROM {table}")[0][0])


def store_of(folder: Path) -> Path:
    (found,) = folder.glob("*.db")
    return found


def files_of(folder: Path) -> list[bytes]:
    return [each.read_bytes() for each in folder.glob("*.db*")]


def team(folder: Path, **more: Any) -> Path:
    path = folder / "team.yaml"
    path.write_text(yaml.safe_dump({**THREE, **more}), encoding="utf-8")
    return path


def opened(path: Path, **options: Any) -> LiveTeam:
    return LiveTeam(read_experiment(path, with_questions=False), serving=True, **options)


async def until(met: Any, seconds: float = 120) -> None:
    ends_at = time.monotonic() + seconds
    while not await met():
        assert time.monotonic() < ends_at, "it did not come to pass"
        await asyncio.sleep(0.05)


async def test_nobody_waits_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "LINGER_S", LONG_S)
    live = opened(team(tmp_path))
    async with live:
        verdict = await live.ask("Which river is the longest?")
        assert verdict.answer is not None
        assert count(store_of(tmp_path), "calls") == 0
        await live.record.flush()
        assert count(store_of(tmp_path), "calls") == 3
        assert count(store_of(tmp_path), "episodes") == 1


async def test_where_money_is_counted_a_call_is_kept_before_its_reply_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served, "LINGER_S", LONG_S)
    price = {"price": {"prompt": 1.0, "completion": 1.0}, "max_tokens": 100}
    models = {name: {**model, **price} for name, model in THREE["models"].items()}
    live = opened(team(tmp_path, models=models, budget_usd=1.0))
    async with live:
        await live.ask("Which river is the longest?")
        assert count(store_of(tmp_path), "calls") == 3


async def test_a_store_that_takes_nothing_is_said_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_S", 0.1)
    monkeypatch.setattr(served, "AGAIN_S", 0.1)
    async with serving(tmp_path) as table:

        async def keeps() -> bool:
            return (await table.get("/healthz"))[0] == 200

        async def keeps_nothing() -> bool:
            return not await keeps()

        assert await keeps()
        holder = sqlite3.connect(store_of(tmp_path), isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")  # somebody holds the file and does not let go
        assert (await table.chat("What was asked while it was held?"))[0] == 200
        await until(keeps_nothing)
        status, said = await table.get("/healthz")
        assert status == 503
        assert said["status"] == "not keeping"
        assert str(tmp_path) not in said["error"], "where it keeps things is the server's business"
        assert "another process is writing to it" in caplog.text
        status, refused = await table.chat("Is anybody there?")
        assert (status, refused["error"]["code"]) == (503, "store_error")
        status, refused = await table.post("/v1/feedback", {"episode": f"ep_{'0' * 40}", "answer": "42"})
        assert status == 503, refused
        holder.execute("ROLLBACK")
        holder.close()
        await until(keeps)
        assert (await table.chat("And now?"))[0] == 200
    texts = [content for (content,) in rows(store_of(tmp_path), "SELECT content FROM cases")]
    assert any("while it was held" in text for text in texts), "what was answered before the trouble was known is kept"
    assert any("And now?" in text for text in texts)
    assert count(store_of(tmp_path), "calls") == 6


async def test_a_failed_call_waits_for_the_store_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_S", 0.1)
    monkeypatch.setattr(served, "AGAIN_S", 0.1)

    class Failing(Wrapper):
        async def generate(self, request: Request) -> Reply:
            raise RequestRejected("no", status=400)

    live = opened(team(tmp_path, strategies=["vote"]))
    for built in live.experiment.models.values():
        object.__setattr__(built, "model", Failing(built.model))
    async with live:
        holder = sqlite3.connect(store_of(tmp_path), isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        assert (await live.ask("Which river is the longest?")).outcome == "failed"

        async def in_trouble() -> bool:
            return live.record.error is not None

        await until(in_trouble)
        holder.execute("ROLLBACK")
        holder.close()
        await live.record.flush()
        assert live.record.error is None
        assert count(store_of(tmp_path), "failures") == 3


async def test_what_is_not_written_yet_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Counted(Wrapper):
        async def generate(self, request: Request) -> Reply:
            asked.append(self.name)
            return await self.inner.generate(request)

    path = team(tmp_path, strategies=["vote"])
    monkeypatch.setattr(served, "LINGER_S", LONG_S)
    live = opened(path, reuse=True)
    for built in live.experiment.models.values():
        object.__setattr__(built, "model", Counted(built.model))
    async with live:
        await live.ask("Which river is the longest?")
        await live.ask("Which river is the longest?")
        assert len(asked) == 3, "from what waits to be written"
        await live.record.flush()
        await live.ask("Which river is the longest?")
        assert len(asked) == 3, "from the store"


async def test_what_writes_a_form_is_found_again_too(tmp_path: Path) -> None:
    wanted = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}}
    async with serving(tmp_path, reuse=True) as served:
        asked = [(await served.chat("Which river?", response_format=wanted))[1]["moot"] for _ in range(2)]
        await served.live.record.flush()
    assert [each["calls"] for each in asked] == [4, 4]
    assert asked[0]["episode"] != asked[1]["episode"]
    assert count(store_of(tmp_path), "calls") == 4


async def test_servers_that_share_a_store_take_turns(tmp_path: Path) -> None:
    path = team(tmp_path)
    one, two = opened(path), opened(path)
    async with one, two:
        questions = [f"Which city is number {number}?" for number in range(20)]
        await asyncio.gather(*(live.ask(text) for live in (one, two) for text in questions))
        await asyncio.gather(one.record.flush(), two.record.flush())
    store = store_of(tmp_path)
    assert count(store, "episodes") == 40
    assert rows(store, "SELECT count(*), count(DISTINCT question), max(position) FROM experiment_questions") == [
        (20, 20, 19)
    ]
    assert rows(store, "SELECT size FROM experiments") == [(20,)]


async def test_what_is_purged_is_not_in_the_file_any_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = team(tmp_path)
    live = opened(path)
    async with live:
        await live.ask("Where is the secret well of Zarqumandia?")
    store = store_of(tmp_path)
    assert b"Zarqumandia" in store.read_bytes()
    code = await asyncio.to_thread(run_app, app, ["purge", str(path), "--older-than", "0"])
    assert code == 0
    assert "forgotten: 1 answers, 1 questions, 3 calls" in capsys.readouterr().out
    assert not any(b"Zarqumandia" in each for each in files_of(tmp_path))
    assert rows(store, "SELECT size FROM experiments") == [(0,)]


class Saying(Wrapper):
    """One wording after the other, whatever is asked."""

    words: ClassVar[Iterator[str]]

    async def generate(self, request: Request) -> Reply:
        reply = await self.inner.generate(request)
        return replace(reply, text=json.dumps({"reasoning": "", "answer": next(self.words)}))


async def test_the_first_wording_that_a_person_called_right_becomes_the_reference(tmp_path: Path) -> None:
    Saying.words = iter(["the Amazon", "The NILE", "nile", "Nile!"])
    config = {**THREE, "strategies": ["solo"]}
    async with serving(tmp_path, config, wrap=lambda name, model: Saying(model)) as live:
        for correct in (False, True, True, True):
            _, body = await live.chat("Which river?", "solo@ann")
            said = {"episode": body["moot"]["episode"], "correct": correct}
            assert (await live.post("/v1/feedback", said))[0] == 200
    store = store_at("sqlite:///three.db", beside=tmp_path)
    await store.open()
    try:
        experiment = await store.run(lambda connection: queries.latest_experiment(connection, served_name("three")))
        assert experiment is not None
        learnt = await store.run(lambda connection: list(learnt_questions(connection, experiment)))
    finally:
        await store.close()
    assert [row["answer"] for row in learnt] == ["The NILE"]
