"""Shares and paired differences of sums over questions: the score interval of Wilson (1927), and that of a bounded mean.

A question adds some counts to the sums, and may add more than others do. So the interval of a share holds as many questions
as the figure is worth: the variance of a single question by that of the figure, which is found by leaving out one question
at a time, and Student's t for not knowing it. No figure is worth less than so many questions of these sizes are at the least.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from second_way.bounded import BoundedMean
from second_way.intervals import Difference, farther_out
from second_way.tails import norm_ppf, t_isf

LEVEL = 0.05
Z = float(norm_ppf(1 - LEVEL / 2))
BESIDE_ZERO = 1e-9

Limits = tuple[float | None, float | None]


def share(rows: Mapping[str, tuple[float, float]]) -> tuple[float | None, float | None, float | None]:
    """Value, low and high of a share: each question gives how many, out of how many."""
    counted = [row for row in rows.values() if row[1] > 0]
    if not counted:
        return None, None, None
    sizes = [size for _, size in counted]
    value = math.fsum(top for top, _ in counted) / math.fsum(sizes)
    if len(counted) < 2:
        return value, None, None

    def without(left_out: int) -> float:
        kept = [row for place, row in enumerate(counted) if place != left_out]
        return math.fsum(top for top, _ in kept) / math.fsum(size for _, size in kept)

    width = _scale(value, sizes, without) ** 2
    middle = (value + width / 2) / (1 + width)
    half = math.sqrt(middle * middle - value * value / (1 + width)) if value < 1 else math.nan
    low = 0.0 if value <= 0 else 1 / (1 + width) if value >= 1 else max(0.0, middle - half)
    return value, low, (1.0 if value >= 1 else min(1.0, middle + half))


def rate(rows: Mapping[str, tuple[float, float]], could: float) -> tuple[float | None, float | None, float | None]:
    """A share of what came up; `could`: out of how many a question could have given it."""
    value, *limits = share(rows)
    return value, *farther_out((limits[0], limits[1]), [*rows.values()], could)


def difference(
    rows: Mapping[str, tuple[float, float, float]], could: float = 0.0
) -> tuple[float | None, float | None, float | None, float]:
    """Value, low, high and p: each question gives what was gained, what was lost, and out of how many; `could`: out of how
    many it might have been."""
    figure = _bounded(rows, could)
    if figure is None:
        return None, None, None, 1.0
    return figure.value, *(figure.limits(LEVEL) if len(rows) > 1 else (None, None)), figure.p(0.0)


def _bounded(rows: Mapping[str, tuple[float, float, float]], could: float = 0.0) -> BoundedMean | None:
    counted = [row for row in rows.values() if row[2] > 0]
    return BoundedMean([row[0] - row[1] for row in counted], [row[2] for row in counted], could) if counted else None


def within_p(
    rows: Mapping[str, tuple[float, float, float]], p: float, level: float = LEVEL
) -> tuple[float | None, float | None, float | None]:
    """Value, low and high, where this is the p of no difference."""
    figure = _bounded(rows)
    if figure is None:
        return None, None, None
    if len(rows) < 2:
        return figure.value, None, None
    return figure.value, *_beside_zero(figure.value, figure.limits(level), p, level)


def mean_difference(
    values: Mapping[str, float], *, once: bool = False
) -> tuple[float | None, float | None, float | None, float]:
    """One difference a question; `once`: each of them is of one pair, not of means."""
    if once and values:
        figure = Difference.of_pairs([*values.values()])
        return figure.value, *figure.limits(), figure.p
    return difference({question: (max(value, 0.0), max(-value, 0.0), 1.0) for question, value in values.items()})


def _scale(value: float, sizes: Sequence[float], without: Callable[[int], float]) -> float:
    """The half width of the interval of a share in standard deviations of one question.

    One more question stands beside those of the rarer kind, from which the variance is known, worth no more than the least.
    """
    n, total, one = len(sizes), math.fsum(sizes), value * (1 - value)
    least = total**2 / math.fsum(size**2 for size in sizes)
    at_most = Z / math.sqrt(least)
    variance = (n - 1) / n * math.fsum((without(place) - value) ** 2 for place in range(n))
    if variance <= 1e-15 or one <= 1e-15:
        return at_most
    rare = min(value, 1 - value) * least
    parts = (variance / one * rare + 1 / least) / (1 + rare)
    return min(at_most, float(t_isf(LEVEL / 2, max(1.0, least - 1))) * math.sqrt(parts))


def _beside_zero(value: float, limits: tuple[float, float], p: float, level: float = LEVEL) -> Limits:
    """The exact p decides about zero."""
    low, high = limits
    if p > level:
        return min(low, 0.0), max(high, 0.0)
    return (max(low, BESIDE_ZERO), high) if value > 0 else (low, min(high, -BESIDE_ZERO))
