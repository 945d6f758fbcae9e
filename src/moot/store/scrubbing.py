"""What is deleted from a SQLite file is gone from its bytes, and from those of its log.

SQLite leaves what it deletes where it stood, and copies of a row where a page was split before. With `secure_delete` it writes
zeros over both; but only over what was written since it is on. So it is on from the first row, which is noted in the file, and
then nothing has to be written anew to forget one question. A file that is older is written anew once.
"""

from __future__ import annotations

import sqlite3
import time

from sqlalchemy import Connection

from moot.errors import StoreError

SCRUB_S = 30.0
"""How long others have to let go of an earlier state of the store."""
CLEAN = 1
"""As the file's `user_version`: all that was ever deleted from it is overwritten."""


def mark_if_new(connection: Connection) -> None:
    """Before its tables are made."""
    if not connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar():
        connection.exec_driver_sql(f"PRAGMA user_version = {CLEAN}")


def scrub(connection: sqlite3.Connection, address: str, busy_s: float, *, pack: bool) -> None:
    """The log is emptied into the file; who reads an old state has to let go first. `pack`: free space goes with a new file."""
    if pack or connection.execute("PRAGMA user_version").fetchone()[0] != CLEAN:
        connection.execute("VACUUM")
        connection.execute(f"PRAGMA user_version = {CLEAN}")
    ends_at = time.monotonic() + SCRUB_S
    connection.execute("PRAGMA busy_timeout = 100")
    try:
        while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            if time.monotonic() > ends_at:
                held = "somebody reads an earlier state of the store and does not let go"
                raise StoreError(f"{address}-wal: {held}; what was forgotten is still in it. Try again.")
            time.sleep(0.05)
    finally:
        connection.execute(f"PRAGMA busy_timeout = {busy_s * 1000:.0f}")
