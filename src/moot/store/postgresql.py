"""A store in a PostgreSQL database, for many processes and machines that write at once.

Calls and rows go over a connection of the event loop's own, a group a commit; look-ups that are wanted at the same
moment are one query. The first who stores a call stands, whoever comes second is given it. Where the server goes away
(a restart, a broken line) everything is tried again for a while, and nothing is written twice: after a commit whose
answer got lost the server is asked what became of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from sqlalchemy import Connection, inspect

from moot.errors import MootError, StoreError, StoreUnreadable, UsageError
from moot.store import migrating, postgresql_scrubbing
from moot.store.columns import named
from moot.store.group import Done, Failed, Group, Written
from moot.store.postgresql_group import FIND, Copying, Writing
from moot.store.postgresql_line import OPEN_S, Link, connected, has_driver, said
from moot.store.postgresql_thread import WorkThread
from moot.store.statements import Row, at_leisure, at_one_moment
from moot.store.store import Store

T = TypeVar("T")

MIGRATING = 0x6D6F6F74
"""The advisory lock under which tables are made: the letters of our name."""


def public_url(url: str) -> str:
    """The address without its password, and without options, which may hold one too.

    By hand, not by a parser: also an address that is none, such as one with an unescaped / in its password, must not
    show it.
    """
    scheme, _, rest = url.partition("://")
    secrets, at, place = rest.rpartition("@")
    place, _, options = place.partition("?")
    if place.startswith("/") or not place:  # a socket, whose folder stands among the options
        place = next(iter(parse_qs(options).get("host", [])), "") + place
    return f"{scheme}://{secrets.partition(':')[0]}{at}{place.rstrip('/')}"


class PostgresStore(Store):
    """Calls, episodes, scores, runs and experiments in one database."""

    def __init__(self, url: str) -> None:
        if not has_driver():
            raise UsageError("store: PostgreSQL needs the package asyncpg: pip install 'moot[postgresql]'")
        super().__init__(_checked(url))
        self._url = url
        self._writing = Link(self._connect, self.name)
        self._copying = Copying()
        self._finder = Finder(Link(self._connect, self.name))
        self._work = WorkThread(self._connect, self.name)
        self._reading = WorkThread(self._connect, self.name)

    def __repr__(self) -> str:
        return f"PostgresStore({self.name!r})"

    async def _connect(self) -> Any:
        return await connected(self._url)

    async def exists(self) -> bool:
        return await self._work.at_once(lambda connection: inspect(connection).has_table("migrations"))

    async def _open(self) -> None:
        await self._work.at_once(_migrate)

    async def _shut(self) -> None:
        await self._writing.close()
        await self._finder.close()
        await self._reading.close()
        await self._work.close()

    async def find_call(self, key: str) -> Row | None:
        self.check()
        return await self._finder.find(key)

    async def _write(self, group: Group) -> Done:
        written = await Writing(group, self._writing, self._copying).commit() if group.writes else Written()
        return Done(written, [await self._work.worked(work) for work, _ in group.work])

    async def read(self, work: Callable[[Connection], T]) -> T:
        """On a thread and a connection of its own, which is made by the first who reads: no group waits for it."""
        try:
            done: T | Failed = await self._reading.worked(partial(_at_one_moment, work))
            if isinstance(done, Failed):
                raise done.error
        except StoreUnreadable as error:
            raise named(error, self.name) from error
        return done

    async def look(self, work: Callable[[Connection], T]) -> T:
        """With the next group: every process of a cluster looks, and a server has connections for a hundred."""
        return await self.run(partial(_at_one_moment, work))

    async def scrub(self) -> None:
        """New files for every table. The server's own log of changes is its keeper's, and so are its backups."""
        await self._until_idle()
        connection = await self._connect()
        try:
            await postgresql_scrubbing.scrub(connection, self.name)
        except MootError:
            raise
        except Exception as error:  # noqa: BLE001  whatever a driver raises
            raise said(error, self.name) from None
        finally:
            await connection.close()


class Finder:
    """Look-ups by key. All that gather while one query is under way are the next."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._wanted: dict[str, list[asyncio.Future[Row | None]]] = {}
        self._task: asyncio.Task[None] | None = None

    async def find(self, key: str) -> Row | None:
        future: asyncio.Future[Row | None] = asyncio.get_running_loop().create_future()
        self._wanted.setdefault(key, []).append(future)
        if self._task is None:
            self._task = asyncio.create_task(self._ask())
        return await future

    async def _ask(self) -> None:
        try:
            await self._answer_all()
        finally:
            self._task = None
            for future in (waiter for futures in self._wanted.values() for waiter in futures):
                if not future.done():  # whoever asked while we were stopped: there is nobody left to answer
                    future.set_exception(StoreError(f"{self._link.name}: it is closed"))
            self._wanted = {}

    async def _answer_all(self) -> None:
        while self._wanted:
            wanted, self._wanted = self._wanted, {}
            try:
                rows = await self._link.patiently(partial(_fetch, keys=list(wanted)))
                rows_by_key = {row["key"]: dict(row) for row in rows}
                for key, futures in wanted.items():
                    for future in futures:
                        if not future.done():
                            future.set_result(rows_by_key.get(key))
            except Exception as error:  # noqa: BLE001  those who wait must hear of it
                failed = error if isinstance(error, StoreError) else said(error, self._link.name)
                for future in (waiter for futures in wanted.values() for waiter in futures):
                    if not future.done():
                        future.set_exception(failed)

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
        await self._link.close()


async def _fetch(connection: Any, keys: list[str]) -> Sequence[Any]:
    rows: Sequence[Any] = await connection.fetch(FIND, keys)
    return rows


def _at_one_moment(work: Callable[[Connection], T], connection: Connection) -> T:
    at_one_moment(connection)
    # Whoever only reads locks nothing that others write, and a report may compute for long.
    connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
    return work(connection)


def _migrate(connection: Connection) -> None:
    at_leisure(connection)
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{OPEN_S * 1000:.0f}ms'")
    connection.exec_driver_sql("SELECT pg_advisory_xact_lock($1)", (MIGRATING,))
    migrating.migrate(connection)
    postgresql_scrubbing.keep_no_statistics(connection)


def _checked(url: str) -> str:
    """The name of a store whose address is one."""
    name = public_url(url)
    try:
        parts = urlsplit(url)
        database = parts.path.strip("/") if parts.port is None or parts.port else ""
    except ValueError:
        database = "@"
    if "@" in database:
        problem = "is no address; expected postgresql://USER:PASSWORD@HOST:PORT/NAME"
        raise UsageError(f"store: {name} {problem}, with special characters of the password as %XX")
    if not database:
        raise UsageError(f"store: {name} names no database; expected postgresql://USER@HOST/NAME")
    return name
