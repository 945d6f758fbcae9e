"""Files that somebody else wrote are read as far as a file of ours would go, and no further.

A file with holes takes no space on a disk and a packed one takes little, yet one line of it may be longer than the memory
of the machine; a pipe may never begin and a device never end. So whatever reads lines or whole documents reads them here.
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, TextIO, TypeVar, cast

from moot.errors import FileError

NO_FILE = "cannot be read: expected a file, found a pipe or a device"

MOST_LINE = 64 * 2**20
"""Bytes, or characters where a file is read as text. One question of a set fits many times over."""

MOST_DOCUMENT = 256 * 2**20
"""Of a file that has to be in memory as a whole."""

MOST_UNPACKED = 2**30
"""Of all that a packed file holds, part after part."""

MOST_TIMES = 200
"""As large as it is may become what a packed file holds, once it is longer than a line may be."""

Piece = TypeVar("Piece", str, bytes)


def opened(path: Path) -> BinaryIO:
    """The bytes of a file. What is none, though it has a place among files, is refused before it is waited for."""
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    mode = os.fstat(number).st_mode
    if not stat.S_ISREG(mode):
        os.close(number)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        raise FileError(NO_FILE, file=path)
    return os.fdopen(number, "rb")


def check_exists(path: Path, none: str = "no such file") -> None:
    """`FileError` where there is nothing of this name, in these words; and where it is there, but no file."""
    if path.is_dir():
        raise FileError("cannot be read: expected a file, found a folder", file=path)
    if not path.is_file():
        raise FileError(NO_FILE if path.exists() else none, file=path)


@contextmanager
def unpacked(path: Path) -> Iterator[BinaryIO]:
    """The same, of a file whose name ends in ``.gz`` what is packed in it."""
    with opened(path) as file:
        if path.suffix.lower() != ".gz":
            yield file
            return
        try:
            with gzip.open(file, "rb") as content:
                yield cast(BinaryIO, content)
        except (EOFError, zlib.error) as error:
            raise FileError(f"cannot be read: {error}", file=path) from None


@contextmanager
def unpacked_text(path: Path) -> Iterator[TextIO]:
    """As UTF-8, with the ends of lines as they are."""
    with unpacked(path) as content, io.TextIOWrapper(content, encoding="utf-8-sig", newline="") as text:
        yield text


def lines_of(file: IO[Piece], path: Path) -> Iterator[Piece]:
    """The lines, each with its end."""
    number = 0
    while line := file.readline(MOST_LINE + 1):
        number += 1
        if len(line) > MOST_LINE:
            raise FileError(f"the line is longer than {MOST_LINE:,} characters", file=path, line=number)
        yield line


def whole_of(file: IO[Piece], path: Path, most: int | None = None) -> Piece:
    """All that is in it; `most`: left out, as much as any document may have."""
    most = MOST_DOCUMENT if most is None else most
    content = file.read(most + 1)
    if len(content) > most:
        raise FileError(f"is longer than {most:,} characters, and would have to be read as a whole", file=path)
    return content


def check_unpacked(unpacked: int, packed: int, path: Path) -> None:
    """Whether so much may come out of a file of this size."""
    if unpacked > MOST_UNPACKED:
        raise FileError(f"unpacks to more than {MOST_UNPACKED:,} bytes", file=path)
    if unpacked > MOST_LINE and unpacked > MOST_TIMES * packed:
        raise FileError(f"unpacks to more than {MOST_TIMES:,} times its own size, as no real one does", file=path)


def text_of(path: Path, most: int | None = None) -> str:
    """A whole file of UTF-8, of so many bytes at most."""
    with opened(path) as file:
        return whole_of(file, path, most).decode("utf-8-sig")


class RowLines(Iterator[str]):
    """The lines of one row of a table at a time: one cell may go over many lines, and a row over many such cells."""

    def __init__(self, lines: Iterator[str], path: Path) -> None:
        self._lines, self._path = lines, path
        self._length, self._number = 0, 0
        self.began = 0
        """Which line the row began on: empty ones before it are no part of it."""

    def __next__(self) -> str:
        line = next(self._lines)
        self._number += 1
        if not self.began and line.strip("\r\n"):
            self.began = self._number
        self._length += len(line)
        if self._length > MOST_LINE:
            raise FileError(f"the row is longer than {MOST_LINE:,} characters", file=self._path, line=self._number)
        return line

    def ends(self) -> None:
        self._length, self.began = 0, 0
