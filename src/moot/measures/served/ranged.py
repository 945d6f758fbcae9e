"""Means of values of which perhaps only a least and a most is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from moot.stats.departure import Ranged
from moot.stats.estimates import estimate, estimate_row

ENDS = ("least", "most")


def by_question(values: Sequence[tuple[str, float]]) -> dict[str, float]:
    """The mean of each question's values."""
    several: dict[str, list[float]] = {}
    for question, value in values:
        several.setdefault(question, []).append(value)
    return {question: sum(own) / len(own) for question, own in several.items()}


def ranged_by_question(values: Sequence[tuple[str, Ranged]]) -> dict[str, Ranged]:
    low, high = (by_question([(question, getattr(value, end)) for question, value in values]) for end in ENDS)
    return {question: Ranged(low[question], high[question]) for question in low}


def ranged_row(values: Mapping[str, Ranged]) -> dict[str, Any]:
    """``{value, low, high, n}``. Where the value itself is not known, it is null beside its `bounds`, and the interval holds
    whatever it is between them."""
    low, high = (estimate({question: getattr(value, end) for question, value in values.items()}) for end in ENDS)
    if low is None or high is None:
        return estimate_row(None)
    if all(value.least == value.most for value in values.values()):
        return estimate_row(low)
    clusters = {} if low.clusters is None else {"clusters": low.clusters}
    ends = {"low": low.low, "high": high.high, "n": low.n, **clusters}
    return {"value": None, **ends, "bounds": {"low": low.value, "high": high.value}}
