"""A table of texts, column by column: each text once, and of each row its place among them.

A label matrix may have millions of rows and has few texts, so what is asked of them (trimmed, lower case, which of them go
together) is asked of each text once, and of the rows with arrays of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MISSING = -1

RowPlaces = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LabelColumn:
    texts: Sequence[str]
    places: RowPlaces
    """Of each row; `MISSING` where it has no text."""

    @property
    def size(self) -> int:
        """Bytes of all rows, once each has a text of its own."""
        times = np.bincount(self.places[self.places != MISSING], minlength=len(self.texts))
        return int(sum(len(text.encode()) * int(count) for text, count in zip(self.texts, times, strict=True)))

    @property
    def missing(self) -> int:
        return int((self.places == MISSING).sum())

    def changed(self, change: Callable[[str], str | None]) -> LabelColumn:
        """Each text as `change` makes it; those that become one are one."""
        column = TextPlaces()
        places = np.array([*(column.place(change(text)) for text in self.texts), MISSING], dtype=np.int64)
        return LabelColumn(list(column), places[self.places])

    def sorted(self) -> LabelColumn:
        """With the texts that some row has, in their order."""
        used = np.flatnonzero(np.bincount(self.places[self.places != MISSING], minlength=len(self.texts)))
        order = sorted(used.tolist(), key=self.texts.__getitem__)
        places = np.full(len(self.texts) + 1, MISSING, dtype=np.int64)
        places[order] = np.arange(len(order))
        return LabelColumn([self.texts[place] for place in order], places[self.places])

    def filled(self, text: str) -> LabelColumn:
        places = np.where(self.places == MISSING, len(self.texts), self.places)
        return LabelColumn([*self.texts, text], places).changed(str)

    def where(self, kept: NDArray[np.bool_]) -> LabelColumn:
        return LabelColumn(self.texts, self.places[kept])

    def having(self, text: str) -> NDArray[np.bool_]:
        """The rows with this text, in lower case; one that is missing equals nothing."""
        same = np.array([*(each.lower() == text for each in self.texts), False])
        return same[self.places]


def distinct(numbers: RowPlaces) -> RowPlaces:
    """Each once, in their order. (NumPy's own hashes them, which takes five times as long.)"""
    ordered = np.sort(numbers)
    first = np.concatenate([np.ones(min(1, len(ordered)), dtype=bool), ordered[1:] != ordered[:-1]])
    once: RowPlaces = ordered[first]
    return once


LabelTable = Mapping[str, LabelColumn]


class TextPlaces(dict[str, int]):
    """A place for each text, in the order in which they come."""

    def __missing__(self, text: str) -> int:
        place = self[text] = len(self)
        return place

    def place(self, text: str | None) -> int:
        return MISSING if text is None else self[text]


class GrowingColumn:
    """A column whose rows come a part at a time."""

    def __init__(self) -> None:
        self._places = TextPlaces()
        self._parts: list[RowPlaces] = []
        self.rows = 0

    def extend(self, texts: Iterable[str | None]) -> None:
        self._append(np.fromiter(map(self._places.place, texts), dtype=np.int64))

    def extend_cells(self, cells: Sequence[str]) -> None:
        """Of a CSV file, where nothing between two commas is no text."""
        part = np.fromiter(map(self._places.__getitem__, cells), dtype=np.int64, count=len(cells))
        if (empty := self._places.get("")) is not None:
            part[part == empty] = MISSING
        self._append(part)

    def extend_missing(self, rows: int) -> None:
        self._append(np.full(rows, MISSING, dtype=np.int64))

    def _append(self, part: RowPlaces) -> None:
        self._parts.append(part)
        self.rows += len(part)

    def column(self) -> LabelColumn:
        return LabelColumn(list(self._places), np.concatenate([np.zeros(0, dtype=np.int64), *self._parts]))
