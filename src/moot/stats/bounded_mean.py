"""The mean of differences that cannot leave -1 to 1: its p and its interval, with nothing assumed but these bounds.

Many small gains beside a rare great loss have a mean of nothing, and thirty questions may show the gains alone. A test
that flips signs, Student's, or a bootstrap take what was seen for all there is and find a gain. Here one more unit stands
beside those seen that goes wholly the other way, and every unit gets a random weight (exponential, as if the questions were
drawn anew): the p of "no more than m" is the chance that the weighted mean is no more than m (Gaffke 2005; Learned-Miller
and Thomas 2020 give the interval that belongs to it). Of values at the bounds it is Clopper and Pearson's, of 1, 0 and -1
against nothing it is McNemar's test, and no world of independent questions is known in which it errs oftener than it says.
Units are of different size: the one that stands beside them is as large as one can be, or, where nobody knows how large
that is (of clusters), as the largest that was seen.

That chance is no draw: it is the tail of a sum of exponential values, an integral that is taken along the line through
the saddle point, where it falls off at once. It is right to ten digits.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING

from moot.stats.distributions import normal_inverse
from moot.stats.quantiles import ALPHA
from moot.stats.roots import root

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats

_STEP = 0.05
"""Of the integral, on a scale on which what is integrated falls off at least exponentially."""
_ENDS = (2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0)
"""Where it may end: the first at which there is nothing left."""
_LEFT = -37.0
"""The logarithm of nothing."""
_NOTHING = 1e-12
"""What is nearer to a threshold than that is at it: means of the same values may differ in their last digit."""
_ALIKE = 1e-13
"""Normal points no further apart are one: the means that they belong to are as near to each other."""
_FAR = 37.0
"""The normal point of a chance too small for a number."""
_FEW = 256
"""Of so many kinds of units a chance is kept: a report asks for the same one in several of its rows. So many units are told
apart in Python."""
_HANDFUL = 12
"""So many kinds are summed one by one in less time than it takes to hand them over as arrays."""


@dataclass(frozen=True)
class BoundedMean:
    """Sums over units of values from -1 to 1, of so many (`sizes`) each: the mean of all values."""

    sums: Sequence[float]
    sizes: Sequence[float]
    largest: float = 0.0
    """How many values a unit can have, where that is known beforehand and may be more than any was seen to have."""

    @cached_property
    def value(self) -> float:
        return math.fsum(self.sums) / math.fsum(self.sizes)

    @cached_property
    def _kinds(self) -> tuple[Floats, Floats, Floats]:
        """Units that are alike are counted: sum, size and how many."""
        import numpy as np

        rows = np.column_stack([np.asarray(self.sums, dtype=float), np.asarray(self.sizes, dtype=float)])
        rows = rows.round(12)
        if len(rows) > _FEW:
            kinds, times = np.unique(rows, axis=0, return_counts=True)
            return kinds[:, 0], kinds[:, 1], times.astype(float)
        counts = Counter(map(tuple, rows.tolist()))  # takes a fifth of the time, where they are few
        few = sorted(counts)
        return (
            np.array([kind[0] for kind in few]),
            np.array([kind[1] for kind in few]),
            np.array([float(counts[kind]) for kind in few]),
        )

    @cached_property
    def _times(self) -> Floats:
        """How often each kind is there, and the unit that was not seen."""
        import numpy as np

        return np.append(self._kinds[2], 1.0)

    def at_most(self, threshold: float) -> float:
        """One-sided: the p of a mean of no more than this, small where the values lie above it."""
        return self._tail(threshold, 1.0)

    def at_least(self, threshold: float) -> float:
        return self._tail(threshold, -1.0)

    def _tail(self, threshold: float, sign: float) -> float:
        import numpy as np

        sums, sizes, _ = self._kinds
        weights = np.empty(len(sums) + 1)
        weights[:-1] = sign * (sums - threshold * sizes)
        weights[-1] = -self._unit * (1 + sign * threshold)
        return chance_at_most_zero(weights, self._times)

    def p(self, threshold: float) -> float:
        """Two-sided; above alpha exactly where the limits hold the threshold."""
        return min(1.0, 2 * min(self.at_most(threshold), self.at_least(threshold)))

    def limits(self, alpha: float = ALPHA) -> tuple[float, float]:
        point = normal_point(alpha / 2)
        return self.low(point), self.high(point)

    def low(self, point: float) -> float:
        """The mean whose p has this normal point: all below it are ruled out."""
        return self._limit(point, 1.0)

    def high(self, point: float) -> float:
        return -self._limit(point, -1.0)

    def _limit(self, point: float, sign: float) -> float:
        def height(mean: float) -> float:
            return normal_point(self._tail(sign * mean, sign))

        if len(self._times) > _FEW:
            return _falling_to(point, height, sign * self.value, self._error)
        sums, sizes, times = self._kinds
        asked = (sums.tobytes(), sizes.tobytes(), times.tobytes(), self._unit, self.value, point, sign)
        if (kept := _limits_kept.get(asked)) is None:
            if len(_limits_kept) >= _MOST_KEPT:
                _limits_kept.clear()
            kept = _limits_kept[asked] = _falling_to(point, height, sign * self.value, self._error)
        return kept

    @cached_property
    def _unit(self) -> float:
        """How large the unit is that was not seen: a middling one finds a gain where few large clusters lose what many
        small ones win, in up to 14 % of worlds without any."""
        return max(self.largest, max(self.sizes))

    @cached_property
    def _error(self) -> float:
        """Where to look for the limits: about so far away by the normal point."""
        sums, sizes, times = self._kinds
        squares = float(times @ (sums - self.value * sizes) ** 2) + self._unit**2
        return math.sqrt(squares) / math.fsum(self.sizes)


_MOST_KEPT = 4096
_limits_kept: dict[tuple[bytes, bytes, bytes, float, float, float, float], float] = {}
"""By what they hang on: sections of a report, and a report after a report, ask for the limits of the same units."""


def normal_point(chance: float) -> float:
    """What a normal figure lies above with this chance."""
    return min(_FAR, max(-_FAR, -normal_inverse(chance)))


def _falling_to(point: float, height: Callable[[float], float], top: float, error: float) -> float:
    """Left of the top, where what falls towards it has come down to the point; the end itself where it starts below."""
    if height(-1.0) <= point:
        return -1.0
    right, left = top, max(-1.0, top - (point + 1) * error)
    if height(right) >= point:
        return right
    while height(left) < point:
        right, left = left, max(-1.0, left - 2 * error)

    def over(mean: float) -> float:
        apart = height(mean) - point
        return apart if abs(apart) > _ALIKE else 0.0

    return root(over, left, right, xtol=1e-13)


def chance_at_most_zero(weights: Floats, times: Floats) -> float:
    """That a sum of independent exponential values of mean 1, each of them by its weight, is not above zero.

    `times`: how often each weight is there.
    """
    if len(weights) <= _FEW:
        return _kept_chance(weights.tobytes(), times.tobytes())
    return _chance(weights, times)


@lru_cache(maxsize=8192)
def _kept_chance(weights: bytes, times: bytes) -> float:
    import numpy as np

    return _chance(np.frombuffer(weights), np.frombuffer(times))


def _chance(weights: Floats, times: Floats) -> float:
    import numpy as np

    # On a scale of its own: what is too small beside the largest weight adds nothing.
    weights = weights / max(1e-300, float(np.abs(weights).max()))
    kept = np.abs(weights) > _NOTHING
    weights, times = weights[kept], times[kept]
    if not (weights > 0).any():
        return 1.0
    if not (weights < 0).any():
        return 0.0
    # The rarer side is the one that is integrated: the other is what is left.
    mean = float(times @ weights)
    if mean < 0:
        return 1.0 - _chance_below_zero(-weights, times)
    return _chance_below_zero(weights, times)


def _chance_below_zero(weights: Floats, times: Floats) -> float:
    """By the moment generating function, Π (1 - weight · s)^-times, over s along a line left of zero."""
    import numpy as np

    at = _saddle(weights, times)
    parts = weights / (1 - weights * at)
    width = 1 / math.sqrt(float(times @ parts**2) + 1 / at**2)
    line = _line_to(_end(width * parts, times))
    away = width * line.sinh
    # As a share of what stands at the saddle point, so that chances however small keep their digits: its logarithm and its
    # angle, which turns back by as much as each pole is passed.
    apart = away[:, None] * np.append(parts, 1 / at)
    logs = np.log1p(apart * apart) @ np.append(times, 1.0)
    angles = np.arctan(apart) @ np.append(times, -1.0)
    total = float(np.exp(-0.5 * logs) * np.cos(angles) @ line.shares)
    height = -float(times @ np.log1p(-weights * at)) - math.log(-at)
    return math.exp(height) * width * _STEP * total / math.pi


@dataclass(frozen=True, slots=True)
class _Line:
    """The steps of the integral from the saddle point on."""

    sinh: Floats
    shares: Floats
    """How much of the line each step stands for: the first, at its end, for half as much."""


@cache
def _line_to(end: float) -> _Line:
    import numpy as np

    steps = np.arange(0.0, end, _STEP)
    shares = np.cosh(steps)
    shares[0] /= 2
    return _Line(np.sinh(steps), shares)


def _end(parts: Floats, times: Floats) -> float:
    """The first of the ends at which nothing is left of what is integrated, by the logarithm of how much there is."""
    import numpy as np

    if len(parts) <= _HANDFUL:
        kinds = list(zip(parts.tolist(), times.tolist(), strict=True))
        for end, far in zip(_ENDS[:-1], _ends_away().tolist(), strict=False):
            if -0.5 * sum(many * math.log1p((far * part) ** 2) for part, many in kinds) < _LEFT:
                return end
        return _ENDS[-1]
    left = -0.5 * (np.log1p(np.outer(_ends_away(), parts) ** 2) @ times)
    return _ENDS[int(np.argmax(np.append(left[:-1] < _LEFT, True)))]


@cache
def _ends_away() -> Floats:
    import numpy as np

    return np.sinh(_ENDS)


def _saddle(weights: Floats, times: Floats) -> float:
    """Where the logarithm of what is integrated has its lowest value left of zero: its slope rises from one end to the other."""
    if len(weights) <= _HANDFUL:
        return _saddle_of_few(weights.tolist(), times.tolist())
    low, high = 1 / float(weights.min()), 0.0
    at = low / 2
    for _ in range(60):
        parts = weights / (1 - weights * at)
        slope = float(times @ parts) - 1 / at
        low, high = (at, high) if slope < 0 else (low, at)
        step = slope / (float(times @ parts**2) + 1 / at**2)
        newer = at - step
        newer = newer if low < newer < high else (low + high) / 2
        if abs(newer - at) <= 1e-6 * abs(newer):
            return newer
        at = newer
    return at


def _saddle_of_few(weights: Sequence[float], times: Sequence[float]) -> float:
    """The same without arrays."""
    kinds = list(zip(weights, times, strict=True))
    low, high = 1 / min(weights), 0.0
    at = low / 2
    for _ in range(60):
        slope, bend = -1 / at, 1 / at**2
        for weight, many in kinds:
            part = weight / (1 - weight * at)
            slope += many * part
            bend += many * part * part
        low, high = (at, high) if slope < 0 else (low, at)
        newer = at - slope / bend
        newer = newer if low < newer < high else (low + high) / 2
        if abs(newer - at) <= 1e-6 * abs(newer):
            return newer
        at = newer
    return at
