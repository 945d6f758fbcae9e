"""A passage that stands once above several questions, as merged cells of a spreadsheet are stored: only the first row has it.

The others would be asked without it, and be called hard.
"""

from __future__ import annotations

from collections.abc import Mapping

from moot.data.tables.advised_columns import written
from moot.data.tables.doubts import Doubt
from moot.data.tables.known_names import ColumnNames
from moot.data.tables.listed_names import cut
from moot.data.tables.stated import Stated
from moot.data.tables.table import QuestionTable

_WORDS = 10
"""Of a passage, on average: less is a label."""
_EMPTY = 0.25
"""The share of rows without one from which they are more than slips."""


def passages_of_groups(table: QuestionTable, columns: Mapping[str, ColumnNames]) -> Doubt | None:
    """None: every row has its passage, or few have none, or the first has none."""
    context, text = columns.get("context"), columns.get("text")
    if not isinstance(context, str) or not isinstance(text, str) or table.rows_are_named:
        return None
    rows = empty = words = 0
    first = None
    for line, values in table.rows((context, text)):
        if values.get(text) in (None, ""):
            continue
        passage = str(values.get(context) or "").strip()
        if not passage and not rows:
            return None
        rows += 1
        empty += not passage
        words += len(passage.split())
        first = first or (line if not passage else None)
    if first is None or empty < _EMPTY * rows or words < _WORDS * (rows - empty):
        return None
    problem = f"context ({cut(context)}) is empty in {empty} of {rows} rows, each below a filled one"
    repeat = f"are cells merged? Then repeat the text in every row that it is for; {written({'context': context})}"
    return Doubt(
        f"{problem}, and those would be asked without it: {repeat} under questions says that it is as it should be",
        first,
        ways=(Stated({"context": context}),),
    )
