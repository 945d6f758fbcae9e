"""A SQLite store that can be read and not written: on a disk that is mounted so, or in a folder of somebody else's.

SQLite wants to write even where it only reads: the index of its log. So there are several ways to such a file, by what stands
beside it, and the first that leads to the tables of today is taken.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from moot.store.migrating import MIGRATIONS

NOT_WRITABLE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)


def not_writable(error: BaseException | None) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in NOT_WRITABLE


def address_to_read(path: Path) -> str | None:
    """Where it can be read as it stands. None: a copy is needed, of its log or of tables that are not up to date."""
    for address in _addresses(path):
        with suppress(sqlite3.Error), closing(sqlite3.connect(address, uri=True)) as connection:
            if {name for (name,) in connection.execute("SELECT name FROM migrations")} >= set(MIGRATIONS):
                return address
    return None


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
