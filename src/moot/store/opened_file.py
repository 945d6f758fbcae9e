"""Whether the file that a store was opened from is still the one that stands under its name.

A file that was removed, or another put in its place, takes writes as before as long as it is open, and all of them are gone
when it is closed. SQLite says nothing of it. So it is with the log (`-wal`), in which what was committed last stands alone.
"""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from moot.errors import StoreError, StoreUnreadable
from moot.store.read_only import NO_STORE

SAVE_S = 2.0
"""How long to wait for those who read from a log that is about to be lost."""


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A file by its name and by what it is, whatever it is called."""

    path: str
    device: int
    inode: int

    @classmethod
    def at(cls, path: str) -> Self:
        try:
            found = os.stat(path)
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror}") from None
        return cls(path, found.st_dev, found.st_ino)

    @property
    def in_place(self) -> bool:
        """Whether it still stands under its name."""
        try:
            found = os.stat(self.path)
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == (self.device, self.inode)

    def check(self) -> None:
        try:
            found = os.stat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            self._refuse("was removed or moved away")
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror}") from None
        else:
            if (found.st_dev, found.st_ino) != (self.device, self.inode):
                self._refuse("was replaced by another")

    def _refuse(self, happened: str) -> None:
        raise StoreError(
            f"{self.path}: the file {happened} while it was open, and what is written now would be lost; "
            "put it back with its -wal file, or start again with the file that is there"
        )


def refuse_no_file(path: Path) -> None:
    """`StoreUnreadable` for a pipe, a folder, a device: SQLite waits for ever for who would write into a pipe."""
    if path.exists() and not path.is_file():
        raise StoreUnreadable(f"{path}: no regular file, so {NO_STORE}")


def refuse_second_name(path: Path) -> None:
    """Of a file with two names (hard links): SQLite keeps a log for each, and who comes by one does not see the other's.

    So a budget would be spent twice, and the file may break.
    """
    try:
        names = path.stat().st_nlink
    except OSError:
        return  # there is none yet, or SQLite says what is wrong with it
    if names > 1 and os.access(path, os.W_OK):
        raise StoreUnreadable(
            f"{path}: the file has {names} names (hard links), and SQLite keeps a log for each: what is written under one "
            "is not seen under the others. Make a copy of its own with cp, or remove the other names; a symbolic link is fine."
        )


def lost_log(log: OpenedFile, connection: sqlite3.Connection, busy_s: float) -> StoreError:
    """A log that stands under its name no more: what stands in it is written into the file, as long as it is open.

    `connection`: one that has it open. `busy_s`: how long it waits for others otherwise.
    """
    connection.execute(f"PRAGMA busy_timeout = {SAVE_S * 1000:.0f}")
    try:
        busy, pages, saved = connection.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
        told = "what stood in it is saved"
        if busy or saved < pages:
            told = "not all that stood in it could be saved, because somebody reads it"
    except sqlite3.Error as error:
        told = f"what stood in it could not be saved: {error}"
    finally:
        connection.execute(f"PRAGMA busy_timeout = {busy_s * 1000:.0f}")
    return StoreError(
        f"{log.path}: the log of the store was removed or replaced while it was open, and what is written now would be lost; "
        f"{told}. End whatever uses the store, and start again."
    )
