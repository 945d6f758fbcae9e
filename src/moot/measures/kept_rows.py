"""The episodes of a cell as they stand in the store, which many measures read one after another.

Those of a small run are kept: asking for them again costs more than all that is done with them. Those of a large one, or with
long texts, are read anew by each, so that no report holds a whole run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from moot.measures.cells import Row

MOST_CHARACTERS = 2_000_000
"""Of all cells together, in what was said and asked on the way: some hundred plays of a small team."""


class KeptRows:
    """`read` gives the rows of a cell, by its id, from the store."""

    def __init__(self, read: Callable[[str], Iterable[Row]]) -> None:
        self._read = read
        self._kept: dict[str, list[Row]] = {}
        self._room = MOST_CHARACTERS

    def of(self, cell: str) -> Iterable[Row]:
        kept = self._kept.get(cell)
        return self._fresh(cell) if kept is None else kept

    def _fresh(self, cell: str) -> Iterator[Row]:
        """Kept once all were asked for, if there is room."""
        rows: list[Row] | None = []
        room = self._room
        for row in self._read(cell):
            room -= len(row["verdict"]) + len(row["transcript"])
            if room < 0:
                rows = None
            if rows is not None:
                rows.append(row)
            yield row
        if rows is not None and cell not in self._kept and room <= self._room:
            self._kept[cell], self._room = rows, room
