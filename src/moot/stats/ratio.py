"""How much of a gap is closed: a ratio whose bottom may be nothing, with Fieller's interval.

A share of a gap is tested by what is left over: were the share s, then the rise less s times the gap would be nothing in
the mean, and Student's test says whether it is. The interval holds every s that the test leaves open. Where the gap
itself cannot be told from nothing no s is ruled out, and there is no interval. A bootstrap of the ratio covers 24–92 %
where the gap is small or nearly all of it is closed: what is rare is often not seen at all. So three units stand beside
those seen in the variance: one whose gap was closed, one whose was not, and one as large as the largest that was lost
wholly. With them this covers 95 % and more (`bench/gap.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from moot.stats.clusters import SumsByQuestion, Units, units
from moot.stats.quantiles import ALPHA, student_p, student_quantile
from moot.types import Estimate

_NOTHING = 1e-12
"""A sum of differences that is no more than this is what adding up has left of none."""


@dataclass(frozen=True, slots=True)
class Closed:
    """Rise by gap: its limits at any level, and the p of any threshold that belongs to them."""

    rise: float
    gap: float
    rise_square: float
    gap_square: float
    product: float
    """The variances of the two sums, and their covariance."""
    df: int
    """0: no interval."""
    n: int
    clusters: int | None

    @property
    def value(self) -> float:
        return self.rise / self.gap

    def limits(self, alpha: float = ALPHA) -> tuple[float | None, float | None]:
        if not self.df:
            return None, None
        square = student_quantile(self.df, alpha) ** 2
        a = self.gap * self.gap - square * self.gap_square
        b = self.rise * self.gap - square * self.product
        c = self.rise * self.rise - square * self.rise_square
        if a <= 0:
            return None, None
        root = math.sqrt(max(0.0, b * b - a * c))
        return (b - root) / a, (b + root) / a

    def p(self, threshold: float) -> float | None:
        """Two-sided; above alpha exactly where the limits hold the threshold, or do not exist."""
        if not self.df:
            return None
        left = self.rise - threshold * self.gap
        variance = self.rise_square - 2 * threshold * self.product + threshold * threshold * self.gap_square
        no_gap = student_p(self.gap / math.sqrt(self.gap_square), self.df)
        return max(no_gap, student_p(left / math.sqrt(variance), self.df))

    def estimate(self, alpha: float = ALPHA) -> Estimate:
        return Estimate(self.value, *self.limits(alpha), self.n, self.clusters)


def no_gap(gaps: Iterable[float]) -> bool:
    """Whether the gaps of all questions come to none, or to less."""
    return math.fsum(gaps) <= _NOTHING


def closed(rows: SumsByQuestion) -> Closed | None:
    """From (rise, gap) of each question; None where there is no gap in the sum."""
    parts = counted_units(rows)
    rise, gap = (math.fsum(unit[place] for unit in parts.sums) for place in (0, 1))
    if no_gap([gap]):
        return None
    n = len(parts.sums)
    if not parts.enough:
        return Closed(rise, gap, 0.0, 0.0, 0.0, 0, parts.questions, parts.clusters)
    away = [(unit[0] - rise / n, unit[1] - gap / n) for unit in parts.sums]
    more = n / (n - 1)
    way = _usual_gap(parts)
    lost = max(unit[2] for unit in parts.sums)
    return Closed(
        rise,
        gap,
        more * math.fsum(up * up for up, _ in away) + way * way + lost * lost,
        more * math.fsum(far * far for _, far in away) + 2 * way * way,
        more * math.fsum(up * far for up, far in away) + way * way,
        n - 1,
        parts.questions,
        parts.clusters,
    )


def counted_units(rows: SumsByQuestion) -> Units:
    """With how many questions each has: how large a cluster is."""
    if isinstance(rows, Mapping):
        return units({question: (*sums, 1.0) for question, sums in rows.items()})
    return units([(*sums, 1.0) for sums in rows])


def _usual_gap(parts: Units) -> float:
    """Of the units that have one: what a unit that was not seen may have; of questions, one."""
    gaps = [abs(unit[1]) for unit in parts.sums if abs(unit[1]) > _NOTHING]
    return max(1.0, math.fsum(gaps) / len(gaps))
