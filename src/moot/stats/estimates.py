"""Estimates as rows: a mean over questions with its interval, and a family of tests with its correction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from moot.stats.clusters import Values
from moot.stats.paired import holm, holm_levels
from moot.stats.proportion import mean_over_questions
from moot.stats.quantiles import ALPHA
from moot.types import Estimate

Row = dict[str, Any]

TESTED = "tested"
"""Where a row keeps what its adjusted interval is made of, until its family is complete; then it is taken out."""


class Tested(Protocol):
    """A figure that has limits at any level."""

    def limits(self, alpha: float) -> tuple[float | None, float | None]: ...


def estimate(values: Values, alpha: float = ALPHA) -> Estimate | None:
    """The mean of one value a question, from 0 to 1 each, with the interval that all shares have: see `proportion`."""
    return mean_over_questions(values, alpha) if values else None


def estimate_row(figure: Estimate | None, name: str = "value") -> Row:
    """``{name, low, high, n}``; all None, and n 0, where there is no estimate. `clusters` only where there are any."""
    if figure is None:
        return {name: None, "low": None, "high": None, "n": 0}
    row = {name: figure.value, "low": figure.low, "high": figure.high, "n": figure.n}
    return row if figure.clusters is None else {**row, "clusters": figure.clusters}


def named_estimate(figure: Estimate | None, name: str) -> Row:
    """A figure beside others in one row: its ends bear its name."""
    if figure is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: figure.value, f"{name}_low": figure.low, f"{name}_high": figure.high}


def with_holm(rows: Sequence[Row], *, prefix: str = "", family: int | None = None, beside: int = 0) -> list[Row]:
    """The same rows with `p_holm`, `low_holm`, `high_holm` and `family`, the number of rows that have a p and of those `beside`.

    `prefix`: what stands before `low_holm` and `high_holm`, in rows whose `low` and `high` are of another figure.
    `family`: how many there were, where the rows were chosen from so many: then the smallest p pays for all of them.
    `beside`: how many rows more were looked at and are not here any more.

    The adjusted interval is at the level at which Holm's procedure tests the row, so it leaves out zero exactly where
    `p_holm` is at most 0.05; `low` and `high` stay those of the row by itself.
    """
    tested = [position for position, row in enumerate(rows) if row["p"] is not None]
    values = [rows[position]["p"] for position in tested]
    unseen = [1.0] * max(beside, (family or 0) - len(values))
    levels = zip(holm([*values, *unseen]), holm_levels([*values, *unseen]), strict=True)
    adjusted = dict(zip(tested, levels, strict=False))
    size = len(tested) + len(unseen)
    return [_adjusted(row, adjusted.get(position), size, prefix) for position, row in enumerate(rows)]


def _adjusted(row: Row, paid: tuple[float, float] | None, family: int, prefix: str) -> Row:
    """`paid`: the adjusted p, and the level of the interval beside it."""
    tested: Tested | None = row.get(TESTED)
    low, high = tested.limits(paid[1]) if paid is not None and tested is not None else (None, None)
    kept = {key: value for key, value in row.items() if key != TESTED}
    ends = {f"{prefix}low_holm": low, f"{prefix}high_holm": high}
    return {**kept, "p_holm": paid and paid[0], **ends, "family": family}
