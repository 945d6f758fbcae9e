"""After something was deleted from a SQLite store: no file of it holds the words any more.

What is deleted is overwritten as it is deleted (`secure_delete`), copies that were left when rows were moved by `unused_bytes`,
and the log is emptied. A file in which rows were deleted before that was so is written anew, once; so is one that is to shrink.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing

from sqlalchemy import Connection

from moot.errors import StoreError
from moot.store import unused_bytes

SCRUB_S = 30.0
"""How long to wait for those who read what is about to be forgotten."""

OVERWRITTEN = 1
"""As the file's `user_version`: nothing was ever deleted from it without being overwritten."""

CLEARING_S = 600.0
"""A disk that takes longer to read the file once is not waited for."""


def scrub_file(
    raw: sqlite3.Connection, address: str, connect: Callable[[str], sqlite3.Connection], *, shrink: bool = False
) -> None:
    """`raw`: the connection of the store's own thread. `connect`: another; all others forget what they remember of the file
    when it has written."""
    if not shrink and _is_overwritten(raw):
        with closing(connect(address)) as other:
            if _cleared(raw, other, address):
                return
    raw.execute("VACUUM")
    raw.execute(f"PRAGMA user_version = {OVERWRITTEN}")
    empty_log(raw, address)


def _is_overwritten(raw: sqlite3.Connection) -> bool:
    return bool(raw.execute("PRAGMA user_version").fetchone()[0] == OVERWRITTEN)


def _cleared(raw: sqlite3.Connection, other: sqlite3.Connection, address: str) -> bool:
    """Whether it could be done without writing the file anew."""
    ends_at = time.monotonic() + SCRUB_S
    while True:
        empty_log(raw, address)
        other.execute("BEGIN IMMEDIATE")
        if not _log_bytes(address):
            break
        other.rollback()  # somebody wrote in between
        if time.monotonic() > ends_at:
            return False
    try:
        command = [sys.executable, "-I", "-S", unused_bytes.__file__, address]
        done = subprocess.run(command, capture_output=True, timeout=CLEARING_S, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        done = False
    # Pages that somebody remembers as they were would be written so again: a new state of the store is read anew by all.
    other.execute(f"PRAGMA user_version = {OVERWRITTEN}")
    other.commit()
    return done


def _log_bytes(address: str) -> int:
    try:
        return os.stat(f"{address}-wal").st_size
    except OSError:
        return 0


def empty_log(raw: sqlite3.Connection, address: str) -> None:
    """Into the file; whoever reads an old state has to let go first."""
    ends_at = time.monotonic() + SCRUB_S
    (waits_ms,) = raw.execute("PRAGMA busy_timeout").fetchone()
    raw.execute("PRAGMA busy_timeout = 100")
    try:
        while raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            if time.monotonic() > ends_at:
                held = "somebody reads an earlier state of the store and does not let go"
                raise StoreError(f"{address}-wal: {held}; what was forgotten is still in it. Try again.")
            time.sleep(0.05)
    finally:
        raw.execute(f"PRAGMA busy_timeout = {waits_ms}")


def mark_new(connection: Connection) -> None:
    """A file without any table: nothing was deleted from it yet."""
    if connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar() == 0:
        connection.exec_driver_sql(f"PRAGMA user_version = {OVERWRITTEN}")
