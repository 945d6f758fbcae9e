"""How much of a gap is closed, whoever is the best: "Whoever is the best" in docs/report.md."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from second_way.bounded import BoundedMean
from second_way.hanging import together
from second_way.intervals import ALPHA, Limits, fieller

Players = Mapping[str, Mapping[str, float]]
"""By player and question, as far as it is graded."""


@dataclass
class Whoever:
    """Three sides (reached, start, top), the best of each as it came out, and the share that was measured."""

    sides: Sequence[Players]
    best: Sequence[str]
    asked: Sequence[str]
    value: float

    def limits(self, alpha: float = ALPHA) -> Limits:
        """What holds Fieller's intervals of everybody who is not beaten by the best of its side."""
        rivals = sum(len(side) - 1 for side in self.sides)
        level = alpha / 5 / rivals if rivals else 0.0
        left = [
            [name for name in side if name == best or self._p(side, best, name) > level]
            for side, best in zip(self.sides, self.best, strict=True)
        ]
        ends = [self.value]
        for trio in product(*left):
            reached, start, top = (side[name] for side, name in zip(self.sides, trio, strict=True))
            common = [q for q in self.asked if q in reached and q in start and q in top]
            by_unit = [[(reached[q] - start[q], top[q] - start[q]) for q in unit] for unit in together(common)]
            if math.fsum(gap for of_unit in by_unit for _, gap in of_unit) <= 1e-12:
                return None, None
            sums = [[math.fsum(pair[side] for pair in of_unit) for side in (0, 1)] for of_unit in by_unit]
            sizes = [len(of_unit) for of_unit in by_unit]
            low, high = fieller([(rise, gap) for rise, gap in sums], alpha * (4 / 5 if rivals else 1), sizes)
            if low is None or high is None:
                return None, None
            ends += [low, high]
        return min(ends), max(ends)

    def _p(self, side: Players, best: str, name: str) -> float:
        """One-sided: that the best is no better than this one."""
        common = [q for q in self.asked if q in side[best] and q in side[name]]
        if not common:
            return 1.0
        units = together(common)
        sums = [math.fsum(side[best][q] - side[name][q] for q in unit) for unit in units]
        return BoundedMean(sums, [len(unit) for unit in units]).no_more(0.0)

    def p(self, threshold: float) -> float:
        """The highest level at which the limits hold it."""

        def held(level: float) -> bool:
            low, high = self.limits(level)
            return low is None or high is None or low <= threshold <= high

        if held(1.0):
            return 1.0
        low, high = 1e-12, 1.0
        if not held(low):
            return 0.0
        while high / low > 1 + 1e-12:
            middle = math.sqrt(low * high)
            low, high = (middle, high) if held(middle) else (low, middle)
        return high
