"""How wide an interval is: the points of the normal and of Student's distribution that all of them share."""

from __future__ import annotations

from functools import lru_cache

from moot.stats.distributions import normal_cdf, normal_inverse, student_cdf, student_inverse

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
    return -normal_inverse(alpha / 2)


@lru_cache(maxsize=4096)  # intervals of one report have few numbers of questions among them
def student_quantile(df: float, alpha: float = ALPHA) -> float:
    """The same of Student's t."""
    if df > _MANY:
        return normal_quantile(alpha)
    return -student_inverse(df, alpha / 2)


def normal_p(z: float) -> float:
    """The chance that a normal figure lies as far out, on either side."""
    return 2 * normal_cdf(-abs(z))


def student_p(t: float, df: float) -> float:
    """The same of Student's t."""
    if df > _MANY:
        return normal_p(t)
    return 2 * student_cdf(df, -abs(t))
