"""Estimates as rows: a mean over questions with its interval, and a family of tests with its correction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from moot.stats.paired import holm
from moot.stats.proportion import mean_over_questions
from moot.types import Estimate

Row = dict[str, Any]


def estimate(values: Sequence[float], *, pooled: bool = False, seed: int = 0) -> Estimate | None:
    """The mean of one value a question, with the interval that the accuracy of the same row has: see `proportion`."""
    return mean_over_questions(values, pooled=pooled, seed=seed) if values else None


def estimate_row(figure: Estimate | None, name: str = "value") -> Row:
    """``{name, low, high, n}``; all None, and n 0, where there is no estimate."""
    if figure is None:
        return {name: None, "low": None, "high": None, "n": 0}
    return {name: figure.value, "low": figure.low, "high": figure.high, "n": figure.n}


def with_holm(rows: Sequence[Row]) -> list[Row]:
    """The same rows with `p_holm`, the family being the rows that have a p, and `family`, its size."""
    tested = [position for position, row in enumerate(rows) if row["p"] is not None]
    adjusted = dict(zip(tested, holm([rows[position]["p"] for position in tested]), strict=True))
    return [{**row, "p_holm": adjusted.get(position), "family": len(tested)} for position, row in enumerate(rows)]
