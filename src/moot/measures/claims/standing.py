"""What a report claims, and whether that stands whatever comes of the plays that went on without somebody.

A share says how much was right of what was played, and keeps its interval. A claim says more: that one is better than another,
that more was rescued than spoilt, that a hypothesis holds. Whoever runs the file again may find it gone. So each is held against
the same figure of a run in which those plays may come to anything (`measures.played_again`): one that is not made there as well
keeps its value, and loses interval and p.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from moot.stats.quantiles import ALPHA

Row = dict[str, Any]

WHY_NOT = "plays that went on without a model could reverse it"

_END = re.compile(r"(?P<of>(?:\w{1,40}_)?)(?P<end>low|high|p)(?P<paid>(?:_holm)?)")
_NAMES = (
    *(
        "of",
        "against",
        "a",
        "b",
        "label",
        "from",
        "strategy",
        "stage",
        "team",
        "cohort",
        "towards",
        "captain",
        "player",
    ),
    *(
        "model",
        "group",
        "question_set",
        "dataset",
        "whole",
        "category",
        "criterion",
        "difficulty",
        "d",
        "protocol",
        "with",
    ),
    *("baseline", "judge", "office", "place", "native_calls", "pooled", "hypothesis", "drafts", "way"),
)
"""What tells the rows of a table apart."""
_FROM_ZERO = ("difference_", "net_", "net_share_", "net_difference_", "lift_")
_OF_NOTHING = frozenset({"difference", "slope", "rho", "lift"})
_FROM_ONE = ("multiple_", "with_recovered_")

ClaimedFigure = tuple[str, str]
"""Of a figure, by its name in its row (nothing: the row's own), and whether it is adjusted for its family."""


def claims_of(row: Mapping[str, Any]) -> dict[ClaimedFigure, int]:
    """What a row claims: 1 more, -1 less than nothing, or than once as much; shares claim nothing."""
    found: dict[ClaimedFigure, int] = {}
    for name, paid in _figures(row):
        low, high = row.get(f"{name}low{paid}"), row.get(f"{name}high{paid}")
        start = _start(row, name)
        p = row.get(f"p{paid}") if name == _tested(row) else row.get(f"{name}p{paid}") if name else None
        more, less = (
            start is not None and end is not None and sign * (end - start) > 0 for end, sign in ((low, 1), (high, -1))
        )
        if more or less or (p is not None and p <= ALPHA):
            found[name, paid] = 1 if more else -1 if less else 0
    return found


def _figures(row: Mapping[str, Any]) -> Iterator[ClaimedFigure]:
    ends = (match for key in row if (match := _END.fullmatch(key)) is not None)
    yield from dict.fromkeys((match["of"], match["paid"]) for match in ends)


def _tested(row: Mapping[str, Any]) -> str:
    """Whose the p of a row is: its difference's, where another figure has the ends without a name."""
    return "difference_" if "difference_low" in row else ""


def _start(row: Mapping[str, Any], name: str) -> float | None:
    """Where a figure says neither more nor less; None: it is a share, or nothing that is claimed."""
    if name in _FROM_ONE or (not name and "multiple" in row):
        return 1.0
    of_row = not name and not _OF_NOTHING.isdisjoint(row) and not _tested(row)
    return 0.0 if of_row or name in _FROM_ZERO else None


def claims_anything(value: Any) -> bool:
    """A row, rows, or what stands within one."""
    if isinstance(value, Mapping):
        return bool(claims_of(value)) or any(map(claims_anything, value.values()))
    return isinstance(value, Sequence) and not isinstance(value, str) and any(map(claims_anything, value))


def stands(row: Row | None, again: Row | None) -> bool:
    """Whether all that a row claims is claimed `again`, adjusted and not."""
    return bool(standing(row, again) == row)


def standing(told: Any, again: Any) -> Any:
    """The same without what is not claimed `again`, where plays without somebody may come to anything."""
    if isinstance(told, list):
        others = _by_names(again if isinstance(again, list) else ())
        return [standing(each, next(others(each), None)) for each in told]
    if not isinstance(told, dict):
        return told
    other = again if isinstance(again, Mapping) else {}
    row = {key: standing(value, other.get(key)) for key, value in told.items()}
    still = claims_of(other)
    fallen = {name for (name, paid), sign in claims_of(told).items() if still.get((name, paid)) != sign}
    return unclaimed(row, fallen) if fallen else row


def unclaimed(row: Row, names: set[str]) -> Row:
    """The same without what these of its figures claim, and why."""
    ends = [key for key in row if (match := _END.fullmatch(key)) is not None and match["of"] in names]
    if _tested(row) in names:
        ends += [key for key in ("p", "p_holm") if key in row]
    return {**row, **dict.fromkeys(ends), "why": row.get("why") or WHY_NOT}


def _by_names(rows: Sequence[Any]) -> Callable[[Any], Iterator[Any]]:
    """Those of the same names, each once: a table may have two of one name, in one order."""
    found: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        found.setdefault(_names(row), []).append(row)
    every = {names: iter(several) for names, several in found.items()}
    return lambda row: every.get(_names(row), iter(()))


def _names(row: Any) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in _NAMES) if isinstance(row, Mapping) else ()
