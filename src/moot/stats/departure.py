"""Whether what is seen now has left what was measured before: the chance that luck alone takes a mean so far.

Where nothing has changed, newer questions are such as the measured ones, and which of them are the newer is a matter of
chance. So they are dealt anew, again and again, and the p is how often a deal lies as far out. That is exact however few
there are and however the values are spread, which matters here: a slow day has five questions.

Of some values only a least and a most is known, such as the share of a team that agreed where not all were heard. Then a
mean is called low by the most that the newer may be and the least that the measured may, and the other way round: no p of the
true values is larger.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from moot.stats.bootstrap import seed_of
from moot.stats.quantiles import ALPHA

ENOUGH = 20
"""So many deals that lie as far out, and the p is known well enough (Besag and Clifford)."""
MOST_DEALS = 40_000
_BATCH = 60
_FINE = 1e6
"""Values that differ by less are one."""


@dataclass(frozen=True, slots=True)
class Ranged:
    """Between what a value lies; both ends are alike where it is known."""

    least: float
    most: float


@dataclass(frozen=True, slots=True)
class PaidLevels:
    """Up to which p something is a finding: of the whole, and of each of its parts."""

    whole: float
    part: float


def paid_levels(family: int, parts: int) -> PaidLevels:
    """Of so many figures that are looked at together, each with so many parts, some are findings by luck in 5 % at the most:
    half of that for the wholes, half for all their parts. A single part is the whole."""
    each = ALPHA / max(1, family)
    return PaidLevels(each, each) if parts < 2 else PaidLevels(each / 2, each / 2 / parts)


def departure_p(measured: Sequence[Ranged], newer: Sequence[Ranged], level: float, *, seed: int = 0) -> float | None:
    """Two-sided; None where one of the two is empty. `level`: what it will be held against, so that enough deals are made."""
    if not measured or not newer:
        return None
    deals = min(MOST_DEALS, math.ceil(2 * ENOUGH / level))
    below = _share_as_low([each.least for each in measured], [each.most for each in newer], deals, seed)
    above = _share_as_low([-each.most for each in measured], [-each.least for each in newer], deals, seed)
    return min(1.0, 2 * min(below, above))


def _share_as_low(measured: Sequence[float], newer: Sequence[float], deals: int, seed: int) -> float:
    """Of all deals of these values, in how many the newer have a sum as low as theirs."""
    import numpy as np

    pooled = np.rint(np.array([*measured, *newer]) * _FINE).astype(np.int64)
    kinds, times = np.unique(pooled, return_counts=True)
    reached = pooled[len(measured) :].sum()
    generator = np.random.Generator(np.random.SFC64(seed_of(seed, "departure")))
    made, as_low, batch = 0, 0, _BATCH
    while made < deals:
        drawn = generator.multivariate_hypergeometric(times, len(newer), size=min(batch, deals - made))
        far = np.flatnonzero(drawn @ kinds <= reached)
        if as_low + len(far) >= ENOUGH:
            return float(ENOUGH / (made + int(far[ENOUGH - as_low - 1]) + 1))
        as_low, made, batch = as_low + len(far), made + len(drawn), 4 * batch
    return (as_low + 1) / (made + 1)
