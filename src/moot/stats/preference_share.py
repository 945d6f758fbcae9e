"""A share of preferences, and between what it lies: whichever of the forms that a judge's taste may have is the right one."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from moot.stats.bounded_mean import BoundedMean
from moot.stats.clusters import unit_of
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
    without: Sequence[float] = ()
    """Where it was fitted: what it is without each unit."""
    otherwise: tuple[Rate, ...] = ()
    """What comes out where judges go by length in another way, or the place is worth something else, as questions differ."""

    def limits(self, alpha: float) -> tuple[float, float] | None:
        """None below two units. Whatever of the forms that a judge's taste may have is the right one."""
        ends = [limits for rate in (self, *self.otherwise) if (limits := rate._own_limits(alpha)) is not None]
        if not ends:
            return None
        return min(low for low, _ in ends), max(high for _, high in ends)

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

    def moved(self, far: float, without: Sequence[float]) -> Rate:
        """A share that lies so far off, and without each unit so far off what there is without it: so it is as unsure as both."""
        others = [_within(other + gap) for other, gap in zip(self.without, without, strict=True)]
        return left_out_rate(_within(self.value + far), self.mean.sizes, others)

    def at_most_half(self) -> float | None:
        """One-sided: the p of a share of no more than a half; below a level exactly where the interval is above a half."""
        found = [p for rate in (self, *self.otherwise) if (p := rate._at_most_half()) is not None]
        return max(found) if found else None

    def _at_most_half(self) -> float | None:
        if len(self.mean.sums) < 2:
            return None
        of_mean = self.mean.at_most(0.0)
        if self.odds is None or self.error == 0:
            return of_mean
        two_sided = student_p(self.odds / self.error, len(self.mean.sums) - 1)
        return max(of_mean, two_sided / 2 if self.odds > 0 else 1 - two_sided / 2)


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


def left_out_rate(value: float, sizes: Sequence[float], without: Sequence[float]) -> Rate:
    """A share, and what it is without each of its units, which have so much weight: their jackknife."""
    total = math.fsum(sizes)
    adds = [total * value - (total - size) * other for size, other in zip(sizes, without, strict=True)]
    # What leaving out moves on average is no part of any unit.
    off = value - math.fsum(adds) / total
    mean = rate_of([add + size * off for add, size in zip(adds, sizes, strict=True)], sizes).mean
    error = jackknife_error([odds_of(other) for other in without]) or 0.0
    return Rate(value, mean, odds_of(value), error, without)


def _within(share: float) -> float:
    return min(1.0, max(0.0, share))


def jackknife_error(without: Sequence[float]) -> float | None:
    """The standard error of what is this without each of its units; None below two of them."""
    if len(without) < 2:
        return None
    middle = math.fsum(without) / len(without)
    return math.sqrt((len(without) - 1) / len(without) * math.fsum((each - middle) ** 2 for each in without))


def odds_of(share: float) -> float:
    share = min(1 - _SMALL, max(_SMALL, float(share)))
    return math.log(share / (1 - share))
