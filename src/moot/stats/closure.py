"""How much of a gap is closed, where the gap begins or ends at the best of several: nobody knows who is the best in truth.

The best single player is the one who was luckiest too, so a gap that is measured from it is too small and what is closed of
it too little. Whoever is the best in truth is hardly ever clearly beaten by the one who came out best. So there is a Fieller
interval (`stats.ratio`) from everyone who is not, and the interval is what holds all of them. A fifth of the level pays for
those who were ruled out, shared by all who were compared; the intervals have the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from moot.stats.clusters import SumsByQuestion
from moot.stats.completions import IntervalLimits, Limited
from moot.stats.paired import difference, split_signs
from moot.stats.quantiles import ALPHA
from moot.stats.ratio import Closed, closed
from moot.types import Estimate

FOR_THE_CHOICE = 0.2
"""Of the level."""

Known = Mapping[str, float]
"""By question, how right: only what is graded."""


@dataclass(frozen=True, slots=True)
class Side:
    """Those of whom one is the best, and who came out so."""

    players: Mapping[str, Known]
    best: str

    def others(self) -> list[str]:
        return [name for name in self.players if name != self.best]


NOBODY = Side({}, "")


def only(values: Known) -> Side:
    """A side on which there is nothing to choose."""
    return Side({"": values}, "")


@dataclass(frozen=True)
class Gap:
    """What was reached, where it began and how far it could go, on these questions."""

    reached: Side
    start: Side
    top: Side
    questions: Sequence[str]

    @property
    def sides(self) -> tuple[Side, Side, Side]:
        return self.reached, self.start, self.top

    @cached_property
    def compared(self) -> int:
        return sum(len(side.others()) for side in self.sides)

    @cached_property
    def ruled_out_at(self) -> tuple[Mapping[str, float], ...]:
        """Of each side by player: the level from which on it cannot be the best."""
        return tuple({name: self._ruled_out_at(side, name) for name in side.players} for side in self.sides)

    def _ruled_out_at(self, side: Side, name: str) -> float:
        if name == side.best:
            return math.inf
        own, best = side.players[name], side.players[side.best]
        found = difference(split_signs({q: best[q] - own[q] for q in self.questions if q in own and q in best}))
        if found is None or not found.told:
            return math.inf
        return found.mean.at_most(0.0) * self.compared / FOR_THE_CHOICE

    def candidates(self, alpha: float) -> Iterator[tuple[str, ...]]:
        """Whoever may be the best of each side, at this level."""
        return product(*([name for name, at in levels.items() if at > alpha] for levels in self.ruled_out_at))

    def last_at(self, names: Sequence[str]) -> float:
        """The level from which on these three are no candidates."""
        return min(levels[name] for levels, name in zip(self.ruled_out_at, names, strict=True))

    def rows(self, names: Sequence[str]) -> dict[str, tuple[float, float]]:
        """Rise and gap of each question on which all three are graded."""
        reached, start, top = (side.players[name] for side, name in zip(self.sides, names, strict=True))
        asked = [q for q in self.questions if q in reached and q in start and q in top]
        return {question: (reached[question] - start[question], top[question] - start[question]) for question in asked}


@dataclass(frozen=True, slots=True)
class Closure:
    """The share that was closed, with limits at any level that hold it whoever is the best, and the p that belongs to them."""

    seen: Closed
    """What was measured."""
    gap: Gap
    fit: Callable[[SumsByQuestion], Limited | None] = closed
    """What gives the share from any three that may be the best."""
    _fitted: dict[tuple[str, ...], Limited | None] = field(default_factory=dict, repr=False, compare=False)

    @property
    def value(self) -> float:
        return self.seen.value

    def limits(self, alpha: float = ALPHA) -> IntervalLimits:
        """None where the gap may be none, from whoever may be the best."""
        left = alpha * self._left
        low = high = self.value
        for names in self.gap.candidates(alpha):
            figure = self._of(names)
            ends = (None, None) if figure is None else figure.limits(left)
            if ends[0] is None or ends[1] is None:
                return None, None
            low, high = min(low, ends[0]), max(high, ends[1])
        return low, high

    @property
    def _left(self) -> float:
        """Of the level, for the intervals."""
        return 1 - FOR_THE_CHOICE if self.gap.compared else 1.0

    def _of(self, names: tuple[str, ...]) -> Limited | None:
        if names not in self._fitted:
            self._fitted[names] = self.fit(self.gap.rows(names))
        return self._fitted[names]

    def p(self, threshold: float) -> float | None:
        """Two-sided: the level at which the limits come to leave the threshold out, from the last three that hold it."""
        if not self.seen.df:
            return None
        if threshold == self.value:
            return 1.0
        highest = 0.0
        for names in sorted(self.gap.candidates(0.0), key=self.gap.last_at, reverse=True):
            last = self.gap.last_at(names)
            if last <= highest:
                break
            highest = max(highest, min(last, self._held_to(names, threshold)))
        return min(1.0, highest)

    def _held_to(self, names: tuple[str, ...], threshold: float) -> float:
        """The level up to which the interval from these three reaches from what was measured to the threshold."""
        figure = self._of(names)
        if figure is None or (figure.value >= threshold) == (threshold > self.value):
            return 1.0
        found = figure.p(threshold)
        return 1.0 if found is None else found / self._left

    def estimate(self, alpha: float = ALPHA) -> Estimate:
        return Estimate(self.value, *self.limits(alpha), self.seen.n, self.seen.clusters)


def closure(
    rows: Mapping[str, tuple[float, float]],
    reached: Side,
    start: Side,
    top: Side,
    fit: Callable[[SumsByQuestion], Limited | None] = closed,
) -> Closure | None:
    """From (rise, gap) of each question, as they were measured, and from whom each of the three is the best.

    None where there is no gap in the sum.
    """
    seen = closed(rows)
    return None if seen is None else Closure(seen, Gap(reached, start, top, list(rows)), fit)
