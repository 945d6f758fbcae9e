"""Intervals and p by their definitions: see "Intervals and p" in docs/report.md. SciPy gives what it has."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from scipy import optimize, stats

from second_way.bounded import BoundedMean
from second_way.tails import norm_isf, norm_sf, t_isf

ALPHA = 0.05

Limits = tuple[float | None, float | None]


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def normal_point(alpha: float = ALPHA) -> float:
    return float(norm_isf(alpha / 2))


Z = normal_point()


# ---------------------------------------------------------------- shares


def share_interval(counts: Sequence[tuple[float, float]], alpha: float = ALPHA) -> Limits:
    """From (how many, out of how many) of each question: the score interval of as many questions as these are worth."""
    counts = [(top, bottom) for top, bottom in counts if bottom > 0]
    if len(counts) < 2:
        return None, None
    share = min(1.0, max(0.0, math.fsum(top for top, _ in counts) / math.fsum(bottom for _, bottom in counts)))
    sizes = [bottom for _, bottom in counts]
    errors = standard_errors(jackknife(counts), sizes, share, alpha)
    low, high = score_limits(share, errors)
    return (0.0 if share == 0 else low), (1.0 if share == 1 else high)


def farther_out(limits: Limits, counts: Sequence[tuple[float, float]], could: float) -> Limits:
    """Limits of a share of what came up, `could` being how many a question could have brought: where that is more than one,
    none is nearer than that of a mean between 0 and 1 beside which one such question stands, wholly the other way."""
    low, high = limits
    if could <= 1 or low is None or high is None:
        return limits
    there = [(top, bottom) for top, bottom in counts if bottom > 0]
    # On the scale of -1 to 1 a hit is 1 and a miss is -1.
    by_bounds = BoundedMean([top - (bottom - top) for top, bottom in there], [bottom for _, bottom in there], could)
    least, most = by_bounds.limits(ALPHA)
    return min(low, 0.5 + least / 2), max(high, 0.5 + most / 2)


def waiting_interval(
    value: float,
    worst: Sequence[float],
    best: Sequence[float],
    alpha: float = ALPHA,
    sizes: Sequence[float] | None = None,
) -> Limits:
    """Of a mean of one value a question while answers wait for a grade: from the low end with all of them wrong to the high
    end with all of them right, and never short of the value over what is graded.

    Both ends with the variance of the questions at their farthest from either mean, and with the rarer kind as rare as it
    may be where it counts, as frequent where it shares: so no way of grading is worth fewer questions.
    """
    (low, _), (_, high) = ends_interval(worst, best, alpha, sizes)
    return (None, None) if low is None or high is None else (min(value, low), max(value, high))


def ends_interval(
    worst: Sequence[float], best: Sequence[float], alpha: float = ALPHA, sizes: Sequence[float] | None = None
) -> tuple[Limits, Limits]:
    """The whole interval at either end."""
    if len(worst) < 2:
        return (None, None), (None, None)
    many = sizes or [1.0] * len(worst)
    total = math.fsum(many)
    n = total**2 / math.fsum(size**2 for size in many)
    low_mean, high_mean = (math.fsum(s * v for s, v in zip(many, ends, strict=True)) / total for ends in (worst, best))
    means = low_mean, high_mean
    reach = normal_point(alpha) / math.sqrt(n)
    rare = [min(share, 1 - share) for share in means]
    often = 0.5 if means[0] <= 0.5 <= means[1] else max(rare)
    if min(rare) > 1e-12 and max(worst) > min(best) + 1e-12:
        away = [max(abs(end - share) for end in ends for share in means) for ends in zip(worst, best, strict=True)]
        # Leaving one out moves the mean by its distance times its size, by all that is left.
        moved = [size * distance / (total - size) for size, distance in zip(many, away, strict=True)]
        variance = (len(many) - 1) / len(many) * math.fsum(move**2 for move in moved)
        ratio = (n * variance / (1 - often) + 1 / n) / (n * min(rare) + 1)
        reach = min(reach, float(t_isf(alpha / 2, max(1.0, n - 1))) * math.sqrt(ratio))
    (low, middle), (other, high) = (score_limits(share, reach) for share in means)
    lowest = (0.0 if means[0] == 0 else low), (1.0 if means[0] == 1 else middle)
    return lowest, ((0.0 if means[1] == 0 else other), (1.0 if means[1] == 1 else high))


def jackknife(counts: Sequence[tuple[float, float]]) -> float:
    """The variance of a ratio of sums, from what it would be without each question in turn."""
    top, bottom = (math.fsum(unit[side] for unit in counts) for side in (0, 1))
    n = len(counts)
    away = [(top - one) / (bottom - size) - top / bottom for one, size in counts]
    return (n - 1) / n * math.fsum(distance**2 for distance in away)


def standard_errors(variance: float, sizes: Sequence[float], share: float, alpha: float) -> float:
    """How many standard errors of one question the interval of a share of this variance reaches to each side.

    So many questions are worth at the least what Kish's formula gives, with the normal point; and what their measured
    variance says, with Student's t for having measured it, where that is more. It was measured on as many questions as there
    are of the rarer kind; one more counts beside them that is worth no more than the least.
    """
    total, one = math.fsum(sizes), share * (1 - share)
    least = total**2 / math.fsum(size**2 for size in sizes)
    reach = normal_point(alpha) / math.sqrt(least)
    if variance < 1e-15 or one < 1e-15:
        return reach
    rare = least * min(share, 1 - share)
    ratio = (rare * variance / one + 1 / least) / (rare + 1)
    return min(reach, float(t_isf(alpha / 2, max(1.0, least - 1))) * math.sqrt(ratio))


def score_limits(share: float, errors: float) -> tuple[float, float]:
    """Where the share is so many standard errors of p away from p: the roots of (share - p)² = errors² p (1 - p)."""
    square = errors**2
    roots = np.roots([1 + square, -2 * share - square, share**2])
    low, high = sorted(float(root.real) for root in roots)
    return max(0.0, low), min(1.0, high)


# ---------------------------------------------------------------- paired differences


def tango_statistic(better: float, worse: float, difference: float) -> float:
    """Tango (1998) by √n, from the shares of questions that only the first, and only the second, has right.

    The share that only the second has right is the most likely one at this difference: the positive root of his quadratic.
    """
    middle = -better - worse + (2 - better + worse) * difference
    last = -worse * difference * (1 - difference)
    second = (math.sqrt(max(0.0, middle**2 - 8 * last)) - middle) / 4
    variance = 2 * second + difference * (1 - difference)
    distance = better - worse - difference
    if variance < 1e-15:
        return 0.0 if abs(distance) < 1e-12 else math.copysign(math.inf, distance)
    return distance / math.sqrt(variance)


class Difference:
    """Of one difference a question, from -1 to 1: the mean, its p of any difference, and limits at any level.

    `exact`: the p of no difference where each question gives one pair of right and wrong, with Tango's interval around it.
    """

    def __init__(self, values: Sequence[float], exact: float | None = None) -> None:
        self.values = list(values)
        self.value = mean(self.values)
        n = len(self.values)
        self.better = math.fsum(value for value in self.values if value > 0) / n
        self.worse = math.fsum(-value for value in self.values if value < 0) / n
        self._exact, self._bounded = exact, BoundedMean(self.values)

    @classmethod
    def of_pairs(cls, values: Sequence[float]) -> Difference:
        """Of one pair a question."""
        if not all(value in (-1, 0, 1) for value in values):
            return cls(values)
        return cls(values, mcnemar(sum(value > 0 for value in values), sum(value < 0 for value in values)))

    @cached_property
    def p(self) -> float:
        return self._bounded.p(0.0) if self._exact is None else self._exact

    def p_of(self, threshold: float) -> float | None:
        if threshold == 0:
            return self.p
        n = len(self.values)
        if n < 2:
            return None
        if not -1 < threshold < 1:
            return float(self.value == threshold)
        if self._exact is None:
            return self._bounded.p(threshold)
        statistic = tango_statistic(self.better, self.worse, threshold) * math.sqrt(n)
        score = float(2 * norm_sf(abs(statistic)))
        if abs(threshold) >= abs(self.value) and threshold * self.value > 0:
            return score
        return max(score, self.p) if threshold * self.value > 0 else min(score, self.p)

    def limits(self, alpha: float = ALPHA) -> Limits:
        n = len(self.values)
        if n < 2:
            return None, None
        if self._exact is None:
            return self._bounded.limits(alpha)
        low, high = (self._limit(normal_point(alpha) / math.sqrt(n), end) for end in (-1.0, 1.0))
        if self.p > alpha:
            return min(low, 0.0), max(high, 0.0)
        beside = 1e-9  # the exact p has ruled zero out
        return (max(low, beside), high) if self.value > 0 else (low, min(high, -beside))

    def _limit(self, reach: float, end: float) -> float:
        def over(difference: float) -> float:
            return abs(tango_statistic(self.better, self.worse, difference)) - reach

        if over(end) <= 0:
            return end
        return root_between(over, self.value, end)


class Waiting:
    """A difference while answers wait for a grade: its low end is that of all of them at their worst, its high end that of
    all at their best; a p is the one at the nearer end, and 1 between the two."""

    def __init__(self, seen: Difference, worst: Difference, best: Difference) -> None:
        self.seen, self.worst, self.best, self.value = seen, worst, best, seen.value

    @property
    def p(self) -> float:
        found = self.p_of(0.0)
        assert found is not None
        return found

    def p_of(self, threshold: float) -> float | None:
        if self.seen.p_of(threshold) is None:
            return None
        if threshold < self.value and threshold < self.worst.value:
            return self.worst.p_of(threshold)
        return self.best.p_of(threshold) if threshold > self.value and threshold > self.best.value else 1.0

    def limits(self, alpha: float = ALPHA) -> Limits:
        if self.seen.limits(alpha)[0] is None:
            return None, None
        low, high = self.worst.limits(alpha)[0], self.best.limits(alpha)[1]
        assert low is not None
        assert high is not None
        return min(low, self.value), max(high, self.value)


class Rho:
    """A rank correlation over n pairs: Fisher's z with the variance of Bonett and Wright; its p decides about zero."""

    def __init__(self, rho: float, n: int, p: float) -> None:
        self.rho, self.n, self.p = rho, n, p

    def limits(self, alpha: float = ALPHA) -> Limits:
        if self.n < 5 or abs(self.rho) > 1 - 1e-12:
            return None, None
        width = normal_point(alpha) * math.sqrt((1 + self.rho**2 / 2) / (self.n - 3))
        low, high = (math.tanh(math.atanh(self.rho) + sign * width) for sign in (-1, 1))
        if self.p > alpha:
            return min(low, 0.0), max(high, 0.0)
        return (max(low, 1e-9), high) if self.rho > 0 else (low, min(high, -1e-9))


def root_between(function: Callable[[float], float], inside: float, outside: float) -> float:
    """Where it crosses zero: it is below it inside."""
    if not math.isfinite(function(outside)):
        outside += math.copysign(1e-13, inside - outside)
    return float(optimize.brentq(function, inside, outside, xtol=1e-15, rtol=1e-14))


def mcnemar(rescues: int, regressions: int) -> float:
    discordant = rescues + regressions
    return float(stats.binomtest(rescues, discordant, 0.5).pvalue) if discordant else 1.0


def holm(p_values: Sequence[float]) -> list[tuple[float, float]]:
    """For each of a family its adjusted p, and the level at which Holm's procedure tests it: the step at which it stops
    is where all that are left are tested."""
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted: dict[int, tuple[float, float]] = {}
    left, highest, stopped = len(p_values), 0.0, False
    for step, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - step) * p_values[place]))
        level = ALPHA / left
        adjusted[place] = highest, level
        stopped = stopped or p_values[place] > level
        left -= 0 if stopped else 1
    return [adjusted[place] for place in range(len(p_values))]


# ---------------------------------------------------------------- the rest


def fieller(pairs: Sequence[tuple[float, float]], alpha: float = ALPHA, sizes: Sequence[float] | None = None) -> Limits:
    """Of sum of rises by sum of gaps: every share s at which Student's test of rise - s · gap finds nothing.

    `pairs`: of each unit, of so many questions (`sizes`; one each). Three more stand beside those seen in the variance: one
    whose gap was closed and one whose was not, as large as the gaps of the units that have one are on average and at least
    1; and one as large as the largest unit of which all was lost.
    """
    n = len(pairs)
    if n < 2:
        return None, None
    rise, gap = (math.fsum(pair[side] for pair in pairs) for side in (0, 1))
    gaps = [abs(of_unit) for _, of_unit in pairs if abs(of_unit) > 1e-12]
    usual = max(1.0, mean(gaps)) if gaps else 1.0
    not_seen = np.array([(usual, usual), (0.0, usual), (-max(sizes or [1.0]), 0.0)])
    both = n * np.cov(np.array(pairs, dtype=float).T) + not_seen.T @ not_seen
    square = float(t_isf(alpha / 2, n - 1)) ** 2
    # (rise - s gap)² = t² (variance of rise - 2 s covariance + s² variance of gap)
    ends = [gap**2 - square * both[1, 1], -2 * (rise * gap - square * both[0, 1]), rise**2 - square * both[0, 0]]
    if ends[0] <= 0:
        return None, None
    low, high = sorted(float(root.real) for root in np.roots(ends))
    return low, high


def mean_limits(parts: Sequence[tuple[float, Limits, int]]) -> Limits:
    """Of the mean of independent shares of so many questions: the distances to their own limits, squared and added up; or
    the score interval that has the summed variance, whichever end is farther."""
    if len(parts) == 1:
        return parts[0][1]
    below, above = 0.0, 0.0
    summed, widest = 0.0, 0.0
    for value, (low, high), n in parts:
        if low is None or high is None:
            return None, None
        below, above = below + (value - low) ** 2, above + (high - value) ** 2
        # The score interval's own equation, solved for the standard errors squared, at the end in the middle of the scale.
        end = low if value >= 0.5 else high
        square = (value - end) ** 2 / (end - end**2) * n / (n - 1)
        summed, widest = summed + square * (value - value**2), widest + square
    k, value = len(parts), mean([part[0] for part in parts])
    one = value - value**2
    errors = math.sqrt(summed / one if summed > 1e-14 and one > 1e-14 else widest) / k
    low, high = score_limits(value, errors)
    return max(0.0, min(low, value - math.sqrt(below) / k)), min(1.0, max(high, value + math.sqrt(above) / k))
