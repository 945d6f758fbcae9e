"""Answers that are positions of choices nobody has named: in one cell, or in columns that are not numbered.

Played as they stand these would be open questions, graded against "2". Small numbers are answers of their own as well: so they
are positions only where there is as much to point at as the highest of them wants.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from moot.data.tables.answer_headers import says_otherwise
from moot.data.tables.choice_cells import SEPARATORS, parts
from moot.data.tables.known_names import ColumnNames
from moot.data.tables.likely_columns import MOST_COLUMNS, ROWS_READ, names_an_id
from moot.data.tables.mapped import ColumnsOfTable, TableRow
from moot.data.tables.pointing_answers import FEWEST_ALIKE
from moot.data.tables.table import QuestionTable
from moot.types import MOST_CHOICES

_LONGEST = 8
"""Words of a choice in a column of its own, on average."""
_OTHERWISE_PARTED = (",", "/", "\n")
"""What parts choices and much else: with fewer than three parts it says nothing."""
_NUMBER = re.compile(r"[-+]?[0-9]+(?:[.,][0-9]+)?")


@dataclass(frozen=True, slots=True)
class PointedAt:
    """What positions could point at: one column with all choices in each cell, or a column each, and the last position."""

    columns: tuple[str, ...]
    wanted: int
    in_cells: bool

    @property
    def likely(self) -> ColumnNames | None:
        """The choices, where there are no more columns than they need."""
        if len(self.columns) != (1 if self.in_cells else self.wanted):
            return None
        return self.columns[0] if self.in_cells else self.columns


def pointed_at(table: QuestionTable, answer: str, unused: Sequence[str]) -> PointedAt | None:
    """None: the answers are no positions, or there is nothing for them to point at."""
    beside = [name for name in unused[:MOST_COLUMNS] if not says_otherwise(name) and not names_an_id(name)]
    if not beside:
        return None
    mapping = ColumnsOfTable(table, {"answer": answer, "meta": tuple(beside)})
    rows = [row for row in islice(mapping.rows(), ROWS_READ) if row.answer()]
    wanted = _wanted([str(row.answer()).strip() for row in rows])
    if wanted is None:
        return None
    if cells := [name for name in beside if all(_parts(row.values.get(name)) >= wanted for row in rows)]:
        return PointedAt(tuple(cells), wanted, in_cells=True)
    short = tuple(name for name in beside if _is_of_choices(rows, name))
    return PointedAt(short, wanted, in_cells=False) if len(short) >= max(wanted, FEWEST_ALIKE) else None


def _wanted(answers: Sequence[str]) -> int | None:
    """How many choices there must be, if these are whole numbers from 0 or 1 on, and not all the same."""
    if not answers or not all(text.isdecimal() and len(text) <= 2 for text in answers):
        return None
    places = {int(text) for text in answers}
    wanted = max(places) + (0 in places)
    return wanted if len(places) > 1 and wanted <= MOST_CHOICES else None


def _parts(cell: Any) -> int:
    if isinstance(cell, list):
        return len(cell)
    if not isinstance(cell, str) or not cell.strip():
        return 0
    if cell.lstrip().startswith("["):
        return cell.count(",") + 1
    most = max(len(parts(cell, each)) for each in SEPARATORS)
    weakly = max(len(cell.strip().split(each)) for each in _OTHERWISE_PARTED)
    return max(most if most > 1 else 0, weakly if weakly >= FEWEST_ALIKE else 0)


def _is_of_choices(rows: Sequence[TableRow], name: str) -> bool:
    """Whether something short stands in nearly every row, and words in some: a passage is no choice, nor is a number."""
    cells = [text for row in rows if (text := _text(row.values, name))]
    worded = any(not _NUMBER.fullmatch(text) for text in cells)
    return worded and 2 * len(cells) >= len(rows) and sum(len(text.split()) for text in cells) <= _LONGEST * len(cells)


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return value.strip() if isinstance(value, str) else "" if value is None or isinstance(value, list) else str(value)
