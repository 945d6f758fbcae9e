"""What the verdict on a share goes by beside its score interval: "The verdict" in docs/hypotheses.md."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy import stats

from second_way.bounded import BoundedMean
from second_way.intervals import Limits, mean


def wider(one: Limits, other: Limits) -> Limits:
    ends = [end for end in (*one, *other) if end is not None]
    return (min(ends), max(ends)) if len(ends) == 4 else (None, None)


class AnyShare:
    """A share of which nothing is assumed: the binomial tails where all is 0 or 1, else a mean between bounds."""

    def __init__(self, values: Sequence[float]) -> None:
        self.share, self.n = mean(values), len(values)
        self.right = round(math.fsum(values)) if all(value in (0, 1) for value in values) else None
        self.bounded = BoundedMean([2 * value - 1 for value in values])

    def low(self, side: float) -> float:
        if self.right is None:
            return 0.5 + self.bounded.low(side) / 2
        return float(stats.beta.ppf(side, self.right, self.n - self.right + 1)) if self.right else 0.0

    def high(self, side: float) -> float:
        if self.right is None:
            return 0.5 + self.bounded.high(side) / 2
        return float(stats.beta.isf(side, self.right + 1, self.n - self.right)) if self.right < self.n else 1.0

    def p(self, threshold: float) -> float:
        if not 0 < threshold < 1:
            return float(self.share == threshold)
        above = self.share > threshold
        if self.right is not None:
            of = stats.binom(self.n, threshold)
            return min(1.0, 2 * float(of.sf(self.right - 1) if above else of.cdf(self.right)))
        tail = self.bounded.no_more if above else self.bounded.no_less
        return min(1.0, 2 * tail(2 * threshold - 1))
