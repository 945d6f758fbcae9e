"""Accuracy and its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence

from moot.stats.bootstrap import percentile_interval, resampled_sums
from moot.stats.quantiles import Z_95, student_quantile
from moot.types import Estimate


def wilson(right: float, n: int, z: float = Z_95) -> Estimate:
    """The Wilson score interval of a share, for one 0/1 value a question. Below two questions there is none."""
    if n == 0:
        return Estimate(math.nan, None, None, 0)
    share = right / n
    if n < 2:
        return Estimate(share, None, None, n)
    low, high = _score(share, n, z)
    return Estimate(share, 0.0 if right == 0 else low, 1.0 if right == n else high, n)


def _score(share: float, n: float, z: float) -> tuple[float, float]:
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def pooled_share(values: Sequence[float]) -> Estimate:
    """The mean of one share a question, with the score interval of as many questions as they are worth; from two on.

    Each value is a mean over captains or repeats of one question, which are a cluster. They differ by as much as so many
    0/1 questions would differ by, and that many there are in the interval; Student's t pays for knowing it from n values
    only. Repeats that never differ are worth nothing more: then it is Wilson's interval, exactly.
    """
    n = len(values)
    mean = math.fsum(values) / n
    spread = math.fsum((value - mean) ** 2 for value in values) / n
    if spread < 1e-12:  # nothing to learn from: no mean of values between 0 and 1 varies more than a share does
        return wilson(math.fsum(values), n)
    worth = (n - 1) * mean * (1 - mean) / spread * (Z_95 / student_quantile(n - 1)) ** 2
    low, high = _score(mean, max(n, worth), Z_95)
    return Estimate(mean, low, high, n)


def mean_over_questions(
    values: Sequence[float], *, pooled: bool = False, seed: int = 0, resamples: int = 2_000
) -> Estimate:
    """The mean of one value a question: Wilson where each is one 0 or 1, else a percentile bootstrap over questions.

    `pooled`: each value is itself a mean, over captains or repeats, also where all of them happen to be 0 or 1; then the
    score interval of `pooled_share`: of few questions it comes closer to 95 % than a bootstrap, of many they are alike.
    Where all are equal the score interval stands too: a bootstrap would give no width at all.
    """
    n = len(values)
    if n == 0:
        return Estimate(math.nan, None, None, 0)
    mean = sum(values) / n
    if n < 2:
        return Estimate(mean, None, None, n)
    if pooled:
        return pooled_share(values)
    if len(set(values)) == 1 or all(value in (0.0, 1.0) for value in values):
        return wilson(sum(values), n)
    import numpy as np

    column = np.array(values, dtype=float)[:, None]
    limits = percentile_interval(resampled_sums(column, seed=seed, resamples=resamples)[:, 0] / n, n)
    low, high = limits or (None, None)
    return Estimate(mean, low, high, n)


def accuracy(values: Sequence[Sequence[float]], *, seed: int = 0) -> Estimate:
    """Accuracy from the scores of each question, one for every repeat."""
    pooled = any(len(scores) > 1 for scores in values)
    return mean_over_questions([sum(scores) / len(scores) for scores in values], pooled=pooled, seed=seed)
