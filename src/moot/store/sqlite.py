"""A store in one SQLite file, written by one thread in groups.

A run asks for thousands of small reads and writes; a commit costs a wait for the disk. So work is collected while a
group is being written, and the next group takes all of it: one commit for many calls, and nobody is told that a call is
kept before it is on the disk (WAL with full synchronisation). Writers in other processes wait for each other.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Table, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import SingletonThreadPool

from moot.errors import StoreError, StoreFull, StoreNewer, StoreUnreadable
from moot.store import schema
from moot.store.statements import Row, insert_new, insert_or_replace

T = TypeVar("T")

BUSY_TIMEOUT_S = 60.0
"""How long to wait for another process that is writing."""

MOST_KNOWN = 200_000
"""Keys that are held in memory, as hashes, to know what is not stored; a store with more is asked every time."""

LINGER_S = 0.02
BUSY_FROM = 24
"""When groups are this large, waiting a moment for more makes far fewer commits; a lone caller never waits."""


@dataclass
class Group:
    """What one commit takes: calls to add, rows to put, other work, each with those who wait for it."""

    calls: list[tuple[Row, asyncio.Future[Row]]] = field(default_factory=list)
    puts: dict[Table, list[Row]] = field(default_factory=dict)
    work: list[tuple[Callable[[Connection], Any], asyncio.Future[Any]]] = field(default_factory=list)

    @property
    def waiting(self) -> list[asyncio.Future[Any]]:
        return [*(each for _, each in self.calls), *(each for _, each in self.work)]

    @property
    def size(self) -> int:
        return len(self.calls) + len(self.work) + sum(map(len, self.puts.values()))


@dataclass(frozen=True, slots=True)
class Failed:
    """Work that raised."""

    error: Exception


@dataclass
class Done:
    """What came of a group."""

    earlier: dict[str, Row]
    """Calls that another process had stored before us: theirs stand."""
    worked: list[Any]


class SqliteStore:
    """Calls, episodes, scores, runs and experiments in one file."""

    def __init__(self, path: Path | None) -> None:
        """None: a file that is gone when the store is closed, for a question that nobody wants to keep."""
        self._temporary = TemporaryDirectory(prefix="moot-") if path is None else None
        self.path: Path = path or Path(self._temporary.name if self._temporary else "", "store.db")
        self._engine = _engine(self.path, durable=path is not None)
        self._reader = Reader(self.path)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="moot-store")
        self._next = Group()
        self._busy = False
        self._idle: asyncio.Future[None] | None = None
        self._broken: StoreError | None = None
        self._writer: asyncio.Task[None] | None = None
        self._hurry: asyncio.Future[None] | None = None
        self._raw: sqlite3.Connection
        self._known: set[int] | None = None
        self._version = 0

    async def open(self) -> SqliteStore:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._open)
        return self

    async def close(self) -> None:
        """Everything handed over is written first."""
        await self._until_idle()
        await asyncio.get_running_loop().run_in_executor(self._thread, self._engine.dispose)
        self._thread.shutdown(wait=False)
        self._reader.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    async def find_call(self, key: str) -> Row | None:
        """A look-up by key takes microseconds on a connection of the loop's own; a trip to the thread takes longer.

        As long as we alone write, what is not among the known keys is not there, and needs no look.
        """
        if self._known is not None and hash(key) not in self._known:
            return None
        try:
            return self._reader.find(key)
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}") from None

    async def keep_call(self, row: Row) -> Row:
        """Durable when it returns; the row that stands, which may be one stored earlier by somebody else."""
        future: asyncio.Future[Row] = self._future()
        self._next.calls.append((row, future))
        self._go()
        return await future

    def put_later(self, rows: Sequence[tuple[Table, Row]]) -> None:
        """With the next group; `flush` waits for it. A store that could not write raises at the next use."""
        if self._broken is not None:
            raise self._broken
        for table, row in rows:
            self._next.puts.setdefault(table, []).append(row)
        self._go()

    async def flush(self) -> None:
        """Everything handed over so far is on the disk, or an error says that it is not."""
        await self._until_idle()
        if self._broken is not None:
            raise self._broken

    async def _until_idle(self) -> None:
        if self._busy:
            if self._idle is None:
                self._idle = asyncio.get_running_loop().create_future()
            if self._hurry is not None:
                _resolve(self._hurry, None)
            await asyncio.shield(self._idle)

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Anything else, after the next group, in a transaction of its own."""
        future: asyncio.Future[T] = self._future()
        self._next.work.append((work, future))
        if self._hurry is not None:
            _resolve(self._hurry, None)
        self._go()
        return await future

    def _future(self) -> asyncio.Future[Any]:
        if self._broken is not None:
            raise self._broken
        return asyncio.get_running_loop().create_future()

    def _go(self) -> None:
        if not self._busy:
            self._busy = True
            # A task, not at once: what others ask for in this turn of the loop joins the group.
            self._writer = asyncio.create_task(self._write_groups())

    async def _write_groups(self) -> None:
        """Until nothing is left: take all that has gathered, write it, tell those who wait."""
        while (group := self._next).size:
            self._next = Group()
            try:
                self._hand_out(group, await self._write(group))
            except Exception as error:  # noqa: BLE001  whatever it is: what was handed over is not on the disk
                self._broken = error if isinstance(error, StoreError) else StoreError(f"{self.path}: {error}")
                for future in group.waiting:
                    if not future.done():
                        future.set_exception(self._broken)
            if group.size >= BUSY_FROM and self._idle is None and not self._next.work:
                await self._linger()
        self._busy = False
        if self._idle is not None:
            _resolve(self._idle, None)
            self._idle = None

    async def _linger(self) -> None:
        """A moment for more to gather; other work, which somebody waits for, ends it."""
        loop = asyncio.get_running_loop()
        self._hurry = loop.create_future()
        timer = loop.call_later(LINGER_S, _resolve, self._hurry, None)
        await self._hurry
        timer.cancel()
        self._hurry = None

    async def _write(self, group: Group) -> Done:
        """What may wait (the lock, the disk, long work) is done on the thread; rows are inserted here.

        Inserting takes microseconds a row. On the thread every row would have to win the interpreter's lock back from
        the event loop, which costs both of them more than the insert itself.
        """
        in_thread = partial(asyncio.get_running_loop().run_in_executor, self._thread)
        earlier: dict[str, Row] = {}
        if group.calls or group.puts:
            await in_thread(self._begin)
            try:
                earlier = self._insert(group)
            except BaseException:
                await in_thread(self._raw.rollback)
                raise
            await in_thread(self._commit)
        worked = [await in_thread(self._worked, work) for work, _ in group.work]
        return Done(earlier, worked)

    def _hand_out(self, group: Group, done: Done) -> None:
        for row, call in group.calls:
            _resolve(call, done.earlier.get(row["key"], row))
        for (_, future), result in zip(group.work, done.worked, strict=True):
            if isinstance(result, Failed) and not future.done():
                future.set_exception(result.error)
            else:
                _resolve(future, result)

    def _begin(self) -> None:
        """On the thread: another process may hold the lock for a while."""
        with _said_plainly(self.path):
            self._raw.execute("BEGIN IMMEDIATE")

    def _insert(self, group: Group) -> dict[str, Row]:
        """Calls that another process stored before us come back: theirs stand."""
        with _said_plainly(self.path):
            for table, rows in group.puts.items():
                insert = insert_or_replace(table, tuple(rows[0]), "sqlite")
                self._raw.executemany(insert.sql, insert.values(rows))
            calls = [row for row, _ in group.calls]
            self._learn_keys(calls)
            if not calls:
                return {}
            insert = insert_new(schema.calls, tuple(calls[0]), "sqlite")
            if self._raw.executemany(insert.sql, insert.values(calls)).rowcount == len(calls):
                return {}
            stored = {row["key"]: Reader.select(self._raw, row["key"]) for row in calls}
            return {key: row for key, row in stored.items() if row is not None}

    def _learn_keys(self, calls: Sequence[Row]) -> None:
        """Keep the known keys up to date; once another process has written, nothing can be known without a look."""
        version = self._raw.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version:
            self._known = None
        if self._known is not None:
            self._known.update(hash(row["key"]) for row in calls)

    def _commit(self) -> None:
        """On the thread: it waits for the disk."""
        with _said_plainly(self.path):
            try:
                self._raw.commit()
            except sqlite3.Error:
                self._raw.rollback()
                raise

    def _worked(self, work: Callable[[Connection], Any]) -> Any:
        """Other work has a transaction of its own, so that its failure takes no call with it; the failure is handed on."""
        try:
            with _said_plainly(self.path), self._engine.begin() as connection:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                return work(connection)
        except Exception as error:  # noqa: BLE001  whoever asked for the work gets it
            return Failed(error)

    def _open(self) -> None:
        with _said_plainly(self.path, opening=True):
            with self._engine.begin() as connection:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                schema.migrate(connection)
            driver = self._engine.raw_connection().driver_connection
            assert isinstance(driver, sqlite3.Connection)
            self._raw = driver
            self._version = self._raw.execute("PRAGMA data_version").fetchone()[0]
            keys = self._raw.execute(f"SELECT key FROM calls LIMIT {MOST_KNOWN + 1}").fetchall()
            self._known = {hash(key) for (key,) in keys} if len(keys) <= MOST_KNOWN else None


class Reader:
    """Look-ups by key, on a connection of the event loop's own. In WAL mode readers wait for nobody."""

    COLUMNS = tuple(column.name for column in schema.calls.columns)
    SQL = f"SELECT {', '.join(COLUMNS)} FROM calls WHERE key = ?"

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None

    def find(self, key: str) -> Row | None:
        if self._connection is None:
            self._connection = sqlite3.connect(self._path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
        return self.select(self._connection, key)

    @classmethod
    def select(cls, connection: sqlite3.Connection, key: str) -> Row | None:
        values = connection.execute(cls.SQL, (key,)).fetchone()
        return None if values is None else dict(zip(cls.COLUMNS, values, strict=True))

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()


def _engine(path: Path, *, durable: bool) -> Engine:
    # One connection, used by the one thread; autocommit, so that BEGIN is ours to say.
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        poolclass=SingletonThreadPool,
        connect_args={"timeout": BUSY_TIMEOUT_S, "check_same_thread": False, "isolation_level": None},
    )

    @event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'OFF'}")
        connection.execute("PRAGMA cache_size = -32768")
        connection.execute("PRAGMA wal_autocheckpoint = 8000")

    return engine


@contextmanager
def _said_plainly(path: Path, *, opening: bool = False) -> Any:
    """Database errors as one of ours, with the file's name."""
    try:
        yield
    except StoreNewer as error:
        raise StoreNewer(f"{path}: {error}") from None
    except (DBAPIError, sqlite3.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        words = str(cause)
        if getattr(cause, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL:
            raise StoreFull(
                f"{path}: no space left on the device; everything stored so far is kept. Free some space and run again."
            ) from None
        raise (StoreUnreadable if opening else StoreError)(f"{path}: {words}") from None


def _resolve(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)
