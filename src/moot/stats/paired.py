"""Paired statistics: two ways of answering the same questions, and whether one of them is better.

Questions are the unit, or clusters of them. One rule holds for every difference, and it is said here:

- The p of no difference is McNemar's, which is exact, where each question gives one pair of right and wrong, else a
  permutation that flips the sign of whole questions, or of whole clusters. That one is exact if gains and losses are
  alike, not if only their mean is zero: docs/report.md says how often it errs where they are not.
- The interval is the score interval of a paired difference (Tango 1998), with as many questions in it as they are worth:
  see `stats.proportion`. Its p of any other difference than none is the score test's.
- This p decides about zero: where it is above the level the interval reaches to zero, where it is not it stops
  short of it. So words, p and interval never disagree, whatever level Holm's correction asks for.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from moot.stats.bootstrap import percentile_interval, resampled_sums, seed_of
from moot.stats.clusters import Rows, Units, Values, list_of, units, value_rows
from moot.stats.proportion import Worth, worth_of
from moot.stats.quantiles import ALPHA, student_quantile
from moot.types import Estimate

FEW_QUESTIONS = 30
FEW_DISCORDANT = 10
_EXACT_FLIPS = 14
"""Up to so many questions that differ, all sign flips are tried; above it they are drawn."""
_MANY_KINDS = 2_000
"""With more questions that differ from each other the bootstrap is the normal interval, only slower."""
_BESIDE_ZERO = 1e-9

Pairs = Mapping[str, tuple[float, float]] | Sequence[tuple[float, float]]
"""One pair a question."""


@dataclass(frozen=True)
class Difference:
    """A mean paired difference from -1 to 1: its limits at any level, and the p that belongs to them."""

    better: float
    """The mean of the differences above zero, over all questions; `worse` of those below it, without its sign."""
    worse: float
    n: int
    clusters: int | None
    worth: Worth | None
    """None: no interval."""
    exact: Callable[[], float | None]
    """The p of no difference, McNemar's or of sign flips."""
    told: bool = True
    """False: questions hang together, and nobody has said which difference is of which question."""

    @property
    def value(self) -> float:
        return self.better - self.worse

    @cached_property
    def p_zero(self) -> float | None:
        return self.exact()

    def p(self, threshold: float = 0.0) -> float | None:
        """Two-sided; above alpha exactly where the limits hold the threshold."""
        if threshold == 0 or self.worth is None:
            return self.p_zero if threshold == 0 else None
        if not -1 < threshold < 1:
            return 1.0 if self.value == threshold else 0.0
        score = self.worth.p(abs(_score(self.better, self.worse, threshold)))
        if self.p_zero is None or (abs(threshold) >= abs(self.value) and threshold * self.value > 0):
            return score
        # Where the exact test leaves zero open it leaves open what lies before it; where not, it rules out what lies behind.
        return max(score, self.p_zero) if threshold * self.value > 0 else min(score, self.p_zero)

    def limits(self, alpha: float = ALPHA) -> tuple[float | None, float | None]:
        if self.worth is None:
            return None, None
        scale = self.worth.scale(alpha)
        low, high = (_limit(self.better, self.worse, scale, below=below) for below in (True, False))
        if self.p_zero is None or self.p_zero > alpha:
            return min(low, 0.0), max(high, 0.0)
        return (max(low, _BESIDE_ZERO), high) if self.value > 0 else (low, min(high, -_BESIDE_ZERO))

    def estimate(self, alpha: float = ALPHA) -> Estimate:
        return Estimate(self.value, *self.limits(alpha), self.n, self.clusters)


def _score(better: float, worse: float, difference: float) -> float:
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


def _limit(better: float, worse: float, scale: float, *, below: bool) -> float:
    """The farthest difference on one side whose score is within the scale: by bisection."""
    inside, outside = better - worse, -1.0 if below else 1.0
    if abs(_score(better, worse, outside)) <= scale:
        return outside
    for _ in range(50):
        middle = (inside + outside) / 2
        if abs(_score(better, worse, middle)) <= scale:
            inside = middle
        else:
            outside = middle
    return inside


def difference(rows: Rows, *, seed: int = 0) -> Difference | None:
    """From (sum of the differences above zero, of those below it without the sign, how many) of each question."""
    parts = units(rows)
    total = math.fsum(unit[2] for unit in parts.sums)
    if total <= 0:
        return None
    better, worse = (math.fsum(unit[place] for unit in parts.sums) / total for place in (0, 1))
    value = better - worse
    worth = None
    if parts.enough:
        residuals = [unit[0] - unit[1] - value * unit[2] for unit in parts.sums]
        sizes = [unit[2] for unit in parts.sums]
        worth = worth_of(residuals, sizes, better + worse - value * value, cautious=False)

    def flipped() -> float | None:
        return sign_flip([unit[0] - unit[1] for unit in parts.sums], seed=seed) if parts.told else None

    return Difference(better, worse, parts.questions, parts.clusters, worth, flipped, parts.told)


def split_signs(values: Values) -> Rows:
    """One difference a question as what `difference` adds up."""
    if isinstance(values, Mapping):
        return {question: (max(value, 0.0), max(-value, 0.0), 1.0) for question, value in values.items()}
    return [(max(value, 0.0), max(-value, 0.0), 1.0) for value in values]


def mean_difference(values: Values, *, seed: int = 0) -> Estimate | None:
    """The mean of one difference a question, between -1 and 1, with its 95 % interval."""
    figure = difference(split_signs(values), seed=seed)
    return None if figure is None else figure.estimate()


@dataclass(frozen=True, slots=True)
class Paired:
    """The first against the second on the questions that both played."""

    difference: Estimate | None
    p: float | None
    test: str
    """``mcnemar``, ``sign-flip``, or ``none`` where there is nothing to test."""
    rescues: int
    """Questions on which the first did better."""
    regressions: int
    small: bool
    """Too few questions, clusters or questions that differ for the figures to carry weight."""
    figure: Difference | None = None
    """What has limits at any level."""

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


def compare(pairs: Pairs, *, pooled: bool = False, seed: int = 0) -> Paired:
    """One pair of values a question, each right (1) or wrong (0) or a mean over captains, models or repeats.

    `pooled`: they are means, also where all of them happen to be 0 or 1. Whether captains or repeats agree is a result,
    and no test is chosen by its result.
    """
    every = list(pairs.values()) if isinstance(pairs, Mapping) else list(pairs)
    if not every:
        return Paired(None, None, "none", 0, 0, True)
    # Means of the same values may differ in their last digit.
    rescues = sum(first > second + _BESIDE_ZERO for first, second in every)
    regressions = sum(first < second - _BESIDE_ZERO for first, second in every)
    once = not pooled and all(value in (0, 1) for pair in every for value in pair)
    differences: Values = [first - second for first, second in every]
    if isinstance(pairs, Mapping):
        differences = {question: first - second for question, (first, second) in pairs.items()}
    figure = difference(split_signs(differences), seed=seed)
    assert figure is not None, "there are pairs"
    test = "sign-flip"
    if once and figure.clusters is None and figure.told:
        test, figure = "mcnemar", replace(figure, exact=lambda: mcnemar_exact(rescues, regressions))
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


def sign_flip(differences: Sequence[float], *, seed: int = 0, resamples: int = 20_000) -> float | None:
    """Two-sided permutation test: had each unit's difference been as likely the other way round?

    Only the units that differ matter. With few of them every flip is tried, else flips are drawn, and the p is
    never 0. Flips of equal differences are drawn together, as one binomial.
    """
    if not differences:
        return None
    sizes = Counter(round(abs(difference), 12) for difference in differences if round(difference, 12))
    if not sizes:
        return 1.0
    import numpy as np

    observed = abs(sum(differences)) - 1e-9
    moved = sizes.total()
    if moved <= _EXACT_FLIPS:
        flipped = np.zeros(1)
        for size in sorted(sizes.elements()):
            flipped = np.concatenate([flipped + size, flipped - size])
        return float((np.abs(flipped) >= observed).mean())
    generator = np.random.default_rng(seed_of(seed, "sign-flip"))
    sums = np.zeros(resamples)
    for size, times in sorted(sizes.items()):
        sums += size * (2 * generator.binomial(times, 0.5, resamples) - times)
    return float((1 + (np.abs(sums) >= observed).sum()) / (1 + resamples))


def cluster_bootstrap(rows: Rows, *, alpha: float = ALPHA, seed: int = 0, resamples: int = 2_000) -> Estimate | None:
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


def mean_variance(values: Values) -> float | None:
    """Of the mean of one value a question; None below two units."""
    parts = units(value_rows(values))
    if not parts.enough:
        return None
    count = math.fsum(unit[1] for unit in parts.sums)
    return _standard_error(parts.sums, math.fsum(unit[0] for unit in parts.sums) / count, count) ** 2
