"""What is deleted from a SQLite file is gone from its bytes, and from those of its log.

SQLite leaves what it deletes where it stood, and copies of a row where a page was split, or made anew for one that grew. Zeros
over what is deleted (`secure_delete`) do not reach all of these copies, as was tried: so the file is written anew.
"""

from __future__ import annotations

import sqlite3
import time

from moot.errors import StoreError

SCRUB_S = 30.0
"""How long others have to let go of an earlier state of the store."""


def scrub(connection: sqlite3.Connection, address: str, busy_s: float) -> None:
    """Free space goes with a new file, and the log is emptied into it; who reads an old state has to let go first."""
    connection.execute("VACUUM")
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
