"""What is made of figures that have intervals of their own, where no test of the whole is known that holds.

One figure by itself, squared say, is beyond a threshold exactly where the figure is beyond a number: so it has the figure's own
test. ``x * x > 0.25`` as a bootstrap was refuted in 5 of 100 experiments in which just that is true, where 2.5 are meant.

Of several figures each gets its share of the level, so that all their intervals hold at once as often as the level says,
whatever hangs together with what; and the whole lies between the least and the most that it can be within these.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from moot.experiment.claims import Expression, Number, Term
from moot.measures.claims.linear import SHARES
from moot.measures.claims.polynomials import NEVER_BELOW_NOTHING, quotient
from moot.stats.completions import IntervalLimits, Limited
from moot.stats.quantiles import ALPHA

Span = tuple[float, float]
NOWHERE: Span = (-math.inf, math.inf)
"""Nothing is known of it."""
_REAL = 1e-6
"""A root whose other part is no larger than that is one: two that fall together are not found better."""
_LEAST, _MOST = 1e-12, 1 - 1e-9
"""Between these levels a p is looked for."""
_HALVINGS = 40


@dataclass(frozen=True, slots=True)
class OfOne:
    """A sum of powers of one figure."""

    inner: Limited
    weights: tuple[float, ...]
    """Of the powers, the highest first."""
    span: Span
    """What the figure can be at all."""

    @property
    def value(self) -> float:
        return self._at(self.inner.value)

    def limits(self, alpha: float = ALPHA) -> IntervalLimits:
        """The least and the most that it is within the figure's own interval; where that has no end at this level, within
        all that the figure can be: a square is never below nothing."""
        low, high = self.inner.limits(alpha)
        if low is None and high is None and self.inner.p(self.inner.value) is None:
            return None, None
        first, last = self.span[0] if low is None else low, self.span[1] if high is None else high
        turns = [turn for turn in _roots(_slope(self.weights)) if first < turn < last]
        reached = [self._at(at) for at in (first, *turns, last)]
        return _finite(min(reached)), _finite(max(reached))

    def p(self, threshold: float) -> float | None:
        """The largest one of all that the figure could be for that; none of them: the threshold cannot be reached."""
        low, high = self.span
        *powers, alone = self.weights
        found = [self.inner.p(at) for at in _roots((*powers, alone - threshold)) if low <= at <= high]
        if not found:
            return 0.0 if self.inner.p(self.inner.value) is not None else None
        return None if None in found else max(p for p in found if p is not None)

    def _at(self, figure: float) -> float:
        whole = 0.0
        for weight in self.weights:
            whole = whole * figure + weight if whole or math.isfinite(figure) else weight
        return whole


def powers_of_one(left: Expression, term: Term) -> tuple[float, ...] | None:
    """How often each power of the only figure is in it, the highest first; None where it is no sum of powers."""
    found = quotient(left)
    if found is None or found.bottom or not any(found.top):
        return None
    weights = {len(factors): weight for factors, weight in found.top.items()}
    assert all(set(factors) <= {term} for factors in found.top), "it is the only one"
    return tuple(weights.get(power, 0.0) for power in range(max(weights), -1, -1))


def span_of(term: Term) -> Span:
    if term.function in SHARES:
        return 0.0, 1.0
    return (0.0, math.inf) if term.function in NEVER_BELOW_NOTHING else NOWHERE


@dataclass(frozen=True, slots=True)
class OfSeveral:
    """Whatever is written of several figures, within the box that their intervals make."""

    value: float
    left: Expression
    figures: Mapping[Term, Limited]

    def limits(self, alpha: float = ALPHA) -> IntervalLimits:
        spans = {}
        for term, figure in self.figures.items():
            low, high = figure.limits(alpha / len(self.figures))
            if low is None and high is None:
                return None, None
            least, most = span_of(term)
            spans[term] = (least if low is None else low, most if high is None else high)
        low, high = _within(self.left, spans)
        return _finite(low), _finite(high)

    def p(self, threshold: float) -> float | None:
        """The level from which on the limits leave it out; None where there are none at any."""
        if self.limits(_MOST) == (None, None):
            return None
        beyond = lru_cache(maxsize=None)(lambda alpha: self._leaves_out(threshold, alpha))
        if not beyond(_MOST):
            return 1.0
        least, most = math.log(_LEAST), math.log(_MOST)
        if beyond(_LEAST):
            return _LEAST
        for _ in range(_HALVINGS):
            middle = (least + most) / 2
            least, most = (least, middle) if beyond(math.exp(middle)) else (middle, most)
        return math.exp(most)

    def _leaves_out(self, threshold: float, alpha: float) -> bool:
        low, high = self.limits(alpha)
        return (low is not None and low > threshold) or (high is not None and high < threshold)


def _within(part: Expression, spans: Mapping[Term, Span]) -> Span:
    """The least and the most that it can be; a figure that is in it twice is taken as two, which is never too narrow."""
    if isinstance(part, Number):
        return part.value, part.value
    if isinstance(part, Term):
        return spans[part]
    (low, high), (least, most) = _within(part.left, spans), _within(part.right, spans)
    match part.sign:
        case "+":
            return low + least, high + most
        case "-":
            return low - most, high - least
        case "*":
            return _ends(_times(one, other) for one, other in product((low, high), (least, most)))
        case _ if least <= 0 <= most:
            return NOWHERE
        case _:
            return _ends(_times(one, 1 / other) for one, other in product((low, high), (least, most)))


def _times(one: float, other: float) -> float:
    """Nothing of what has no end is nothing."""
    return one * other if one and other else 0.0


def _ends(reached: Iterable[float]) -> Span:
    every = list(reached)
    return min(every), max(every)


def _slope(weights: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(weight * (len(weights) - 1 - place) for place, weight in enumerate(weights[:-1]))


def _roots(weights: tuple[float, ...]) -> list[float]:
    import numpy as np

    return [float(root.real) for root in np.roots(weights) if abs(root.imag) < _REAL]


def _finite(end: float) -> float | None:
    return end if math.isfinite(end) else None
