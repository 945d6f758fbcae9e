"""Paired statistics: two ways of answering the same questions, and whether one of them is better.

Questions are the unit, or clusters of them. One rule holds for every difference, and it is said here:

- Where each question gives one pair of right and wrong, the p of no difference is McNemar's, which is exact, and the
  interval is Tango's score interval (1998), whose p is that of any other difference than none. The exact p decides about
  zero: where it is above the level the interval reaches to zero, where it is not it stops short of it.
- Elsewhere (means over captains, models or repeats, counts, clusters) p and interval are those of a mean of which nothing
  is known but its bounds: `stats.bounded_mean`. They are one thing, at zero and at any other difference.

So words, p and interval never disagree, whatever level Holm's correction asks for.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from moot.stats.bootstrap import percentile_interval, resampled_sums
from moot.stats.bounded_mean import BoundedMean
from moot.stats.clusters import SumsByQuestion, Units, Values, largest_unit, list_of, unit_of, units, value_rows
from moot.stats.completions import Between, IntervalLimits
from moot.stats.quantiles import ALPHA, normal_p, normal_quantile, student_quantile
from moot.stats.tango import score, score_limit
from moot.types import Estimate

FEW_QUESTIONS = 30
"""Or clusters of them, where they hang together: fewer prove next to nothing."""
FEW_DISCORDANT = 10
_MANY_KINDS = 2_000
"""With more questions that differ from each other the bootstrap is the normal interval, only slower."""
BESIDE_ZERO = 1e-9


def few(questions: Iterable[str]) -> bool:
    """Whether these, or the clusters that they make up, are too few to show much."""
    return len({unit_of(question) for question in questions}) < FEW_QUESTIONS


def rests_on_few(figure: Estimate | None) -> bool:
    return figure is None or (figure.n if figure.clusters is None else figure.clusters) < FEW_QUESTIONS


QuestionPairs = Mapping[str, tuple[float, float]] | Sequence[tuple[float, float]]
"""One pair a question."""


@dataclass(frozen=True)
class Difference:
    """A mean paired difference from -1 to 1: its limits at any level, and the p that belongs to them."""

    mean: BoundedMean
    n: int
    clusters: int | None
    enough: bool = True
    """False: no interval."""
    told: bool = True
    """False: questions hang together, and nobody has said which difference is of which question."""
    at_zero: float | None = None
    """The p of no difference, where a test is known that is better than the mean's own."""

    @property
    def value(self) -> float:
        return self.mean.value

    @cached_property
    def p_zero(self) -> float | None:
        if self.at_zero is not None:
            return self.at_zero
        return self.mean.p(0.0) if self.told else None

    def p(self, threshold: float = 0.0) -> float | None:
        """Two-sided; above alpha exactly where the limits hold the threshold."""
        if threshold == 0:
            return self.p_zero
        if not self.enough:
            return None
        if not -1 < threshold < 1:
            return 1.0 if self.value == threshold else 0.0
        found = self.mean.p(threshold)
        return found if self.at_zero is None else _p_with_zero(found, threshold, self.value, self.at_zero)

    def limits(self, alpha: float = ALPHA) -> tuple[float | None, float | None]:
        if not self.enough:
            return None, None
        low, high = self.mean.limits(alpha)
        return (low, high) if self.at_zero is None else _limits_with_zero(low, high, alpha, self.value, self.at_zero)

    def estimate(self, alpha: float = ALPHA) -> Estimate:
        return Estimate(self.value, *self.limits(alpha), self.n, self.clusters)


@dataclass(frozen=True)
class OnePair:
    """The same where each question gives one pair of right and wrong, and none hangs together with another."""

    rescues: int
    regressions: int
    n: int
    clusters: None = None

    @property
    def value(self) -> float:
        return (self.rescues - self.regressions) / self.n

    @cached_property
    def p_zero(self) -> float:
        return mcnemar_exact(self.rescues, self.regressions)

    def p(self, threshold: float = 0.0) -> float | None:
        if threshold == 0:
            return self.p_zero
        if self.n < 2:
            return None
        if not -1 < threshold < 1:
            return 1.0 if self.value == threshold else 0.0
        distance = score(self.rescues / self.n, self.regressions / self.n, threshold)
        return _p_with_zero(normal_p(distance * math.sqrt(self.n)), threshold, self.value, self.p_zero)

    def limits(self, alpha: float = ALPHA) -> tuple[float | None, float | None]:
        if self.n < 2:
            return None, None
        scale = normal_quantile(alpha) / math.sqrt(self.n)
        shares = self.rescues / self.n, self.regressions / self.n
        low, high = (score_limit(*shares, scale, below=below) for below in (True, False))
        return _limits_with_zero(low, high, alpha, self.value, self.p_zero)

    def estimate(self, alpha: float = ALPHA) -> Estimate:
        return Estimate(self.value, *self.limits(alpha), self.n, self.clusters)


def _p_with_zero(found: float, threshold: float, value: float, at_zero: float) -> float:
    """Where the test of zero leaves it open it leaves open what lies before it; where not, it rules out what lies behind."""
    if abs(threshold) >= abs(value) and threshold * value > 0:
        return found
    return max(found, at_zero) if threshold * value > 0 else min(found, at_zero)


def _limits_with_zero(low: float, high: float, alpha: float, value: float, at_zero: float) -> tuple[float, float]:
    if at_zero > alpha:
        return min(low, 0.0), max(high, 0.0)
    return (max(low, BESIDE_ZERO), high) if value > 0 else (low, min(high, -BESIDE_ZERO))


def difference(rows: SumsByQuestion, asked: Mapping[str, float] | None = None) -> Difference | None:
    """From (sum of the differences above zero, of those below it without the sign, how many) of each question.

    `asked`: where it is an outcome how many there are, how many each question can have.
    """
    parts = units(rows)
    counted = [unit for unit in parts.sums if unit[2] > 0]
    if not counted:
        return None
    sums, sizes = [unit[0] - unit[1] for unit in counted], [unit[2] for unit in counted]
    mean = BoundedMean(sums, sizes, largest_unit(asked or {}))
    return Difference(mean, parts.questions, parts.clusters, parts.enough, parts.told)


def split_signs(values: Values) -> SumsByQuestion:
    """One difference a question as what `difference` adds up."""
    if isinstance(values, Mapping):
        return {question: (max(value, 0.0), max(-value, 0.0), 1.0) for question, value in values.items()}
    return [(max(value, 0.0), max(-value, 0.0), 1.0) for value in values]


def mean_difference(values: Values) -> Estimate | None:
    """The mean of one difference a question, between -1 and 1, with its 95 % interval."""
    figure = difference(split_signs(values))
    return None if figure is None else figure.estimate()


@dataclass(frozen=True, slots=True)
class Paired:
    """The first against the second on the questions that both played."""

    difference: Estimate | None
    p: float | None
    test: str
    """``mcnemar``, ``score``, or ``none`` where there is nothing to test."""
    rescues: int
    """Questions on which the first did better."""
    regressions: int
    small: bool
    """Too few questions, clusters or questions that differ for the figures to carry weight."""
    figure: Difference | OnePair | Between | None = None
    """What has limits at any level."""

    @property
    def limits_graded(self) -> IntervalLimits | None:
        """Over what is graded alone, where answers wait for a grade; None where none does."""
        return self.figure.seen.limits() if isinstance(self.figure, Between) else None

    def row(self) -> dict[str, Any]:
        """In the names of the report."""
        estimate = self.difference or Estimate(0.0, None, None, 0)
        return {
            "difference": estimate.value if estimate.n else None,
            "low": estimate.low,
            "high": estimate.high,
            "p": self.p,
            "n": estimate.n,
            "test": self.test,
            "rescues": self.rescues if estimate.n else None,
            "regressions": self.regressions if estimate.n else None,
            "small": self.small,
            **({} if estimate.clusters is None else {"clusters": estimate.clusters}),
        }


def compare(pairs: QuestionPairs, *, pooled: bool = False) -> Paired:
    """One pair of values a question, each right (1) or wrong (0) or a mean over captains, models or repeats.

    `pooled`: they are means, also where all of them happen to be 0 or 1. Whether captains or repeats agree is a result,
    and no test is chosen by its result.
    """
    every = list(pairs.values()) if isinstance(pairs, Mapping) else list(pairs)
    if not every:
        return Paired(None, None, "none", 0, 0, True)
    # Means of the same values may differ in their last digit.
    rescues = sum(first > second + BESIDE_ZERO for first, second in every)
    regressions = sum(first < second - BESIDE_ZERO for first, second in every)
    once = not pooled and all(value in (0, 1) for pair in every for value in pair)
    differences: Values = [first - second for first, second in every]
    if isinstance(pairs, Mapping):
        differences = {question: first - second for question, (first, second) in pairs.items()}
    figure: Difference | OnePair | None = difference(split_signs(differences))
    assert isinstance(figure, Difference), "there are pairs"
    test = "score"
    if once and figure.clusters is None and figure.told:
        test, figure = "mcnemar", OnePair(rescues, regressions, len(every))
    independent = figure.n if figure.clusters is None else figure.clusters
    small = independent < FEW_QUESTIONS or rescues + regressions < FEW_DISCORDANT
    p = figure.p_zero
    return Paired(figure.estimate(), p, test if p is not None else "none", rescues, regressions, small, figure)


def mcnemar_exact(b: int, c: int) -> float:
    """Two-sided: how likely so uneven a split of the discordant pairs is when both are equally good."""
    b, c = int(b), int(c)  # NumPy's own whole numbers would overflow below
    n, fewer = b + c, min(b, c)
    if b == c:
        return 1.0
    term = tail = 1
    for k in range(fewer):
        term = term * (n - k) // (k + 1)
        tail += term
    return min(1.0, 2 * tail / (1 << n))


def holm(p_values: Sequence[float]) -> list[float]:
    """Each p adjusted for the whole family (Holm 1979), in the order given."""
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, position in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[position]))
        adjusted[position] = highest
    return adjusted


def holm_levels(p_values: Sequence[float], alpha: float = ALPHA) -> list[float]:
    """The level at which Holm's procedure comes to test each of a family: what its adjusted interval is taken at.

    The smallest p is held against alpha by the size of the family, the next against alpha by one less, until one is not
    small enough: all that are left are held against the same level as that one. So an interval at its level leaves out
    what is tested exactly where the adjusted p is at most alpha.
    """
    levels = [alpha] * len(p_values)
    left = len(p_values)
    stopped = False
    for position in sorted(range(len(p_values)), key=p_values.__getitem__):
        levels[position] = alpha / left
        stopped = stopped or left * p_values[position] > alpha
        left -= not stopped
    return levels


def cluster_bootstrap(
    rows: SumsByQuestion, *, alpha: float = ALPHA, seed: int = 0, resamples: int = 2_000
) -> Estimate | None:
    """A ratio of sums over questions (its sum, its count) that has no bounds, such as money, with a percentile interval.

    None where nothing was counted. Without spread between the questions a bootstrap has nothing to say, and there is
    no interval.
    """
    parts = units(rows)
    total, count = (math.fsum(unit[place] for unit in parts.sums) for place in (0, 1))
    if count <= 0:
        return None
    value = total / count
    low, high = _resampled_limits(parts, value, count, alpha, seed, resamples) if parts.enough else (None, None)
    return Estimate(value, low, high, parts.questions, parts.clusters)


def _resampled_limits(
    parts: Units, value: float, count: float, alpha: float, seed: int, resamples: int
) -> tuple[float | None, float | None]:
    counted = [unit for unit in parts.sums if unit != (0, 0)]
    kinds = Counter((round(top, 12), round(bottom, 12)) for top, bottom in parts.sums)
    if len(counted) < 2 or all(math.isclose(top, value * bottom, abs_tol=1e-12) for top, bottom in kinds):
        return None, None
    n = len(parts.sums)
    if len(kinds) > _MANY_KINDS:
        half = student_quantile(n - 1, alpha) * _standard_error(parts.sums, value, count)
        return value - half, value + half
    import numpy as np

    sums = resampled_sums(np.array(parts.sums, dtype=float), seed=seed, resamples=resamples)
    kept = sums[sums[:, 1] > 1e-12]
    limits = percentile_interval(kept[:, 0] / kept[:, 1], n, alpha) if 2 * len(kept) > resamples else None
    return limits or (None, None)


def _standard_error(sums: Sequence[Sequence[float]], value: float, count: float) -> float:
    """Of a ratio of sums, linearised."""
    n = len(sums)
    squares = math.fsum((top - value * bottom) ** 2 for top, bottom in sums)
    return math.sqrt(squares * n / (n - 1)) / count


def mean_of(values: Values, *, seed: int = 0) -> Estimate | None:
    """The mean of one value a question that has no bounds."""
    return cluster_bootstrap(value_rows(values), seed=seed) if list_of(values) else None
