"""Tango's score interval (1998) of the difference of two paired shares, where each question gives one pair of right and wrong."""

from __future__ import annotations

import math
from functools import lru_cache


def score(better: float, worse: float, difference: float) -> float:
    """How many standard errors of one question the shares lie from this difference (Tango's statistic by √n)."""
    linear = -better - worse + (2 - better + worse) * difference
    constant = -worse * difference * (1 - difference)
    # The share of those that only the second has right, were this the difference: the root of a quadratic.
    second = (math.sqrt(max(0.0, linear * linear - 8 * constant)) - linear) / 4
    variance = 2 * second + difference * (1 - difference)
    gap = better - worse - difference
    if variance <= 1e-15:
        return 0.0 if abs(gap) < 1e-12 else math.copysign(math.inf, gap)
    return gap / math.sqrt(variance)


@lru_cache(4096)
def score_limit(better: float, worse: float, scale: float, *, below: bool) -> float:
    """The farthest difference on one side whose score is within the scale: by bisection. A report has the same counts in
    several of its rows."""
    inside, outside = better - worse, -1.0 if below else 1.0
    if abs(score(better, worse, outside)) <= scale:
        return outside
    for _ in range(50):
        middle = (inside + outside) / 2
        if abs(score(better, worse, middle)) <= scale:
            inside = middle
        else:
            outside = middle
    return inside
