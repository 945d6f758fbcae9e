"""Figures of a row that are over a part of its plays, where which part hangs on what came of them: rescues over what was wrong
alone, agreement over what was debated. A few plays without somebody may all be in that part, so they count by its size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from moot.stats.quantiles import ALPHA

PartsOfPlays = Mapping[str, float]
"""By what stands before the `low` and `high` of a figure, nothing where they are the row's own: over which share of the row's
plays it is. 0: over so few, or nobody can say how many, that one play could move it."""

_PAIRS = "n_pairs"
_BY_NAME = ("self_choice", "accuracy_self", "accuracy_not_self", "self_and_majority", "novel")


def parts_of_plays(row: Mapping[str, Any], of: str) -> PartsOfPlays:
    """Nothing where all its figures are over whatever was played. `of`: the key of its table."""
    return {name: min(1.0, part) for name, part in _parts(row, of)}


def _parts(row: Mapping[str, Any], of: str) -> Iterator[tuple[str, float]]:
    if "rescue_rate_n" in row:
        yield from _of_changes(row)
    elif "unanimous_before" in row:
        debated = sum(row["endings"].values())
        yield "", _part(debated, debated + row["unanimous_before"] + row.get("unknown", 0))
    elif "challenged" in row:
        yield "net", _part(row["challenged"], row["agents"])
    elif "self_choice_n" in row:
        plays = row["n"] + row["unknown"] + row["not_asked"]
        yield from ((name, _part(row[f"{name}_n"], plays)) for name in _BY_NAME)
    elif isinstance(row.get("stronger"), float):
        yield "", max(0.0, row["stronger"] - row["alone"])
    elif of == "gap" or "rho" in row:
        yield "", 0.0
    elif of == "places":
        yield "", _where_claimed(row, "", 0.0)
    elif "first_difference" in row:
        yield from ((name, _where_claimed(row, f"{name}_", 0.0)) for name in ("first", "last"))
    elif "wins" in row or "better" in row:
        yield "", _where_claimed(row, "", 0.5)


def _where_claimed(row: Mapping[str, Any], name: str, chance: float) -> float:
    """Of what goes by no grade, so that nobody knows how far one play may move it: 0 where it is claimed to be another than by
    `chance`."""
    for paid in ("", "_holm"):
        low, high, p = (row.get(f"{name}{end}{paid}") for end in ("low", "high", "p"))
        if (low is not None and low > chance) or (high is not None and high < chance) or (p is not None and p <= ALPHA):
            return 0.0
    return 1.0


def _of_changes(row: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """A multiple is one rare count over another."""
    for name in ("rescue_rate", "regression_rate"):
        yield name, _part(row[f"{name}_n"], row[_PAIRS])
    rescues, regressions, recovered = (row[name] or 0 for name in ("rescues", "regressions", "recovered"))
    yield "", _part(min(rescues, regressions), row[_PAIRS])
    yield "with_recovered", _part(min(rescues + recovered, regressions), row[_PAIRS])


def _part(some: int, every: int) -> float:
    return some / every if every else 0.0
