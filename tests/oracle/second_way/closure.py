"""How much of a gap is closed, whoever is the best: "Whoever is the best" in docs/report.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from scipy import optimize

from second_way.bounded import BoundedMean, spline_chance
from second_way.hanging import together
from second_way.intervals import ALPHA, Limits, fieller

Players = Mapping[str, Mapping[str, float]]
"""By player and question, as far as it is graded."""


@dataclass
class Trio:
    """Rise and gap of each piece of evidence, of so many questions, from three who may be the best."""

    sums: Sequence[tuple[float, float]]
    sizes: Sequence[int]

    @property
    def value(self) -> float:
        return math.fsum(rise for rise, _ in self.sums) / math.fsum(gap for _, gap in self.sums)

    def chance_of_no_gap(self) -> float:
        """By nothing but bounds: one more piece as large as the largest stands beside them that has the gap of -1."""
        return spline_chance([*(gap for _, gap in self.sums), -float(max(self.sizes))])

    def chance_beyond(self, share: float) -> float:
        """Of a share on the far side of this one, likewise: what was reached less a mixture of start and top, 1 - share of the
        one and share of the other; both ends of the mixture may stand outside of 0 to 1."""
        sign = 1 if share < self.value else -1
        farthest = max(abs(one) for one in (1.0, share, 1 - share))
        knots = [sign * (rise - share * gap) for rise, gap in self.sums]
        return spline_chance([*knots, -farthest * max(self.sizes)])

    def limits(self, alpha: float, *, for_a_verdict: bool) -> Limits:
        low, high = fieller(self.sums, alpha, self.sizes)
        if low is None or high is None or not for_a_verdict:
            return low, high
        if 2 * self.chance_of_no_gap() > alpha:
            return None, None
        return self._out(low, alpha / 2), self._out(high, alpha / 2)

    def _out(self, end: float, side: float) -> float:
        """From here away from the value, to where the chance has come down to this."""

        def over(share: float) -> float:
            return math.log(max(1e-300, self.chance_beyond(share)) / side)

        if over(end) <= 0:
            return end
        away = end - self.value
        while over(self.value + 2 * away) > 0:
            away *= 2
        return float(optimize.brentq(over, self.value + away, self.value + 2 * away, xtol=1e-14, rtol=1e-14))


@dataclass
class Whoever:
    """Three sides (reached, start, top), the best of each as it came out, and the share that was measured."""

    sides: Sequence[Players]
    best: Sequence[str]
    asked: Sequence[str]
    value: float

    def limits(self, alpha: float = ALPHA, *, for_a_verdict: bool = False) -> Limits:
        """What holds the intervals of everybody who is not beaten by the best of its side."""
        ends = [self.value]
        for trio in self._trios(alpha):
            low, high = (None, None) if trio is None else trio.limits(alpha * self._rest, for_a_verdict=for_a_verdict)
            if low is None or high is None:
                return None, None
            ends += [low, high]
        return min(ends), max(ends)

    @property
    def _rivals(self) -> int:
        return sum(len(side) - 1 for side in self.sides)

    @property
    def _rest(self) -> float:
        return 4 / 5 if self._rivals else 1.0

    def _trios(self, alpha: float) -> Iterator[Trio | None]:
        """None where the three leave no gap."""
        level = alpha / 5 / self._rivals if self._rivals else 0.0
        left = [
            [name for name in side if name == best or self._p(side, best, name) > level]
            for side, best in zip(self.sides, self.best, strict=True)
        ]
        for trio in product(*left):
            reached, start, top = (side[name] for side, name in zip(self.sides, trio, strict=True))
            common = [q for q in self.asked if q in reached and q in start and q in top]
            by_unit = [[(reached[q] - start[q], top[q] - start[q]) for q in unit] for unit in together(common)]
            if math.fsum(gap for of_unit in by_unit for _, gap in of_unit) <= 1e-12:
                yield None
                continue
            sums = [[math.fsum(pair[side] for pair in of_unit) for side in (0, 1)] for of_unit in by_unit]
            yield Trio([(rise, gap) for rise, gap in sums], [len(of_unit) for of_unit in by_unit])

    def verdict_p(self, threshold: float) -> float:
        """The highest level at which the wider limits hold it: those of a trio reach to it from its own value as far as its p,
        shared or not, is above the level."""
        one_sided: dict[tuple[tuple[float, float], ...], float] = {}

        def reaches(trio: Trio | None, level: float) -> bool:
            if trio is None or (trio.value >= threshold if threshold > self.value else trio.value <= threshold):
                return True
            low, high = fieller(trio.sums, level * self._rest, trio.sizes)
            key = tuple(trio.sums)
            if key not in one_sided:
                one_sided[key] = max(trio.chance_of_no_gap(), trio.chance_beyond(threshold))
            fits = low is None or high is None or low <= threshold <= high
            return fits or 2 * one_sided[key] > level * self._rest

        return _highest(lambda level: threshold == self.value or any(reaches(t, level) for t in self._trios(level)))

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

        return _highest(held)


def _highest(held: Callable[[float], bool]) -> float:
    if held(1.0):
        return 1.0
    low, high = 1e-12, 1.0
    if not held(low):
        return 0.0
    while high / low > 1 + 1e-12:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if held(middle) else (low, middle)
    return high
