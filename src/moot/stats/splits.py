"""A figure that was measured on several random splits of the same questions: its value is the mean, its width that of one.

On one split what was chosen is tested on questions that it was not chosen on, so the figure and its limits are those of any
other test. The splits are no independent tests: a question that one of them tests helps to choose on the next. How far they
go together depends on how it is chosen, and nothing smaller than this holds for every way: the standard deviation of a mean
is at most the mean of the standard deviations. So the limits of the mean are the means of the limits, at every level, and
the p of a threshold is the level at which they come to leave it out. More splits make the value steady, not the interval
narrow; more test questions do that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from moot.stats.completions import IntervalLimits, Limited
from moot.stats.limit_p import p_of_limits
from moot.stats.quantiles import ALPHA
from moot.types import Estimate


@dataclass(frozen=True, slots=True)
class OverSplits:
    """The mean of a figure over splits, its limits at any level, and the p of any threshold that belongs to them."""

    figures: Sequence[Limited]
    """One a split."""
    n: int
    """How many questions were tested on any of them."""

    @property
    def value(self) -> float:
        return fsum(figure.value for figure in self.figures) / len(self.figures)

    def limits(self, alpha: float = ALPHA) -> IntervalLimits:
        """None where some split has none."""
        lows, highs = zip(*(figure.limits(alpha) for figure in self.figures), strict=True)
        return _mean(lows), _mean(highs)

    @property
    def p_zero(self) -> float | None:
        return self.p(0.0)

    def p(self, threshold: float = 0.0) -> float | None:
        """Two-sided; above alpha exactly where the limits hold the threshold."""
        if len(self.figures) == 1:
            return self.figures[0].p(threshold)
        if None in self.limits():
            return None
        return p_of_limits(lambda alpha: self._holds(threshold, alpha))

    def _holds(self, threshold: float, alpha: float) -> bool:
        low, high = self.limits(alpha)
        assert low is not None, "whether there are limits is no matter of their level"
        assert high is not None, "whether there are limits is no matter of their level"
        return low <= threshold <= high

    def estimate(self, alpha: float = ALPHA) -> Estimate:
        return Estimate(self.value, *self.limits(alpha), self.n)


def _mean(ends: Sequence[float | None]) -> float | None:
    known = [end for end in ends if end is not None]
    return fsum(known) / len(known) if len(known) == len(ends) else None
