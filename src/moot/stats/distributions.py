"""Chances and points of the normal, Student's, the beta and the binomial distribution, one number at a time.

A large library has them too, and takes 150 MB and a quarter of a second to load. These are right to twelve digits and more
of whatever is small, down to the smallest numbers that there are: a chance of 1e-300 is no less exact than one of a half.
Of many whole numbers at once: `stats.binomial`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats

_ROOT_2 = math.sqrt(2.0)
_LOG_ROOT_2_PI = 0.5 * math.log(2 * math.pi)
_EPS = 2.0**-53
_MOST_TERMS = 200_000
_MOST_STEPS = 100
_FAR = 700.0
"""Log odds so far out are those of the smallest numbers."""
_SERIES_FROM = 16.0
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)
"""Of the logarithm of the gamma function over Stirling's formula, as a series in one over its argument."""
ATANH = tuple(1 / (2 * place + 3) for place in range(11))


def normal_cdf(x: float) -> float:
    """The chance of a normal figure of no more than x."""
    return 0.5 * math.erfc(-x / _ROOT_2)


def normal_cdfs(x: Floats) -> Floats:
    import numpy as np

    return np.fromiter(map(normal_cdf, x.tolist()), dtype=float, count=len(x))


def normal_inverse(p: float) -> float:
    """The point with this chance below it."""
    if not 0 < p < 1:
        return -math.inf if p == 0 else math.inf if p == 1 else math.nan
    from statistics import NormalDist

    return NormalDist().inv_cdf(p)


def student_cdf(df: float, t: float) -> float:
    """The chance of a t of no more than this, with so many degrees of freedom."""
    square = t * t
    tail = 0.5 * _beta_cdf(df / 2, 0.5, df / (df + square), square / (df + square)) if square < math.inf else 0.0
    return tail if t <= 0 else 1 - tail


def student_inverse(df: float, p: float) -> float:
    """The t with this chance below it."""
    if p > 0.5:
        return -student_inverse(df, 1 - p)
    if not p > 0:
        return -math.inf if p == 0 else math.nan
    if p > 0.25:
        return -math.sqrt(df * math.exp(_beta_log_odds(0.5, df / 2, 1 - 2 * p))) if p < 0.5 else 0.0
    return -math.sqrt(df) * math.exp(-0.5 * _beta_log_odds(df / 2, 0.5, 2 * p))


def binomial_at_least(k: int, n: int, p: float) -> float:
    """The chance of so many successes or more."""
    return 1.0 if k <= 0 else 0.0 if k > n else beta_cdf(k, n - k + 1, p)


def beta_cdf(a: float, b: float, x: float) -> float:
    """The incomplete beta function, as a share of the whole."""
    return _beta_cdf(a, b, x, 1 - x)


def beta_inverse(a: float, b: float, p: float) -> float:
    """The x below which this share of it lies."""
    if not 0 < p < 1:
        return p if p in (0, 1) else math.nan
    return _logistic(_beta_log_odds(a, b, p))


def _beta_cdf(a: float, b: float, x: float, y: float) -> float:
    """`y` is 1 - x, which a caller may know better than as a difference."""
    if x <= 0 or y <= 0:
        return 0.0 if x <= 0 else 1.0
    if _right_of_mean(a, b, x):
        return 1 - math.exp(_log_density(b, a, y, x)) / _fraction(b, a, y, x)
    return math.exp(_log_density(a, b, x, y)) / _fraction(a, b, x, y)


def _right_of_mean(a: float, b: float, x: float) -> bool:
    return x * (a + b + 2) > a + 1


def _beta_log_odds(a: float, b: float, p: float) -> float:
    """log(x / (1 - x)) of the x below which this share lies.

    On this scale the distribution falls off on both sides of one top, so the logarithm of the share below is a curve that
    only bends down, and Newton's steps come to the point from the left whatever they start from.
    """
    if p > 0.5:
        return -_beta_log_odds(b, a, 1 - p)
    odds = math.log(a / b) + normal_inverse(p) * math.sqrt(1 / a + 1 / b)
    wanted = math.log(p)
    for _ in range(_MOST_STEPS):
        x, y = _logistic(odds), _logistic(-odds)
        density = _log_density(a, b, x, y)
        right = _right_of_mean(a, b, x)
        share = math.log(_beta_cdf(a, b, x, y)) if right else density - math.log(_fraction(a, b, x, y))
        step = (share - wanted) * math.exp(share - density)
        before, odds = odds, max(-_FAR, odds - step)
        if abs(odds - before) <= 4 * _EPS * max(1.0, abs(odds)):
            break
    return odds


def _logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-odds)) if odds > 0 else math.exp(odds) / (1 + math.exp(odds))


def _log_density(a: float, b: float, x: float, y: float) -> float:
    """The logarithm of x^a · y^b over the beta function: from Stirling's formula and how far x lies from the mean, so that
    nothing large is taken from something large."""
    n = a + b
    away = _away(a, b, x, y)
    exponent = a * _bent(away / a, n * x / a) + b * _bent(-away / b, n * y / b)
    return exponent + _stirling(n) - _stirling(a) - _stirling(b) + 0.5 * math.log(a / n * b / (2 * math.pi))


def _away(a: float, b: float, x: float, y: float) -> float:
    """(a + b) · x - a, which is b - (a + b) · y: of the smaller of the two, with the digits that sum and product drop."""
    if x > y:
        return -_away(b, a, y, x)
    n = a + b
    lost = (a - (n - (n - a))) + (b - (n - a))
    product = n * x
    n_high, x_high = _upper_half(n), _upper_half(x)
    n_low, x_low = n - n_high, x - x_high
    dropped = ((n_high * x_high - product) + n_high * x_low + n_low * x_high) + n_low * x_low
    return (product - a) + (dropped + lost * x)


def _upper_half(number: float) -> float:
    """Its first 26 binary digits."""
    scaled = 134217729.0 * number
    return scaled - (scaled - number)


def _bent(e: float, ratio: float) -> float:
    """log(1 + e) - e; `ratio` is 1 + e, for where it is next to nothing."""
    if e < -0.5:
        return math.log(ratio) - e
    if e > 0.3 or e < -0.3:
        return math.log1p(e) - e
    r = e / (2 + e)
    square = r * r
    series = 0.0
    for term in reversed(ATANH):
        series = series * square + term
    return r * (2 * square * series - e)


def _stirling(z: float) -> float:
    """By how much the logarithm of the gamma function is above Stirling's formula."""
    if z < _SERIES_FROM:
        return math.lgamma(z) - (z - 0.5) * math.log(z) + z - _LOG_ROOT_2_PI
    square = 1 / (z * z)
    series = 0.0
    for term in reversed(STIRLING):
        series = series * square + term
    return series / z


def _fraction(a: float, b: float, x: float, y: float) -> float:
    """The continued fraction of Didonato and Morris (1992), left of the mean, where all of its parts are above zero at first;
    by the method of Lentz. The density over it is the share."""
    left = 1 - _away(a, b, x, y)
    value = upper = a * left / (a + 1)
    lower = 0.0
    for m in range(1, _MOST_TERMS):
        odd = a + 2 * m - 1
        wanting = m * (b - m) * x / odd
        over = (a + m - 1) * (a + b + m - 1) * x / odd * wanting
        under = m + wanting + (a + m) * (left + m * (1 + y)) / (odd + 2)
        lower = 1 / _not_zero(under + over * lower)
        upper = _not_zero(under + over / upper)
        factor = lower * upper
        value *= factor
        if abs(factor - 1) <= 2 * _EPS:
            return value
    raise ArithmeticError(f"no incomplete beta function of a = {a:g}, b = {b:g} at {x:g}")


def _not_zero(number: float) -> float:
    return number if abs(number) > 1e-300 else 1e-300
