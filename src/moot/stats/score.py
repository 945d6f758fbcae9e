"""Score tests and intervals of a paired difference: the two are one thing seen from two sides.

One 0/1 pair a question: the exact test of McNemar at zero, Tango's score interval elsewhere. Means over captains or
repeats, and clusters of questions: `stats.bounded_mean`, which knows nothing but the bounds of a difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from moot.stats.bounded_mean import BoundedMean, normal_point
from moot.stats.distributions import binomial_at_least, normal_inverse
from moot.stats.tango import score_limit


@dataclass(frozen=True, slots=True)
class Counts:
    """Differences of one 0/1 pair a question."""

    better: int
    worse: int
    n: int

    @property
    def mean(self) -> float:
        return (self.better - self.worse) / self.n

    @property
    def above(self) -> float:
        """The normal point of the exact one-sided p that the first is better."""
        return _normal_point(self.better, self.better + self.worse)

    @property
    def below(self) -> float:
        return _normal_point(self.worse, self.better + self.worse)

    def low(self, z: float) -> float:
        """Above zero exactly where the exact test says so at this z."""
        return tango(self.better, self.worse, self.n, _agreeing(z, self._score, self.above))[0]

    def high(self, z: float) -> float:
        return tango(self.better, self.worse, self.n, _agreeing(z, -self._score, self.below))[1]

    @property
    def _score(self) -> float:
        discordant = self.better + self.worse
        return (self.better - self.worse) / math.sqrt(discordant) if discordant else 0.0


def _agreeing(z: float, score: float, exact: float) -> float:
    """Where score and exact test differ in what they say of zero, the score is read on the scale of the exact one."""
    return z * score / exact if max(score, exact) > z and exact > 0 else z


def _normal_point(successes: int, tries: int) -> float:
    """Of the chance of so many successes or more at even odds."""
    return -normal_inverse(binomial_at_least(successes, tries, 0.5)) if successes > 0 else -math.inf


@dataclass(frozen=True, slots=True)
class BoundedSums:
    """Differences that are means, or sums over a cluster of questions."""

    bounded: BoundedMean

    @property
    def n(self) -> int:
        return round(math.fsum(self.bounded.sizes))

    @property
    def mean(self) -> float:
        return self.bounded.value

    @property
    def above(self) -> float:
        return normal_point(self.bounded.at_most(0.0))

    @property
    def below(self) -> float:
        return normal_point(self.bounded.at_least(0.0))

    def low(self, z: float) -> float:
        return self.bounded.low(z)

    def high(self, z: float) -> float:
        return self.bounded.high(z)


Differences = Counts | BoundedSums


def differences(
    values: Sequence[float], clusters: Sequence[object] | None = None, *, pooled: bool = False
) -> Differences:
    """One difference a question; `clusters`: which of them belong together; `pooled`: they are means."""
    import numpy as np

    column = np.asarray(values, dtype=float)
    alone = clusters is None or len(set(clusters)) == len(column)
    if alone and not pooled and bool(np.isin(column, (-1.0, 0.0, 1.0)).all()):
        return Counts(int((column > 0).sum()), int((column < 0).sum()), len(column))
    if alone or clusters is None:
        return BoundedSums(BoundedMean(column.tolist(), [1.0] * len(column)))
    places = {cluster: place for place, cluster in enumerate(dict.fromkeys(clusters))}
    which = [places[cluster] for cluster in clusters]
    sums, sizes = np.zeros(len(places)), np.zeros(len(places))
    np.add.at(sums, which, column)
    np.add.at(sizes, which, 1.0)
    return BoundedSums(BoundedMean(sums.tolist(), sizes.tolist()))


def tango(better: int, worse: int, n: int, z: float) -> tuple[float, float]:
    """The score interval with each side at this normal point."""
    low, high = (score_limit(better / n, worse / n, z / math.sqrt(n), below=below) for below in (True, False))
    return low, high
