"""Shares and paired differences of sums over questions: score intervals (Wilson 1927, Tango 1998), exact p by sign flips.

A question adds some counts to the sums, and may add more than others do. So each interval holds as many questions as the
figure is worth: the variance of a single question by that of the figure, which is found by leaving out one question at a
time, and Student's t for not knowing it. No figure is worth less than so many questions of these sizes are at the least.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scipy import stats

from second_way.compare import Near

LEVEL = 0.05
Z = float(stats.norm.ppf(1 - LEVEL / 2))
TRIED_IN_FULL = 14
"""Of more questions that differ the report draws 20,000 flips."""
BESIDE_ZERO = 1e-9

Limits = tuple[float | None, float | None]


@dataclass(frozen=True)
class Flips:
    """The p of no difference, and whether the report can only have drawn it."""

    p: float
    drawn: bool

    @property
    def expected(self) -> Any:
        return Near(self.p, 6 * math.sqrt(self.p * (1 - self.p) / 20_000) + 2e-4) if self.drawn else self.p


def flips(differences: Sequence[float]) -> Flips:
    """Over all signs that the differences of whole questions could have had: how often the sum is as far from zero."""
    sums = {0.0: 1}
    moved = [difference for difference in differences if abs(difference) > 1e-12]
    for difference in moved:
        after: dict[float, int] = {}
        for total, ways in sums.items():
            for flipped in (total + difference, total - difference):
                key = round(flipped, 9)
                after[key] = after.get(key, 0) + ways
        sums = after
    seen = abs(math.fsum(moved))
    as_far = sum(ways for total, ways in sums.items() if abs(total) >= seen - 1e-6)
    return Flips(as_far / sum(sums.values()), len(moved) > TRIED_IN_FULL)


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

    width = _scale(value, value * (1 - value), sizes, without, cautious=True) ** 2
    middle = (value + width / 2) / (1 + width)
    half = math.sqrt(middle * middle - value * value / (1 + width)) if value < 1 else math.nan
    low = 0.0 if value <= 0 else 1 / (1 + width) if value >= 1 else max(0.0, middle - half)
    return value, low, (1.0 if value >= 1 else min(1.0, middle + half))


def difference(
    rows: Mapping[str, tuple[float, float, float]],
) -> tuple[float | None, float | None, float | None, Flips]:
    """Value, low, high and p: each question gives what was gained, what was lost, and out of how many."""
    test = flips([gained - lost for gained, lost, _ in rows.values()])
    return *within_p(rows, test.p), test


def within_p(
    rows: Mapping[str, tuple[float, float, float]], p: float, level: float = LEVEL
) -> tuple[float | None, float | None, float | None]:
    """Value, low and high, where this is the p of no difference."""
    every = list(rows.values())
    total = math.fsum(size for *_, size in every)
    if total <= 0:
        return None, None, None
    better, worse = (math.fsum(row[side] for row in every) / total for side in (0, 1))
    value = better - worse
    if len(every) < 2:
        return value, None, None

    def without(left_out: int) -> float:
        kept = [row for place, row in enumerate(every) if place != left_out]
        return math.fsum(gained - lost for gained, lost, _ in kept) / math.fsum(size for *_, size in kept)

    spread = better + worse - value * value
    scale = _scale(value, spread, [size for *_, size in every], without, cautious=False, level=level)
    return value, *_beside_zero(value, tango(better, worse, scale), p, level)


def mean_difference(values: Mapping[str, float]) -> tuple[float | None, float | None, float | None, Flips]:
    """One difference a question."""
    return difference({question: (max(value, 0.0), max(-value, 0.0), 1.0) for question, value in values.items()})


def _scale(
    value: float,
    one: float,
    sizes: Sequence[float],
    without: Callable[[int], float],
    *,
    cautious: bool,
    level: float = LEVEL,
) -> float:
    """The half width of an interval in standard deviations of one question, whose variance is `one`.

    `cautious`: where questions hold several answers one more question stands in that is worth no more than the least.
    """
    n, total = len(sizes), math.fsum(sizes)
    least = total**2 / math.fsum(size**2 for size in sizes)
    at_most = float(stats.norm.isf(level / 2)) / math.sqrt(least)
    variance = (n - 1) / n * math.fsum((without(place) - value) ** 2 for place in range(n))
    if variance <= 1e-15 or one <= 1e-15:
        return at_most
    parts = variance / one
    if cautious and least < total - 1e-9:
        parts = (n * parts + 1 / least) / (n + 1)
    return min(at_most, float(stats.t.isf(level / 2, max(1.0, least - 1))) * math.sqrt(parts))


def tango(better: float, worse: float, scale: float) -> tuple[float, float]:
    """All differences that lie within the scale of the shares that only one of the two sides has right."""

    def beyond(delta: float) -> float:
        """How far outside. The variance is at the likeliest share of `worse` that this difference allows."""
        b = -better - worse + (2 - better + worse) * delta
        c = -worse * delta * (1 - delta)
        likeliest = (math.sqrt(max(0.0, b * b - 8 * c)) - b) / 4
        variance = max(0.0, 2 * likeliest + delta * (1 - delta))
        return (better - worse - delta) ** 2 - scale * scale * variance

    ends = []
    for outside in (-1.0, 1.0):
        inside = better - worse
        for _ in range(80):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if beyond(middle) <= 0 else (inside, middle)
        ends.append(inside)
    return ends[0], ends[1]


def _beside_zero(value: float, limits: tuple[float, float], p: float, level: float = LEVEL) -> Limits:
    """The exact p decides about zero."""
    low, high = limits
    if p > level:
        return min(low, 0.0), max(high, 0.0)
    return (max(low, BESIDE_ZERO), high) if value > 0 else (low, min(high, -BESIDE_ZERO))
