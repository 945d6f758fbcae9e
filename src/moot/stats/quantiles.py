"""How wide an interval is: the points of the normal and of Student's distribution that all of them share."""

from __future__ import annotations

ALPHA = 0.05
"""An interval leaves out so much, on both sides together, and a p up to it is a finding, unless something else is said."""
Z_95 = 1.959963984540054
"""The 97.5 % point of the normal distribution."""
_MANY = 100_000
"""Degrees of freedom from which on Student's distribution is the normal one."""


def normal_quantile(alpha: float = ALPHA) -> float:
    """What a normal figure exceeds, on either side, with this chance."""
    if alpha == ALPHA:
        return Z_95
    from scipy.special import ndtri

    return float(-ndtri(alpha / 2))


def student_quantile(df: float, alpha: float = ALPHA) -> float:
    """The same of Student's t."""
    if df > _MANY:
        return normal_quantile(alpha)
    from scipy.special import stdtrit

    return float(-stdtrit(df, alpha / 2))


def normal_p(z: float) -> float:
    """The chance that a normal figure lies as far out, on either side."""
    from scipy.special import ndtr

    return float(2 * ndtr(-abs(z)))


def student_p(t: float, df: float) -> float:
    """The same of Student's t."""
    if df > _MANY:
        return normal_p(t)
    from scipy.special import stdtr

    return float(2 * stdtr(df, -abs(t)))
