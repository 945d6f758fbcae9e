"""How large a difference is, where each question gives one pair of right and wrong: what a verdict on it goes by.

Whether there is any difference is decided by an exact test. How large it is, is told by a score interval, and where few
questions differ, most of them one way, its end nearer to zero is too far from it: ``accuracy(a) - accuracy(b) > 0.048`` was
confirmed in 5.2 % of experiments of 100 questions in which the difference is just that, where 2.5 are meant. So a verdict
asks that a mean between bounds leaves the threshold out too (`stats.bounded_mean`); of no difference at all that is the same
exact test.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from moot.stats.completions import Between, IntervalLimits, LimitedOver
from moot.stats.paired import Difference, OnePair, difference, split_signs
from moot.stats.quantiles import ALPHA

Means = Mapping[str, tuple[float, float]]
"""One pair a question."""


@dataclass(frozen=True, slots=True)
class GuardedPair:
    score: OnePair
    bounded: Difference

    @property
    def value(self) -> float:
        return self.score.value

    @property
    def n(self) -> int:
        return self.score.n

    @property
    def clusters(self) -> None:
        return self.score.clusters

    def limits(self, alpha: float = ALPHA) -> IntervalLimits:
        (low, high), (least, most) = self.score.limits(alpha), self.bounded.limits(alpha)
        if low is None or high is None or least is None or most is None:
            return None, None
        return min(low, least), max(high, most)

    def p(self, threshold: float = 0.0) -> float | None:
        found = self.score.p(threshold), self.bounded.p(threshold)
        return None if None in found else max(p for p in found if p is not None)


def guarded_difference(
    figure: LimitedOver, seen: Means, worst: Means, best: Means
) -> GuardedPair | Between | LimitedOver:
    """What a verdict on `figure` goes by, which is the difference of `seen`; while answers wait each end by its own pairs.
    Means over captains or repeats, and clusters, have bounds alone already."""
    if isinstance(figure, OnePair):
        return _guarded(figure, seen)
    if not isinstance(figure, Between):
        return figure
    ends = (figure.worst, worst), (figure.best, best)
    low, high = (_guarded(end, means) if isinstance(end, OnePair) else end for end, means in ends)
    return Between(_guarded(figure.seen, seen) if isinstance(figure.seen, OnePair) else figure.seen, low, high)


def _guarded(score: OnePair, pairs: Means) -> GuardedPair:
    bounded = difference(split_signs({question: one - other for question, (one, other) in pairs.items()}))
    assert bounded is not None, "there are pairs"
    return GuardedPair(score, bounded)
