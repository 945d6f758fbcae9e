"""Rank correlation: whether two things go up and down together, whatever their scales."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from moot.stats.bootstrap import seed_of
from moot.stats.clusters import dealt_as, unit_of
from moot.stats.estimates import TESTED, Row, estimate_row
from moot.stats.quantiles import ALPHA, normal_quantile, student_p
from moot.types import Estimate, digest

LEAST_PAIRS = 5
"""Below so many the variance of Fisher's z says nothing."""
_BESIDE_ZERO = 1e-9
_ALL_ORDERS = 7
"""Up to so many pairs every order is tried."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's rho with its interval, and the two-sided p of no correlation."""

    estimate: Estimate
    p: float | None
    why: str | None = None
    """Why there is no interval."""
    independent: int = 0
    """How many pairs there are evidence of: fewer than pairs where questions hang together."""

    def limits(self, alpha: float = ALPHA) -> tuple[float | None, float | None]:
        """Fisher's z with the variance of Bonett and Wright (2000). The p decides about zero, as it does of differences."""
        if self.why is not None:
            return None, None
        rho = self.estimate.value
        half = normal_quantile(alpha) * math.sqrt((1 + rho * rho / 2) / (self.independent - 3))
        low, high = math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half)
        if self.p is None or self.p > alpha:
            return min(low, 0.0), max(high, 0.0)
        return (max(low, _BESIDE_ZERO), high) if rho > 0 else (low, min(high, -_BESIDE_ZERO))

    def with_p(self, p: float | None) -> Correlation:
        """The same by another test, its interval in keeping with it."""
        tested = replace(self, p=p)
        low, high = tested.limits()
        return replace(tested, estimate=replace(self.estimate, low=low, high=high))

    def row(self) -> Row:
        beside: Row = {} if self.why is None else {"why": self.why}
        return {**estimate_row(self.estimate, "rho"), "p": self.p, **beside, TESTED: self}


def midranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1; equal values share the mean of their places."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for place in order[start:end]:
            ranks[place] = (start + 1 + end) / 2
        start = end
    return ranks


def spearman(first: Sequence[float], second: Sequence[float]) -> Correlation | None:
    """None where one side does not vary."""
    rho = _pearson(midranks(first), midranks(second)) if len(first) > 1 else None
    return None if rho is None else of_rho(rho, len(first))


def spearman_over_questions(pairs: Mapping[str, tuple[float, float]]) -> Correlation | None:
    """The same over questions, in interval and p as many pairs as their clusters are worth were all of one cluster alike.

    A large cluster weighs in rho by its size, so clusters of unequal size are worth fewer pairs than there are of them.
    """
    sides = list(zip(*pairs.values(), strict=True)) if pairs else [(), ()]
    rho = _pearson(midranks(sides[0]), midranks(sides[1])) if len(pairs) > 1 else None
    if rho is None:
        return None
    sizes = Counter(unit_of(question) for question in pairs).values()
    worth = sum(sizes) ** 2 // sum(size * size for size in sizes)
    independent = of_rho(rho, worth)
    why = independent.why
    if worth < LEAST_PAIRS and worth < len(pairs):
        why = f"the {len(sizes):,} clusters are worth {worth} of equal size; {why}"
    return replace(independent, estimate=replace(independent.estimate, n=len(pairs)), why=why)


def of_rho(rho: float, n: int) -> Correlation:
    """What a rho over n pairs says: its interval (`Correlation.limits`), and p by Student's t.

    Of a perfect order both are infinite, whatever n is: it has neither. Below five pairs there is no interval, below
    three no p.
    """
    without = Estimate(rho, None, None, n)
    perfect = abs(rho) >= 1 - 1e-12
    p = None if perfect or n < 3 else student_p(rho * math.sqrt((n - 2) / (1 - rho * rho)), n - 2)
    if n < LEAST_PAIRS:
        return Correlation(without, p, f"{n} are fewer than five, which is too few for an interval of rho")
    if perfect:
        return Correlation(without, p, "a perfect order has no interval of rho: it would have no width")
    return Correlation(without, p, independent=n).with_p(p)


def halves(questions: Collection[str], *, seed: int = 0) -> set[str]:
    """One half of the questions, drawn by the seed; questions of one cluster stay together."""
    names = {question: unit_of(question) for question in questions}
    order = sorted(set(names.values()), key=lambda name: (digest([seed, "half", dealt_as(name)]), name))
    chosen = set(order[::2])
    return {question for question, name in names.items() if name in chosen}


def permuted_p(first: Sequence[float], second: Sequence[float], *, seed: int = 0, resamples: int = 20_000) -> float:
    """Two-sided, of Spearman's rho: how often an order drawn at random goes together as closely.

    Of few pairs every order is tried, else orders are drawn, and the p is never 0.
    """
    import numpy as np

    one, other = (np.array(midranks(side)) for side in (first, second))
    one, other = one - one.mean(), other - other.mean()
    observed = abs(float(one @ other)) - 1e-9
    if len(one) <= _ALL_ORDERS:
        orders = np.array(list(permutations(range(len(one)))))
        return float((np.abs(other[orders] @ one) >= observed).mean())
    generator = np.random.default_rng(seed_of(seed, "orders"))
    drawn = generator.permuted(np.tile(other, (resamples, 1)), axis=1)
    return float((1 + (np.abs(drawn @ one) >= observed).sum()) / (1 + resamples))


def _pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    n = len(first)
    mean_first, mean_second = sum(first) / n, sum(second) / n
    pairs = [(one - mean_first, other - mean_second) for one, other in zip(first, second, strict=True)]
    square = math.fsum(one * one for one, _ in pairs) * math.fsum(other * other for _, other in pairs)
    if square <= 0:
        return None
    return max(-1.0, min(1.0, math.fsum(one * other for one, other in pairs) / math.sqrt(square)))
