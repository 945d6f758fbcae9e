"""Attacks on the moment between a deletion and its last byte: under load, beside somebody who reads on, and where it fails."""

from __future__ import annotations

import asyncio
import http.client
import logging
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from served import Served, serving
from test_not_keeping import rows, until
from test_owners import ANN, BOB, BOSS, KEYS, asked
from test_purge import SECRET, holding, secrets_told
from test_workers import PATIENCE_S, served_by_two, told
from test_workers import asked as asked_of

from moot.errors import StoreError
from moot.live import left_in_files
from moot.serve import app as served_app
from moot.serve import history
from moot.serve.app import ServeSettings
from moot.serve.refusal import NOT_KEEPING
from moot.store import scrubbing
from moot.store.sqlite import SqliteStore
from moot.types import NOTHING

NOTED = "SELECT count(*) FROM unscrubbed"


async def deleted(served: Served, episode: str, key: Mapping[str, str] = NOTHING) -> tuple[int, Any]:
    async with served.session.delete(f"{served.url}/v1/moot/episodes/{episode}", headers=dict(key)) as response:
        return response.status, await response.json()


@contextmanager
def reader_of(folder: Path) -> Iterator[None]:
    """Another connection that reads one state of the store and does not let go."""
    reader = sqlite3.connect(next(folder.glob("*.db")), isolation_level=None)
    try:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM calls").fetchone()
        yield
    finally:
        reader.close()


@pytest.fixture
def failing_once(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The first scrub of whichever store fails; how each ended."""
    ended: list[str] = []
    scrub = SqliteStore.scrub

    async def scrubbed(store: SqliteStore) -> None:
        if not ended:
            ended.append("failed")
            raise StoreError("the disk says no")
        await scrub(store)
        ended.append("done")

    monkeypatch.setattr(SqliteStore, "scrub", scrubbed)
    return ended


def test_under_the_load_of_two_workers_every_deletion_is_done_and_nothing_is_lost(tmp_path: Path) -> None:
    kept: list[str] = []
    statuses: list[int] = []
    over = threading.Event()

    def client(number: int, address: tuple[str, int]) -> None:
        connection = http.client.HTTPConnection(*address, timeout=PATIENCE_S)
        for turn in range(1_000_000):
            if over.is_set():
                return
            status, answered = asked_of(
                connection, f"What of {number} and {turn}? {'pad ' * (turn % 7 * 40)}", "two/vote"
            )
            statuses.append(status)
            if status == 200:
                kept.append(answered["moot"]["episode"])

    with served_by_two(tmp_path) as served, served.connected() as connections:
        clients = [threading.Thread(target=client, args=(number, served.address)) for number in range(4)]
        for each in clients:
            each.start()
        try:
            for number in range(8):
                one, other = connections if number % 2 else reversed(connections)
                mark = f"{SECRET}{number:03d}"
                _, answered = asked_of(one, f"Where is {mark}? {'more ' * number * 40}", "two/vote")
                episode = answered["moot"]["episode"]
                path = f"/v1/moot/episodes/{episode}"
                if number % 3:
                    assert told(one, "POST", "/v1/feedback", {"episode": episode, "answer": mark})[0] == 200
                status, said = told(other, "DELETE", path)
                assert (status, said["scrubbed"]) in ((200, True), (202, False)), said
                assert said["forgotten"]["episodes"] == 1
                ends_at = time.monotonic() + PATIENCE_S
                while status != 200 and status != 404:  # where the machine is slow: it goes on by itself
                    assert time.monotonic() < ends_at
                    time.sleep(0.5)
                    status, _ = told(other, "DELETE", path)
                assert holding(tmp_path, mark) == []
                assert told(one, "DELETE", path)[0] == 404
        finally:
            over.set()
            for each in clients:
                each.join(PATIENCE_S)
        assert set(statuses) == {200}
        assert len(kept) > 8
        _, listed = told(connections[0], "GET", "/v1/moot/episodes?limit=500")
        found = {each["episode"] for each in listed["episodes"]}
        assert set(kept[-400:]) <= found, "nothing else is lost"


async def test_beside_a_reader_it_says_so_and_goes_on_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(history, "SCRUBBED_S", 1.0)
    monkeypatch.setattr(scrubbing, "SCRUB_S", 0.3)
    monkeypatch.setattr(left_in_files, "AGAIN_S", 0.1)
    async with serving(tmp_path, settings=KEYS) as served:
        episode = (await asked(served, f"Where is the well of {SECRET}?", ANN))["moot"]["episode"]
        await served.live.record.flush()
        with reader_of(tmp_path):
            status, first = await deleted(served, episode, ANN)
            assert (status, first["scrubbed"], first["forgotten"]["episodes"]) == (202, False, 1)
            assert "still in the store's files" in first["note"]
            assert (await served.get(f"/v1/moot/episodes/{episode}", headers=ANN))[0] == 404, "nobody is shown it"
            assert (await served.get("/healthz"))[0] == 200
            assert (await asked(served, "Are you still there?", BOB))["moot"]["episode"]
            assert await deleted(served, episode, ANN) == (202, first), "until it is gone, as often as one asks"
            assert (await deleted(served, episode, BOSS))[0] == 202
            assert (await deleted(served, episode, BOB))[0] == 404, "nobody else hears of it"
            assert holding(tmp_path)

        async def gone() -> bool:
            return (await deleted(served, episode, ANN))[0] == 404

        await until(gone)
        assert holding(tmp_path) == []
        assert rows(tmp_path, NOTED) == [(0,)]
    said = [record.getMessage() for record in caplog.records if "store's files" in record.getMessage()]
    assert len(said) == 2, said
    assert "three.db-wal" in said[0]
    assert said[1] == "what was forgotten is no longer in the store's files"


async def test_nobody_else_waits_for_a_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "SCRUBBED_S", 120.0)
    monkeypatch.setattr(scrubbing, "SCRUB_S", 120.0)
    async with serving(tmp_path) as served:
        _, body = await served.chat(f"Where is the well of {SECRET}?")
        await served.live.record.flush()
        with reader_of(tmp_path):
            deletion = asyncio.create_task(deleted(served, body["moot"]["episode"]))
            while not rows(tmp_path, NOTED)[0][0]:  # noqa: ASYNC110  another connection tells nobody
                await asyncio.sleep(0.01)
            for number in range(5):
                assert (await served.chat(f"Which river has number {number}?"))[0] == 200
                assert len((await served.get("/v1/moot/episodes"))[1]["episodes"]) == number + 1, "it is written"
            assert not deletion.done()
            assert holding(tmp_path)
        status, said = await deletion
        assert (status, said["scrubbed"]) == (200, True)
        assert holding(tmp_path) == []


async def test_a_scrub_that_failed_is_repeated_with_the_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing_once: list[str]
) -> None:
    monkeypatch.setattr(history, "SCRUBBED_S", 0.3)
    monkeypatch.setattr(left_in_files, "AGAIN_S", 3_600.0)
    monkeypatch.setattr(left_in_files, "LONGEST_AGAIN_S", 3_600.0)
    async with serving(tmp_path) as served:
        episode = await secrets_told(served)
        status, first = await deleted(served, episode)
        assert (status, first["scrubbed"]) == (202, False)
        monkeypatch.setattr(history, "SCRUBBED_S", 60.0)
        status, second = await deleted(served, episode)
        assert (status, second["scrubbed"], second["forgotten"]) == (200, True, first["forgotten"])
        assert failing_once == ["failed", "done"]
        assert holding(tmp_path, f"well of {SECRET}") == []
        assert (await deleted(served, episode))[0] == 404
        assert failing_once == ["failed", "done"], "what was never there scrubs nothing"


async def test_what_a_server_could_not_scrub_the_next_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing_once: list[str]
) -> None:
    for name, seconds in (("AGAIN_S", 3_600.0), ("LONGEST_AGAIN_S", 3_600.0), ("CLOSING_S", 0.1)):
        monkeypatch.setattr(left_in_files, name, seconds)
    monkeypatch.setattr(history, "SCRUBBED_S", 0.1)
    async with serving(tmp_path) as served:
        episode = await secrets_told(served)
        assert (await deleted(served, episode))[0] == 202
    assert rows(tmp_path, NOTED) == [(1,)]
    assert SECRET not in str(rows(tmp_path, "SELECT * FROM unscrubbed"))
    async with serving(tmp_path) as served:

        async def cleared() -> bool:
            return bool(rows(tmp_path, NOTED) == [(0,)])

        await until(cleared)
        assert failing_once == ["failed", "done"]
        assert holding(tmp_path, f"well of {SECRET}") == []


@pytest.mark.parametrize("part", ["scrub", "rows"])
async def test_what_is_too_old_is_tried_again_before_a_day_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, part: str
) -> None:
    for module in (left_in_files, served_app):
        monkeypatch.setattr(module, "AGAIN_S", 0.1)
    async with serving(tmp_path) as served:
        await secrets_told(served)
    failures, scrub, purge = iter(["once", "twice"]), SqliteStore.scrub, served_app.purge

    async def scrubbed(store: SqliteStore) -> None:
        if next(failures, None):
            raise StoreError("the disk says no")
        await scrub(store)

    def purged(*where: Any, **what: Any) -> dict[str, int]:
        if next(failures, None):
            raise StoreError("the disk says no")
        return purge(*where, **what)

    if part == "scrub":
        monkeypatch.setattr(SqliteStore, "scrub", scrubbed)
    else:
        monkeypatch.setattr(served_app, "purge", purged)
    async with serving(tmp_path, settings=ServeSettings(keep_days=0.0)):
        async with asyncio.timeout(120):
            while holding(tmp_path) or rows(tmp_path, NOTED) != [(0,)]:  # noqa: ASYNC110  files tell nobody
                await asyncio.sleep(0.1)
    said = [record.getMessage() for record in caplog.records if "the disk says no" in record.getMessage()]
    assert len(said) == 1, "it is said once"
    assert "it is tried again" in said[0]


async def test_a_store_that_fails_at_one_thing_is_not_said_to_take_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(store: SqliteStore, work: object) -> None:
        raise StoreError(f"{store.path}: one page of it cannot be read")

    async with serving(tmp_path) as served:
        await served.chat("Which river?")
        with monkeypatch.context() as patched:
            patched.setattr(SqliteStore, "read", broken)
            status, said = await served.get("/v1/moot/episodes")
        assert (status, said["error"]["code"]) == (503, "store_error")
        assert said["error"]["message"] != NOT_KEEPING
        assert str(tmp_path) not in said["error"]["message"], "where the store is concerns nobody"
        assert (await served.get("/healthz"))[0] == 200
        assert (await served.chat("And which lake?"))[0] == 200
    (record,) = [record for record in caplog.records if "one page of it" in record.getMessage()]
    assert record.levelno >= logging.WARNING
