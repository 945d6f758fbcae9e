"""What is deleted from a SQLite file is gone from its bytes, and from those of its log.

SQLite leaves what it deletes where it stood, and copies of a row where a page was split, or made anew for one that grew. Zeros
over what is deleted (`secure_delete`) do not reach all of these copies, as was tried: so the file is written anew.

Whoever reads an earlier state of the store, in whatever process, needs the log as it is. To wait for them where the store is
written would keep all others waiting too: so it is tried in turns, each in the writer's queue, and others write between them.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable

from sqlalchemy import Connection

from moot.errors import StoreError

SCRUB_S = 30.0
"""How long others have to let go of an earlier state of the store."""
TURN_S = 0.1
"""How long one turn waits for others: they may be at the end of what they do."""
PAUSE_S, LONGEST_PAUSE_S = 0.05, 1.0
"""Between turns: it doubles."""


class Scrubbing:
    """Work for the writer's thread that takes a turn outside of any transaction, again until it says that all is gone."""

    def __init__(self, busy_s: float) -> None:
        """`busy_s`: how long the connection waits for others otherwise."""
        self._busy_s = busy_s
        self._written_anew = False

    def __call__(self, connection: Connection) -> bool:
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        driver.execute(f"PRAGMA busy_timeout = {TURN_S * 1000:.0f}")
        try:
            return self._taken(driver)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                return False
            raise
        finally:
            driver.execute(f"PRAGMA busy_timeout = {self._busy_s * 1000:.0f}")

    def _taken(self, connection: sqlite3.Connection) -> bool:
        """The log is emptied first: as long as somebody needs it, a new file would make it as long again with every try."""
        if not _emptied(connection):
            return False
        if self._written_anew:
            return True
        connection.execute("VACUUM")
        self._written_anew = True
        return _emptied(connection)


def _emptied(connection: sqlite3.Connection) -> bool:
    """Whether all that stood in the log is in the file now, and the log has no bytes."""
    return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]


async def in_turns(take_turn: Callable[[], Awaitable[bool]], address: str) -> None:
    """Until a turn says that all is gone; `StoreError` where others do not let go in time."""
    loop, pause_s = asyncio.get_running_loop(), PAUSE_S
    ends_at = loop.time() + SCRUB_S
    while not await take_turn():
        if loop.time() > ends_at:
            held = "somebody reads an earlier state of the store, or writes to it, and does not let go"
            raise StoreError(f"{address}-wal: {held}; what was forgotten is still in it. Try again.")
        await asyncio.sleep(pause_s)
        pause_s = min(LONGEST_PAUSE_S, pause_s * 2)
