"""Thrift's compact protocol, in which a Parquet file writes about itself, read as narrowly as Parquet needs it.

Whoever reads the file afterwards must see the same in it. Other readers take a known field for what it should be, whatever
kind it is said to be of, and cut its number to 16 bits; so a field of another kind, or with a number that nobody gave, would be
two things to two readers, and is refused here.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable, Mapping
from typing import Any

Fields = Mapping[int, Any]

MOST_ENTRIES = 1_000_000
"""Fields and items of lists that are read; each takes a hundred times its bytes in memory, and empty ones take one byte."""

_DEEPEST = 16
_MOST_FIELD = 2**15 - 1
_TRUE, _FALSE, _LIST, _STRUCT = 1, 2, 9, 12


class Unclear(ValueError):
    """It cannot be known what another reader would make of the file. Says why."""


class KnownFields:
    """The fields of a structure that are looked at, each with the kind that it has to be of."""

    def __init__(self, **kinds: KnownFields | ListOf | int) -> None:
        """By names such as `f3`, for the field of number 3."""
        self.kinds = {int(name[1:]): kind for name, kind in kinds.items()}


class ListOf:
    """A list, all of one kind."""

    def __init__(self, kind: KnownFields | int) -> None:
        self.kind = kind


Expected = KnownFields | ListOf | int | None
BOOL, BYTE, I16, I32, I64, TEXT = _TRUE, 3, 4, 5, 6, 8
ANYTHING = KnownFields()


class CompactReader:
    """From a place on; `place` is behind what was read."""

    def __init__(self, content: bytes | mmap.mmap, place: int, end: int) -> None:
        self.place = place
        self._content, self._end = content, end
        self._entries = 0

    def structure(self, known: KnownFields, deep: int = 0) -> dict[int, Any]:
        """The fields by their number, those too that nobody looks at."""
        if deep > _DEEPEST:
            raise Unclear("it is nested too deep")
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._short()
            if not 0 < number <= _MOST_FIELD or number in found:
                raise Unclear("it has fields with numbers that there are not")
            found[number] = self._value(head & 15, known.kinds.get(number), deep)
        return found

    def _value(self, kind: int, expected: Expected, deep: int) -> Any:
        self._entries += 1
        if self._entries > MOST_ENTRIES:
            raise Unclear(f"it says more than {MOST_ENTRIES:,} things of itself")
        if expected is not None and kind != _kind_of(expected) and (expected, kind) != (BOOL, _FALSE):
            raise Unclear("it has fields of another kind than they have to be")
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind == _STRUCT:
            return self.structure(expected if isinstance(expected, KnownFields) else ANYTHING, deep + 1)
        if kind == _LIST:
            return self._list(expected.kind if isinstance(expected, ListOf) else None, deep + 1)
        reader = _READERS.get(kind)
        if reader is None:  # sets and maps too: Parquet knows none
            raise Unclear("it has fields of a kind that there is not")
        return reader(self)

    def _list(self, expected: Expected, deep: int) -> list[Any]:
        if deep > _DEEPEST:
            raise Unclear("it is nested too deep")
        head = self._byte()
        size = head >> 4 if head >> 4 < 15 else self._unsigned()
        if size > self._end - self.place:
            raise Unclear("it has lists that are longer than the file")
        if head & 15 in (_TRUE, _FALSE):
            if expected is not None:
                raise Unclear("it has lists of another kind than they have to be")
            return [flag == _TRUE for flag in self._bytes(size)]
        return [self._value(head & 15, expected, deep) for _ in range(size)]

    def _byte(self) -> int:
        return self._bytes(1)[0]

    def _unsigned(self) -> int:
        number = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128 and number < 2**64:
                return number
        raise Unclear("it has numbers without end")

    def _signed(self, most: int = 2**63 - 1) -> int:
        number = self._unsigned()
        number = (number >> 1) ^ -(number & 1)
        if not -most - 1 <= number <= most:
            raise Unclear("it has numbers that are too long for their kind")
        return number

    def _short(self) -> int:
        return self._signed(2**15 - 1)

    def _int(self) -> int:
        return self._signed(2**31 - 1)

    def _bytes(self, size: int) -> bytes:
        start, self.place = self.place, self.place + size
        if self.place > self._end:
            raise Unclear("it is cut off")
        return self._content[start : self.place]

    def _double(self) -> float:
        return float(struct.unpack("<d", self._bytes(8))[0])

    def _text(self) -> bytes:
        return self._bytes(self._unsigned())


def _kind_of(expected: KnownFields | ListOf | int) -> int:
    if isinstance(expected, int):
        return expected
    return _STRUCT if isinstance(expected, KnownFields) else _LIST


_READERS: Mapping[int, Callable[[CompactReader], Any]] = {
    3: CompactReader._byte,
    4: CompactReader._short,
    5: CompactReader._int,
    6: CompactReader._signed,
    7: CompactReader._double,
    8: CompactReader._text,
}
