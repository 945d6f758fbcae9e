"""Who reads waits for nobody, and nobody waits for who reads: reports beside runs, and beside each other."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, func, select

from moot.models.cache import StoredCall
from moot.store import queries, schema, store_at
from moot.store.rows import call_row
from moot.types import Reply

MOOT = [sys.executable, "-c", "from moot.cli import main; main()"]
FAILURE = {"experiment": "x", "model": "tom", "kind": "TimedOut", "message": "", "created_at": 1.0}


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres").database())
    return f"sqlite:///{tmp_path / 's.db'}"


def call(key: str) -> dict[str, Any]:
    return call_row(StoredCall(key, "tom", "[]", Reply("text", key=key)), "x")


def counted(connection: Connection) -> int:
    return int(connection.execute(select(func.count()).select_from(schema.calls)).scalar_one())


async def test_nobody_who_writes_waits_for_a_reader(url: str) -> None:
    """A run keeps a call while somebody computes between two queries, as a report does."""
    looked, kept = threading.Event(), threading.Event()

    def read(connection: Connection) -> tuple[int, int]:
        first = counted(connection)
        looked.set()
        assert kept.wait(60), "a writer waits for who reads"
        return first, counted(connection)

    async with asyncio.timeout(120):
        writer, reader = await store_at(url).open(), await store_at(url).open()
        try:
            reading = asyncio.create_task(reader.read(read))
            await asyncio.to_thread(looked.wait, 50)
            await writer.keep_call(call("k1"))
            kept.set()
            await reading
        finally:
            kept.set()
            await writer.close()
            await reader.close()


async def test_nobody_who_writes_waits_for_a_reader_of_the_same_process(url: str) -> None:
    """As a server that shows its history while it answers: other work goes on beside a long reading too."""
    async with asyncio.timeout(120):
        store = await store_at(url).open()
        looked, wrote = threading.Event(), threading.Event()

        def read(connection: Connection) -> int:
            found = counted(connection)
            looked.set()
            assert wrote.wait(50), "a writer waits for who reads"
            return found

        try:
            reading = asyncio.create_task(store.read(read))
            await asyncio.to_thread(looked.wait, 50)
            await store.keep_call(call("k1"))
            store.put_later([(schema.failures, {**FAILURE, "key": "k2"})])
            await store.flush()
            assert await store.run(counted) == 1
            wrote.set()
            assert await reading == 0
        finally:
            wrote.set()
            await store.close()


async def test_all_of_a_reading_sees_the_store_at_one_moment(url: str) -> None:
    async with asyncio.timeout(60):
        writer, reader = await store_at(url).open(), await store_at(url).open()
        looked, wrote = threading.Event(), threading.Event()

        def counted_twice(connection: Connection) -> tuple[int, int]:
            first = counted(connection)
            looked.set()
            assert wrote.wait(50)
            return first, counted(connection)

        try:
            reading = asyncio.create_task(reader.read(counted_twice))
            await asyncio.to_thread(looked.wait, 50)
            await writer.keep_call(call("k1"))
            wrote.set()
            assert await reading == (0, 0)
            assert await reader.read(counted) == 1
        finally:
            wrote.set()
            await writer.close()
            await reader.close()


async def test_readers_do_not_wait_for_each_other(url: str) -> None:
    together = threading.Barrier(3)

    def read(connection: Connection) -> tuple[int, int]:
        first = counted(connection)
        together.wait(60)  # broken where one of them waits for another
        return first, counted(connection)

    async with asyncio.timeout(120):
        stores = [await store_at(url).open() for _ in range(3)]
        try:
            assert await asyncio.gather(*(each.read(read) for each in stores)) == [(0, 0)] * 3
        finally:
            for each in stores:
                await each.close()


async def test_a_reader_is_served_while_another_writes_all_the_time(url: str) -> None:
    """A store opens and reads beside one that never pauses."""
    written = 0
    async with asyncio.timeout(120):
        writer = await store_at(url).open()

        async def write() -> None:
            nonlocal written
            while True:
                await asyncio.gather(*(writer.keep_call(call(f"k{written + each}")) for each in range(50)))
                written += 50

        writing = asyncio.create_task(write())
        seen = []
        try:
            for _ in range(10):
                reader = await store_at(url).open()
                try:
                    seen.append(await reader.read(counted))
                finally:
                    await reader.close()
        finally:
            writing.cancel()
            with suppress(asyncio.CancelledError):
                await writing
            await writer.close()
    assert written > 0
    assert seen == sorted(seen)


async def test_what_reads_first_and_then_writes_is_not_turned_away(url: str) -> None:
    """Several stores that look before they write, as `declare_experiment` does, beside one that writes all the time."""
    async with asyncio.timeout(120):
        stores = [await store_at(url).open() for _ in range(3)]

        def look_and_write(connection: Connection, number: int) -> None:
            counted(connection)
            time.sleep(0.01)
            queries.start_run(connection, experiment=f"x{number}", facts={})

        async def work(store: Any, offset: int) -> None:
            for number in range(10):
                await store.keep_call(call(f"k{offset}-{number}"))
                await store.run(lambda connection, n=number: look_and_write(connection, offset * 10 + n))

        try:
            await asyncio.gather(*(work(store, offset) for offset, store in enumerate(stores)))
            runs = await stores[0].run(lambda connection: connection.execute(select(schema.runs.c.id)).fetchall())
        finally:
            for each in stores:
                await each.close()
    assert len(runs) == 30


# --- whole commands ------------------------------------------------------------------------------------------------------


def test_reports_beside_a_run_and_beside_each_other(tmp_path: Path, url: str) -> None:
    """A run that writes hundreds of episodes, and again and again several reports at once, each a process."""
    questions = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(800)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)), encoding="utf-8")
    models = {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob", "cat")}
    path = tmp_path / "cup.yaml"
    described = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models, "store": url}
    path.write_text(json.dumps(described | {"strategies": ["solo", "vote"]}))
    assert finished(started("run", path, "--quiet", "--limit", "5")) == (0, "")
    running = started("run", path, "--quiet")
    ended, beside = [], 0
    while running.poll() is None or not ended:
        reports = [started(*command) for command in (("report", path, "--json"), ("show", path, "q1"))]
        ended += [finished(each) for each in reports]
        beside += running.poll() is None
    assert finished(running) == (0, "")
    assert beside > 0, "else nothing was shown"
    assert set(ended) == {(0, "")}


JUST_DECLARED = """
import os, signal
from moot.store import queries
queries.start_run = lambda *given, **named: os.kill(os.getpid(), signal.SIGKILL)
from moot.cli import main
main()
"""


def test_nobody_finds_a_plan_without_questions(tmp_path: Path, url: str) -> None:
    """Whoever looks in the moment between a plan and its first call."""
    questions = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(120)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)), encoding="utf-8")
    models = {"ann": {"provider": "simulated", "accuracy": 0.5}}
    path = tmp_path / "cup.yaml"
    path.write_text(
        json.dumps({"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models, "store": url})
    )
    assert finished(started("run", path, "--quiet", "--limit", "5")) == (0, "")
    begun = subprocess.run([sys.executable, "-c", JUST_DECLARED, "run", str(path), "--quiet"], check=False, timeout=120)
    assert begun.returncode == -signal.SIGKILL
    assert finished(started("show", path, "q1")) == (0, "")


def started(*arguments: object) -> subprocess.Popen[str]:
    command = [*MOOT, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def finished(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, error = process.communicate(timeout=120)
    return process.returncode, error
