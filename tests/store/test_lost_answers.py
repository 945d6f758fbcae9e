"""A line to PostgreSQL that breaks at the worst moment: what was handed over is written, and written once."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection, insert

from moot.models.cache import StoredCall
from moot.store import postgresql, schema, store_at
from moot.store.asyncpg_driver import BlockingConnection
from moot.store.rows import call_row
from moot.types import Reply

ROW = {"key": "k", "experiment": "x", "model": "tom", "kind": "TimedOut", "message": "late", "created_at": 0.0}


class Breaking:
    """A connection whose first commit fails: before it reaches the server, or after."""

    broken = 0

    def __init__(self, connection: Any, *, after: bool) -> None:
        self._connection = connection
        self._after = after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def execute(self, sql: str) -> Any:
        breaks = sql == "COMMIT" and Breaking.broken == 0
        if breaks:
            Breaking.broken += 1
        if not breaks or self._after:
            await self._connection.execute(sql)
        if breaks:
            raise ConnectionResetError("the line is cut")


@pytest.mark.parametrize("after", [False, True], ids=["before the commit", "after the commit"])
async def test_a_group(postgres: Any, monkeypatch: pytest.MonkeyPatch, after: bool) -> None:
    url = postgres.database()
    store = await store_at(url).open()
    made = postgresql.Link.__call__

    async def breaking(link: postgresql.Link) -> Any:
        return Breaking(await made(link), after=after)

    monkeypatch.setattr(Breaking, "broken", 0)
    monkeypatch.setattr(postgresql.Link, "__call__", breaking)
    store.put_later([(schema.failures, ROW)])
    kept = await store.keep_call(call_row(StoredCall("k", "tom", "[]", Reply("one", key="k")), "x"))
    await store.close()
    assert Breaking.broken == 1
    assert kept["text"] == "one"
    assert postgres.sql(url, "SELECT COUNT(*) FROM failures") == [(1,)]
    assert postgres.sql(url, "SELECT text FROM calls") == [("one",)]


@pytest.mark.parametrize("after", [False, True], ids=["before the commit", "after the commit"])
async def test_other_work(postgres: Any, monkeypatch: pytest.MonkeyPatch, after: bool) -> None:
    url = postgres.database()
    store = await store_at(url).open()
    commit, times = BlockingConnection.commit, []

    def breaking(connection: BlockingConnection) -> None:
        times.append(1)
        if len(times) > 1 or after:
            commit(connection)
        if len(times) == 1:
            raise ConnectionResetError("the line is cut")

    def work(connection: Connection) -> str:
        connection.execute(insert(schema.failures).values(**ROW))
        return "done"

    monkeypatch.setattr(BlockingConnection, "commit", breaking)
    assert await store.run(work) == "done"
    await store.close()
    assert times
    assert postgres.sql(url, "SELECT COUNT(*) FROM failures") == [(1,)]
