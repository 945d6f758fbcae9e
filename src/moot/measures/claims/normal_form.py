"""A hypothesis in the one form that its test goes by: however it is spelt, one claim has one test and one p.

``accuracy(a) > accuracy(b) + 0.1``, ``accuracy(a) - 0.1 > accuracy(b)`` and ``0.1 < accuracy(a) - accuracy(b)`` are all the
difference of two shares against 0.1, and ``100 * accuracy(a) > 60`` is one share against 0.6.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from moot.experiment.claims import FUNCTIONS, Expression, Hypothesis, Number, Operation, Term
from moot.measures.claims.linear import SHARES, linear

_CANCELLED = 1e-12
"""A figure that is in it no more often than that is not: 0.1 + 0.2 - 0.3 of one."""


@dataclass(frozen=True, slots=True)
class AgainstNumber:
    """The claim that `left` is beyond `threshold`."""

    hypothesis: Hypothesis
    """As it was written, but for its sign where the sides were changed."""
    left: Expression
    threshold: float

    @property
    def terms(self) -> tuple[Term, ...]:
        return replace(self.hypothesis, left=self.left, right=Number(self.threshold)).terms


def against_number(hypothesis: Hypothesis) -> AgainstNumber:
    """One figure, or one share less another, if that is what it comes to; else all its figures."""
    claim = _turned(hypothesis) if _number(hypothesis.left) is not None else hypothesis
    whole = claim.left if (right := _number(claim.right)) is not None else Operation("-", claim.left, claim.right)
    parts, threshold = linear(whole, FUNCTIONS), right or 0.0
    if parts is None:
        return AgainstNumber(claim, whole, threshold)
    weights = {term: weight for term, weight in parts.weights.items() if abs(weight) > _CANCELLED}
    threshold -= parts.constant
    if len(weights) == 1:
        ((term, weight),) = weights.items()
        return AgainstNumber(claim if weight > 0 else _turned(claim), term, threshold / weight + 0.0)  # no -0.0
    if (pair := _one_less_another(weights)) is not None:
        return AgainstNumber(claim, Operation("-", *pair), threshold / weights[pair[0]])
    if parts.constant:
        whole = Operation("-", whole, Number(parts.constant))
    return AgainstNumber(claim, whole, threshold)


def _turned(hypothesis: Hypothesis) -> Hypothesis:
    """``0.6 < accuracy(a)`` as ``accuracy(a) > 0.6``."""
    sign: Literal[">", "<"] = "<" if hypothesis.sign == ">" else ">"
    return replace(hypothesis, left=hypothesis.right, sign=sign, right=hypothesis.left)


def _number(expression: Expression) -> float | None:
    parts = linear(expression, FUNCTIONS)
    return None if parts is None or parts.weights else parts.constant


def _one_less_another(weights: Mapping[Term, float]) -> tuple[Term, Term] | None:
    if len(weights) != 2 or not math.isclose(sum(weights.values()), 0.0, abs_tol=_CANCELLED):
        return None
    one, other = sorted(weights, key=lambda term: -weights[term])
    return (one, other) if {one.function, other.function} <= SHARES else None
