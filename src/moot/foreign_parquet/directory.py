"""What a Parquet file says about itself: its columns, and how large each page becomes once it is unpacked.

It is worth nothing unless Polars then reads the same pages as were added up here. So a column's pages begin where Polars begins,
what the heads of pages say goes before what the directory says of them, both have to agree, and no byte is read twice.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from moot.errors import FileError
from moot.foreign_files import MOST_DOCUMENT
from moot.foreign_parquet.arrow_schema import ARROW_SCHEMA, check_arrow_schema
from moot.foreign_parquet.compact import CompactReader, Fields, Unclear
from moot.foreign_parquet.format import DIRECTORY, PAGE_HEAD

MOST_DIRECTORY = 16 * 2**20
"""Bytes of the directory at the end of the file."""
MOST_COLUMNS = 2_000
DEEPEST_COLUMN = 32
MOST_VALUES = 50_000_000
"""Cells of one row group; each takes some bytes, however short it is written."""
MOST_PAGES = 500_000

_MAGIC = b"PAR1"
_FIXED_LENGTH = 7
"""A type of column."""
_REPEATED = 2
"""A column, or a group of them, that is a list."""
_ENCODINGS = frozenset({0, *range(2, 10)})
_BY_PREFIX = 7
"""An encoding that repeats the beginning of the cell before: its pages do not tell how long it gets."""


@dataclass(frozen=True)
class _Column:
    """One that holds something."""

    kind: int
    length: int
    """Bytes of a cell, where all have the same."""
    in_lists: bool


@dataclass(frozen=True)
class RowGroup:
    rows: int
    values: int
    """Of all columns, with each item of a list."""


@dataclass(frozen=True)
class _Page:
    unpacked: int
    values: int
    """None for a dictionary, whose values stand for nothing until a cell names them."""


def check_directory(file: BinaryIO, path: Path) -> list[RowGroup]:
    """What is in it. `FileError` where it would unpack to more than is read at once, or does not say to what."""
    try:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return _Check(content, path).row_groups()
    except Unclear as error:
        raise FileError(f"not a readable Parquet file: {error}", file=path) from None
    except (ValueError, LookupError):
        raise FileError("not a readable Parquet file: its directory is broken", file=path) from None


class _Check:
    def __init__(self, content: mmap.mmap, path: Path) -> None:
        self._content, self._path = content, path
        length = int.from_bytes(content[-8:-4], "little")
        self._pages_end = len(content) - 8 - length
        self._pages = 0
        self._ranges: list[tuple[int, int]] = []

    def row_groups(self) -> list[RowGroup]:
        directory = self._directory()
        if 8 in directory or 9 in directory:
            raise Unclear("it is encrypted")
        for note in directory.get(5, ()):
            if note.get(1) == ARROW_SCHEMA:
                check_arrow_schema(note.get(2, b""))
        columns = self._columns(directory[2])
        groups = [self._checked_group(group, columns) for group in directory[4]]
        if sum(group.rows for group in groups) != directory[3]:
            raise Unclear("its row groups have other numbers of rows than it says")
        if any(begins < ended for (_, ended), (begins, _) in pairwise(sorted(self._ranges))):
            raise Unclear("its columns share pages")
        return groups

    def _directory(self) -> Fields:
        content = self._content
        if content[-4:] != _MAGIC or content[:4] != _MAGIC or self._pages_end < len(_MAGIC):
            raise Unclear("it does not begin and end like one")
        directory = content[self._pages_end : -8]
        if len(directory) > MOST_DIRECTORY:
            raise self._too_much("its directory has", len(directory), MOST_DIRECTORY, "bytes")
        return CompactReader(directory, 0, len(directory)).structure(DIRECTORY)

    def _columns(self, elements: list[Fields]) -> list[_Column]:
        """The columns that hold something, in their order."""
        if len(elements) > MOST_COLUMNS:
            raise self._too_much("it has", len(elements), MOST_COLUMNS, "columns")
        still_to_come: list[int] = []
        repeated: list[bool] = []
        leaves = []
        for place, element in enumerate(elements):
            while still_to_come and not still_to_come[-1]:
                still_to_come.pop()
                repeated.pop()
            if still_to_come:
                still_to_come[-1] -= 1
            children, length = element.get(5, 0), element.get(2, 0)
            if min(children, length) < 0 or (place and not still_to_come):
                raise Unclear("its columns do not belong together")
            in_lists = any(repeated) or (place > 0 and element.get(3) == _REPEATED)
            if children or not place:
                still_to_come.append(children)
                repeated.append(in_lists)
            else:
                leaves.append(_Column(element[1], length, in_lists))
            if len(still_to_come) > DEEPEST_COLUMN:
                raise self._too_much("a column is nested", len(still_to_come), DEEPEST_COLUMN, "levels")
        if any(still_to_come):
            raise Unclear("its columns do not belong together")
        return leaves

    def _checked_group(self, group: Fields, columns: list[_Column]) -> RowGroup:
        rows: int = group[3]
        unpacked = values = 0
        for chunk, column in zip(group[1], columns, strict=True):
            if chunk.get(1):
                raise Unclear("its columns stand in another file")
            if 8 in chunk or 9 in chunk:
                raise Unclear("it is encrypted")
            about = chunk[3]
            name = b".".join(about[3]).decode("utf-8", "replace")
            if about[1] != column.kind:
                raise Unclear("it says two things of the type of a column")
            own = 0
            for page in self._checked_pages(about, name):
                unpacked += page.unpacked
                own += page.values
            if own != about[5] or (own < rows if column.in_lists else own != rows):
                raise Unclear("its pages hold other numbers of values than it says")
            values += own
            if column.kind == _FIXED_LENGTH:
                unpacked += own * column.length
            if unpacked > MOST_DOCUMENT:
                raise self._too_much("one row group unpacks to", unpacked, MOST_DOCUMENT, "bytes", name)
            if values > MOST_VALUES:
                raise self._too_much("one row group has", values, MOST_VALUES, "values", name)
        if rows < 0 or (rows and not columns):
            raise Unclear("it has rows without columns")
        return RowGroup(rows, values)

    def _checked_pages(self, about: Fields, name: str) -> Iterator[_Page]:
        """From where Polars begins, which is the dictionary if one is named."""
        if not about[7]:
            return
        begins = place = about.get(11, about[9])
        end = begins + about[7]
        if not len(_MAGIC) <= begins < end <= self._pages_end:
            raise Unclear("it has pages outside of the file")
        if about[9] < begins and about[5]:  # where there are no values, no page of them begins anywhere
            raise Unclear("it has a dictionary behind the pages that need it")
        self._ranges.append((begins, end))
        while place < end:
            self._pages += 1
            if self._pages > MOST_PAGES:
                raise Unclear(f"it has more than {MOST_PAGES:,} pages")
            reader = CompactReader(self._content, place, end)
            head = reader.structure(PAGE_HEAD)
            unpacked, packed = head[2], head[3]
            values, encoding = _values_and_encoding(head, may_be_dictionary=place == begins)
            if encoding == _BY_PREFIX:
                problem = "its cells are written by what they share (DELTA_BYTE_ARRAY), so their size is not known"
                raise FileError(f"{problem}; expected another encoding", file=self._path, key=name)
            place = reader.place + packed
            if min(unpacked, packed, values) < 0 or place > end:
                raise Unclear("it has pages outside of the file")
            yield _Page(max(unpacked, packed), values)

    def _too_much(self, what: str, found: int, most: int, unit: str, key: str | None = None) -> FileError:
        return FileError(f"{what} {found:,} {unit}; at most {most:,} are read", file=self._path, key=key)


def _values_and_encoding(head: Fields, may_be_dictionary: bool) -> tuple[int, int]:
    match head[1]:
        case 0:
            values, encoding = head[5][1], head[5][2]
        case 3:
            values, encoding = head[8][1], head[8][4]
        case 2 if may_be_dictionary and 0 <= head[7][1] <= head[2]:
            values, encoding = 0, head[7][2]
        case _:
            raise Unclear("it has pages of a kind that there is not")
    if encoding not in _ENCODINGS:
        raise Unclear("its pages have an encoding that there is not")
    return values, encoding
