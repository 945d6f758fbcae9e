"""A hypothesis in the one form that its test goes by: however it is spelt, one claim has one test and one p.

``accuracy(a) > accuracy(b) + 0.1``, ``accuracy(a) - 0.1 > accuracy(b)`` and ``0.1 < accuracy(a) - accuracy(b)`` are all the
difference of two shares against 0.1, and ``100 * accuracy(a) > 60`` is one share against 0.6. Ratios are multiplied out:
``accuracy(a) / accuracy(b) > 1`` is that difference against 0, and has no test of its own that would be kinder.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from moot.experiment.claims import FUNCTIONS, Expression, Hypothesis, Number, Operation, Term
from moot.measures.claims.linear import SHARES, Linear, linear
from moot.measures.claims.polynomials import divided, expression_of, quotient, sign_of, sums_in

_CANCELLED = 1e-12
"""A figure that is in it no more often than that is not: 0.1 + 0.2 - 0.3 of one."""


@dataclass(frozen=True, slots=True)
class AgainstNumber:
    """The claim that `left` is beyond `threshold`."""

    hypothesis: Hypothesis
    """As it was written, but for its sign where the sides were changed."""
    left: Expression
    threshold: float
    written: Expression | None = None
    """What was written, where both sides were multiplied or divided by something: `left` says the same of other figures."""
    divisors: tuple[Expression, ...] = ()
    """By what: none can be below nothing, and where one is nothing the claim is another."""

    @property
    def terms(self) -> tuple[Term, ...]:
        return replace(self.hypothesis, left=self.left, right=Number(self.threshold)).terms

    @property
    def words(self) -> str:
        """The claim that is tested, in the grammar of hypotheses."""
        return f"{spelt(self.left)} {self.hypothesis.sign} {self.threshold:.6g}"


def against_number(hypothesis: Hypothesis) -> AgainstNumber:
    """One figure, or one share less another, if that is what it comes to; else all its figures, multiplied out."""
    claim = _turned(hypothesis) if _number(hypothesis.left) is not None else hypothesis
    whole = claim.left if (right := _number(claim.right)) is not None else Operation("-", claim.left, claim.right)
    parts, threshold = linear(whole, FUNCTIONS), right or 0.0
    if parts is None:
        return _multiplied_out(claim, whole, threshold) or AgainstNumber(claim, whole, threshold)
    return _sum(claim, whole, parts, threshold)


def _sum(claim: Hypothesis, whole: Expression, parts: Linear, threshold: float) -> AgainstNumber:
    weights = {term: weight for term, weight in parts.weights.items() if abs(weight) > _CANCELLED}
    threshold -= parts.constant
    if len(weights) == 1:
        ((term, weight),) = weights.items()
        return AgainstNumber(claim if weight > 0 else _turned(claim), term, threshold / weight + 0.0)  # no -0.0
    if (pair := _one_less_another(weights)) is not None:
        return AgainstNumber(claim, Operation("-", *pair), threshold / weights[pair[0]] + 0.0)
    if parts.constant:
        whole = Operation("-", whole, Number(parts.constant))
    return AgainstNumber(claim, whole, threshold)


def _multiplied_out(claim: Hypothesis, whole: Expression, threshold: float) -> AgainstNumber | None:
    """``A / B > t`` as ``A - t * B > 0``, and ``A * B > B * B`` as ``A > B``: the same claim wherever B, which cannot be below
    nothing, is above it. None where nobody knows on which side of nothing the divisor lies."""
    found = quotient(Operation("-", whole, Number(threshold)))
    if found is None or not (sign := math.prod(map(sign_of, found.bottom))) or not found.top:
        return None
    top, divisors = found.top, [factor for factor in (*found.bottom, *found.inner) if any(factor)]
    for factor in [each for each in sums_in(whole) if sign_of(each)]:
        while max(map(len, top)) > 1 and (rest := divided(top, factor)) and any(rest):
            top, sign, divisors = rest, sign * sign_of(factor), [*divisors, factor]
    claim = claim if sign > 0 else _turned(claim)
    figures = {product: weight for product, weight in top.items() if product}
    parts = Linear({product[0]: weight for product, weight in figures.items() if len(product) == 1}, top.get((), 0.0))
    if not figures:  # figures that cancel each other out
        reached = AgainstNumber(claim, Operation("*", Number(0.0), claim.terms[0]), -parts.constant)
    elif any(len(product) > 1 for product in figures):
        reached = AgainstNumber(claim, expression_of(figures), -parts.constant + 0.0)
    else:
        reached = _sum(claim, expression_of(figures), replace(parts, constant=0.0), -parts.constant + 0.0)
    written = whole if divisors else None
    return replace(reached, written=written, divisors=tuple(map(expression_of, divisors)))


def spelt(expression: Expression, *, inside: bool = False) -> str:
    """In the grammar of hypotheses; `inside` a product or behind a minus, a sum has brackets."""
    if isinstance(expression, Number):
        return f"{expression.value:.6g}"
    if isinstance(expression, Term):
        return f"{expression.function}({expression.side})"
    if expression.sign in "*/":
        whole = f"{spelt(expression.left, inside=True)} {expression.sign} {spelt(expression.right, inside=True)}"
        return "-" + whole.removeprefix("-1 * ") if whole.startswith("-1 * ") else whole
    whole = f"{spelt(expression.left)} {expression.sign} {spelt(expression.right, inside=expression.sign == '-')}"
    return f"({whole})" if inside else whole


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
