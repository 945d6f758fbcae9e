"""A share of preferences, and between what it lies: whichever of the forms that a judge's taste may have is the right one."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from moot.stats.bounded_mean import BoundedMean
from moot.stats.clusters import unit_of
from moot.stats.preference_doubts import NO_REACH, Reach
from moot.stats.quantiles import student_p, student_quantile
from moot.stats.word_table import logistic

_SMALL = 1e-10


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of preferences: its value, and what each unit adds to it."""

    value: float
    mean: BoundedMean
    odds: float | None = None
    """Its log-odds where they were fitted, and their standard error over the units left out in turn."""
    error: float = 0.0
    otherwise: tuple[Rate, ...] = ()
    """What comes out where judges go by length in another way."""
    reach: Reach = NO_REACH
    """How far the place may be worth something else, as questions differ."""

    def limits(self, alpha: float) -> tuple[float, float] | None:
        """None below two units. Whatever of the forms that a judge's taste may have is the right one."""
        ends = [limits for rate in (self, *self.otherwise) if (limits := rate._own_limits(alpha)) is not None]
        if not ends:
            return None
        low, high = min(low for low, _ in ends), max(high for _, high in ends)
        return max(0.0, low + self.reach.below), min(1.0, high + self.reach.above)

    def _own_limits(self, alpha: float) -> tuple[float, float] | None:
        """Of a fitted share the interval holds both that of the mean of what units add, which is right where few of them
        decide, and Student's of the log-odds, which is where much hangs on a habit that is hardly known."""
        if len(self.mean.sums) < 2:
            return None
        low, high = ((end + 1) / 2 for end in self.mean.limits(alpha))
        if self.odds is not None:
            away = student_quantile(len(self.mean.sums) - 1, alpha) * self.error
            low = min(low, float(logistic(self.odds - away)))
            high = max(high, float(logistic(self.odds + away)))
        return max(0.0, min(self.value, low)), min(1.0, max(self.value, high))

    def at_most_half(self) -> float | None:
        """One-sided: the p of a share of no more than a half; below a level exactly where the interval is above a half."""
        least = min(0.5 - self.reach.below, 1.0)
        found = [p for rate in (self, *self.otherwise) if (p := rate._at_most(least)) is not None]
        return max(found) if found else None

    def _at_most(self, least: float) -> float | None:
        if len(self.mean.sums) < 2:
            return None
        of_mean = self.mean.at_most(2 * least - 1)
        if self.odds is None or self.error == 0:
            return of_mean
        away = self.odds - odds_of(least)
        two_sided = student_p(away / self.error, len(self.mean.sums) - 1)
        return max(of_mean, two_sided / 2 if away > 0 else 1 - two_sided / 2)


def share(values: Sequence[tuple[str, float]]) -> Rate | None:
    """The mean of values from 0 to 1, all of which count alike; those of one question are one unit."""
    sums: dict[str, float] = defaultdict(float)
    sizes: dict[str, float] = defaultdict(float)
    for question, value in values:
        sums[unit_of(question)] += value
        sizes[unit_of(question)] += 1.0
    return rate_of([*sums.values()], [*sizes.values()]) if values else None


def rate_of(sums: Sequence[float], sizes: Sequence[float]) -> Rate:
    value = math.fsum(sums) / math.fsum(sizes)
    centred = [2 * part - size for part, size in zip(sums, sizes, strict=True)]
    return Rate(value, BoundedMean(centred, list(sizes)))


def odds_of(share: float) -> float:
    share = min(1 - _SMALL, max(_SMALL, float(share)))
    return math.log(share / (1 - share))
