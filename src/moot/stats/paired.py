"""Paired statistics: two ways of answering the same questions, and whether one of them is better.

Questions are the unit. One 0/1 pair a question: Newcombe's score interval and the exact McNemar test. Anything pooled
over captains, models or repeats: a bootstrap and a sign-flip permutation over questions.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from moot.stats.bootstrap import percentile_interval, resampled_sums, seed_of
from moot.stats.proportion import wilson
from moot.stats.quantiles import Z_95
from moot.types import Estimate

FEW_QUESTIONS = 30
FEW_DISCORDANT = 10
_EXACT_FLIPS = 14
"""Up to so many questions that differ, all sign flips are tried; above it they are drawn."""
_MANY_KINDS = 2_000
"""With more questions that differ from each other the bootstrap is the normal interval, only slower."""


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
    """Too few questions or too few that differ for the figures to carry weight."""

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
            "rescues": self.rescues,
            "regressions": self.regressions,
            "small": self.small,
        }


def compare(pairs: Sequence[tuple[float, float]], *, pooled: bool = False, seed: int = 0) -> Paired:
    """One pair of values a question, each right (1) or wrong (0) or a mean over captains, models or repeats.

    `pooled`: they are means, also where all of them happen to be 0 or 1. Whether captains or repeats agree is a result,
    and no test is chosen by its result.
    """
    n = len(pairs)
    rescues = sum(first > second for first, second in pairs)
    regressions = sum(first < second for first, second in pairs)
    small = n < FEW_QUESTIONS or rescues + regressions < FEW_DISCORDANT
    if n == 0:
        return Paired(None, None, "none", 0, 0, True)
    if not pooled and all(value in (0, 1) for pair in pairs for value in pair):
        both = sum(first == second == 1 for first, second in pairs)
        interval = newcombe_paired(both, rescues, regressions, n - both - rescues - regressions)
        return Paired(interval, mcnemar_exact(rescues, regressions), "mcnemar", rescues, regressions, small)
    differences = [first - second for first, second in pairs]
    interval = bootstrap_difference(differences, seed=seed)
    return Paired(interval, sign_flip(differences, seed=seed), "sign-flip", rescues, regressions, small)


def newcombe_paired(a: int, b: int, c: int, d: int, z: float = Z_95) -> Estimate | None:
    """The difference of two paired shares with a score interval (Newcombe 1998, method 10).

    a: both right, b: only the first, c: only the second, d: neither. No pairs: None; one pair: no interval.
    """
    n = a + b + c + d
    if n == 0:
        return None
    difference = (b - c) / n
    if n < 2:
        return Estimate(difference, None, None, n)
    first, second = _limits(a + b, n, z), _limits(a + c, n, z)
    phi = _correlation(a, b, c, d)
    below = _spread(first.value - first.low, second.high - second.value, phi)
    above = _spread(first.high - first.value, second.value - second.low, phi)
    return Estimate(difference, max(-1.0, difference - below), min(1.0, difference + above), n)


@dataclass(frozen=True, slots=True)
class _Limits:
    value: float
    low: float
    high: float


def _limits(right: int, n: int, z: float) -> _Limits:
    interval = wilson(right, n, z)
    assert interval.low is not None, "two questions or more have an interval"
    assert interval.high is not None
    return _Limits(interval.value, interval.low, interval.high)


def _correlation(a: int, b: int, c: int, d: int) -> float:
    """Phi with the continuity correction, without which no discordant pairs would give an interval of nothing."""
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if margins == 0:
        return 0.0
    excess: float = a * d - b * c
    if excess > 0:
        excess = max(0.0, excess - (a + b + c + d) / 2)
    return excess / math.sqrt(margins)


def _spread(one: float, other: float, phi: float) -> float:
    return math.sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))


def mcnemar_exact(b: int, c: int) -> float:
    """Two-sided: how likely so uneven a split of the discordant pairs is when both are equally good."""
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


def sign_flip(differences: Sequence[float], *, seed: int = 0, resamples: int = 20_000) -> float | None:
    """Two-sided permutation test: had each question's difference been as likely the other way round?

    Only the questions that differ matter. With few of them every flip is tried, else flips are drawn, and the p is
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
        signs = 1 - 2 * ((np.arange(2**moved)[:, None] >> np.arange(moved)) & 1)
        sums = signs @ np.array(sorted(sizes.elements()))
        return float((np.abs(sums) >= observed).mean())
    generator = np.random.default_rng(seed_of(seed, "sign-flip"))
    sums = np.zeros(resamples)
    for size, times in sorted(sizes.items()):
        sums += size * (2 * generator.binomial(times, 0.5, resamples) - times)
    return float((1 + (np.abs(sums) >= observed).sum()) / (1 + resamples))


def cluster_bootstrap(
    clusters: Sequence[tuple[float, float]], *, seed: int = 0, resamples: int = 2_000
) -> Estimate | None:
    """A ratio of sums over questions, each question a cluster (its sum, its count), with a percentile interval.

    None where nothing was counted. Without spread between the questions a bootstrap has nothing to say, and there is
    no interval: the caller knows which other one fits.
    """
    total, count = math.fsum(cluster[0] for cluster in clusters), math.fsum(cluster[1] for cluster in clusters)
    if count <= 0:
        return None
    counted = [cluster for cluster in clusters if cluster != (0, 0)]
    value, n = total / count, len(clusters)
    kinds = Counter((round(top, 12), round(bottom, 12)) for top, bottom in clusters)
    if n < 2 or len(counted) < 2 or all(math.isclose(top, value * bottom, abs_tol=1e-12) for top, bottom in kinds):
        return Estimate(value, None, None, n)
    if len(kinds) > _MANY_KINDS:
        half = Z_95 * _standard_error(clusters, value, count)
        return Estimate(value, value - half, value + half, n)
    import numpy as np

    sums = resampled_sums(np.array(clusters, dtype=float), seed=seed, resamples=resamples)
    kept = sums[sums[:, 1] > 1e-12]
    limits = percentile_interval(kept[:, 0] / kept[:, 1], n) if 2 * len(kept) > resamples else None
    low, high = limits or (None, None)
    return Estimate(value, low, high, n)


def _standard_error(clusters: Sequence[tuple[float, float]], value: float, count: float) -> float:
    """Of a ratio of sums, linearised."""
    n = len(clusters)
    squares = math.fsum((top - value * bottom) ** 2 for top, bottom in clusters)
    return math.sqrt(squares * n / (n - 1)) / count


def bootstrap_difference(differences: Sequence[float], *, seed: int = 0) -> Estimate | None:
    """The mean difference, one value a question, between -1 and 1.

    Where all are equal the bootstrap would give an interval of nothing; the width is then what n questions without a
    single discordant pair leave open.
    """
    estimate = cluster_bootstrap([(difference, 1.0) for difference in differences], seed=seed)
    if estimate is None or estimate.n < 2 or estimate.low is not None:
        return estimate
    open_width = wilson(0, estimate.n).high or 0.0
    return Estimate(
        estimate.value, max(-1.0, estimate.value - open_width), min(1.0, estimate.value + open_width), estimate.n
    )


def bootstrap_share(clusters: Sequence[tuple[float, float]], *, seed: int = 0) -> Estimate | None:
    """A share pooled within questions: (how many, out of how many) for each. Without spread, Wilson over questions."""
    estimate = cluster_bootstrap(clusters, seed=seed)
    counted = sum(1 for cluster in clusters if cluster[1] > 0)
    if estimate is None or estimate.low is not None or counted < 2:
        return estimate
    score = wilson(estimate.value * counted, counted)
    return Estimate(estimate.value, score.low, score.high, estimate.n)


def share_over_questions(observed: Iterable[tuple[str, float]], *, seed: int = 0) -> Estimate | None:
    """The mean of (question, value from 0 to 1): Wilson where each question gives one 0 or 1, else the bootstrap."""
    clusters: dict[str, tuple[float, float]] = {}
    for question, value in sorted(observed):
        total, count = clusters.get(question, (0.0, 0.0))
        clusters[question] = (total + value, count + 1)
    if not clusters:
        return None
    if all(cluster in ((0, 1), (1, 1)) for cluster in clusters.values()):
        return wilson(sum(total for total, _ in clusters.values()), len(clusters))
    return bootstrap_share(list(clusters.values()), seed=seed)
