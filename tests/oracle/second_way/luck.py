"""What the highest of many has to pay: "What a choice costs" in docs/report.md, with draws of its own.

A report draws the luck of the highest option; so does this, with other numbers. What comes of a drawn point is known
within a range, and every figure that hangs on it is held against that range: five standard errors of both draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from second_way.bounded import BoundedMean
from second_way.compare import Near
from second_way.intervals import normal_point, root_between, score_limits, tango_statistic
from second_way.tails import norm_isf, norm_sf

Floats = NDArray[np.float64]
Range = tuple[float, float]

SIDE = 0.025
DRAWN = 20_000
REPORT_DRAWS = 20_000
ERRORS = 5.0


def near(ends: Range) -> Near:
    return Near((ends[0] + ends[1]) / 2, (ends[1] - ends[0]) / 2 + 1e-7)


@cache
def _normal(count: int) -> NDArray[np.float64]:
    return np.random.default_rng(20260).standard_normal((count, DRAWN))


class Luck:
    """Of as many options as there are rows, as alike as these are."""

    def __init__(self, alike: Floats, report_draws: int = REPORT_DRAWS) -> None:
        self.count = len(alike)
        self._draws = 1 / (1 / DRAWN + 1 / report_draws)
        self._report = report_draws
        values, vectors = np.linalg.eigh(alike)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        self._highest = np.sort((root @ _normal(self.count)).max(axis=0))

    def p(self, point: float) -> Range:
        """How often any of them is as lucky: no less than one alone, no more than all of them added up."""
        alone = float(norm_sf(point))
        if self.count == 1:
            return alone, alone
        share = float((self._highest >= point).mean())
        away = ERRORS * math.sqrt(max(share, 1 / self._report) / self._draws) + 2 / self._report
        ends = [min(1.0, self.count * alone, max(alone, share + side * away)) for side in (-1, 1)]
        return ends[0], ends[1]

    def point(self, level: float = SIDE) -> Range:
        """What is passed so often by luck."""
        alone, paid = float(norm_isf(level)), float(norm_isf(level / self.count))
        if self.count == 1:
            return alone, alone
        away = ERRORS * math.sqrt(level / self._draws) + 2 / self._report
        ends = []
        for tail in (level + away, level - away):
            drawn = float(np.quantile(self._highest, 1 - tail)) if tail > 0 else math.inf
            ends.append(min(paid, max(alone, drawn)))
        return ends[0], ends[1]


def alike_in_differences(table: Floats) -> Floats:
    """Two options hang together by where both are better and by where both are worse, each counted as a half."""
    known = np.nan_to_num(table)
    rows = np.zeros_like(known)
    for row, values in enumerate(known):
        for sign in (1.0, -1.0):
            part = np.maximum(sign * values, 0.0)
            size = math.sqrt(float((part**2).sum()))
            if size:
                rows[row] += sign * part / size / math.sqrt(2)
    return _ones(rows)


def alike_in_values(table: Floats) -> Floats:
    """Plain correlations; what is ungraded stands at the mean of its row."""
    rows = np.zeros_like(table)
    for row, values in enumerate(table):
        graded = ~np.isnan(values)
        if graded.any():
            rows[row, graded] = values[graded] - values[graded].mean()
            size = math.sqrt(float((rows[row] ** 2).sum()))
            rows[row] = rows[row] / size if size > 1e-9 else 0.0
    return _ones(rows)


def _ones(rows: Floats) -> Floats:
    alike = rows @ rows.T
    for place in range(len(alike)):
        alike[place, place] = 1.0
    return alike


# ---------------------------------------------------------------- one option against one single


@dataclass(frozen=True)
class Pairs:
    """One 0/1 pair a question: exact tests at zero, Tango's limits."""

    better: int
    worse: int
    n: int

    @property
    def mean(self) -> float:
        return (self.better - self.worse) / self.n

    @property
    def above(self) -> float:
        """The normal point of the chance of so many or more of the discordant pairs, at even odds."""
        return self._exact(self.better)

    @property
    def below(self) -> float:
        return self._exact(self.worse)

    def _exact(self, wins: int) -> float:
        return float(norm_isf(stats.binom.sf(wins - 1, self.better + self.worse, 0.5))) if wins else -math.inf

    def low(self, z: float) -> float:
        return self._limit(z, self.better, self.worse, self.above)

    def high(self, z: float) -> float:
        return -self._limit(z, self.worse, self.better, self.below)

    def _limit(self, z: float, better: int, worse: int, exact: float) -> float:
        """Where score and exact test disagree about zero, the score is read on the scale of the exact test."""
        discordant = better + worse
        score = (better - worse) / math.sqrt(discordant) if discordant else 0.0
        point = z * score / exact if max(score, exact) > z and exact > 0 else z

        def over(difference: float) -> float:
            statistic = tango_statistic(better / self.n, worse / self.n, difference)
            return (statistic * math.sqrt(self.n) if math.isfinite(statistic) else statistic) - point

        return _falls_to(over, (better - worse) / self.n)


@dataclass(frozen=True)
class Means:
    """Means, or clusters of questions, of which nothing is known but their bounds."""

    bounded: BoundedMean

    @property
    def n(self) -> int:
        return round(float(self.bounded.sizes.sum()))

    @property
    def mean(self) -> float:
        return self.bounded.value

    @property
    def above(self) -> float:
        return _point(self.bounded.no_more(0.0))

    @property
    def below(self) -> float:
        return _point(self.bounded.no_less(0.0))

    def low(self, z: float) -> float:
        return self.bounded.low(float(norm_sf(z)))

    def high(self, z: float) -> float:
        return self.bounded.high(float(norm_sf(z)))


def _point(chance: float) -> float:
    return float(norm_isf(chance))


def _falls_to(over: Callable[[float], float], top: float) -> float:
    if over(-1.0) <= 0:
        return -1.0
    return root_between(lambda difference: -over(difference), -1.0 + 1e-13, top) if over(top) < 0 else top


Versus = Pairs | Means


def versus(differences: Sequence[float], clusters: Sequence[str] | None, *, means: bool) -> Versus | None:
    """From one difference a question; NaN is not graded."""
    kept = [(value, place) for place, value in enumerate(differences) if not math.isnan(value)]
    if not kept:
        return None
    values = [value for value, _ in kept]
    names = [str(place) if clusters is None else clusters[place] for _, place in kept]
    if len(set(names)) == len(names):
        if not means and all(value in (-1.0, 0.0, 1.0) for value in values):
            return Pairs(values.count(1.0), values.count(-1.0), len(values))
        return Means(BoundedMean(values))
    together: dict[str, list[float]] = {}
    for value, name in zip(values, names, strict=True):
        together.setdefault(name, []).append(value)
    return Means(BoundedMean([math.fsum(v) for v in together.values()], [float(len(v)) for v in together.values()]))


def by_cluster(table: Floats, clusters: Sequence[str] | None) -> Floats:
    if clusters is None:
        return table
    names = list(dict.fromkeys(clusters))
    sums = np.zeros((len(table), len(names)))
    for column, name in enumerate(clusters):
        sums[:, names.index(name)] += np.nan_to_num(table[:, column])
    return sums


# ---------------------------------------------------------------- what is said of the chosen one


@dataclass(frozen=True)
class Claim:
    difference: float
    low: Range | None
    high: Range | None
    p: Range
    more: Range = (1.0, 1.0)
    less: Range = (1.0, 1.0)


@dataclass(frozen=True)
class Ends:
    """Rows by question: what is graded, and with all that waits wrong and right."""

    seen: Floats
    worst: Floats
    best: Floats


def claim_waiting(
    table: Ends,
    alone: Ends,
    option: int,
    single: int,
    clusters: Sequence[str] | None,
    *,
    means: bool,
    least_and_most: tuple[Sequence[Floats], Sequence[Floats]],
) -> Claim | None:
    """More is what is more with every difference the least that it can be; less with every one the most.

    `least_and_most`: of each, options by question for every single."""
    if all(np.array_equal(ends.worst, ends.best, equal_nan=True) for ends in (table, alone)):
        return claim(table.seen, alone.seen, option, single, clusters, means=means)
    least = np.nanmean(table.worst[option])
    surely = not any(np.nanmean(rival) > least for rival in np.delete(table.best, option, axis=0))
    seen, worst, best = (
        claim(ours, theirs, option, single, clusters, means=means, top=surely, apart=apart)
        for ours, theirs, apart in (
            (table.seen, alone.seen, None),
            (table.worst, alone.best, least_and_most[0]),
            (table.best, alone.worst, least_and_most[1]),
        )
    )
    if seen is None or worst is None or best is None or seen.low is None or worst.low is None or best.high is None:
        return seen and Claim(seen.difference, None, None, (1.0, 1.0))
    at = seen.difference
    low, high = (min(at, worst.low[0]), min(at, worst.low[1])), (max(at, best.high[0]), max(at, best.high[1]))
    p = [min(1.0, 2 * worst.more[end], 2 * best.less[end]) for end in (0, 1)]
    return Claim(at, low, high, (p[0], p[1]))


def claim(
    table: Floats,
    alone: Floats,
    option: int,
    single: int,
    clusters: Sequence[str] | None,
    *,
    means: bool,
    side: float = SIDE,
    top: bool | None = None,
    apart: Sequence[Floats] | None = None,
) -> Claim | None:
    """The option against the single: below it must beat all singles, above it is no more than any bound allows.

    `apart`: the differences to each single, where they are not those of the two tables."""
    apart = [table - own for own in alone] if apart is None else apart
    against = [versus([*differences[option]], clusters, means=means) for differences in apart]
    there = [one for one in against if one is not None]
    best = against[single]
    if best is None:
        return None
    tops = [float(np.nanmean(row)) if (~np.isnan(row)).any() else -math.inf for row in table]
    top = tops[option] >= max(tops) - 1e-12 if top is None else top
    lows, highs, mores, lesses = [], [], [], []
    for differences, one in zip(apart, against, strict=True):
        if one is None:
            continue
        luck = Luck(alike_in_differences(by_cluster(differences, clusters)))
        above = Luck(np.ones((1, 1))) if top else luck
        lows.append([one.low(z) for z in luck.point(side)])
        highs.append([one.high(z) for z in above.point(side / len(there))])
        mores.append(luck.p(one.above))
        lesses.append(above.p(one.below))
    low = high = None
    if best.n > 1:
        low = min(ends[1] for ends in lows), min(ends[0] for ends in lows)
        high = (
            max(best.mean, min(ends[0] for ends in highs)),
            max(best.mean, min(ends[1] for ends in highs)),
        )
    more = max(ends[0] for ends in mores), max(ends[1] for ends in mores)
    less = len(there) * min(ends[0] for ends in lesses), len(there) * min(ends[1] for ends in lesses)
    p = [min(1.0, 2 * less[end], 2 * more[end]) for end in (0, 1)]
    return Claim(best.mean, low, high, (p[0], p[1]), more, less)


def paid_low(table: Floats, value: float, low: float | None) -> float | Near | None:
    """The lower end of an accuracy that was chosen as the highest: that of the score interval of as many questions as its
    own interval is worth, at the point that pays, or Clopper and Pearson's of as many where that is lower."""
    if low is None or len(table) == 1 or low <= 0 or value <= low:
        return low
    # Its own end is that of some number of questions, whole or not; the root of one over it is looked for.
    width = root_between(lambda width: low - score_limits(value, width * normal_point())[0], 1e-9, 100.0)
    n = 1 / width**2
    ends = []
    for z in Luck(alike_in_values(table)).point():
        # Clopper and Pearson: were the share this one, so many or more would be right with the chance of a z so high.
        exact = float(stats.beta.ppf(norm_sf(z), value * n, max(0.0, n - value * n) + 1))
        ends.append(min(score_limits(value, width * z)[0], exact))
    return near((ends[1], ends[0]))


@dataclass(frozen=True)
class Standing:
    """The clearest of the others, and the range of its p; None: there is nobody to compare with."""

    place: int | None
    p: Range


def standing(own: Floats, others: Floats, clusters: Sequence[str] | None, *, means: bool) -> Standing:
    table = others - own
    points = [
        -math.inf if one is None else one.above for one in (versus([*row], clusters, means=means) for row in table)
    ]
    if not points or max(points) == -math.inf:
        return Standing(None, (1.0, 1.0))
    top = [round(point, 9) for point in points].index(round(max(points), 9))
    return Standing(top, Luck(alike_in_differences(by_cluster(table, clusters)), 5_000).p(points[top]))
