"""The mean of some numbers, where there are any."""

from __future__ import annotations

from collections.abc import Sequence


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
