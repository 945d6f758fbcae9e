"""Numbers as people read them: the same figure is written in the same way wherever words and tables show it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from moot.measures.section import Unit

Row = Mapping[str, Any]

NOTHING = "–"

MARK = "*"
MARKED = (
    f"{MARK} Over what is graded, and not all is: what it is over all, at least and at most, stands on the page (-o) and in"
    " --json. A dash: what is graded would flatter, or nothing is."
)

WHISKER = 20
"""Characters of the drawn interval, where there is room."""


def shown(value: object, unit: Unit = "") -> str:
    """A value as people write it. What does not exist is a dash."""
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _number(value, unit)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(map(str, value)) or NOTHING
    return str(value)


def _number(value: float, unit: Unit) -> str:
    match unit:
        case "share":
            return f"{round(100 * value, 1) + 0.0:.1f} %"  # no -0.0
        case "points":
            return f"{100 * value:+.1f}"
        case "usd":
            return _dollars(value)
        case "usd-per-question":
            return _dollars(1_000 * value)
        case "p":
            return "<0.001" if value < 0.001 else f"{value:.3f}"
        case "ratio":
            return f"{value:.2f}" if value < 10 else f"{value:.1f}"
        case "number":
            return f"{value:,.2f}"
        case "seconds":
            return f"{value:,.1f} s"
        case _:
            return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def _dollars(value: float) -> str:
    """Never a nought that is none: small sums keep two digits."""
    if value == 0:
        return "$0"
    if abs(value) >= 0.1:
        return f"${value:,.2f}"
    decimals = 1 - math.floor(math.log10(abs(value)))
    return f"${value:.{min(decimals, 12)}f}"


def per_thousand(usd: float | None, questions: int) -> str:
    """What so many questions cost, as dollars for a thousand of them."""
    return NOTHING if usd is None or not questions else _dollars(1_000 * usd / questions)


def bounds(low: float | None, high: float | None, unit: Unit = "") -> str:
    """An interval in the unit of its value, without repeating the sign of the unit; open on a side that has no bound."""
    ends = [None if end is None else _number(end, unit).removesuffix(" %").removesuffix(" s") for end in (low, high)]
    if unit == "points":
        ends = [end and end.removeprefix("+") for end in ends]
    match ends:
        case [None, None]:
            return ""
        case [str() as least, None]:
            return f"(from {least})"
        case [None, most]:
            return f"(to {most})"
        case _:
            dash = "–" if low is not None and low >= 0 else " to "  # a dash before a minus is hard to read
            return f"({dash.join(str(end) for end in ends)})"


def percent(value: float | None) -> str:
    return shown(value, "share")


def points(value: float | None) -> str:
    return shown(value, "points")


def money(usd: float | None) -> str:
    return "unknown" if usd is None else shown(usd, "usd")


def interval(row: Row) -> str:
    """The bounds of a row in percentage points."""
    return bounds(row["low"], row["high"], "points")


def plain(value: float | None) -> str:
    """A share without its sign, under a title that has it."""
    return NOTHING if value is None else f"{100 * value:.1f}"


def brief(row: Row | None, key: str = "value") -> str:
    """``43.4 (39–47)``: the interval in whole points, so that four stand beside each other.

    With a mark where not all is graded.
    """
    if row is None or row[key] is None:
        return NOTHING if row is None else f"{NOTHING}{mark(row)}"
    bounds = "" if row["low"] is None else f" ({100 * row['low']:.0f}–{100 * row['high']:.0f})"
    return f"{100 * row[key]:.1f}{bounds}{mark(row)}"


def mark(row: Row) -> str:
    """Behind a figure that is over what is graded, where not all is: what it says stands below the table."""
    return MARK if row.get("bounds") else ""


def whisker(row: Row, width: int = WHISKER) -> str:
    """The interval drawn on a line from 0 to 100 %."""
    if row["low"] is None:
        return ""
    low, value, high = (round(row[key] * (width - 1)) for key in ("low", "value", "high"))
    line = ["·"] * width
    line[low : high + 1] = "─" * (high - low + 1)
    line[value] = "●"
    return "".join(line)
