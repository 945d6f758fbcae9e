"""A SQLite store that can be read and not written: on a disk that is mounted so or quite full, or in a folder of somebody else's.

SQLite wants to write even where it only reads: the index of its log. So there are several ways to such a file, by what stands
beside it, and the first that leads to the tables of today is taken.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from moot.errors import StoreUnreadable
from moot.store.migrating import MIGRATIONS

NO_STORE = "no store of moot; moot runs lists the stores of a folder"
OURS = frozenset(("experiments", "episodes", "calls"))
"""Tables that every store has had."""
MOST_NAMED = 5
NOT_WRITABLE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)


UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What reading a file may end with. SQLite quotes names of the file in its messages, and Python reads these as UTF-8."""


def not_writable(error: BaseException | None) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in NOT_WRITABLE


ROOM_BYTES = 64 * 1024
"""Less than this is next to nothing: the index of a log alone takes half of it."""


def no_space(error: BaseException | None, path: Path) -> bool:
    """Whether it failed because the disk is full. SQLite calls that an I/O error, too, where its log has no room for an index."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return True
    # What was opened to be read only, for want of room, is not writable later on.
    if code not in (sqlite3.SQLITE_IOERR, *NOT_WRITABLE):
        return False
    try:
        disk = os.statvfs(path.resolve().parent)
    except OSError:
        return False
    return not disk.f_flag & os.ST_RDONLY and disk.f_bavail * disk.f_frsize < ROOM_BYTES


def tables_of(path: Path) -> set[str]:
    """The names of its tables, also where nothing can be written; none where it is no database."""
    return _named(path, "table") or set()


def is_blank(path: Path) -> bool:
    """Whether nothing is in it, be it an empty file or an empty database. One that cannot be read is not known to be so."""
    log = Path(f"{path.resolve()}-wal")
    if log.is_file() and log.stat().st_size:  # it may hold all there is
        return False
    return _named(path) == set()


def _named(path: Path, kind: str | None = None) -> set[str] | None:
    """What is in a database, of one kind or of all; None where it is none. Where it has no log, none is made by looking."""
    file = path.resolve().as_uri()
    for address in (*_addresses(path), f"{file}?mode=ro", f"{file}?immutable=1"):
        with suppress(*UNREADABLE), closing(sqlite3.connect(address, uri=True)) as connection:
            rows = connection.execute("SELECT name, type FROM sqlite_master")
            return {name for name, its_kind in rows if kind in (None, its_kind)}
    return None


def is_store(path: Path) -> bool:
    """Whether it is one of moot's at all, of whichever version."""
    return tables_of(path) >= OURS


def refuse_foreign(path: Path) -> None:
    """`StoreUnreadable` for a database that is somebody else's: who wants to read a store has not asked for tables in it."""
    tables, views = tables_of(path), _named(path, "view") or set()
    if (tables or views) and not tables >= OURS:
        what, names = ("tables", tables) if tables else ("views", views)
        named = ", ".join(sorted(names)[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
        raise StoreUnreadable(f"{path}: a database of another program (its {what}: {named}), {NO_STORE}")


def address_to_read(path: Path) -> str | None:
    """Where it can be read as it stands. None: a copy is needed, of its log or of tables that are not up to date."""
    for address in _addresses(path):
        with suppress(*UNREADABLE), closing(sqlite3.connect(address, uri=True)) as connection:
            if {name for (name,) in connection.execute("SELECT name FROM migrations")} >= set(MIGRATIONS):
                return address
    return None


def is_older(path: Path) -> bool:
    """Whether a moot before this one has written it, and none since."""
    for address in (*_addresses(path), f"{path.resolve().as_uri()}?mode=ro"):
        with suppress(*UNREADABLE), closing(sqlite3.connect(address, uri=True)) as connection:
            return not {name for (name,) in connection.execute("SELECT name FROM migrations")} >= set(MIGRATIONS)
    return False


def _addresses(path: Path) -> Iterator[str]:
    path = path.resolve()  # the log stands beside the file itself, not beside a link to it
    log = Path(f"{path}-wal")
    file = path.as_uri()
    if log.is_file() and log.stat().st_size:
        if Path(f"{path}-shm").is_file():
            yield f"{file}?mode=ro"  # perhaps somebody writes to it, who may
    else:
        yield f"{file}?immutable=1"


def copied(path: Path, folder: Path) -> Path:
    """The store with its log, where it can be worked on."""
    path, copy = path.resolve(), folder / "store.db"
    shutil.copyfile(path, copy)
    if (log := Path(f"{path}-wal")).is_file():
        shutil.copyfile(log, f"{copy}-wal")
    return copy
