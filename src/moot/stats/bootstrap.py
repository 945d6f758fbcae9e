"""Resampling questions: the interval of anything that is made of sums over questions.

A resample draws n questions with replacement, which is nothing but counts: how often each of them was drawn, exactly
multinomial. So all resamples are one matrix of counts times one matrix of values, and the sums of many models over
thousands of questions are a matrix product, done in parts that fit into memory. Nothing is approximated (no Poisson
weights, no normal interval).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from moot.stats.distributions import normal_inverse
from moot.stats.quantiles import ALPHA, student_p, student_quantile
from moot.types import digest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RESAMPLES = 10_000
_CELLS = 2_400_000
"""Counts held at once: a few megabytes, so that they are still in the cache when they are multiplied."""
_FEW_KINDS = 256
"""With fewer kinds of questions than this, drawing how many of each kind is quicker than drawing questions."""


def seed_of(seed: int, *role: object) -> int:
    """The seed of NumPy's generator for one purpose, drawn like every other seed in moot."""
    return int(digest([seed, *map(str, role)]), 16)


def resampled_sums(values: Floats, *, seed: int = 0, resamples: int = RESAMPLES) -> Floats:
    """For each resample (rows) the sums of each column of `values`, which has one row a question.

    Questions that are alike in every column are drawn together, as a multinomial over the kinds of question.
    """
    import numpy as np

    questions = len(values)
    generator = np.random.Generator(np.random.SFC64(seed_of(seed, "bootstrap")))  # the quickest of NumPy's
    kinds, times = np.unique(values, axis=0, return_counts=True)
    if len(kinds) <= min(_FEW_KINDS, questions // 4):
        return generator.multinomial(questions, times / questions, size=resamples) @ kinds
    # Sums of small whole numbers are exact in single precision, which is twice as fast.
    exact = bool(np.abs(values).max() <= 1 and (values == np.rint(values)).all() and questions < 2**20)
    ordered = values[np.lexsort(values.T[::-1])]  # the order in which questions come changes nothing
    ordered = np.ascontiguousarray(ordered, dtype=np.float32 if exact else np.float64)
    sums = np.empty((resamples, values.shape[1]))
    for part in _parts(resamples, questions):
        sums[part] = _counts(generator, part.stop - part.start, questions).astype(ordered.dtype) @ ordered
    return sums


def _parts(resamples: int, questions: int) -> Iterator[slice]:
    at_once = max(1, _CELLS // questions)
    for start in range(0, resamples, at_once):
        yield slice(start, min(start + at_once, resamples))


def _counts(generator: np.random.Generator, size: int, questions: int) -> NDArray[np.int64]:
    """How often each question was drawn: `size` resamples of all of them."""
    import numpy as np

    drawn = generator.integers(0, questions, size=(size, questions), dtype=np.uint32)
    counts = np.empty((size, questions), dtype=np.int64)
    for row, draws in enumerate(drawn):
        counts[row] = np.bincount(draws, minlength=questions)
    return counts


def percentile_interval(resampled: Floats, n: int, alpha: float = ALPHA) -> tuple[float, float] | None:
    """The interval of resampled figures of n units; None where fewer than half of them exist (NaN does not).

    The plain percentiles of a bootstrap are too narrow by the factor of a variance divided by n instead of n - 1, and
    by Student's t: both are known, so the percentiles are moved outwards to make up for them. That matters at 30
    questions and vanishes at a thousand.
    """
    import numpy as np

    existing = np.sort(resampled[~np.isnan(resampled)])
    if n < 2 or 2 * len(existing) < len(resampled):
        return None
    # An order statistic, since a ratio may be infinite: `percentile_p` counts by the same half.
    place = max(0, math.floor(_tail(n, alpha) * len(existing) - 0.5))
    return float(existing[place]), float(existing[-1 - place])


def percentile_p(resampled: Floats, n: int, threshold: float) -> float | None:
    """Two-sided: the level at which an end of `percentile_interval` comes to lie on the threshold."""
    import numpy as np

    existing = np.sort(resampled[~np.isnan(resampled)])
    if n < 2 or 2 * len(existing) < len(resampled):
        return None
    below, above = np.searchsorted(existing, threshold, "left"), np.searchsorted(existing, threshold, "right")
    beyond = min(int(above), len(existing) - int(below))  # at the threshold or behind it, seen from the middle
    share = (beyond + 0.5) / len(existing)
    return 1.0 if share >= 0.5 else student_p(-normal_inverse(share) * math.sqrt((n - 1) / n), n - 1)


@cache
def _tail(n: int, alpha: float) -> float:
    wide = math.sqrt(n / (n - 1)) * student_quantile(n - 1, alpha)
    return 0.5 * math.erfc(wide / math.sqrt(2))
