"""The mean of values from -1 to 1 of which nothing else is known: "Intervals and p" in docs/report.md.

Random weights that add up to 1 (those of Dirichlet, all equally likely) on the units, and on one more that goes wholly the
other way: the weighted mean is distributed as a B-spline with the units as its knots (Curry and Schoenberg 1966), so its
chances come from de Boor's recursion, in which nothing but means of two values is ever taken.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from second_way.tails import norm_isf

NOTHING = 1e-12


class BoundedMean:
    """`sums` over units, of so many values (`sizes`) each; `could`: how many values a unit could have had at the most."""

    def __init__(self, sums: Sequence[float], sizes: Sequence[float] | None = None, could: float = 0.0) -> None:
        self.sums = np.array(sums, dtype=float)
        self.sizes = np.ones(len(self.sums)) if sizes is None else np.array(sizes, dtype=float)
        self.value = math.fsum(self.sums) / math.fsum(self.sizes)
        self._unseen = max(could, float(self.sizes.max()))

    def no_more(self, threshold: float) -> float:
        """The one-sided p of a mean of no more than this."""
        return self._chance(self.sums, threshold)

    def no_less(self, threshold: float) -> float:
        return self._chance(-self.sums, -threshold)

    def _chance(self, sums: NDArray[np.float64], threshold: float) -> float:
        return spline_chance([*(sums - threshold * self.sizes), -self._unseen * (1 + threshold)])

    def p(self, threshold: float) -> float:
        return min(1.0, 2 * self.no_more(threshold), 2 * self.no_less(threshold))

    def limits(self, alpha: float) -> tuple[float, float]:
        return self.low(alpha / 2), self.high(alpha / 2)

    def low(self, side: float) -> float:
        """The mean of which the one-sided p is this."""
        return _risen_to(side, tuple(self.sums), tuple(self.sizes), self._unseen)

    def high(self, side: float) -> float:
        return -_risen_to(side, tuple(-self.sums), tuple(self.sizes), self._unseen)


@lru_cache(maxsize=4096)
def _risen_to(side: float, sums: tuple[float, ...], sizes: tuple[float, ...], unseen: float) -> float:
    """The same units stand in several rows of a report."""
    mean_of = BoundedMean(sums, sizes, unseen)
    wanted = float(norm_isf(side))

    def over(mean: float) -> float:
        return float(norm_isf(max(1e-300, mean_of.no_more(mean)))) - wanted

    if over(-1.0) <= 0:
        return -1.0
    return float(optimize.brentq(over, -1.0, mean_of.value, xtol=1e-14, rtol=1e-14))


def spline_chance(knots: Sequence[float]) -> float:
    """The chance that the mean of these, weighted at random, is not above zero."""
    largest = max(map(abs, knots))
    every = np.sort([0.0 if abs(knot) < NOTHING * largest else knot for knot in knots])
    if every[-1] <= 0:
        return 1.0
    if every[0] >= 0:
        return 0.0
    degree = len(every) - 1
    # The integral of the density is a spline too: 0 left of its knots, 1 right of them.
    line = np.concatenate([np.full(degree, every[0]), every, np.full(degree, every[-1])])
    place = int(np.searchsorted(line, 0.0, side="right")) - 1
    values = (np.arange(degree + 1) + place >= 2 * degree).astype(float)
    below, above = line[place - degree : place + 1], line[place + 1 : place + 1 + degree]
    for step in range(1, degree + 1):
        left, right = below[step:], above[: degree + 1 - step]
        values[step:] = (right * values[step - 1 : -1] - left * values[step:]) / (right - left)
    return float(values[-1])
