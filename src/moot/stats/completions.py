"""Figures while answers wait for a grade: an interval that holds whatever they turn out to be.

A figure over what is graded leaves out what waits, and what waits is mostly wrong: what matches the reference waits for
nobody. So the interval runs from the low end that the figure would have were everything that waits at its worst for it to
the high end that it would have were everything at its best. The truth is one of the ways in which the answers can be
graded, and the interval holds the interval of each of them; so it errs no oftener than with everything graded. The p of a
threshold is the larger one of both ends on the side on which the threshold lies, and 1 between them.

The value stays the one over what is graded. It may lie beside both ends, since it is over fewer questions; then the
interval reaches to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from moot.stats.quantiles import ALPHA
from moot.types import Estimate

IntervalLimits = tuple[float | None, float | None]


class Limited(Protocol):
    """One that has limits at any level, and the p of any threshold that belongs to them."""

    @property
    def value(self) -> float: ...

    def limits(self, alpha: float = ALPHA) -> IntervalLimits: ...

    def p(self, threshold: float) -> float | None: ...


class LimitedOver(Limited, Protocol):
    """The same, and how many questions and clusters it is of."""

    @property
    def n(self) -> int: ...

    @property
    def clusters(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Between:
    """A figure over what is graded, with limits that hold whatever waits turns out to be."""

    seen: LimitedOver
    worst: Limited
    """With everything that waits at its worst for the figure."""
    best: Limited

    @property
    def value(self) -> float:
        return self.seen.value

    @property
    def n(self) -> int:
        return self.seen.n

    @property
    def clusters(self) -> int | None:
        return self.seen.clusters

    def limits(self, alpha: float = ALPHA) -> IntervalLimits:
        low, high = self.worst.limits(alpha)[0], self.best.limits(alpha)[1]
        if low is None or high is None or None in self.seen.limits(alpha):
            return None, None
        return min(low, self.value), max(high, self.value)

    @property
    def p_zero(self) -> float | None:
        return self.p(0.0)

    def p(self, threshold: float = 0.0) -> float | None:
        """Two-sided; above alpha exactly where the limits hold the threshold."""
        if self.seen.p(threshold) is None:
            return None
        if threshold < min(self.value, self.worst.value):
            return self.worst.p(threshold)
        return self.best.p(threshold) if threshold > max(self.value, self.best.value) else 1.0

    def estimate_at_worst(self) -> Estimate:
        return Estimate(self.worst.value, *self.worst.limits(), self.n, self.clusters)

    def estimate(self, alpha: float = ALPHA) -> Estimate:
        return Estimate(self.value, *self.limits(alpha), self.n, self.clusters)
