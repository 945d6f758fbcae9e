"""asyncpg, called from a thread that may wait: the driver that SQLAlchemy's ordinary connections run on.

What is asked of a store (`queries`, every report) is a plain function of a connection, and some of it computes for
seconds. So it runs on a thread of its own, not on the event loop; and asyncpg, which knows only event loops, gets one
there that turns as long as a statement takes. SQLAlchemy's own bridge to asyncpg would run such functions on the main
loop, and needs a package more.

psycopg 3 would be one driver for both sides and spare this module, and reads a report somewhat faster; but a group of calls
it writes at 0.4 (`executemany`) to 0.75 times the speed of asyncpg (COPY, or one JSON text), at 1.2 to 4.5 times the CPU
(`bench/postgresql_driver.py`), and writing is what a run waits for.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from types import SimpleNamespace
from typing import Any, TypeVar

from sqlalchemy import Engine, create_engine
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.asyncpg import PGDialect_asyncpg
from sqlalchemy.pool import StaticPool

from moot.store.store import storable_value

T = TypeVar("T")

_AFFECTED = re.compile(r"(?:SELECT|UPDATE|DELETE|INSERT \d+) (\d+)")


class DriverError(Exception):
    """What SQLAlchemy is told to take for the driver's errors. There are none: asyncpg's own pass through unchanged."""


class BlockingDialect(PGDialect_asyncpg):
    """PostgreSQL as asyncpg speaks it, on an ordinary engine."""

    driver = "blocking"
    is_async = False
    supports_server_side_cursors = False
    supports_statement_cache = True

    @classmethod
    def import_dbapi(cls) -> Any:
        return SimpleNamespace(paramstyle="numeric_dollar", Error=DriverError)

    def on_connect(self) -> None:
        return None


registry.register("postgresql.blocking", __name__, "BlockingDialect")


def blocking_engine(connect: Callable[[], Awaitable[Any]]) -> Engine:
    """An engine with one connection, to be used on one thread. `connect` gives a connection of asyncpg."""
    return create_engine(
        "postgresql+blocking://",
        creator=lambda: BlockingConnection(connect),
        poolclass=StaticPool,
        hide_parameters=True,  # what goes into an error goes into logs, which forget nothing
    )


class BlockingConnection:
    """A connection as PEP 249 has it: a transaction is open from the first statement to commit or rollback."""

    def __init__(self, connect: Callable[[], Awaitable[Any]]) -> None:
        self._loop = asyncio.new_event_loop()
        self._begun = False
        try:
            self._connection: Any = self.wait(connect())
        except BaseException:
            self._loop.close()
            raise

    def wait(self, awaited: Awaitable[T]) -> T:
        return self._loop.run_until_complete(_finish(awaited))

    def cursor(self) -> Cursor:
        return Cursor(self)

    async def prepared(self, sql: str) -> Any:
        if not self._begun:
            await self._connection.execute("BEGIN")
            self._begun = True
        return await self._connection.prepare(sql)

    def commit(self) -> None:
        self._end("COMMIT")

    def rollback(self) -> None:
        if not self._connection.is_closed():
            self._end("ROLLBACK")

    def _end(self, how: str) -> None:
        if self._begun:
            self._begun = False
            self.wait(self._connection.execute(how))

    def close(self) -> None:
        if self._loop.is_closed():
            return
        try:
            self.wait(self._connection.close(timeout=2))
        except Exception:  # noqa: BLE001  the server may be gone; then there is nothing to part from
            self._connection.terminate()
        finally:
            self._loop.close()

    terminate = close


class Cursor:
    """What SQLAlchemy needs of a cursor: all rows at once, there being no room for more than a statement at a time."""

    arraysize = 1

    def __init__(self, connection: BlockingConnection) -> None:
        self._connection = connection
        self._rows: list[Any] = []
        self.description: list[tuple[Any, ...]] | None = None
        self.rowcount = -1

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        self._connection.wait(self._execute(sql, parameters))

    def executemany(self, sql: str, several: Sequence[Sequence[Any]]) -> None:
        self._connection.wait(self._execute_many(sql, several))

    async def _execute(self, sql: str, parameters: Sequence[Any]) -> None:
        statement = await self._connection.prepared(sql)
        self._rows = await statement.fetch(*map(storable_value, parameters))
        attributes = statement.get_attributes()
        self.description = [(attribute.name, attribute.type.oid, *[None] * 5) for attribute in attributes] or None
        affected = _AFFECTED.match(statement.get_statusmsg() or "")
        self.rowcount = int(affected.group(1)) if affected else -1

    async def _execute_many(self, sql: str, several: Sequence[Sequence[Any]]) -> None:
        statement = await self._connection.prepared(sql)
        await statement.executemany([tuple(map(storable_value, row)) for row in several])
        self.description, self.rowcount = None, -1

    def fetchone(self) -> Any:
        return self._rows.pop(0) if self._rows else None

    def fetchmany(self, size: int | None = None) -> list[Any]:
        taken, self._rows = self._rows[: size or 1], self._rows[size or 1 :]
        return taken

    def fetchall(self) -> list[Any]:
        taken, self._rows = self._rows, []
        return taken

    def close(self) -> None:
        self._rows = []


async def _finish(awaited: Awaitable[T]) -> T:
    """asyncpg's `connect` is awaitable and no coroutine."""
    return await awaited
