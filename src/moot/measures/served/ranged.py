"""Means over answers, as those who asked got them; of some answers perhaps only a least and a most is known.

What is asked all day counts as often as it was asked. But all answers to one wording are one piece of evidence, whoever asked,
so the interval is made over wordings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from moot.stats.clusters import unit_of
from moot.stats.departure import Ranged
from moot.stats.estimates import estimate_row
from moot.stats.proportion import share, summed

ENDS = ("least", "most")


def answers_row(values: Iterable[tuple[str, float]]) -> dict[str, Any]:
    """``{value, low, high, n}`` of (wording, value from 0 to 1); `clusters` where some of the `n` answers belong together."""
    answers = list(values)
    found = share(summed(answers))
    row = estimate_row(None if found is None else found.estimate())
    units = len({unit_of(wording) for wording, _ in answers})
    row = {**row, "n": len(answers)}
    row.pop("clusters", None)
    return {**row, "clusters": units} if units < len(answers) else row


def ranged_row(values: Sequence[tuple[str, Ranged]]) -> dict[str, Any]:
    """The same. Where the value itself is not known, it is null beside its `bounds`, and the interval holds whatever it is
    between them."""
    low, high = (answers_row((wording, getattr(value, end)) for wording, value in values) for end in ENDS)
    if all(value.least == value.most for _, value in values):
        return low
    return {**low, "value": None, "high": high["high"], "bounds": {"low": low["value"], "high": high["value"]}}
