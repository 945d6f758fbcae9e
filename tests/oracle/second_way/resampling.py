"""A bootstrap over questions, for what has no better interval: money, turns, arithmetic of several figures."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats

DRAWN = 8000


def drawn_sums(rows: Sequence[Sequence[float]], *, seed: int) -> NDArray[np.float64]:
    """For each draw of as many questions, with replacement, the sums of their columns."""
    table = np.array(rows, dtype=float)
    places = np.random.default_rng(seed).integers(0, len(table), (DRAWN, len(table)))
    return np.asarray(table[places].sum(axis=1))


def ends(figures: NDArray[np.float64], n: int) -> tuple[float, float]:
    """Percentiles, moved outwards by Student's t and by n of n - 1, by which plain ones are too narrow (Hesterberg 2015)."""
    tail = float(stats.norm.cdf(-float(stats.t.ppf(0.975, n - 1)) * math.sqrt(n / (n - 1))))
    low, high = np.quantile(figures, (tail, 1 - tail), method="nearest")
    return float(low), float(high)
