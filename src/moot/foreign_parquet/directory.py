"""What a Parquet file says about itself: its columns, and how large each page becomes once it is unpacked."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from moot.errors import FileError
from moot.foreign_files import MOST_DOCUMENT

MOST_DIRECTORY = 16 * 2**20
"""Bytes of the directory at the end of the file."""
MOST_COLUMNS = 2_000
DEEPEST_COLUMN = 32
MOST_VALUES = 50_000_000
"""Cells of one row group; each takes some bytes, however short it is written."""

_MAGIC = b"PAR1"
_DEEPEST_HEAD = 16
_FIXED_LENGTH, _BY_PREFIX = 7, 7
"""A type of column, and an encoding that repeats the beginning of the cell before: its pages do not tell how long it gets."""

Fields = Mapping[int, Any]


def check_directory(file: BinaryIO, path: Path) -> None:
    """`FileError` where it would unpack to more than is read at once, or does not say to what."""
    try:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            directory = _directory(content, path)
            columns = _columns(directory[2], path)
            for group in directory.get(4, ()):
                _check_group(content, group[1], columns, path)
    except (ValueError, LookupError, TypeError, AttributeError, struct.error, OverflowError):
        raise FileError("not a readable Parquet file: its directory is broken", file=path) from None


def _directory(content: mmap.mmap, path: Path) -> Fields:
    length = int.from_bytes(content[-8:-4], "little")
    if content[-4:] != _MAGIC or content[:4] != _MAGIC or length > len(content) - 12:
        raise FileError("not a readable Parquet file: it does not begin and end like one", file=path)
    if length > MOST_DIRECTORY:
        raise _too_much("its directory has", length, MOST_DIRECTORY, "bytes", path)
    return _Compact(content[-8 - length : -8], 0).fields()


def _columns(elements: list[Fields], path: Path) -> list[Fields]:
    """The columns that hold something, in their order."""
    if len(elements) > MOST_COLUMNS:
        raise _too_much("it has", len(elements), MOST_COLUMNS, "columns", path)
    open_parents: list[int] = []
    leaves = []
    for element in elements:
        while open_parents and not open_parents[-1]:
            open_parents.pop()
        if open_parents:
            open_parents[-1] -= 1
        if children := element.get(5, 0):
            open_parents.append(children)
        else:
            leaves.append(element)
        if len(open_parents) > DEEPEST_COLUMN:
            raise _too_much("a column is nested", len(open_parents), DEEPEST_COLUMN, "levels", path)
    return leaves


def _check_group(content: mmap.mmap, chunks: list[Fields], columns: list[Fields], path: Path) -> None:
    unpacked = values = 0
    for chunk, column in zip(chunks, columns, strict=True):
        about = chunk[3]
        name = b".".join(about[3]).decode("utf-8", "replace")
        if _BY_PREFIX in about[2]:
            problem = "its cells are written by what they share (DELTA_BYTE_ARRAY), so their size is not known"
            raise FileError(f"{problem}; expected another encoding", file=path, key=name)
        values += about[5]
        unpacked += sum(_page_sizes(content, about))
        if about[1] == _FIXED_LENGTH:
            unpacked += about[5] * column[2]
        if unpacked > MOST_DOCUMENT:
            raise _too_much("one row group unpacks to", unpacked, MOST_DOCUMENT, "bytes", path, name)
        if values > MOST_VALUES:
            raise _too_much("one row group has", values, MOST_VALUES, "values", path, name)


def _page_sizes(content: mmap.mmap, about: Fields) -> Iterator[int]:
    place = min(about[9], about.get(11) or about[9])
    end = place + about[7]
    if not 0 <= place <= end <= len(content):
        raise ValueError("pages outside of the file")
    while place < end:
        head = _Compact(content, place)
        page = head.fields()
        if page[2] < 0 or page[3] < 0:
            raise ValueError("a page of less than nothing")
        yield page[2]
        place = head.place + page[3]


def _too_much(what: str, found: int, most: int, unit: str, path: Path, key: str | None = None) -> FileError:
    return FileError(f"{what} {found:,} {unit}; at most {most:,} are read", file=path, key=key)


class _Compact:
    """Thrift's compact protocol, in which Parquet writes about itself: fields by their number."""

    def __init__(self, content: bytes | mmap.mmap, place: int) -> None:
        self._content, self.place = content, place

    def fields(self, deep: int = 0) -> dict[int, Any]:
        if deep > _DEEPEST_HEAD:
            raise ValueError("nested too deep")
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._signed()
            found[number] = self._value(head & 15, deep)
        return found

    def _value(self, kind: int, deep: int) -> Any:
        if kind in (1, 2):
            return kind == 1
        reader = _READERS.get(kind)
        if reader is not None:
            return reader(self)
        if kind in (9, 10):
            return self._list(deep)
        if kind == 11:
            return self._map(deep)
        if kind == 12:
            return self.fields(deep + 1)
        raise ValueError("unknown kind of field")

    def _list(self, deep: int) -> list[Any]:
        head = self._byte()
        size = head >> 4 if head >> 4 < 15 else self._unsigned()
        if deep > _DEEPEST_HEAD:
            raise ValueError("nested too deep")
        if head & 15 in (1, 2):
            return [self._byte() == 1 for _ in range(size)]
        return [self._value(head & 15, deep + 1) for _ in range(size)]

    def _map(self, deep: int) -> list[Any]:
        size = self._unsigned()
        kinds = self._byte() if size else 0
        return [(self._value(kinds >> 4, deep + 1), self._value(kinds & 15, deep + 1)) for _ in range(size)]

    def _byte(self) -> int:
        byte = self._content[self.place]
        self.place += 1
        return byte

    def _unsigned(self) -> int:
        number = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
        raise ValueError("a number without end")

    def _signed(self) -> int:
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)

    def _bytes(self, size: int) -> bytes:
        start, self.place = self.place, self.place + size
        if self.place > len(self._content):
            raise ValueError("cut off")
        return self._content[start : self.place]

    def _double(self) -> float:
        return float(struct.unpack("<d", self._bytes(8))[0])

    def _text(self) -> bytes:
        return self._bytes(self._unsigned())


_READERS: Mapping[int, Callable[[_Compact], Any]] = {
    3: _Compact._byte,
    **dict.fromkeys((4, 5, 6), _Compact._signed),
    7: _Compact._double,
    8: _Compact._text,
}
