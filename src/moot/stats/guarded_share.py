"""Shares that a score interval alone would tell too well: it, and no nearer than what holds whatever the values are.

A score interval takes the share for normal. Near 0 and 1 it is not: of thirty answers of which one in a hundred is wrong,
three are wrong far oftener than a normal tail would have it, and the correction for a family asks for just these tails. Ten
hypotheses about accuracies of 0.99, each of them exactly that, had one refuted in 31 of 100 experiments of 30 questions, for
5 that are promised. So the p of a threshold is here the larger one of the score's and of twice the one-sided p that assumes
nothing but that values lie from 0 to 1 (`stats.bounded_mean`: of one 0 or 1 a question it is Clopper and Pearson's), and
each end of the interval is the farther of the two. Both parts agree with their own intervals, so the whole does.

Verdicts go by it. So do rates over what came up, of which a question may bring one or as many as were asked (`rate`): where
one model of nine is wrong now and then, and repaired, and all nine are wrong seldom, and none repaired, a score interval
takes the questions that it saw for all there are, and its low end was too high in 13 to 20 % of experiments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moot.stats.bounded_mean import BoundedMean
from moot.stats.clusters import Sums, largest_unit, units, value_rows
from moot.stats.completions import Between, IntervalLimits, Limited
from moot.stats.proportion import Share, share
from moot.stats.quantiles import ALPHA
from moot.types import Estimate

CountsByQuestion = Mapping[str, tuple[float, float]]
"""By question: how many, out of how many."""


@dataclass(frozen=True, slots=True)
class GuardedShare:
    """The mean of values from 0 to 1."""

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

    def estimate(self, alpha: float = ALPHA) -> Estimate:
        return Estimate(self.value, *self.limits(alpha), self.n, self.clusters)


def guarded(score: Limited, values: Mapping[str, float]) -> GuardedShare:
    """`values`: those that `score` is the share of, by question."""
    parts = units(value_rows(values))
    return GuardedShare(score, _bounded(parts.sums), parts.questions, parts.clusters)


def rate(rows: CountsByQuestion, asked: Mapping[str, float]) -> Share | GuardedShare | None:
    """From (how many, out of how many) of each question, where the latter is an outcome too: how many were wrong, of whom
    some were rescued. None where nothing is counted.

    `asked`: how many there can be of each question, also of those of which there are none. A question or cluster that was
    not seen may bring as many as any of them can. Where that is one, the share is Wilson's.
    """
    score, largest = share(rows), largest_unit(asked)
    return score if score is None or largest <= 1 else _guarded_rate(score, rows, largest)


def rate_between(
    between: Between,
    seen: CountsByQuestion,
    worst: CountsByQuestion,
    best: CountsByQuestion,
    asked: Mapping[str, float],
) -> Between:
    """The same while answers wait for a grade: each end of the share by its own rows."""
    largest = largest_unit(asked)
    if largest <= 1:
        return between
    return Between(
        _guarded_rate(between.seen, seen, largest),
        _guarded_rate(between.worst, worst, largest),
        _guarded_rate(between.best, best, largest),
    )


def _guarded_rate(score: Limited, rows: CountsByQuestion, largest: float) -> GuardedShare:
    parts = units({question: row for question, row in rows.items() if row[1] > 0})
    return GuardedShare(score, _bounded(parts.sums, largest), len(rows), parts.clusters)


def _bounded(sums: Sequence[Sums], largest: float = 0.0) -> BoundedMean:
    """From how many, out of how many, of each unit."""
    return BoundedMean([2 * top - size for top, size in sums], [size for _, size in sums], largest)


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
