"""How many units it takes where the report's test is that of a mean by its bounds: clusters of questions, and scores.

Clusters hang together nobody knows how much beforehand. The worst that they can do is to be better, or worse, as a whole:
then a cluster is worth one question, and less than that where clusters are of different size: the questions that differ may
lie in the largest. What is planned for that is enough wherever they hang together less, and wherever they lie. Likewise of
scores: where two differ they do so by as much as they may. Where all clusters are of one size and answers right or wrong,
the test is exact McNemar over clusters, and its power is computed (`stats.power`). Else runs are drawn, the same ones each
time; of each the test's own chance is taken, by the formula of Lugannani and Rice, which is off by a few per cent of itself
and spares the integral of `stats.bounded_mean`.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from moot.errors import UsageError
from moot.stats.bootstrap import seed_of
from moot.stats.distributions import normal_cdfs, normal_inverse
from moot.stats.power import MOST, POWER, Design, checked_level, needed
from moot.stats.quantiles import ALPHA

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats

RUNS = 4_000
"""That are drawn; a power of 80 % is then known to about half a point."""
_HALVINGS = 40
_FINENESS = 200
"""The number is found to one part in so many."""


@dataclass(frozen=True, slots=True)
class PlannedUnits:
    """What is counted: clusters of some sizes, each as frequent as it stands here, or questions; and how far apart two
    answers can be."""

    sizes: tuple[int, ...] = (1,)
    apart: float = 1.0
    """Where they differ, at the most: 1 of right and wrong."""

    def __post_init__(self) -> None:
        if not self.sizes or min(self.sizes) < 1:
            raise UsageError(f"cluster size: expected 1 or more, found {min(self.sizes, default=0)}")
        if not 0 < self.apart <= 1:
            raise UsageError(f"apart: expected a difference above 0 and up to 1, found {self.apart:g}")

    @property
    def exact(self) -> bool:
        return self.apart == 1 and len(set(self.sizes)) == 1

    @property
    def mean_size(self) -> float:
        return sum(self.sizes) / len(self.sizes)

    def differing(self, discordance: float) -> dict[int, float]:
        """By size, what share of all clusters are those of this size that differ, where so many of the questions do.

        At the worst these are the largest: then the fewest clusters differ, and each of them weighs most.
        """
        left, shares = discordance * self.mean_size, {}
        for size, times in sorted(Counter(self.sizes).items(), reverse=True):
            share = min(times / len(self.sizes), left / size)
            left = max(0.0, left - share * size)
            if share > 0:
                shares[size] = share
        return shares


def needed_units(
    design: Design,
    units: PlannedUnits,
    power: float = POWER,
    alpha: float = ALPHA,
    comparisons: int = 1,
) -> int | None:
    """The fewest clusters, or questions, with which a gain of this size is found with this power; None beyond two million."""
    if units.exact:
        return needed(design.accuracy, design.gain, design.discordance, power, alpha, comparisons)
    level = checked_level(power, alpha, comparisons)
    gain, share = abs(design.gain), design.discordance
    if share * units.apart < gain - 1e-12:
        least = f"a gain of {gain:g} by differences of at most {units.apart:g} needs {gain / units.apart:g} of the questions"
        raise UsageError(f"discordance: expected {gain / units.apart:g} or more, found {share:g}: {least}")

    def kept(count: int) -> bool:
        return count <= MOST and drawn_power(count, gain, share, units, level) >= power

    few, enough = 1, _about(gain, share, units, power, level)
    while not kept(enough):
        few, enough = enough, enough + enough // 10 + 1
        if enough > MOST:
            return None
    while enough - few > max(1, enough // _FINENESS):
        middle = (few + enough) // 2
        few, enough = (few, middle) if kept(middle) else (middle, enough)
    return enough


def drawn_power(count: int, gain: float, discordance: float, units: PlannedUnits, alpha: float = ALPHA) -> float:
    """In what share of runs with so many units the test (two-sided, at this level) finds the gain."""
    return float((_chances(count, gain, discordance, units) <= alpha / 2).mean())


@lru_cache(maxsize=64)  # the families of one report ask for the same runs at other levels
def _chances(count: int, gain: float, discordance: float, units: PlannedUnits) -> Floats:
    """Of each run, the one-sided p that there is no gain."""
    import numpy as np

    sizes = np.array(list(units.differing(discordance)), dtype=float)
    shares = np.array(list(units.differing(discordance).values()))
    better, worse = ((1 + sign * gain / units.apart / discordance) / 2 for sign in (1, -1))
    kinds = np.concatenate([shares * better, shares * max(0.0, worse), [max(0.0, 1 - shares.sum())]])
    generator = np.random.default_rng(seed_of(0, "planned units"))
    counts = generator.multinomial(count, kinds / kinds.sum(), size=RUNS)[:, :-1].astype(float)
    weights = np.concatenate([units.apart * sizes, -units.apart * sizes])
    # One more that was not seen, as large as the largest, goes wholly the other way.
    return chances_at_most_zero(np.append(weights, -max(units.sizes)), np.column_stack([counts, np.ones(RUNS)]))


def chances_at_most_zero(weights: Floats, times: Floats) -> Floats:
    """That a sum of independent exponential values of mean 1, each by its weight, is not above zero: by Lugannani and Rice.

    `times`: of each row, how often each weight is there; the lowest weight is there in all of them. Where the mean is not
    above zero the chance is no small one, and said to be 1.
    """
    import numpy as np

    chances = np.ones(len(times))
    above = times @ weights > 0
    times = times[above]
    low, high = np.full(len(times), 1 / float(weights.min())), np.zeros(len(times))
    for _ in range(_HALVINGS):
        at = (low + high) / 2
        falling = (times * (weights / (1 - np.outer(at, weights)))).sum(axis=1) < 0
        low, high = np.where(falling, at, low), np.where(falling, high, at)
    left = 1 - np.outer(at, weights)
    root = -np.sqrt(2 * (times * np.log(left)).sum(axis=1))
    scale = at * np.sqrt((times * (weights / left) ** 2).sum(axis=1))
    density = np.exp(-(root**2) / 2) / math.sqrt(2 * math.pi)
    chances[above] = np.clip(normal_cdfs(root) + density * (1 / root - 1 / scale), 0.0, 1.0)
    return chances


def _about(gain: float, discordance: float, units: PlannedUnits, power: float, alpha: float) -> int:
    """Where to start looking: the normal approximation, in units of the mean size."""
    mean = units.mean_size
    squares = sum(share * size * size for size, share in units.differing(discordance).items())
    square = squares * units.apart**2 / mean**2
    reach = normal_inverse(1 - alpha / 2) + normal_inverse(power)
    return max(4, min(MOST, int(square * (reach / gain) ** 2 + max(units.sizes) / mean / gain)))
