"""Whether a rule is still as good as it was when it was learnt: by newer questions of which somebody said what was right."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

from moot.types import Estimate


@dataclass(frozen=True, slots=True)
class Drift:
    """What it gets right now, what it did on questions it was not learnt from, and the difference."""

    now: Estimate
    before: Estimate

    @property
    def difference(self) -> Estimate:
        """Of two figures of different questions: each end is as far as theirs together (variance estimates recovery)."""
        now, before = self.now, self.before
        value = now.value - before.value
        if now.low is None or now.high is None or before.low is None or before.high is None:
            return Estimate(value, None, None, now.n)
        low = value - hypot(now.value - now.low, before.high - before.value)
        high = value + hypot(now.high - now.value, before.value - before.low)
        return Estimate(value, low, high, now.n)

    def words(self) -> str:
        gap = self.difference
        if gap.low is None or gap.high is None:
            return "too few questions to tell a drift"
        if gap.high < 0:
            return "it has got worse"
        return "it has got better" if gap.low > 0 else "no drift beyond chance"
