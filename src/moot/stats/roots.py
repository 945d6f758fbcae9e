"""Where a function of one number is zero."""

from __future__ import annotations

import math
from collections.abc import Callable

_MOST = 200


def root(function: Callable[[float], float], low: float, high: float, xtol: float = 2e-12) -> float:
    """Between two ends at which the function has different signs, to within `xtol`.

    Chandrupatla's method (1997): halving the bracket, and inverse quadratic interpolation where three points say that it
    lies on a curve tame enough for that. So it never leaves the bracket, and no function takes it longer than a few times
    the halvings.
    """
    newest, value = low, function(low)
    other, beyond = high, function(high)
    if value == 0 or beyond == 0:
        return newest if value == 0 else other
    if (value > 0) == (beyond > 0):
        raise ValueError(f"the function has one sign at both ends: {value:g} at {low:g}, {beyond:g} at {high:g}")
    share = 0.5
    for _ in range(_MOST):
        tried = newest + share * (other - newest)
        found = function(tried)
        if (found > 0) == (value > 0):
            third, before = newest, value
        else:
            third, before, other, beyond = other, beyond, newest, value
        newest, value = tried, found
        best = newest if abs(value) < abs(beyond) else other
        least = (2 * math.ulp(best) + xtol / 2) / abs(other - newest)
        if least > 0.5 or value == 0:
            return best
        share = min(1 - least, max(least, _next_share(newest, value, other, beyond, third, before)))
    return best


def _next_share(a: float, fa: float, b: float, fb: float, c: float, fc: float) -> float:
    """How far to go from a towards b, which lie on two sides of the root; c is the point before."""
    along, height = (a - b) / (c - b), (fa - fb) / (fc - fb)
    if not (height**2 < along and (1 - height) ** 2 < 1 - along):
        return 0.5
    return fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
