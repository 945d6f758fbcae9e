"""Estimates as rows: a mean over questions with its interval, and a family of tests with its correction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from moot.stats.clusters import Values
from moot.stats.paired import Paired, holm, holm_levels
from moot.stats.proportion import mean_over_questions
from moot.types import Estimate

Row = dict[str, Any]

PAIRED = "paired"
"""Where a row keeps what its adjusted interval is made of, until its family is complete; then it is taken out."""


def estimate(values: Values) -> Estimate | None:
    """The mean of one value a question, from 0 to 1 each, with the interval that all shares have: see `proportion`."""
    return mean_over_questions(values) if values else None


def estimate_row(figure: Estimate | None, name: str = "value") -> Row:
    """``{name, low, high, n}``; all None, and n 0, where there is no estimate. `clusters` only where there are any."""
    if figure is None:
        return {name: None, "low": None, "high": None, "n": 0}
    row = {name: figure.value, "low": figure.low, "high": figure.high, "n": figure.n}
    return row if figure.clusters is None else {**row, "clusters": figure.clusters}


def with_holm(rows: Sequence[Row]) -> list[Row]:
    """The same rows with `p_holm`, `low_holm`, `high_holm` and `family`, the number of rows that have a p.

    The adjusted interval is at the level at which Holm's procedure tests the row, so it leaves out zero exactly where
    `p_holm` is at most 0.05; `low` and `high` stay those of the row by itself.
    """
    tested = [position for position, row in enumerate(rows) if row["p"] is not None]
    values = [rows[position]["p"] for position in tested]
    adjusted = dict(zip(tested, zip(holm(values), holm_levels(values), strict=True), strict=True))
    return [_adjusted(row, adjusted.get(position), len(tested)) for position, row in enumerate(rows)]


def _adjusted(row: Row, tested: tuple[float, float] | None, family: int) -> Row:
    """`tested`: the adjusted p, and the level of the interval beside it."""
    paired: Paired | None = row.get(PAIRED)
    low: float | None = None
    high: float | None = None
    if tested is not None and paired is not None and paired.figure is not None:
        low, high = paired.figure.limits(tested[1])
    kept = {key: value for key, value in row.items() if key != PAIRED}
    return {**kept, "p_holm": tested and tested[0], "low_holm": low, "high_holm": high, "family": family}
