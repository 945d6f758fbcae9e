"""Sums of products of figures, and one such sum by another: what a hypothesis comes to when it is multiplied out.

``accuracy(a) / accuracy(b) > 1.2`` is one sum by another above nothing, (a - 1.2 b) / b, and since no share is below nothing the
first sum alone says whether that holds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import product as products

from moot.experiment.claims import Expression, Number, Operation, Term
from moot.measures.claims.linear import SHARES

NEVER_BELOW_NOTHING = {"accuracy", "skyline", "cost", "safety_multiple"}
_MOST = 60
"""So many products nobody writes; more are not multiplied out."""
_MOST_SHARES = 8
_CANCELLED = 1e-12
"""What is left of two that cancel each other out, by their size, is nothing: 0.1 + 0.2 - 0.3 of one."""

Product = tuple[Term, ...]
"""Figures that are multiplied, in one order whoever wrote them; none of them: a plain number."""
Polynomial = Mapping[Product, float]
"""How often each product is in a sum."""


class TooManyProducts(Exception):
    """More products than anybody writes."""


@dataclass(frozen=True, slots=True)
class Quotient:
    top: Polynomial
    bottom: tuple[Polynomial, ...] = ()
    """What it is divided by, one after another."""
    inner: tuple[Polynomial, ...] = ()
    """What those are divided by: that stands above, and may be nothing all the same."""


def quotient(expression: Expression) -> Quotient | None:
    """None where it divides by the number 0, or would be too long."""
    try:
        found = _quotient(expression)
    except TooManyProducts:
        return None
    return found if all((*found.bottom, *found.inner)) else None


def _quotient(expression: Expression) -> Quotient:
    if isinstance(expression, Number):
        return Quotient(_tidy({(): expression.value}))
    if isinstance(expression, Term):
        return Quotient({(expression,): 1.0})
    one, other = _quotient(expression.left), _quotient(expression.right)
    match expression.sign:
        case "*":
            return Quotient(_times(one.top, other.top), one.bottom + other.bottom, one.inner + other.inner)
        case "/":
            inner = (*one.inner, *other.inner, *other.bottom)
            return Quotient(reduce(_times, other.bottom, one.top), (*one.bottom, other.top), inner)
        case sign:
            only_one, only_other = list(one.bottom), list(other.bottom)
            for factor in one.bottom:
                if factor in only_other:
                    only_one.remove(factor)
                    only_other.remove(factor)
            first, second = reduce(_times, only_other, one.top), reduce(_times, only_one, other.top)
            whole = _plus(first, second, 1.0 if sign == "+" else -1.0)
            return Quotient(whole, (*one.bottom, *only_other), one.inner + other.inner)


def sign_of(sum_of_products: Polynomial) -> int:
    """1 where it cannot be below nothing, -1 where it cannot be above it, 0 where nobody knows beforehand."""
    terms = {term for product in sum_of_products for term in product}
    if any(term.function not in NEVER_BELOW_NOTHING for term in terms):
        return 0
    signs = {1 if weight > 0 else -1 for weight in sum_of_products.values()}
    return signs.pop() if len(signs) == 1 else _sign_of_shares(sum_of_products, terms)


def _sign_of_shares(sum_of_products: Polynomial, terms: Collection[Term]) -> int:
    """Of what has each figure once at the most, such as 1 - accuracy(b): it is farthest where each share is 0 or 1."""
    once = all(len(set(product)) == len(product) for product in sum_of_products)
    if not once or len(terms) > _MOST_SHARES or any(term.function not in SHARES for term in terms):
        return 0
    corners = [
        {term for term, right in zip(terms, ends, strict=True) if right}
        for ends in products((False, True), repeat=len(terms))
    ]
    reached = [
        math.fsum(weight for product, weight in sum_of_products.items() if right.issuperset(product))
        for right in corners
    ]
    return 1 if min(reached) >= -_CANCELLED else -1 if max(reached) <= _CANCELLED else 0


def sums_in(expression: Expression) -> Iterator[Polynomial]:
    """What it may be that both sides are multiplied by: its figures, and what stands in its brackets, without quotients."""
    if isinstance(expression, Term):
        yield {(expression,): 1.0}
    elif isinstance(expression, Operation):
        whole = quotient(expression) if expression.sign in "+-" else None
        if (
            whole is not None and not whole.bottom and any(whole.top)
        ):  # by a plain number, or by nothing, there is no end of it
            yield whole.top
        yield from sums_in(expression.left)
        yield from sums_in(expression.right)


def divided(whole: Polynomial, by: Polynomial) -> Polynomial | None:
    """None where something is left over."""
    lead = max(by, key=_order)
    rest, found = dict(whole), dict[Product, float]()
    while rest:
        highest = max(rest, key=_order)
        left = Counter(highest)
        left.subtract(lead)
        if min(left.values(), default=0) < 0:
            return None
        part, weight = _product(left.elements()), rest[highest] / by[lead]
        found[part] = weight
        rest = {
            product: weight
            for product, weight in _plus(rest, _times({part: weight}, by), -1.0).items()
            if product != highest
        }
    return found


def expression_of(sum_of_products: Polynomial) -> Expression:
    """As one would write it, the plain number last."""
    written = sorted(sum_of_products, key=lambda product: (not product, -len(product), list(map(_name, product))))
    first, *others = [(_factors(product, abs(sum_of_products[product])), product) for product in written]
    whole = first[0] if sum_of_products[first[1]] > 0 else Operation("*", Number(-1.0), first[0])
    for part, product in others:
        whole = Operation("+" if sum_of_products[product] > 0 else "-", whole, part)
    return whole


def _factors(product: Product, weight: float) -> Expression:
    factors: list[Expression] = list(product)
    if weight != 1.0 or not factors:
        factors.insert(0, Number(weight))
    return reduce(lambda one, other: Operation("*", one, other), factors)


def _name(term: Term) -> str:
    return f"{term.function}({term.side})"


def _order(product: Product) -> tuple[int, list[str]]:
    """Of any two products the same one comes later when both are multiplied by a third."""
    return len(product), list(map(_name, product))


def _product(factors: Iterator[Term]) -> Product:
    return tuple(sorted(factors, key=_name))


def _tidy(weights: Mapping[Product, float]) -> Polynomial:
    kept = {product: weight for product, weight in weights.items() if weight}
    if len(kept) > _MOST:
        raise TooManyProducts
    return kept


def _plus(one: Polynomial, other: Polynomial, factor: float) -> Polynomial:
    found: dict[Product, float] = {}
    for product in dict.fromkeys([*one, *other]):
        first, second = one.get(product, 0.0), factor * other.get(product, 0.0)
        if abs(first + second) > _CANCELLED * max(abs(first), abs(second)):
            found[product] = first + second
    return _tidy(found)


def _times(one: Polynomial, other: Polynomial) -> Polynomial:
    found: dict[Product, float] = {}
    for first, weight in one.items():
        for second, factor in other.items():
            product = _product(iter((*first, *second)))
            found[product] = found.get(product, 0.0) + weight * factor
    return _tidy(found)
