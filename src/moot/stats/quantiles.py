"""How wide an interval of 95 % is: the points of the normal and of Student's distribution that all of them share."""

from __future__ import annotations

Z_95 = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


def student_quantile(df: int) -> float:
    """The 97.5 % point of Student's t."""
    if df > 100_000:
        return Z_95
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.975))
