"""A line to a PostgreSQL server that may break: what passes and is tried again, what is final, and how it is said."""

from __future__ import annotations

import asyncio
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

STATUS = "SELECT pg_xact_status($1::text::xid8)"

_AWAY = ("08", "57P")
"""SQLSTATE classes of a connection that broke and of a server that shuts down or starts up."""
_AGAIN = ("40001", "40P01", "53300")
"""Two writers in each other's way, and a server with no connection to spare: both pass."""
_NO_VALUE = ("22021", "22P05", "22003")
"""Characters that the database does not take, and numbers."""


def has_driver() -> bool:
    return asyncpg is not None


async def connected(url: str) -> Any:
    return await asyncpg.connect(url, timeout=CONNECT_S, server_settings={"application_name": "moot"})


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
                if worn_out(began):
                    raise said(error, self.name) from None
                await asyncio.sleep(next(pause_s))

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


def passing(error: BaseException) -> bool:
    """Whether it is the connection or the moment that failed, and not what was asked."""
    state = getattr(error, "sqlstate", None) or ""
    if state.startswith(_AWAY) or state in _AGAIN:
        return True
    # The last is what asyncpg says when the line breaks in the middle of many rows.
    lost = isinstance(error, OSError | TimeoutError | asyncpg.InterfaceError | asyncpg.InternalClientError)
    return lost and not isinstance(error, ValueError)  # those of asyncpg that are values it cannot send


def driver(error: BaseException) -> bool:
    driver_errors = asyncpg.PostgresError | asyncpg.InterfaceError | asyncpg.InternalClientError
    return isinstance(error, driver_errors | OSError)


def unwritable(error: BaseException) -> bool:
    if getattr(error, "sqlstate", None) in _NO_VALUE or isinstance(error.__cause__, UnicodeEncodeError | OverflowError):
        return True
    return isinstance(error, asyncpg.DataError | ValueError)  # what its own driver cannot send


def said(error: BaseException, name: str) -> StoreError:
    """A driver's error as one of ours."""
    if getattr(error, "sqlstate", None) in ("53100", "53200"):
        return StoreFull(
            f"{name}: the server has no space left; everything stored so far is kept. Free some space and run again."
        )
    if passing(error):
        gone = f"the server went away and did not come back within {PATIENCE_S:.0f} s ({words(error)})"
        return StoreError(f"{name}: {gone}; everything stored so far is kept, run again to go on")
    return StoreError(f"{name}: {words(error)}")


def words(error: BaseException) -> str:
    """One line, without what was sent."""
    if isinstance(error, TimeoutError) and not str(error):
        return f"no answer within {CONNECT_S:.0f} s"
    text = " ".join(str(getattr(error, "strerror", None) or error).split())
    return text or type(error).__name__
