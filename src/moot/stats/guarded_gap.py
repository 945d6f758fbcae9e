"""How much of a gap is closed, as a verdict goes by it: Fieller's interval, and no nearer than what holds whatever was lost.

Student's tail is too thin for rare losses where nearly all of a gap is closed, or nearly nothing: three units more in the
variance make up for that at 95 %, and not at the levels that a family asks for. Of twenty hypotheses, each on a gap of which
exactly as much is closed as it is held against, any was confirmed in up to 13 of 100 experiments of 500 questions. So the p of
a share s is here the larger one of Fieller's and of twice the one-sided p of what is left over, the rise less s times the gap,
of which nothing is assumed but its bounds (`stats.bounded_mean`); and so is that of the gap itself, which has to be there. Each
end of the interval is the farther of the two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moot.stats.bounded_mean import chance_at_most_zero, normal_point
from moot.stats.clusters import SumsByQuestion
from moot.stats.quantiles import ALPHA
from moot.stats.ratio import Closed, closed, counted_units
from moot.stats.roots import root

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats

_DOUBLINGS = 60
"""How far an end is looked for: beyond it there is none."""


@dataclass(frozen=True, slots=True)
class GuardedClosed:
    """Rise by gap, each of them from -1 to 1 a question."""

    fieller: Closed
    rises: Floats
    gaps: Floats
    times: Floats
    """Units that are alike are counted."""
    largest: float
    """How many questions the largest unit has."""

    @property
    def value(self) -> float:
        return self.fieller.value

    def limits(self, alpha: float = ALPHA) -> tuple[float | None, float | None]:
        low, high = self.fieller.limits(alpha)
        if low is None or high is None or 2 * self._no_gap() > alpha:
            return None, None
        least, most = self._farther(low, alpha), self._farther(high, alpha)
        return (None, None) if least is None or most is None else (least, most)

    def p(self, threshold: float) -> float | None:
        """Two-sided; above alpha exactly where the limits hold the threshold, or do not exist."""
        found = self.fieller.p(threshold)
        if found is None:
            return None
        return min(1.0, max(found, 2 * self._no_gap(), 2 * self._no_farther(threshold, below=threshold < self.value)))

    def _no_gap(self) -> float:
        """One-sided, as the next: the p of no gap."""
        return self._tail(self.gaps, 1.0)

    def _no_farther(self, share: float, *, below: bool) -> float:
        """That no more than this share is closed, where it lies below what was seen; else that no less is.

        A question adds what was reached, less 1 - share times the start, less share times the top, each from 0 to 1: that bounds
        how far one that was not seen goes the other way.
        """
        left = self.rises - share * self.gaps
        return self._tail(left if below else -left, max(1.0, share, 1 - share))

    def _tail(self, values: Floats, bound: float) -> float:
        import numpy as np

        return chance_at_most_zero(np.append(values, -bound * self.largest), np.append(self.times, 1.0))

    def _farther(self, end: float, alpha: float) -> float | None:
        """Fieller's end, or the one by bounds where that is farther from the value; None where it has no end."""
        point, below = normal_point(alpha / 2), end < self.value

        def height(share: float) -> float:
            return normal_point(self._no_farther(share, below=below)) - point

        if height(end) >= 0:
            return end
        near, step = end, math.copysign(max(1e-6, abs(end - self.value)), end - self.value)
        for _ in range(_DOUBLINGS):
            far = near + step
            if height(far) >= 0:
                return root(height, near, far, xtol=1e-13)
            near, step = far, 2 * step
        return None


def guarded_closed(rows: SumsByQuestion) -> GuardedClosed | None:
    """From (rise, gap) of each question; None where there is no gap in the sum."""
    import numpy as np

    fieller = closed(rows)
    if fieller is None:
        return None
    units = np.array(counted_units(rows).sums, dtype=float).round(12)
    kinds, times = np.unique(units[:, :2], axis=0, return_counts=True)
    return GuardedClosed(fieller, kinds[:, 0], kinds[:, 1], times.astype(float), float(units[:, 2].max()))
