"""Numbers as people read them: the same figure is written in the same way wherever words and tables show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from moot.measures.section import Unit
from moot.stats.written_numbers import dollars, dollars_alike, of_hundred
from moot.stats.written_numbers import rounded as rounded

Row = Mapping[str, Any]

NOTHING = "–"

MARK = "*"
BOUNDS = "Bounds: over all questions, with every ungraded answer counted as wrong, and as right."
MARKED = (
    f"{MARK} Graded answers only; some are not graded yet. The bounds over all answers are on the page (-o) and in"
    " --json. A dash: nothing is graded, or the graded part alone would flatter."
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
            return f"{of_hundred(value)} %"
        case "points":
            return of_hundred(value, sign=True)
        case "usd":
            return dollars(value)
        case "usd-per-question":
            return dollars(1_000 * value)
        case "p":
            return "<0.001" if value < 0.001 else rounded(value, 3)
        case "ratio":
            return rounded(value, 2 if abs(value) < 10 else 1)
        case "number":
            return rounded(value, 2)
        case "seconds":
            return f"{rounded(value, 1)} s"
        case _:
            return rounded(value, 0 if float(value).is_integer() else 2)


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


def money_alike(sums: Iterable[float | None], *, unknown: str = "unknown") -> list[str]:
    """Sums that stand beside or below each other: see `dollars_alike`."""
    given = list(sums)
    written = iter(dollars_alike(*(usd for usd in given if usd is not None)))
    return [unknown if usd is None else next(written) for usd in given]


def per_thousand_alike(usd_per_question: Iterable[float | None]) -> list[str]:
    """A column of what one question costs, as dollars for a thousand of them."""
    return money_alike((None if usd is None else 1_000 * usd for usd in usd_per_question), unknown=NOTHING)


def interval(row: Row) -> str:
    """The bounds of a row in percentage points."""
    return bounds(row["low"], row["high"], "points")


def plain(value: float | None) -> str:
    """A share without its sign, under a title that has it."""
    return NOTHING if value is None else of_hundred(value)


def signed(value: float) -> str:
    """A difference of shares in points, for whoever knows that there is one."""
    return of_hundred(value, sign=True)


def between(ends: Mapping[str, float]) -> str:
    """Between what a share lies; a single figure where both ends are written alike."""
    low, high = (plain(ends[end]) for end in ("low", "high"))
    return f"{low} %" if low == high else f"between {low} and {high} %"


def right(row: Row) -> str:
    """How much of a row is right, with its interval; of one that has no figure, between what it lies."""
    if row["value"] is None and row.get("bounds"):
        return f"bounds {over_all(row)} %"
    return f"{percent(row['value']):>7} {interval(row)}".rstrip() + mark(row)


def over_all(row: Row) -> str:
    """At least and at most what a share is over all questions, in per cent; nothing where all is graded."""
    if not (ends := row.get("bounds")):
        return ""
    low, high = (plain(ends[end]) for end in ("low", "high"))
    return low if low == high else f"{low}–{high}"


def signed_between(ends: Mapping[str, float]) -> str:
    """Between what a difference lies, in points; a single figure where both ends are written alike."""
    low, high = (signed(ends[end]) for end in ("low", "high"))
    return low if low == high else f"between {low} and {high}"


def brief(row: Row | None, key: str = "value") -> str:
    """``43.4 (39–47)``: the interval in whole points, so that four stand beside each other.

    With a mark where not all is graded.
    """
    if row is None or row[key] is None:
        return NOTHING if row is None else f"{NOTHING}{mark(row)}"
    bounds = "" if row["low"] is None else f" ({of_hundred(row['low'], 0)}–{of_hundred(row['high'], 0)})"
    return f"{plain(row[key])}{bounds}{mark(row)}"


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
