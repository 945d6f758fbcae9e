"""The mean of figures that were estimated from different questions, each of equal weight."""

from __future__ import annotations

import math
from collections.abc import Sequence

from moot.types import Estimate


def mean_of_independent(estimates: Sequence[Estimate]) -> Estimate:
    """Every estimate counts alike, however many questions it comes from; `n` is their number.

    The interval adds up the distances from each value to its own limits (the method of variance estimates recovery), so it
    is as good as theirs and never without width where theirs have some. How much the sets differ is no part of it: they
    were not drawn at random. Where one has no interval, the mean has none.
    """
    count = len(estimates)
    value = math.fsum(estimate.value for estimate in estimates) / count
    below: list[float] = []
    above: list[float] = []
    for estimate in estimates:
        if estimate.low is None or estimate.high is None:
            return Estimate(value, None, None, count)
        below.append((estimate.value - estimate.low) ** 2)
        above.append((estimate.high - estimate.value) ** 2)
    return Estimate(value, value - math.sqrt(sum(below)) / count, value + math.sqrt(sum(above)) / count, count)
