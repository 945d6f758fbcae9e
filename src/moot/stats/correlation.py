"""How two figures of the same answers go together, where a question has several answers: Pearson's, with questions drawn anew.

A correlation is made of sums, so a resample of questions is one product of matrices (`stats.bootstrap`). Answers to one
question are one unit, and so are questions that hang together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from moot.stats.bootstrap import percentile_interval, resampled_sums
from moot.stats.clusters import unit_of
from moot.types import Estimate

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats

LEAST_UNITS = 5
"""With fewer questions an interval would be a guess."""
_RESAMPLES = 2_000
_FLAT = 1e-12
"""What varies less does not vary: sums of equal numbers differ in their last digit."""

FigurePairs = Mapping[str, Sequence[tuple[float, float]]]
"""By question, two figures of each of its answers."""


def correlation(pairs: FigurePairs, *, seed: int = 0) -> Estimate | None:
    """None where one of the two does not vary. `n` counts answers; without five questions there is no interval."""
    import numpy as np

    sums: dict[str, list[float]] = {}
    for question, several in pairs.items():
        row = sums.setdefault(unit_of(question), [0.0] * 6)
        for one, other in several:
            for place, part in enumerate((1.0, one, other, one * one, other * other, one * other)):
                row[place] += part
    units = [row for row in sums.values() if row[0] > 0]
    if not units:
        return None
    whole = [math.fsum(row[place] for row in units) for place in range(6)]
    value = float(_of_sums(np.array([whole]))[0])
    if math.isnan(value):
        return None
    limits = None
    if len(units) >= LEAST_UNITS:
        limits = percentile_interval(
            _of_sums(resampled_sums(np.array(units), seed=seed, resamples=_RESAMPLES)), len(units)
        )
    if limits is not None and limits[1] - limits[0] <= _FLAT:  # questions that are all alike tell nothing of others
        limits = None
    low, high = limits or (None, None)
    return Estimate(value, low, high, round(whole[0]))


def centred(pairs: FigurePairs) -> dict[str, list[tuple[float, float]]]:
    """Each answer against the others to its question: what a question does to all of its answers is taken off."""
    left: dict[str, list[tuple[float, float]]] = {}
    for question, several in pairs.items():
        if len(several) < 2:
            continue
        means = [math.fsum(pair[place] for pair in several) / len(several) for place in (0, 1)]
        left[question] = [(one - means[0], other - means[1]) for one, other in several]
    return left


def _of_sums(sums: Floats) -> Floats:
    import numpy as np

    n, one, other, squares, other_squares, products = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        first = squares / n - (one / n) ** 2
        second = other_squares / n - (other / n) ** 2
        together = products / n - one * other / (n * n)
        flat = (first <= _FLAT) | (second <= _FLAT)
        found: Floats = np.where(
            flat, np.nan, np.clip(together / np.sqrt(np.where(flat, 1.0, first * second)), -1.0, 1.0)
        )
        return found
