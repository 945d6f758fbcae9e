"""A store in one SQLite file, written by one thread in groups.

A call that is kept is on the disk (WAL with full synchronisation). Writers in other processes wait for each other. A file
that can only be read is opened all the same, and says so to whoever wants to write.
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import SingletonThreadPool

from moot.errors import StoreError, StoreFull, StoreNewer, StoreUnreadable
from moot.store import migrating, schema
from moot.store.bookkeeping import CLAIM, FIND_ACCOUNTS, FIND_CLAIMS, RELEASE
from moot.store.file_locks import with_log_beside, writer_of
from moot.store.group import Done, Failed, Group, Written
from moot.store.opened_file import OpenedFile, lost_log, refuse_no_file, refuse_second_name
from moot.store.read_only import NO_STORE, address_to_read, copied, is_blank, no_space, not_writable, refuse_foreign
from moot.store.scrubbing import Scrubbing, in_turns
from moot.store.statements import Insert, Row, insert_new, insert_or_replace
from moot.store.store import Store, bounded_value

BUSY_TIMEOUT_S = 60.0
"""How long to wait for another process that is writing."""


T = TypeVar("T")

CACHE_KB, READING_CACHE_KB = 4_096, 32_768
"""Whoever writes touches few pages at a time; a report goes through all of them."""

DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

MOST_KNOWN = 200_000
"""Keys that are held in memory, as hashes, to know what is not stored; a store with more is asked every time."""


class SqliteStore(Store):
    """Calls, episodes, scores, runs and experiments in one file."""

    def __init__(self, path: Path | None, *, only_read: bool = False) -> None:
        """None: a file that is gone once it is closed. `only_read`: nothing is written, not even to bring it up to date."""
        self.only_read = only_read
        self._temporary = TemporaryDirectory(prefix="moot-") if path is None else None
        self.path: Path = path or Path(self._temporary.name if self._temporary else "", "store.db")
        super().__init__(str(self.path))
        self.lasts = path is not None
        # Nothing that reads like a URI; the log stands beside the file itself.
        self._address = os.path.realpath(self.path)
        self._read_only = False
        self._engine = self._engine_at(self._address)
        self._reader = CallLookup(self._address)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="moot-store")
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="moot-store-read")
        self._raw: sqlite3.Connection
        self._file: OpenedFile | None = None
        """Where what is written is to be found again."""
        self._log: OpenedFile | None = None
        """What was committed last stands here alone: a young store has nothing else."""
        self._known: set[int] | None = None
        self._version = 0

    async def exists(self) -> bool:
        refuse_no_file(self.path)
        return self.path.exists() and not is_blank(self.path)

    async def _open(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._connect)

    async def _shut(self) -> None:
        # A read whose caller was cancelled goes on in its thread, and to close its connection then crashes the interpreter.
        in_thread = partial(asyncio.get_running_loop().run_in_executor, self._thread)
        await in_thread(partial(self._reading.shutdown, wait=True, cancel_futures=True))
        await in_thread(self._engine.dispose)
        self._thread.shutdown(wait=False)
        self._reader.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    async def find_call(self, key: str) -> Row | None:
        """A look-up by key takes microseconds on a connection of the loop's own; a trip to the thread takes longer.

        As long as we alone write, what is not among the known keys is not there, and needs no look.
        """
        self.check()
        if self._known is not None and hash(key) not in self._known:
            return None
        try:
            return self._reader.find(key)
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}") from None

    async def read(self, work: Callable[[Connection], T]) -> T:
        """On a thread and a connection of its own: beside a writer, in this process or another, readers wait for nobody."""
        return await asyncio.get_running_loop().run_in_executor(self._reading, self._read, work)

    def _read(self, work: Callable[[Connection], T]) -> T:
        with _said_plainly(self.path), self._engine.begin() as connection:
            connection.exec_driver_sql(f"PRAGMA cache_size = -{READING_CACHE_KB}")
            connection.exec_driver_sql("PRAGMA query_only = ON")
            connection.exec_driver_sql("BEGIN")
            return work(connection)

    async def scrub(self) -> None:
        await in_turns(partial(self.run, Scrubbing(BUSY_TIMEOUT_S)), self._address)

    async def _write(self, group: Group) -> Done:
        """What may wait (the lock, the disk, long work) is done on the thread; rows are inserted here.

        Inserting takes microseconds a row. On the thread every row would have to win the interpreter's lock back from
        the event loop, which costs both of them more than the insert itself.
        """
        in_thread = partial(asyncio.get_running_loop().run_in_executor, self._thread)
        written = Written()
        if group.writes:
            try:
                await in_thread(self._begin)  # whoever is stopped here has begun all the same
                try:
                    written = self._insert(group)
                except (UnicodeEncodeError, OverflowError):
                    # Half a surrogate pair, or a number of 64 bits. To look for them in every row would cost more than
                    # to begin again.
                    await in_thread(self._raw.rollback)
                    await in_thread(self._begin)
                    written = self._insert(group, cleaned=True)
            except BaseException:
                await in_thread(self._raw.rollback)
                raise
            await in_thread(self._commit)
        worked = [await in_thread(self._worked, work) for work, _ in group.work]
        return Done(written, worked)

    def _begin(self) -> None:
        """On the thread: another process may hold the lock for a while."""
        self._check_file()
        with _said_plainly(self.path):
            self._raw.execute("BEGIN IMMEDIATE")

    def _insert(self, group: Group, *, cleaned: bool = False) -> Written:
        with _said_plainly(self.path):
            for table, rows in group.puts.items():
                self._many(insert_or_replace(table, tuple(rows[0]), "sqlite"), rows, cleaned=cleaned)
            calls = [row for row, _ in group.calls]
            self._learn_keys(calls)
            earlier, kept_by_others = self._add_calls(calls, cleaned=cleaned) if calls else ({}, set())
            claimed = self._claim(group)
            books = group.books
            if not (names := books.experiments):
                return Written(earlier, claimed=claimed)
            held = self._raw.execute(FIND_ACCOUNTS.format(", ".join("?" * len(names))), names).fetchall()
            closed = books.close(dict(held), kept_by_others)
            for sql, values in closed.statements():
                self._raw.executemany(sql, values)
            return Written(earlier, closed.granted, claimed, closed.accounts)

    def _add_calls(self, calls: Sequence[Row], *, cleaned: bool) -> tuple[dict[str, Row], set[str]]:
        """What stands under their keys, where not all are new; and which of them another process stored before us."""
        if self._many(insert_new(schema.calls, tuple(calls[0]), "sqlite"), calls, cleaned=cleaned) == len(calls):
            return {}, set()
        stored = {row["key"]: CallLookup.select(self._raw, row["key"]) for row in calls}
        standing = {key: row for key, row in stored.items() if row is not None}
        ours = {row["key"]: row["created_at"] for row in reversed(calls)}  # of two with one key the first stands
        return standing, {key for key, row in standing.items() if row["created_at"] != ours[key]}

    def _claim(self, group: Group) -> list[bool]:
        if group.released:
            self._raw.executemany(RELEASE, [(claim.key, claim.holder) for claim in group.released])
        if not group.claims:
            return []
        claims = [claim for claim, _ in group.claims]
        self._raw.executemany(CLAIM, [(claim.key, claim.holder) for claim in claims])
        one = FIND_CLAIMS.format("?")
        return [self._raw.execute(one, (claim.key,)).fetchone()[1] == claim.holder for claim in claims]

    def _many(self, insert: Insert, rows: Sequence[Row], *, cleaned: bool) -> int:
        values = insert.values(rows)
        if cleaned:
            values = [tuple(map(bounded_value, row)) for row in values]
        return self._raw.executemany(insert.sql, values).rowcount

    def _learn_keys(self, calls: Sequence[Row]) -> None:
        self._see_others()
        self.learn_calls(row["key"] for row in calls)

    def _see_others(self) -> None:
        """Once another process has written, nothing can be known without a look."""
        if self.others_wrote():
            self._known = None

    def others_wrote(self) -> bool:
        """Since it was opened."""
        return bool(self._raw.execute("PRAGMA data_version").fetchone()[0] != self._version)

    def learn_calls(self, keys: Iterable[str]) -> None:
        if self._known is not None:
            self._known.update(map(hash, keys))
            if len(self._known) > MOST_KNOWN:
                self._known = None

    def _commit(self) -> None:
        """On the thread: it waits for the disk."""
        with _said_plainly(self.path):
            try:
                self._raw.commit()
            except sqlite3.Error:
                self._raw.rollback()
                raise
        self._check_file()

    def _check_file(self) -> None:
        """Before a transaction, so that nothing is written into the void, and after it, so that nothing is called kept."""
        if self._file is not None:
            self._file.check()
        if self._log is not None and not self._log.in_place:
            raise lost_log(self._log, self._raw, BUSY_TIMEOUT_S)

    def _worked(self, work: Callable[[Connection], Any]) -> Any:
        """Other work has a transaction of its own, so that its failure takes no call with it; the failure is handed on."""
        try:
            self._check_file()
            if isinstance(work, Scrubbing):
                with _said_plainly(self.path), self._engine.connect() as connection:
                    return work(connection)
            with _said_plainly(self.path), self._engine.begin() as connection:
                connection.exec_driver_sql("BEGIN" if self._read_only else "BEGIN IMMEDIATE")
                self._see_others()
                done = work(connection)
            self._check_file()
            return done
        except Exception as error:  # noqa: BLE001  whoever asked for the work gets it
            return Failed(error)

    def _connect(self) -> None:
        with _said_plainly(self.path, opening=True):
            refuse_no_file(self.path)
            refuse_second_name(self.path)
            if self._needed is not None:
                refuse_foreign(self.path)
            try:
                (self._open_to_read if self.only_read else self._migrate)()
            except (DBAPIError, sqlite3.Error) as error:
                cause = error.orig if isinstance(error, DBAPIError) else error
                if not (not_writable(cause) or no_space(cause, self.path)) or not self.path.is_file():
                    raise
                try:
                    self._open_to_read()
                except OSError as copying:  # where nothing can be written, it has to be copied elsewhere
                    raise StoreFull(f"{self.path}: {copying}") if copying.errno == errno.ENOSPC else error from None
            driver = self._engine.raw_connection().driver_connection
            assert isinstance(driver, sqlite3.Connection)
            self._raw = driver
            if self.lasts and not self._read_only:
                with suppress(sqlite3.Error):  # the tables at least are in the file, whatever becomes of its log
                    self._raw.execute("PRAGMA wal_checkpoint(PASSIVE)")
                self._file = OpenedFile.at(str(self.path.absolute()))  # by way of its links, which may be changed
                if self._raw.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
                    self._log = OpenedFile.at(f"{self._address}-wal")
            self._raw.execute(f"PRAGMA cache_size = -{CACHE_KB}")
            self._version = self._raw.execute("PRAGMA data_version").fetchone()[0]
            keys = self._raw.execute(f"SELECT key FROM calls LIMIT {MOST_KNOWN + 1}").fetchall()
            self._known = {hash(key) for (key,) in keys} if len(keys) <= MOST_KNOWN else None

    def _migrate(self, *, copy: bool = False) -> None:
        with self._engine.begin() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            refuse_foreign_parts(connection, self.path)
            migrating.migrate(connection, copy=copy)

    def _open_to_read(self) -> None:
        address = address_to_read(self.path)
        if address is None:
            self._temporary = TemporaryDirectory(prefix="moot-")
            address = str(copied(self.path, Path(self._temporary.name)))
            self._engine = self._engine_at(address)
            self._migrate(copy=True)
        self._read_only = True
        self._engine.dispose()
        self._engine = self._engine_at(address)
        with self._engine.begin() as connection:
            refuse_foreign_parts(connection, self.path)
        self._reader = CallLookup(address)

    def _engine_at(self, address: str) -> Engine:
        # A connection for each thread; autocommit, so that BEGIN is ours to say.
        opened = partial(_connection, address)
        # What goes into an error goes into logs, which forget nothing.
        engine = create_engine("sqlite://", creator=opened, poolclass=SingletonThreadPool, hide_parameters=True)

        @event.listens_for(engine, "connect")
        def _prepare(connection: sqlite3.Connection, _record: object) -> None:
            if self._read_only:
                connection.execute("PRAGMA query_only = ON")  # it may be a copy
                return
            with_log_beside(connection, BUSY_TIMEOUT_S)
            connection.execute(f"PRAGMA synchronous = {'FULL' if self.lasts else 'OFF'}")
            connection.execute("PRAGMA wal_autocheckpoint = 8000")

        return engine


def refuse_foreign_parts(connection: Connection, path: Path) -> None:
    """A file may come from a stranger, and in SQLite a table's name may stand for a query, or writing to it for more.

    A view in the place of a table can compute for ever, a trigger changes what was written. We make neither; views under
    other names are their maker's, and nothing here looks at them.
    """
    ours = set(schema.metadata.tables)
    parts = connection.exec_driver_sql("SELECT type, name, tbl_name, sql FROM sqlite_master").all()
    for kind, name, table, sql in parts:
        computed = kind == "view" or re.match(r"\s*CREATE\s+VIRTUAL", sql or "", re.IGNORECASE)
        generated = kind == "table" and re.search(r"\bGENERATED\s+ALWAYS\b|\bAS\s*\(", sql or "", re.IGNORECASE)
        if (name in ours and (computed or generated)) or (kind == "trigger" and table in ours):
            what = "a trigger" if kind == "trigger" else "a view" if kind == "view" else "a computed table"
            raise StoreUnreadable(
                f"{path}: holds {what} {name!r:.60} that moot has not made; it is not used as a store"
            )


class CallLookup:
    """Look-ups by key, on a connection of the event loop's own. In WAL mode readers wait for nobody."""

    COLUMNS = tuple(column.name for column in schema.calls.columns)
    SQL = f"SELECT {', '.join(COLUMNS)} FROM calls WHERE key = ?"

    def __init__(self, address: str) -> None:
        self._address = address
        self._connection: sqlite3.Connection | None = None

    def find(self, key: str) -> Row | None:
        if self._connection is None:
            self._connection = _connection(self._address)
        return self.select(self._connection, key)

    @classmethod
    def select(cls, connection: sqlite3.Connection, key: str) -> Row | None:
        values = connection.execute(cls.SQL, (key,)).fetchone()
        return None if values is None else dict(zip(cls.COLUMNS, values, strict=True))

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()


def _connection(address: str) -> sqlite3.Connection:
    return sqlite3.connect(
        address,
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
        uri=address.startswith("file:"),
    )


@contextmanager
def _said_plainly(path: Path, *, opening: bool = False) -> Any:
    """Database errors as one of ours, with the file's name."""
    try:
        yield
    except StoreNewer as error:
        raise StoreNewer(f"{path}: {error}") from None
    except UnicodeDecodeError as error:  # SQLite's message, which names what is no text in the file
        if not opening:
            raise
        raise StoreUnreadable(f"{path}: {error.object.decode(errors='replace')}") from None
    except (DBAPIError, sqlite3.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        words = str(cause)
        if no_space(cause, path):
            raise StoreFull(
                f"{path}: no space left on the device; everything stored so far is kept. Free some space and run again."
            ) from None
        if getattr(cause, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
            holder = writer_of(path)
            who = "another process is writing to it" if holder is None else str(holder)
            waited = f"waited {BUSY_TIMEOUT_S:g} s for the lock"
            raise StoreError(f"{path}: {waited}: {who}; everything stored so far is kept") from None
        if not_writable(cause) and path.is_file():
            words += (
                ": the store or its folder cannot be written here; copy it to where it can, and name it with --store"
            )
        if getattr(cause, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_NOTADB:
            words += f", so {NO_STORE}"
        damaged = getattr(cause, "sqlite_errorcode", 0) & 0xFF in DAMAGED or words.startswith("Could not decode")
        told = (StoreUnreadable if opening or damaged else StoreError)(f"{path}: {words}")
        told.driver_kind = getattr(cause, "sqlite_errorname", None)
        raise told from None
