"""Processes that are stopped inside a transaction: others go on, or say for whom they wait; and who was stopped goes on too."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, select

from moot.errors import StoreError
from moot.models.cache import StoredCall
from moot.store import postgresql_line, schema, sqlite, store_at
from moot.store.rows import call_row
from moot.store.statements import at_leisure
from moot.store.store import Store
from moot.types import Reply

STOPPED = """
import asyncio, os, signal, sys
from moot.models.cache import StoredCall
from moot.store import postgresql, postgresql_line, sqlite, store_at
from moot.store.rows import call_row
from moot.types import Reply

postgresql_line.STILL_S = postgresql_line.LOCK_S = 1.0

def stop():
    print("inside", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)

def stopping(rows, after):
    for number, row in enumerate(rows):
        if number == after:
            stop()
        yield row

async def between_statements(self, connection):
    postgresql.Writing._claim = claim
    stop()
    return await claim(self, connection)

async def while_sending(self, connection, table, insert, rows, **named):
    postgresql.Writing._put = put
    await connection.executemany(insert.sql, stopping(rows, len(rows) - 1))
    return False

async def while_copying(self, connection, table, insert, rows, **named):
    postgresql.Writing._put = put
    records = stopping(rows, len(rows) - 1)
    self._copied.add(table.name)
    await connection.copy_records_to_table(table.name, records=records, columns=insert.columns)
    return True

def before_commit(self):
    stop()
    return commit(self)

claim, put, commit = postgresql.Writing._claim, postgresql.Writing._put, sqlite.SqliteStore._commit
where = sys.argv[2]
if where == "between statements":
    postgresql.Writing._claim = between_statements
elif where == "while sending":
    postgresql.Writing._put = while_sending
elif where == "while copying":
    postgresql.Writing._put = while_copying
else:
    sqlite.SqliteStore._commit = before_commit

async def main():
    store = await store_at(sys.argv[1]).open()
    rows = [call_row(StoredCall(f"k{n:04}", "tom", "[]", Reply("x" * 2_000, key=f"k{n:04}")), "x") for n in range(300)]
    await asyncio.gather(*map(store.keep_call, rows))
    await store.close()

asyncio.run(main())
"""


@contextmanager
def stopped_inside(url: str, where: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", STOPPED, url, where]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "inside\n", process.communicate()
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        yield process
    finally:
        process.send_signal(signal.SIGCONT)
        try:
            process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


def call(key: str, text: str = "ours") -> dict[str, Any]:
    return call_row(StoredCall(key, "tom", "[]", Reply(text, key=key)), "x")


async def kept(store: Store) -> int:
    return len(await store.read(lambda connection: connection.execute(select(schema.calls.c.key)).fetchall()))


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever stands still is ended after a second."""
    for name in ("STILL_S", "LOCK_S"):
        monkeypatch.setattr(postgresql_line, name, 1.0)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("where", ["between statements", "while sending", "while copying"])
async def test_nobody_waits_for_one_that_is_stopped_in_a_transaction(postgres: Any, where: str) -> None:
    url = postgres.database()
    store = await store_at(url).open()
    try:
        with stopped_inside(url, where) as process:
            standing = await store.keep_call(call("k0000"))
            assert standing["text"] == "ours", "it did not get so far"
        assert process.returncode == 0, "who was stopped begins again"
        assert await kept(store) == 300
    finally:
        await store.close()


@pytest.mark.usefixtures("soon")
async def test_who_waits_in_vain_says_for_whom(postgres: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql_line, "PATIENCE_S", 0.5)
    url = postgres.database()
    store, other = await store_at(url).open(), await store_at(url).open()
    inside, done = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def at_length(connection: Connection) -> None:
        at_leisure(connection)
        connection.exec_driver_sql("LOCK TABLE calls")
        loop.call_soon_threadsafe(inside.set)
        asyncio.run_coroutine_threadsafe(done.wait(), loop).result(60)

    working = asyncio.create_task(other.run(at_length))
    try:
        await inside.wait()
        with pytest.raises(StoreError) as refused:
            await store.keep_call(call("k1"))
        assert f"locked: moot, process {os.getpid()} has been in a transaction" in str(refused.value)
        assert "kill -CONT" in str(refused.value)
    finally:
        done.set()
        await working
        await other.close()
        await store.close()


@pytest.mark.usefixtures("soon")
async def test_work_that_takes_its_time_is_not_ended(postgres: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql_line, "PATIENCE_S", 0.0)
    monkeypatch.setattr(postgresql_line, "STILL_S", 0.2)

    def thinking(connection: Connection) -> int:
        connection.execute(select(schema.calls.c.key)).fetchall()
        time.sleep(0.6)
        return len(connection.execute(select(schema.calls.c.key)).fetchall())

    def at_length(connection: Connection) -> int:
        at_leisure(connection)
        return thinking(connection)

    store = await store_at(postgres.database()).open()
    try:
        assert await store.read(thinking) == 0, "who only reads is in nobody's way"
        assert await store.run(at_length) == 0
        with pytest.raises(StoreError, match="run again to go on"):
            await store.run(thinking)
        assert await kept(store) == 0, "and the store goes on"
    finally:
        await store.close()


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="only Linux tells who has locked a file")
async def test_a_locked_file_says_who_holds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path / 's.db'}"
    await (await store_at(url).open()).close()
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_S", 0.5)
    store = store_at(url)
    with stopped_inside(url, "before a commit") as process:
        with pytest.raises(StoreError) as refused:
            await store.open()
        said = str(refused.value)
        assert f"process {process.pid} (" in said
        assert f"is stopped; let it go on (kill -CONT {process.pid})" in said
    assert process.returncode == 0
    monkeypatch.undo()
    after = await store_at(url).open()
    assert await kept(after) == 300
    await after.close()
