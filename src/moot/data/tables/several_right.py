"""Right answers of which several stand in one cell, beside wrong ones that stand in one: shown as a choice they give it away.

So TruthfulQA has them: the wrong ones are parted, and all that is right would be one long choice among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from moot.data.tables.advised_columns import WHICH_COLUMN, written
from moot.data.tables.choice_cells import WRITTEN
from moot.data.tables.doubts import Doubt
from moot.data.tables.known_names import WRONG, ColumnNames
from moot.data.tables.likely_columns import ROWS_READ
from moot.data.tables.listed_names import cut
from moot.data.tables.object_cells import opened
from moot.data.tables.table import QuestionTable

_FEWEST = 2
_OF_ALL = 0.3
_FORMAT = "format: truthfulqa reads that set as it is published"


def several_right(table: QuestionTable, columns: Mapping[str, ColumnNames]) -> Doubt | None:
    """None where no more than a few rows are so: a right answer may have a semicolon of its own."""
    answer, wrong = columns["answer"], columns.get(WRONG)
    if not isinstance(answer, str) or not isinstance(wrong, str):
        return None
    read = [(line, values) for line, values in islice(table.rows((answer, wrong)), ROWS_READ)]
    lines = [line for line, values in read if any(_parted(values.get(answer), values.get(wrong), by) for by in WRITTEN)]
    if len(lines) < max(_FEWEST, _OF_ALL * len(read)):
        return None
    problem = (
        f"{cut(answer)} holds several right answers in one cell, which would be one choice beside those of {cut(wrong)}"
    )
    say = f"name a column with one right answer under questions: {written({'answer': WHICH_COLUMN})}"
    open_too = "columns: {wrong: null} asks without choices"
    told = f"{open_too}, and accepts each" if any(_are_listed(values.get(answer)) for _, values in read) else _FORMAT
    return Doubt(f"{problem}; {say} ({told})", lines[0], answer)


def _are_listed(right: object) -> bool:
    value = opened(right)
    return isinstance(value, list) and len(value) > 1


def _parted(right: object, wrong: object, by: str) -> bool:
    if _are_listed(right):
        return True
    return isinstance(right, str) and isinstance(wrong, str) and by in right.strip(f"{by} ") and by in wrong
