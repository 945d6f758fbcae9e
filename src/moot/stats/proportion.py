"""Shares and their intervals: one rule for accuracy, skylines, rates and scores between 0 and 1.

The interval is Wilson's score interval, with as many questions in it as they are worth. Where each question gives one
0 or 1 that is their number, and the interval is Wilson's exactly. Means over captains or repeats, F1 and rates over the
answers of several models vary less; questions of one cluster tell less than so many independent ones. So the variance is
measured between the units that are independent (`stats.clusters`), and the share gets as many questions as would leave
it that variance; Student's t pays for knowing it from so few units. `bench/coverage.py` says what it covers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, repeat

from moot.stats.clusters import Sums, SumsByQuestion, Units, Values, independent, list_of, units, value_rows
from moot.stats.completions import Between
from moot.stats.quantiles import ALPHA, Z_95, normal_p, normal_quantile, student_p, student_quantile
from moot.types import Estimate

FEW_DIFFERENT = 50
"""Up to so many different values are counted, and each of them is reckoned with once: mostly there are right and wrong."""
FEW_TERMS = 1_000
"""So many are added up one by one sooner than each different one is multiplied as a fraction; either is exact."""
_ALIKE = 1e-12
"""Means of the same values may differ in their last digit."""


def wilson(right: float, n: int, z: float = Z_95) -> Estimate:
    """The Wilson score interval of a share, for one 0/1 value a question. Below two questions there is none."""
    if n == 0:
        return Estimate(math.nan, None, None, 0)
    share = right / n
    if n < 2:
        return Estimate(share, None, None, n)
    low, high = score_limits(share, z * z / n)
    return Estimate(share, 0.0 if right == 0 else low, 1.0 if right == n else high, n)


def score_limits(share: float, width: float) -> tuple[float, float]:
    """Where (share - p)² = width · p (1 - p); `width` is z² by the number of questions."""
    centre = (share + width / 2) / (1 + width)
    half = math.sqrt(width) * math.sqrt(share * (1 - share) + width / 4) / (1 + width)
    return max(0.0, centre - half), min(1.0, centre + half)


@dataclass(frozen=True, slots=True)
class Worth:
    """How many independent questions a figure rests on: by what its units show, and at the least."""

    seen: float | None
    """From the variance between units; None where they do not differ."""
    df: float
    """Of that variance."""
    least: float
    """What so many units are worth, whatever the values: no share of a unit varies more than 0 and 1 do."""

    def scale(self, alpha: float) -> float:
        """What one question's standard error is multiplied by, at this level."""
        least = normal_quantile(alpha) / math.sqrt(self.least)
        return least if self.seen is None else min(least, student_quantile(self.df, alpha) / math.sqrt(self.seen))

    def p(self, distance: float) -> float:
        """Of a figure so many of one question's standard errors away: the level at which `scale` is the distance."""
        least = normal_p(distance * math.sqrt(self.least))
        return least if self.seen is None else min(least, student_p(distance * math.sqrt(self.seen), self.df))


def worth_of(
    residuals: Sequence[float], sizes: Sequence[float], share: float, times: Sequence[int] | None = None
) -> Worth:
    """`residuals` and `sizes`: each unit's sum less what its size would give, and its size. `times`: how many units each of
    these stands for, if not one.

    The variance is the jackknife's: units of unequal size pull the mean towards themselves. It is known as well as the
    rarer side of the share was seen: a few clusters in which all is right may make most of it, and none of them be among
    those drawn. So it counts as much as there are units of that side, beside one that is worth no more than the least.
    """
    n, total = len(sizes) if times is None else sum(times), exact_sum(sizes, times)
    least = total * total / exact_sum([size * size for size in sizes], times)
    apart = [(residual / (1 - size / total)) ** 2 for residual, size in zip(residuals, sizes, strict=True)]
    spread = exact_sum(apart, times)
    variance, one = (n - 1) / n * spread / (total * total), share * (1 - share)
    if variance <= 1e-15 or one <= 1e-15:
        return Worth(None, n - 1, least)
    seen = least * min(share, 1 - share)
    return Worth((seen + 1) / (seen * variance / one + 1 / least), max(1.0, least - 1), least)


def exact_sum(values: Sequence[float], times: Sequence[int] | None = None) -> float:
    """Rounded once, at the end, so that no order changes it: each value so many times, if not once."""
    if times is None:
        return math.fsum(values)
    if sum(times) <= FEW_TERMS:
        return math.fsum(chain.from_iterable(map(repeat, values, times)))
    return float(sum((Fraction(value) * often for value, often in zip(values, times, strict=True)), Fraction(0)))


@dataclass(frozen=True, slots=True)
class Share:
    """A share of sums over units, its limits at any level, and the p of any threshold that belongs to them."""

    value: float
    n: int
    clusters: int | None
    worth: Worth | None
    """None: no interval."""

    def limits(self, alpha: float = ALPHA) -> tuple[float | None, float | None]:
        if self.worth is None:
            return None, None
        low, high = score_limits(self.value, self.worth.scale(alpha) ** 2)
        return (0.0 if self.value <= 0 else low), (1.0 if self.value >= 1 else high)

    def p(self, threshold: float) -> float | None:
        """Two-sided, of the share being the threshold: above alpha exactly where the interval holds it."""
        if self.worth is None:
            return None
        if not 0 < threshold < 1:
            return 1.0 if self.value == threshold else 0.0
        return self.worth.p(abs(self.value - threshold) / math.sqrt(threshold * (1 - threshold)))

    def estimate(self, alpha: float = ALPHA) -> Estimate:
        return Estimate(self.value, *self.limits(alpha), self.n, self.clusters)


def share(rows: SumsByQuestion) -> Share | None:
    """From (how many, out of how many) of each question; None where nothing is counted."""
    counted: SumsByQuestion
    if isinstance(rows, Mapping):
        counted = {question: row for question, row in rows.items() if row[1] > 0}
    else:
        counted = [row for row in rows if row[1] > 0]
    return _share(units(counted), len(rows))


def _share(parts: Units, questions: int) -> Share | None:
    top, bottom = (math.fsum(unit[place] for unit in parts.sums) for place in (0, 1))
    if bottom <= 0:
        return None
    value = min(1.0, max(0.0, top / bottom))
    if not parts.enough:
        return Share(value, questions, parts.clusters, None)
    sizes = [unit[1] for unit in parts.sums]
    residuals = [unit[0] - value * unit[1] for unit in parts.sums]
    return Share(value, questions, parts.clusters, worth_of(residuals, sizes, value))


def _share_of_few(times: Mapping[float, int]) -> Share:
    """The same of one value a question, no two of which hang together, by how many questions have each value."""
    marks, often, n = list(times), list(times.values()), sum(times.values())
    value = min(1.0, max(0.0, exact_sum(marks, often) / float(n)))
    if n < 2:
        return Share(value, n, None, None)
    return Share(value, n, None, worth_of([mark - value for mark in marks], [1.0] * len(marks), value, often))


def share_between(
    seen: Share | None,
    worst: Mapping[str, float],
    best: Mapping[str, float],
    weights: Mapping[str, float] | None = None,
) -> Between | None:
    """The mean over what is graded (`seen`), with limits that hold whatever waits for a grade turns out to be.

    `worst` and `best`: the same questions, all that waits wrong and all of it right; `weights`: how many values each of
    them has, if not one. Between the two a share may vary more than at either end, so both ends are worth no more
    questions than any grading could leave them.
    """
    many = weights or {}
    low, high = (
        share(
            {question: (value * many.get(question, 1.0), many.get(question, 1.0)) for question, value in part.items()}
        )
        for part in (worst, best)
    )
    if seen is None or low is None or high is None:
        return None
    if low.worth is not None and high.worth is not None:
        rows = {question: (value, best[question], 1.0) for question, value in worst.items()}
        parts = {question: tuple(part * many.get(question, 1.0) for part in row) for question, row in rows.items()}
        worth = _least_worth(units(parts).sums, low.value, high.value)
        low, high = replace(low, worth=worth), replace(high, worth=worth)
    return Between(seen, low, high)


def _least_worth(between: Sequence[Sums], low: float, high: float) -> Worth:
    """What the share is worth at the least, however what waits is graded: each unit as far away as it may be from every
    mean that there may be, which is farthest at the ends. Where all may be alike nothing is known but the least."""
    sizes = [unit[2] for unit in between]
    total = math.fsum(sizes)
    least = total * total / math.fsum(size * size for size in sizes)
    alike = max(unit[0] / unit[2] for unit in between) <= min(unit[1] / unit[2] for unit in between) + _ALIKE
    rarer = [min(mean, 1 - mean) for mean in (low, high)]
    commonest = 0.5 if low <= 0.5 <= high else max(rarer)
    if alike or min(rarer) <= _ALIKE:
        return Worth(None, len(sizes) - 1, least)
    farthest = [
        max(abs(top - mean * size) for top in (lowest, highest) for mean in (low, high)) / (1 - size / total)
        for lowest, highest, size in between
    ]
    n = len(sizes)
    variance = (n - 1) / n * math.fsum(far * far for far in farthest) / (total * total)
    seen = (least * min(rarer) + 1) / (least * variance / (1 - commonest) + 1 / least)
    return Worth(seen, max(1.0, least - 1), least)


def share_of(rows: SumsByQuestion) -> Estimate | None:
    """The same with its 95 % interval."""
    figure = share(rows)
    return None if figure is None else figure.estimate()


def share_over_questions(observed: Iterable[tuple[str, float]]) -> Estimate | None:
    """The mean of (question, value from 0 to 1), of which one question may have several; None without any."""
    return share_of(summed(observed))


def summed(observed: Iterable[tuple[str, float]]) -> dict[str, tuple[float, float]]:
    """By question the sum of its values, and how many they are."""
    rows: dict[str, tuple[float, float]] = {}
    for question, value in sorted(observed):
        total, count = rows.get(question, (0.0, 0.0))
        rows[question] = (total + value, count + 1)
    return rows


def mean_over_questions(values: Values, alpha: float = ALPHA) -> Estimate:
    """The mean of one value a question, from 0 to 1 each."""
    if not values:
        return Estimate(math.nan, None, None, 0)
    if (alone := independent(values)) is not None and len(times := Counter(map(float, alone))) <= FEW_DIFFERENT:
        few = _share_of_few(times)
        return Estimate(exact_sum(list(times), list(times.values())) / few.n, *few.limits(alpha), few.n)
    figure = share(value_rows(values))
    assert figure is not None, "there are values"
    mean = math.fsum(list_of(values)) / len(values)
    return Estimate(mean, *figure.limits(alpha), figure.n, figure.clusters)


def accuracy(values: Mapping[str, Sequence[float]] | Sequence[Sequence[float]]) -> Estimate:
    """Accuracy from the scores of each question, one for every repeat."""
    if isinstance(values, Mapping):
        return mean_over_questions({question: sum(scores) / len(scores) for question, scores in values.items()})
    return mean_over_questions([sum(scores) / len(scores) for scores in values])
