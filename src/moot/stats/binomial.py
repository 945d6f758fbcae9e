"""The binomial distribution, of many whole numbers at once: what a plan adds up over thousands of them, again and again.

The chance is the integral of a beta density, taken from the point outwards, where it falls off at least exponentially: as a
share of what stands at the point, on a scale on which it has fallen to nothing at the end. So a few points of Gauss and
Legendre do it for any numbers, in the middle as far out in a tail.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from moot.stats.distributions import ATANH, STIRLING

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats

_POINTS = 32
_NOTHING = 36.0
"""Less the logarithm of what is nothing beside one."""
_AT_ONCE = 4_000
_SMALL = 16


def at_most(k: Floats, n: Floats | float, p: Floats | float) -> Floats:
    """The chance of k or fewer of n, all of n included: 1 from n on, 0 below 0."""
    import numpy as np

    chances = np.where(k < 0, 0.0, 1.0)
    inside = (k >= 0) & (k < n) & (np.asarray(p) > 0)
    chances[inside & (np.asarray(p) >= 1)] = 0.0
    places = np.flatnonzero(inside & (np.asarray(p) < 1))
    if len(places):
        a, b = (n - k)[places], (k + 1)[places]
        x = 1 - np.broadcast_to(p, k.shape)[places]
        cuts = [slice(at, at + _AT_ONCE) for at in range(0, len(places), _AT_ONCE)]
        chances[places] = np.concatenate([_share(a[cut], b[cut], x[cut]) for cut in cuts])
    return chances


def _share(a: Floats, b: Floats, x: Floats) -> Floats:
    """Of the incomplete beta function; whichever side of x is beyond the mean is integrated, the other is what is left."""
    import numpy as np

    below = x * (a + b) <= a
    outer = _tail(np.where(below, a, b), np.where(below, b, a), np.where(below, x, 1 - x))
    return np.where(below, outer, 1 - outer)


def _tail(a: Floats, b: Floats, x: Floats) -> Floats:
    """With t = x · e^-u: the integral over u from 0, in units of the density at x."""
    import numpy as np

    odds, more = x / (1 - x), b - 1

    slope, curve = a - more * odds, more * odds * (1 + odds)
    end = 2 * _NOTHING / (slope + np.sqrt(slope * slope + 2 * curve * _NOTHING))
    for _ in range(
        3
    ):  # what has fallen rises ever more steeply, so one step is beyond the end and the next come back to it
        part = odds * np.exp(-end)
        rest = 1 + odds - part
        end = end + (_NOTHING - a * end + more * np.log(rest)) / (a - more * part / rest)
    places, weights = _gauss_legendre()
    u = end[:, None] * places
    left = np.exp(more[:, None] * np.log1p(-odds[:, None] * np.expm1(-u)) - a[:, None] * u)
    tail: Floats = _density(a, b, x) / (1 - x) * end * (left @ weights)
    return tail


@cache
def _gauss_legendre() -> tuple[Floats, Floats]:
    """Between 0 and 1."""
    import numpy as np

    places, weights = np.polynomial.legendre.leggauss(_POINTS)
    return (places + 1) / 2, weights / 2


def _density(a: Floats, b: Floats, x: Floats) -> Floats:
    """x^a · (1 - x)^b over the beta function: as `distributions._log_density`, of whole numbers."""
    import numpy as np

    n, y = a + b, 1 - x
    near = x <= y  # the smaller of x and y is the one that is known with all its digits
    away = _away(n, np.where(near, x, y), np.where(near, a, b))
    both = np.stack([a, b])
    over, above = _bent(np.where(near, away, -away) / both * ((1.0,), (-1.0,)), n / both * (x, y)) * both
    of_a, of_b, of_n = _stirling(np.stack([a, b, n]))
    density: Floats = np.sqrt(a / n * b / (2 * math.pi)) * np.exp(over + above + of_n - of_a - of_b)
    return density


def _away(n: Floats, x: Floats, a: Floats) -> Floats:
    """n · x - a, with the digits that the product drops: n has no more than half of them."""
    product = n * x
    scaled = 134217729.0 * x
    high = scaled - (scaled - x)
    dropped = (n * high - product) + n * (x - high)
    return (product - a) + dropped


def _bent(e: Floats, ratio: Floats) -> Floats:
    """log(1 + e) - e; `ratio` is 1 + e, for where it is next to nothing."""
    import numpy as np

    r = e / (2 + e)
    square = r * r
    series = np.full_like(r, ATANH[-1])
    for term in ATANH[-2::-1]:
        series *= square
        series += term
    bent: Floats = np.where(np.abs(e) <= 0.3, r * (2 * square * series - e), np.log(ratio) - e)
    return bent


def _stirling(z: Floats) -> Floats:
    import numpy as np

    square = 1 / (z * z)
    series = np.full_like(z, STIRLING[-1])
    for term in STIRLING[-2::-1]:
        series *= square
        series += term
    few = z < _SMALL
    return np.where(few, _stirling_of_few()[np.where(few, z, 1).astype(int)], series / z)


@cache
def _stirling_of_few() -> Floats:
    import numpy as np

    exact = [math.lgamma(z) - (z - 0.5) * math.log(z) + z - 0.5 * math.log(2 * math.pi) for z in range(1, _SMALL)]
    return np.array([0.0, *exact])
