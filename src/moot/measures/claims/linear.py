"""Sums and differences of accuracies, skylines and nets: each is the mean of one value a question, between bounds.

A net is a sum over questions, so one question adds as much of it as there are questions. What a question adds at the least
and at the most is known beforehand, so the interval is that of a mean by its bounds, as of any difference of counts.
Money has no such bounds; where a verdict on it has to be found, no question is taken to cost more than `DEARER` times the
dearest that was seen.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from moot.experiment.claims import Expression, Number, Term
from moot.stats.completions import Between, IntervalLimits
from moot.stats.paired import Difference, difference, split_signs
from moot.stats.quantiles import ALPHA

if TYPE_CHECKING:
    from moot.measures.claims.figure import Ratio

SHARES = {"accuracy", "skyline"}
BOUNDED = SHARES | {"net"}
MEANS = BOUNDED | {"cost"}
DEARER = 2.0
"""By so much a question that was not seen may cost more than the dearest that was. With 1 any of ten hypotheses about mean
costs is settled falsely in up to 19 of 100 experiments of 30 questions."""
_NOTHING = 1e-12
"""What is nearer to a threshold than that, by the range of a question, is at it."""


@dataclass(frozen=True, slots=True)
class Linear:
    """How often each figure is in it, and a number beside them."""

    weights: Mapping[Term, float] = field(default_factory=dict)
    constant: float = 0.0

    def plus(self, other: Linear, sign: float) -> Linear:
        terms = dict.fromkeys([*self.weights, *other.weights])
        weights = {term: self.weights.get(term, 0.0) + sign * other.weights.get(term, 0.0) for term in terms}
        return Linear(weights, self.constant + sign * other.constant)

    def times(self, factor: float) -> Linear:
        return Linear({term: weight * factor for term, weight in self.weights.items()}, self.constant * factor)

    def per_question(self, term: Term, questions: int) -> float:
        """What one more of a figure on one question adds to the mean: a net is no mean but a sum."""
        return self.weights[term] * (questions if term.function == "net" else 1.0)


def linear(expression: Expression, functions: Collection[str] = BOUNDED) -> Linear | None:
    """None where figures are multiplied or divided by each other, or one of them is another function: of sums with bounds
    unless told."""
    if isinstance(expression, Number):
        return Linear(constant=expression.value)
    if isinstance(expression, Term):
        return Linear({expression: 1.0}) if expression.function in functions else None
    left, right = linear(expression.left, functions), linear(expression.right, functions)
    if left is None or right is None:
        return None
    match expression.sign:
        case "+":
            return left.plus(right, 1.0)
        case "-":
            return left.plus(right, -1.0)
        case "*" if not left.weights or not right.weights:
            return right.times(left.constant) if not left.weights else left.times(right.constant)
        case "/" if not right.weights and right.constant:
            return left.times(1 / right.constant)
        case _:
            return None


@dataclass(frozen=True, slots=True)
class Combination:
    """A mean of values whose range is known, on the scale of that range."""

    value: float
    scaled: Difference
    middle: float
    reach: float
    """From the middle of the range to its ends."""

    @property
    def n(self) -> int:
        return self.scaled.n

    @property
    def clusters(self) -> int | None:
        return self.scaled.clusters

    def limits(self, alpha: float = ALPHA) -> IntervalLimits:
        low, high = self.scaled.limits(alpha)
        if low is None or high is None:
            return None, None
        return self.middle + low * self.reach, self.middle + high * self.reach

    def p(self, threshold: float) -> float | None:
        if not self.scaled.enough:
            return None
        away = (threshold - self.value) / self.reach
        return 1.0 if abs(away) < _NOTHING else self.scaled.p(self.scaled.value + away)


def combination(parts: Linear, ratios: Mapping[Term, Ratio], questions: Sequence[str]) -> Combination | Between | float:
    """On these questions, of which all the figures are known; a plain number where they cancel each other out.

    While answers wait its limits hold whatever they turn out to be.
    """
    seen = _combined(parts, ratios, {term: ratio.tops for term, ratio in ratios.items()}, questions)
    if isinstance(seen, float) or not any(ratio.waiting for ratio in ratios.values()):
        return seen
    worst, best = (_completed(parts, ratios, sign) for sign in (-1.0, 1.0))
    assert not isinstance(worst, float), "the range is not that of a number"
    assert not isinstance(best, float), "the range is not that of a number"
    return Between(seen, worst, best)


def _completed(parts: Linear, ratios: Mapping[Term, Ratio], sign: float) -> Combination | float:
    """With all that waits as it makes the figure lowest (-1), or highest (1)."""
    values = {}
    for term, ratio in ratios.items():
        end = ratio.best if parts.weights[term] * sign > 0 else ratio.worst
        values[term] = ratio.tops if end is None else end
    return _combined(parts, ratios, values, sorted(set.intersection(*map(set, values.values()))))


def _combined(
    parts: Linear, ratios: Mapping[Term, Ratio], values: Mapping[Term, Mapping[str, float]], questions: Sequence[str]
) -> Combination | float:
    each = {term: parts.per_question(term, len(questions)) for term in ratios}
    least, most = (
        parts.constant + math.fsum(_furthest(term, ratios[term], weight, sign) for term, weight in each.items())
        for sign in (-1.0, 1.0)
    )
    middle, reach = (least + most) / 2, (most - least) / 2
    if reach <= 0:
        return middle
    sums = {
        question: parts.constant + math.fsum(weight * values[term][question] for term, weight in each.items())
        for question in questions
    }
    scaled = difference(split_signs({question: (value - middle) / reach for question, value in sums.items()}))
    assert scaled is not None, "there are questions"
    return Combination(math.fsum(sums.values()) / len(sums), scaled, middle, reach)


def _furthest(term: Term, ratio: Ratio, weight: float, sign: float) -> float:
    """What a question adds to it at the least (-1) or at the most (1)."""
    if term.function == "net":
        return sign * abs(weight) * ratio.most
    if term.function == "cost":
        weight *= DEARER * max(ratio.tops.values())
    return max(0.0, weight) if sign > 0 else min(0.0, weight)


def linear_bounds(parts: Linear, ratios: Mapping[Term, Ratio], questions: Sequence[str]) -> dict[str, float] | None:
    """Over all questions, graded or not; None where all are graded."""
    if not any(
        question in ratio.open or question in ratio.turns for ratio in ratios.values() for question in questions
    ):
        return None
    low, high = (
        parts.constant
        + math.fsum(
            weight * _end(term, ratios[term], questions, sign * weight) for term, weight in parts.weights.items()
        )
        for sign in (-1.0, 1.0)
    )
    return {"low": low, "high": high}


def _end(term: Term, ratio: Ratio, questions: Sequence[str], sign: float) -> float:
    """The figure over all questions at its least or, with a sign above zero, at its most."""
    if term.function == "net":
        more = [ratio.turns.get(question, (0.0, 0.0)) for question in questions]
        turned = math.fsum(rescues if sign > 0 else -regressions for rescues, regressions in more)
        return math.fsum(ratio.tops.get(question, 0.0) for question in questions) + turned
    values = [ratio.value(question) for question in questions]
    return math.fsum(value.most if sign > 0 else value.least for value in values) / len(values)
