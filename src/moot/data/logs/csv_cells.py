"""Cells of a table that are not what their column is for: how many there are, and where the first of them stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from moot.data.logs.fields import text
from moot.data.tables.listed_names import cut
from moot.data.tables.table import QuestionTable

EMPTY = ("nan", "na", "n/a", "none", "null", "-")
"""What programs write into a cell that is empty."""


@dataclass(frozen=True, slots=True)
class OddCells:
    """Of `of` cells that are not empty."""

    column: str
    number: int
    of: int
    line: int
    """Of the first of them, and"""
    cell: str
    """what stands there."""

    @property
    def place(self) -> str:
        return f"({cut(self.cell)!r} in line {self.line})"

    @property
    def share(self) -> str:
        """With the verb."""
        return f"{self.number} of {self.of} cells {'is' if self.number == 1 else 'are'}"


def odd_cells(table: QuestionTable, column: str, is_right: Callable[[str], bool]) -> OddCells | None:
    """None: every cell that says something is as it should be, or none says anything."""
    said = [(line, cell) for line, row in table.rows((column,)) if not is_empty(cell := text(row.get(column)))]
    odd = [(line, cell) for line, cell in said if cell is not None and not is_right(cell)]
    return OddCells(column, len(odd), len(said), *odd[0]) if odd else None


def is_empty(cell: str | None) -> bool:
    return cell is None or cell.strip().casefold() in EMPTY
