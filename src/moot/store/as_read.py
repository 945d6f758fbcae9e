"""Whether a store in a file is still what was read from it, told by the file alone once it is closed.

A log beside the file, and others who write to it, make that hard to see from outside: what was read may stand in the log, and
closing a store writes the log into the file. So one connection more stays open over the closing, which then leaves the file
alone, and looks last: is everything in the file, and has nobody written since?
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from typing import Self, TypeVar

from moot.store.sqlite import SqliteStore
from moot.store.store import Store

CLOCK_S = 0.02
"""Two writes to a file within a tick of the system's clock leave the same time on it."""

T = TypeVar("T")


class StoreAsRead:
    """Who looks on. To be opened when all was read, before the store is closed."""

    def __init__(self, store: SqliteStore) -> None:
        self.path = store.path
        self._connection = sqlite3.connect(os.path.realpath(store.path), timeout=0, isolation_level=None)
        self._version = self._written()
        self._alone = not store.others_wrote()

    @classmethod
    async def of(cls, store: Store) -> Self | None:
        """None where there is no file, or none that can be looked at beside others. Nothing is asked for the store any more."""
        if not isinstance(store, SqliteStore):
            return None
        if store.presence is not None:
            await store.presence.leave()  # what closing would write else
        try:
            return cls(store)
        except sqlite3.Error:
            return None

    def seen(self, look: Callable[[], T]) -> T | None:
        """What is seen of the file now that it holds all that was read, and nothing else; None where that is not sure.

        The store is closed by then. So is this, in the end.
        """
        try:
            if not self._alone or self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                return None
            young_s = CLOCK_S - (time.time() - os.stat(self.path).st_mtime)
            if young_s > 0:
                time.sleep(min(young_s, CLOCK_S))
            found = look()
            return found if self._written() == self._version else None
        except (sqlite3.Error, OSError):
            return None
        finally:
            self.close()

    def close(self) -> None:
        self._connection.close()

    def _written(self) -> int:
        """Another where others have written: it is asked for in a look at the file, so that it is of this moment."""
        self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        version: int = self._connection.execute("PRAGMA data_version").fetchone()[0]
        return version
