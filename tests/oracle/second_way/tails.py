"""Tails of the normal and of Student's distribution by the functions that SciPy's own distributions call: these check and
broadcast their arguments each time, and a second way asks for thousands of single numbers."""

from __future__ import annotations

from scipy import special


def norm_sf(point: float) -> float:
    return float(special.ndtr(-point))


def norm_isf(chance: float) -> float:
    return float(-special.ndtri(chance))


def norm_cdf(point: float) -> float:
    return float(special.ndtr(point))


def norm_ppf(chance: float) -> float:
    return float(special.ndtri(chance))


def t_sf(point: float, df: float) -> float:
    return float(special.stdtr(df, -point))


def t_isf(chance: float, df: float) -> float:
    return float(-special.stdtrit(df, chance))
