"""Percentages that a spreadsheet keeps as shares: 2 % as 0.02, which is what an answer of 0.02 % would be taken for.

Where the file says how a cell is shown they are read as they are (`spreadsheet_worker`). An old one does not, so a sheet that
asks for percent and has shares for answers is asked about before anybody is graded by it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from moot.data.tables.doubts import Doubt
from moot.data.tables.known_names import ColumnNames
from moot.data.tables.table import QuestionTable

_PERCENT = re.compile(r"%|per ?cent|pct\b|prozent|pour ?cent|por ?cien|per ?cento|procent|процент", re.IGNORECASE)
_SHARE = re.compile(r"-?0\.[0-9]+")


def stored_percentages(table: QuestionTable, columns: Mapping[str, ColumnNames]) -> Doubt | None:
    """None: how cells are shown is known, or nobody asks for percent, or no answer is a share."""
    answer, text = columns.get("answer"), columns.get("text")
    if table.percentages_known or not isinstance(answer, str) or not isinstance(text, str):
        return None
    if table.numbers is None or answer not in table.numbers.names:
        return None
    shares = asked = 0
    first = None
    for line, row in table.rows((answer, text)):
        if isinstance(value := row.get(answer), str) and _SHARE.fullmatch(value):
            shares += 1
            if _PERCENT.search(str(row.get(text) or "")) or _PERCENT.search(answer):
                asked += 1
                first = first or (line, value)
    if first is None:
        return None
    line, value = first
    problem = (
        f"percent is asked for, and {asked} of the answers are numbers between 0 and 1, such as {value}: a spreadsheet keeps"
        f" 2 % as 0.02, and this kind of file does not tell which is meant; save it as .xlsx or .csv, or format the column as"
        f" text and type the answers with their sign"
    )
    return Doubt(problem, line, answer)
