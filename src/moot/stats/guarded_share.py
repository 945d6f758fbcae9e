"""A share as a verdict goes by it: the score interval, and no nearer than what holds whatever the values are.

A score interval takes the share for normal. Near 0 and 1 it is not: of thirty answers of which one in a hundred is wrong,
three are wrong far oftener than a normal tail would have it, and the correction for a family asks for just these tails. Ten
hypotheses about accuracies of 0.99, each of them exactly that, had one refuted in 31 of 100 experiments of 30 questions, for
5 that are promised. So the p of a threshold is here the larger one of the score's and of twice the one-sided p that assumes
nothing but that values lie from 0 to 1 (`stats.bounded_mean`: of one 0 or 1 a question it is Clopper and Pearson's), and
each end of the interval is the farther of the two. Both parts agree with their own intervals, so the whole does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from moot.stats.bounded_mean import BoundedMean
from moot.stats.clusters import units, value_rows
from moot.stats.completions import Between, IntervalLimits, Limited
from moot.stats.proportion import Share
from moot.stats.quantiles import ALPHA


@dataclass(frozen=True, slots=True)
class GuardedShare:
    """The mean of one value from 0 to 1 a question."""

    score: Limited
    bounded: BoundedMean
    """The same values from -1 to 1, in sums over units that are independent."""
    n: int
    clusters: int | None

    @property
    def value(self) -> float:
        return self.score.value

    def limits(self, alpha: float = ALPHA) -> IntervalLimits:
        low, high = self.score.limits(alpha)
        if low is None or high is None:
            return None, None
        least, most = ((1 + end) / 2 for end in self.bounded.limits(alpha))
        return min(low, least), max(high, most)

    def p(self, threshold: float) -> float | None:
        """Two-sided; at most alpha exactly where the limits leave the threshold out."""
        found = self.score.p(threshold)
        if found is None or not 0 < threshold < 1:
            return found
        tail = self.bounded.at_most if threshold < self.value else self.bounded.at_least
        return min(1.0, max(found, 2 * tail(2 * threshold - 1)))


def guarded(score: Limited, values: Mapping[str, float]) -> GuardedShare:
    """`values`: those that `score` is the share of, by question."""
    parts = units(value_rows(values))
    sizes = [size for _, size in parts.sums]
    return GuardedShare(
        score, BoundedMean([2 * top - size for top, size in parts.sums], sizes), parts.questions, parts.clusters
    )


def guarded_whatever(
    score: Share | Between,
    seen: Mapping[str, float],
    worst: Mapping[str, float] | None,
    best: Mapping[str, float] | None,
) -> GuardedShare | Between:
    """The same while answers wait for a grade: each end of `score` by its own values. Values that rise raise both ends of a
    bounded mean, so these hold every way in which the answers may be graded."""
    if not isinstance(score, Between):
        return guarded(score, seen)
    assert worst is not None, "something waits"
    assert best is not None, "something waits"
    return Between(guarded(score.seen, seen), guarded(score.worst, worst), guarded(score.best, best))
