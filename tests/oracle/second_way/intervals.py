"""Intervals by their textbook formulae, with SciPy where it has them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy import stats

Z = float(stats.norm.ppf(0.975))


def wilson(right: float, n: int, z: float = Z) -> tuple[float | None, float | None]:
    """The score interval of a share. Below two questions there is none; at the ends it ends there."""
    if n < 2:
        return None, None
    share = right / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (0.0 if right == 0 else centre - half), (1.0 if right == n else centre + half)


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
