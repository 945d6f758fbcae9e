"""What a spreadsheet may be where its columns are none of questions: a cover in front of them, or a title above them."""

from __future__ import annotations

from collections.abc import Callable

from moot.data.rows import title_words
from moot.data.tables.table import QuestionTable
from moot.errors import FileError

MOST_SHEETS = 8
"""Looked at to find the one that is meant."""


def other_sheets_told(table: QuestionTable, fits: Callable[[str], bool]) -> str | None:
    """That this sheet was taken since nobody named one, and which other the questions may be in; None: there is no other.

    `fits`: whether the columns of a sheet are known.
    """
    if table.sheet is None:
        return None
    looked_at = table.other_sheets[:MOST_SHEETS]
    fitting = [name for name in looked_at if _readable(name, fits)]
    way = (
        f"sheet: {fitting[0]} reads the one whose columns are known"
        if len(fitting) == 1
        else "sheet: NAME reads another"
    )
    more = "…" if len(looked_at) < len(table.other_sheets) else ""
    return f"this is the sheet {table.sheet!r}, beside {', '.join(looked_at)}{more}; {way}"


def title_told(table: QuestionTable) -> str | None:
    """That the first row seems to be no header, as it leaves most columns without a name; None: it names them."""
    unnamed, columns = len(table.nameless), len(table.names)
    if unnamed * 2 <= columns:
        return None
    return title_words(table.header, columns - unnamed, columns)


def _readable(name: str, fits: Callable[[str], bool]) -> bool:
    try:
        return fits(name)
    except FileError:
        return False
