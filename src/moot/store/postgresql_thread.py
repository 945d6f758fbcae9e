"""Work that may wait and compute for long: a thread beside the event loop with a connection of its own to PostgreSQL."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine

from moot.errors import MootError, StoreNewer, StoreUnreadable
from moot.store.group import Failed
from moot.store.postgresql_line import (
    LOCKED,
    STATUS,
    driver,
    locked,
    look_at_locks,
    passing,
    pauses,
    said,
    settled,
    state_of,
    words,
    worn_out,
)

T = TypeVar("T")


class WorkThread:
    """One piece of work after another, each in a transaction."""

    def __init__(self, connect: Callable[[], Awaitable[Any]], name: str) -> None:
        self._connect = connect
        self._name = name
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="moot-store")
        self._blocking: Engine | None = None

    async def at_once(self, work: Callable[[Connection], T]) -> T:
        """For opening: a server that is not there is said at once."""
        return await self._in_thread(partial(self._at_once, work))

    async def worked(self, work: Callable[[Connection], Any]) -> Any:
        """What came of it, or that it failed; a server that goes away meanwhile is waited for."""
        return await self._in_thread(partial(self._worked, work))

    async def close(self) -> None:
        """What is at work ends first: to take its connection from it would crash the interpreter."""
        await self._in_thread(self._dispose)
        self._thread.shutdown(wait=False)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _at_once(self, work: Callable[[Connection], T]) -> T:
        try:
            with self._engine().begin() as connection:
                return work(connection)
        except StoreNewer as error:
            raise StoreNewer(f"{self._name}: {error}") from None
        except MootError:
            raise
        except Exception as error:  # noqa: BLE001  whatever a driver raises, the store cannot be opened
            self._dispose()
            if state_of(error) == LOCKED:
                raise StoreUnreadable(locked(self._name, self._who_holds())) from None
            away = "the server cannot be reached: " if isinstance(error, OSError | TimeoutError) else ""
            raise StoreUnreadable(f"{self._name}: {away}{words(error)}") from None

    def _who_holds(self) -> str:
        try:
            return asyncio.run(self._look_at_locks())
        except Exception as error:  # noqa: BLE001  the next attempt finds out
            return words(error)

    async def _look_at_locks(self) -> str:
        connection = await self._connect()
        try:
            return await look_at_locks(connection)
        finally:
            await connection.close()

    def _worked(self, work: Callable[[Connection], Any]) -> Any:
        """Other work has a transaction of its own; its failure is handed to whoever asked for it."""
        began, pause_s = time.monotonic(), pauses()
        mark, result = None, None
        while True:
            try:
                with self._engine().connect() as connection:
                    if mark is not None and settled(connection.exec_driver_sql(STATUS, (mark,)).scalar()):
                        return result
                    result = work(connection)
                    # Nothing for work that only read: there is nothing that could be done twice.
                    mark = connection.exec_driver_sql("SELECT pg_current_xact_id_if_assigned()::text").scalar()
                    connection.commit()
                    return result
            except Exception as error:  # noqa: BLE001  whoever asked for the work gets it
                if not passing(error):
                    return Failed(
                        error if isinstance(error, MootError) or not driver(error) else said(error, self._name)
                    )
                self._dispose()
                holder = self._who_holds() if state_of(error) == LOCKED else ""
                if worn_out(began):
                    return Failed(said(error, self._name, holder))
                time.sleep(next(pause_s))

    def _engine(self) -> Engine:
        if self._blocking is None:
            from moot.store.asyncpg_driver import blocking_engine

            self._blocking = blocking_engine(self._connect)
        return self._blocking

    def _dispose(self) -> None:
        if self._blocking is not None:
            self._blocking.dispose()
            self._blocking = None
