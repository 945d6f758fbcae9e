"""Money, and figures that are multiplied by each other: a bootstrap for the interval, and beside it bounds for the verdict.

A bootstrap takes what was seen for all there is. Any of ten true thresholds for a mean cost was settled by it in 40 of 100
experiments of 30 questions, and any of ten for a ratio of accuracies near 1 in 23 of 100. So a verdict asks for more: what one
question moves the figure by, to first order, is a value between bounds (`linear`), and the p of a threshold is the larger one
of the bootstrap's and of that mean's. Where that is no mean either (multiples and gaps among others, a divisor that may be on
either side of nothing) no test of the whole is known that holds (`composed` says what is left).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from moot.experiment.claims import Expression, Number, Operation, Term
from moot.measures.claims.linear import MEANS, SHARES, Combination, Linear, combination, linear
from moot.stats.bootstrap import percentile_interval, percentile_p, resampled_sums
from moot.stats.clusters import units
from moot.stats.completions import IntervalLimits, Limited
from moot.stats.paired import BESIDE_ZERO, FEW_DISCORDANT, FEW_QUESTIONS
from moot.stats.quantiles import ALPHA

if TYPE_CHECKING:
    from moot.measures.claims.figure import Ratio
    from moot.stats.bootstrap import Floats

NO_VERDICT = (
    "no verdict: of multiples and gaps in arithmetic with other figures, and of what is divided by what may be above or below"
    " nothing, only the intervals of the single figures are known to hold, and within these it has no end"
)
EACH_BY_ITSELF = (
    "no test of the whole is known that holds, so each figure has its interval at its share of the level, and the whole lies"
    " within these"
)


@dataclass(frozen=True, slots=True)
class Resampled:
    """What a bootstrap says, and what a verdict goes by."""

    value: float
    limits: Callable[[float], IntervalLimits]
    p: Callable[[float], float | None]
    guard: FartherOf | None
    """None: no test of the whole is known that holds."""
    spread: bool
    """False: all questions are alike, or there is only one; nothing can be said."""
    small: bool


@dataclass(frozen=True, slots=True)
class FartherOf:
    """Of two intervals the farther end on each side, and of their p the larger."""

    one: Limited
    other: Limited

    @property
    def value(self) -> float:
        return self.other.value

    def limits(self, alpha: float = ALPHA) -> IntervalLimits:
        (low, high), (least, most) = self.one.limits(alpha), self.other.limits(alpha)
        return (
            None if low is None or least is None else min(low, least),
            None if high is None or most is None else max(high, most),
        )

    def p(self, threshold: float) -> float | None:
        found = self.one.p(threshold), self.other.p(threshold)
        return None if None in found else max(p for p in found if p is not None)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What a bootstrap says of a figure."""

    value: float
    limits_at: Callable[[float], IntervalLimits]
    p: Callable[[float], float | None]

    def limits(self, alpha: float = ALPHA) -> IntervalLimits:
        return self.limits_at(alpha)


def resampled(
    left: Expression, ratios: Mapping[Term, Ratio], questions: Sequence[str], seed: int, resamples: int
) -> Resampled | None:
    """None where it divides by nothing."""
    import numpy as np

    ratios = dict(sorted(ratios.items(), key=lambda item: str(item[0])))  # in whatever order they were written
    rows = {
        question: tuple(part for ratio in ratios.values() for part in (ratio.tops[question], ratio.bottom(question)))
        for question in questions
    }
    parts = units(rows)
    values = np.array(parts.sums, dtype=float)
    n = len(values)
    value = float(_evaluated(left, ratios, values.sum(axis=0)[None, :])[0])
    if not np.isfinite(value):
        return None
    small = n < FEW_QUESTIONS or few_differ(slopes(left, _means(ratios, questions)), ratios, questions)
    if n < 2 or (values == values[0]).all():
        return Resampled(value, lambda _: (None, None), lambda _: None, None, False, True)
    drawn = _evaluated(left, ratios, resampled_sums(values, seed=seed, resamples=resamples))

    least = percentile_p(drawn, n, -math.inf)

    def limits(alpha: float) -> IntervalLimits:
        if least is None or least > alpha:  # so far out the resamples do not reach: of no threshold is p as small
            return None, None
        low, high = percentile_interval(drawn, n, alpha) or (None, None)
        return _finite(low), _finite(high)

    def p(threshold: float) -> float | None:
        return percentile_p(drawn, n, threshold)

    bounded = _first_order(left, ratios, questions)
    guard = FartherOf(_Drawn(value, limits, p), bounded) if bounded is not None else None
    return Resampled(value, limits, p, guard, True, small)


def _first_order(left: Expression, ratios: Mapping[Term, Ratio], questions: Sequence[str]) -> Combination | None:
    """What it is made of near what was seen: a sum of means. None where it is none, or what it divides by could be nothing."""
    if any(term.function not in MEANS for term in ratios) or _divides(left):
        return None
    means = _means(ratios, questions)
    parts = linear(left, MEANS)
    if parts is None:
        weights = slopes(left, means)
        parts = Linear(weights, at(left, means) - sum(weights[term] * means[term] for term in weights))
    found = combination(parts, ratios, questions)
    return found if isinstance(found, Combination) else None


def _divides(expression: Expression) -> bool:
    """Whether by a figure."""
    if not isinstance(expression, Operation):
        return False
    if expression.sign == "/" and linear(expression.right, ()) is None:
        return True
    return _divides(expression.left) or _divides(expression.right)


def _means(ratios: Mapping[Term, Ratio], questions: Sequence[str]) -> dict[Term, float]:
    return {term: mean_of(ratio, questions) for term, ratio in ratios.items()}


def mean_of(ratio: Ratio, questions: Sequence[str]) -> float:
    """The figure on these questions; not a number, or without end, where it divides by nothing."""
    top, bottom = sum(ratio.tops[q] for q in questions), sum(ratio.bottom(q) for q in questions)
    return top / bottom if bottom else float("inf") if top > 0 else float("nan")


def slopes(left: Expression, means: Mapping[Term, float]) -> dict[Term, float]:
    """By how much it rises when each of its figures does, at these values of them."""
    return {term: _slope(left, term, means) for term in means}


def _slope(part: Expression, term: Term, means: Mapping[Term, float]) -> float:
    if not isinstance(part, Operation):
        return float(part == term)
    one, other = (_slope(side, term, means) for side in (part.left, part.right))
    if not one and not other:
        return 0.0
    match part.sign:
        case "+":
            return one + other
        case "-":
            return one - other
        case "*":
            return one * at(part.right, means) + other * at(part.left, means)
        case _:
            below = at(part.right, means)
            return (one - other * at(part.left, means) / below) / below if below else float("nan")


def few_differ(weights: Mapping[Term, float], ratios: Mapping[Term, Ratio], questions: Sequence[str]) -> bool:
    """Whether shares are set against each other, or rescues against regressions, and too few questions tell them apart."""
    shares = [term for term in weights if term.function in SHARES and weights[term]]
    pairs = [term for term in weights if term.function in ("net", "safety_multiple")]
    against = len({weights[term] > 0 for term in shares}) > 1
    if not against and not pairs:
        return False
    telling = 0
    for question in questions:
        seen = [ratios[term].tops[question] for term in shares] if against else []
        turned = any(_turned(term, ratios[term], question) for term in pairs)
        telling += turned or (bool(seen) and max(seen) - min(seen) > BESIDE_ZERO)
    return telling < FEW_DISCORDANT


def _turned(term: Term, ratio: Ratio, question: str) -> bool:
    below = ratio.bottom(question) if term.function == "safety_multiple" else 0.0
    return bool(ratio.tops[question] or below)


def at(expression: Expression, means: Mapping[Term, float]) -> float:
    """Its value where the figures have these."""
    if isinstance(expression, Number):
        return expression.value
    if isinstance(expression, Term):
        return means[expression]
    left, right = at(expression.left, means), at(expression.right, means)
    if expression.sign == "/" and not right:
        return float("nan")
    return float(applied(expression.sign, left, right))


def _finite(limit: float | None) -> float | None:
    """A ratio whose bottom may be nothing has no end on that side."""
    return limit if limit is not None and abs(limit) != float("inf") else None


def _evaluated(expression: Expression, ratios: Mapping[Term, Ratio], sums: Floats) -> Floats:
    """The expression on every row of sums, which has two columns a figure, in the order of `ratios`."""
    import numpy as np

    places = {term: 2 * place for place, term in enumerate(ratios)}

    def walk(part: Expression) -> Any:
        if isinstance(part, Number):
            return part.value
        if isinstance(part, Term):
            place = places[part]
            return sums[:, place] / sums[:, place + 1]
        return applied(part.sign, walk(part.left), walk(part.right))

    with np.errstate(all="ignore"):
        values = walk(expression)
    return np.asarray(values, dtype=float) + np.zeros(len(sums))


def applied(sign: str, left: Any, right: Any) -> Any:
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case _:
            return float("nan") if isinstance(right, float) and not right else left / right
