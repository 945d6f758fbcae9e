"""A bootstrap over questions, for what has no better interval: money, turns, arithmetic of several figures."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from second_way.compare import Near
from second_way.tails import norm_cdf, t_isf

DRAWN = 20_000
REPORT_DRAWS = 2_000
"""Of so many the report takes its ends, and cannot know them better."""


def drawn_sums(rows: Sequence[Sequence[float]], *, seed: int) -> NDArray[np.float64]:
    """For each draw of as many questions, with replacement, the sums of their columns."""
    table = np.array(rows, dtype=float)
    places = np.random.default_rng(seed).integers(0, len(table), (DRAWN, len(table)))
    return np.asarray(table[places].sum(axis=1))


def ends(figures: NDArray[np.float64], n: int, alpha: float = 0.05) -> tuple[Near, Near]:
    """Percentiles, moved outwards by Student's t and by n of n - 1, by which plain ones are too narrow (Hesterberg 2015).

    Few questions make few different figures, so an end is known by the percentiles on both sides of it: which of 2,000
    draws stands there is itself a matter of chance.
    """
    tail = float(norm_cdf(-float(t_isf(alpha / 2, n - 1)) * math.sqrt(n / (n - 1))))
    place = tail * REPORT_DRAWS
    chance = 4 * math.sqrt(place + 1)
    outer, inner = (min(1.0, max(0.0, (place + away) / REPORT_DRAWS)) for away in (-chance, chance))
    low, high = _between(figures, outer, inner), _between(figures, 1 - inner, 1 - outer)
    if outer <= 0:  # the rarest draw of all may be rarer than any here
        away = float(np.ptp(figures)) / 2
        low, high = _wider(low, -away), _wider(high, away)
    return low, high


def _wider(end: Near, away: float) -> Near:
    return Near((end.value or 0.0) + away / 2, end.within + abs(away) / 2)


def _between(figures: NDArray[np.float64], low: float, high: float) -> Near:
    one, other = (float(end) for end in np.quantile(figures, (low, high), method="nearest"))
    return Near((one + other) / 2, (other - one) / 2 + 1e-9)
