"""Whether the file that a store was opened from is still the one that stands under its name.

A file that was removed, or another put in its place, takes writes as before as long as it is open, and all of them are gone
when it is closed. SQLite says nothing of it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Self

from moot.errors import StoreError


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A file by its name and by what it is, whatever it is called."""

    path: str
    device: int
    inode: int

    @classmethod
    def at(cls, path: str) -> Self:
        found = os.stat(path)
        return cls(path, found.st_dev, found.st_ino)

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
