"""Columns with a 1, or with 100 points, for each choice that is right, as exports of courses have them: none is the answer.

One taken for it would be read as a position counted from 0, and every question graded against one of the first two choices.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from moot.data.tables.likely_columns import ROWS_READ
from moot.data.tables.listed_names import listed
from moot.data.tables.table import QuestionTable

_YES = frozenset(("1", "100", "100%", "true", "yes", "x", "ja", "wahr", "oui", "vrai", "si", "sí", "да", "✓", "✔"))
_NO = frozenset(("0", "0%", "false", "no", "nein", "falsch", "non", "faux", "нет", "-", "–", ""))


def flag_columns(table: QuestionTable, names: Sequence[str]) -> tuple[str, ...]:
    """Those of the columns that say yes or no and sometimes yes; none where there are fewer than two."""
    held = dict.fromkeys(names)
    rows = 0
    said: dict[str, int] = dict.fromkeys(names, 0)
    for _, values in islice(table.rows(tuple(names)), ROWS_READ) if names else ():
        rows += 1
        for name in [*held]:
            text = _text(values.get(name))
            said[name] += text in _YES
            if text not in _YES and text not in _NO:
                del held[name]
        if len(held) < 2:
            return ()
    flags = tuple(name for name in held if said[name])
    return flags if rows and len(flags) > 1 else ()


def says_yes_or_no(value: Any) -> bool:
    """Whether a cell does, and is not empty."""
    return (text := _text(value)) != "" and text in _YES | _NO


def flags_told(flags: Sequence[str]) -> str:
    """What to do about them."""
    return (
        f"{listed(flags)} say yes or no of one choice each: one column has to say which choice is right, by its letter, its"
        " number or its text"
    )


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip().casefold()
