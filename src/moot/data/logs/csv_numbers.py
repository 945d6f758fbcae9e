"""Numbers in the cells of a table of replies, where a comma may be a decimal point."""

from __future__ import annotations

import re

from moot.data.logs.fields import amount

_COMMA = re.compile(r"(\d+),(\d+)")
_THOUSANDS = 3
_DOLLARS = re.compile(r"(?:(?:US ?)?\$|USD) ?(\d[\d.,]*)|(\d[\d.,]*) ?(?:(?:US ?)?\$|USD)", re.IGNORECASE)


def in_dollars(cell: str) -> str:
    """The number alone where a sign of dollars stands at it. One of another currency stays, and makes it no number."""
    found = _DOLLARS.fullmatch(cell.strip())
    return cell if found is None else found[1] or found[2]


def figure(cell: str) -> float | None:
    """From 0 on. A comma is a decimal point where it can be nothing else; None: it is no number, or one of two."""
    written = cell.strip()
    if (found := _COMMA.fullmatch(written)) is not None and not may_be_two(written):
        written = f"{found[1]}.{found[2]}"
    try:
        return amount(float(written))
    except ValueError:
        return None


def may_be_two(cell: str) -> bool:
    """Whether 1,234 is written, which is a thousand to some and little more than one to others; 0,050 is neither's thousand."""
    found = _COMMA.fullmatch(cell.strip())
    return found is not None and len(found[2]) == _THOUSANDS and len(found[1]) <= _THOUSANDS and found[1][0] != "0"
