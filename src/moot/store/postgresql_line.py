"""A line to a PostgreSQL server that may break: what passes and is tried again, what is final, and how it is said.

A process can be stopped at any moment, also between two statements of a transaction; what it has locked is locked for all
others then. So the server ends a transaction that stands still, and whoever was in it begins again when it wakes. A
process that is stopped while it sends rows does not stand still in the server's eyes, which goes on reading: those who wait
for it end its session themselves.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

from moot.errors import StoreError, StoreFull

try:
    import asyncpg
except ImportError:  # said where a store is asked for
    asyncpg = None

T = TypeVar("T")

PATIENCE_S = 60.0
"""How long a server that went away in the middle of a run is waited for."""

CONNECT_S = 10.0

STILL_S = 20.0
"""How long a transaction may stand still between two statements. Work that computes meanwhile says so (`at_leisure`)."""

LOCK_S = 10.0
"""How long to wait for what another has locked, before looking who it is."""

OPEN_S = 60.0
"""The same for whoever opens a store: another may be at work on its tables."""

STATUS = "SELECT pg_xact_status($1::text::xid8)"

_AWAY = ("08", "57P")
"""SQLSTATE classes of a connection that broke and of a server that shuts down or starts up."""
LOCKED, STOOD_STILL = "55P03", "25P03"
_KEY_TAKEN = "23505"
_AGAIN = ("40001", "40P01", "53300", LOCKED, STOOD_STILL)
"""Two writers in each other's way, a server with no connection to spare, a lock that another holds, a transaction that we
were stopped in: all of them pass."""
_NO_VALUE = ("22021", "22P05", "22003")
"""Characters that the database does not take, and numbers."""


def has_driver() -> bool:
    return asyncpg is not None


async def connected(url: str) -> Any:
    name = f"moot, process {os.getpid()}"
    connection = await asyncpg.connect(url, timeout=CONNECT_S, server_settings={"application_name": name})
    # Not with the settings above: a pooler in between refuses those that it does not know.
    limits = {"idle_in_transaction_session_timeout": STILL_S, "lock_timeout": LOCK_S}
    await connection.execute("; ".join(f"SET {limit} = '{s * 1000:.0f}ms'" for limit, s in limits.items()))
    return connection


END_THE_STOPPED = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
  AND application_name LIKE 'moot, process %'
  AND state = 'active' AND wait_event_type = 'Client' AND wait_event = 'ClientRead'
  AND xact_start IS NOT NULL AND state_change < now() - $1::float8 * interval '1 second'
"""
"""Sessions in the midst of a statement whose client does not go on with it."""

OLDEST = """
SELECT pid, application_name, state, extract(epoch FROM now() - xact_start)::float8 AS age_s FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
  AND EXISTS (SELECT FROM pg_locks WHERE pg_locks.pid = pg_stat_activity.pid AND granted AND mode LIKE '%Exclusive%')
  AND NOT EXISTS (SELECT FROM pg_locks WHERE pg_locks.pid = pg_stat_activity.pid AND NOT granted)
ORDER BY xact_start LIMIT 1
"""
"""Whoever has been at it for longest and waits for nobody: whom the others wait for, most likely."""


async def look_at_locks(connection: Any) -> str:
    """End those who hold locks and were stopped; in words, who else is at work."""
    await connection.fetch(END_THE_STOPPED, STILL_S)
    oldest = await connection.fetchrow(OLDEST)
    if oldest is None:
        return ""
    who = oldest["application_name"] or "a program without a name"
    held = f"for {oldest['age_s']:.0f} s; its session on the server has the number {oldest['pid']}"
    return f"{who} has been in a transaction ({oldest['state']}) {held}"


def worn_out(since: float) -> bool:
    """Whether a server that has been away since then has been waited for long enough."""
    return time.monotonic() - since > PATIENCE_S


class Link:
    """A connection that is made when it is needed, and made again when it broke."""

    def __init__(self, connect: Callable[[], Awaitable[Any]], name: str) -> None:
        self._connect = connect
        self._connection: Any = None
        self.name = name

    async def __call__(self) -> Any:
        if self._connection is None or self._connection.is_closed():
            self._connection = await self._connect()
        return self._connection

    async def patiently(self, work: Callable[[Any], Awaitable[T]]) -> T:
        """Do it, again and again while the server is away, but not for ever."""
        began, pause_s = time.monotonic(), pauses()
        while True:
            try:
                return await work(await self())
            except Exception as error:
                self.drop()
                if not passing(error):
                    raise
                holder = await self._who_holds(error)
                if worn_out(began):
                    raise said(error, self.name, holder) from None
                await asyncio.sleep(next(pause_s))
            except BaseException:  # stopped inside a transaction, which nobody else must find open
                self.drop()
                raise

    async def _who_holds(self, error: BaseException) -> str:
        if state_of(error) != LOCKED:
            return ""
        try:
            return await look_at_locks(await self())
        except Exception as other:  # noqa: BLE001  the next attempt finds out
            self.drop()
            return words(other)

    def drop(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None

    async def close(self) -> None:
        if self._connection is not None:
            with suppress(Exception):
                await self._connection.close(timeout=2)
            self.drop()


def pauses() -> Iterator[float]:
    """Between attempts: short at first, for a restart; then a second."""
    pause_s = 0.05
    while True:
        yield pause_s
        pause_s = min(1.0, 2 * pause_s)


def settled(status: str | None) -> bool:
    """Whether a transaction whose answer got lost was committed after all."""
    if status == "in progress":
        raise ConnectionResetError("the server is still busy with the last commit")
    return status == "committed"


def state_of(error: BaseException) -> str:
    return getattr(error, "sqlstate", None) or ""


def table_with_the_key(error: BaseException) -> str | None:
    """Which table holds a row already that was to be new; None: it is no such error."""
    return getattr(error, "table_name", None) if state_of(error) == _KEY_TAKEN else None


def passing(error: BaseException) -> bool:
    """Whether it is the connection or the moment that failed, and not what was asked."""
    state = state_of(error)
    if state.startswith(_AWAY) or state in _AGAIN:
        return True
    # The last is what asyncpg says when the line breaks in the middle of many rows.
    lost = isinstance(error, OSError | TimeoutError | asyncpg.InterfaceError | asyncpg.InternalClientError)
    return lost and not isinstance(error, ValueError)  # those of asyncpg that are values it cannot send


def driver(error: BaseException) -> bool:
    driver_errors = asyncpg.PostgresError | asyncpg.InterfaceError | asyncpg.InternalClientError
    return isinstance(error, driver_errors | OSError)


def unwritable(error: BaseException) -> bool:
    no_value = UnicodeEncodeError | OverflowError  # by itself where rows are copied
    if state_of(error) in _NO_VALUE or isinstance(error, no_value) or isinstance(error.__cause__, no_value):
        return True
    return isinstance(error, asyncpg.DataError | ValueError)  # what its own driver cannot send


def said(error: BaseException, name: str, holder: str = "") -> StoreError:
    """A driver's error as one of ours. `holder`: who has locked what we wait for."""
    told = _said(error, name, holder)
    told.driver_kind = type(error).__name__
    return told


def _said(error: BaseException, name: str, holder: str) -> StoreError:
    if state_of(error) == LOCKED:
        return StoreError(locked(name, holder))
    if state_of(error) == STOOD_STILL:
        still = f"the server ended a transaction that stood still for more than {STILL_S:g} s"
        return StoreError(f"{name}: {still}; everything stored so far is kept, run again to go on")
    if getattr(error, "sqlstate", None) in ("53100", "53200"):
        return StoreFull(
            f"{name}: the server has no space left; everything stored so far is kept. Free some space and run again."
        )
    if passing(error):
        gone = f"the server went away and did not come back within {PATIENCE_S:.0f} s ({words(error)})"
        return StoreError(f"{name}: {gone}; everything stored so far is kept, run again to go on")
    return StoreError(f"{name}: {words(error)}")


def locked(name: str, holder: str) -> str:
    who = holder or "another process"
    advice = "If that process is stopped let it go on (kill -CONT) or end it; then run again"
    return f"{name}: what has to be written is locked: {who}. {advice}; everything stored so far is kept"


def words(error: BaseException) -> str:
    """One line, without what was sent."""
    if isinstance(error, TimeoutError) and not str(error):
        return f"no answer within {CONNECT_S:.0f} s"
    text = " ".join(str(getattr(error, "strerror", None) or error).split())
    return text or type(error).__name__
