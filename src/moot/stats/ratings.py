"""Ratings from preferences: one number for each who was compared, in points, of which 400 make odds of ten to one.

Bradley and Terry: the log-odds that one is preferred to another are the difference of their ratings; judges' habits are taken
out as in `preference`. One of them is the anchor and has none. Only differences are told, so whoever was compared neither with
the anchor nor, over others, with somebody who was has no rating. Each pair counts one tied question more than was asked, so that
who always wins has a rating too. The interval is that of the middle 95 % of resamples of the questions, each of them one
step of Newton's away from what fits all.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moot.stats.bootstrap import seed_of
from moot.stats.preference import Preferences
from moot.stats.quantiles import ALPHA
from moot.stats.word_table import RIDGE, Slopes, logistic

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats

POINTS = 400 / math.log(10)
"""In one of log-odds."""
RESAMPLES = 2_000
_STEPS = 60
_SMALL = 1e-9
APART = "no comparison leads from it to {}, be it over others"


@dataclass(frozen=True, slots=True)
class Rating:
    name: Hashable
    value: float | None
    """In points above the anchor; None: `why` says why there is none."""
    low: float | None
    high: float | None
    why: str | None = None


def ratings(preferences: Preferences, anchors: Sequence[Hashable], *, seed: int = 0) -> list[Rating]:
    """Of all who stand in a pair (side, opponent). The best of the `anchors` is the anchor, and is the first told.

    Where comparisons fall apart into groups that none of them joins, it is the best of those in the largest group that has one,
    and of equally large ones in the first.
    """
    import numpy as np

    groups = joined(map(_both, preferences.pairs))
    found = _Fitted(preferences, groups)
    values = dict(zip(found.names, found.fitted(), strict=True))
    within = max((group for group in groups if any(name in group for name in anchors)), key=len)
    anchor = max((name for name in anchors if name in within), key=lambda name: values[name])
    drawn = found.redrawn(seed) if len(preferences.units) > 1 else None
    place = found.names.index(anchor)
    told = []
    for name in sorted(within, key=lambda name: (name != anchor, -values[name])):
        low: float | None = None
        high: float | None = None
        if name == anchor:
            low = high = 0.0
        elif drawn is not None:
            apart = drawn[:, found.names.index(name)] - drawn[:, place]
            low, high = (float(end) * POINTS for end in np.quantile(apart, [ALPHA / 2, 1 - ALPHA / 2]))
        told.append(Rating(name, (values[name] - values[anchor]) * POINTS, low, high))
    apart_from = APART.format(anchor)
    return [*told, *(Rating(name, None, None, None, apart_from) for name in found.names if name not in within)]


def joined(pairs: Iterable[tuple[Hashable, Hashable]]) -> list[list[Hashable]]:
    """Who was compared with whom, be it over others: in each group whoever stands in its pairs, in their order."""
    groups: list[list[Hashable]] = []
    for pair in pairs:
        touched = [group for group in groups if any(name in group for name in pair)]
        names = list(dict.fromkeys([name for group in touched for name in group] + list(pair)))
        places = [place for place, group in enumerate(groups) if group in touched]
        groups = [group for group in groups if group not in touched]
        groups.insert(places[0] if places else len(groups), names)
    return groups


def _both(pair: Hashable) -> tuple[Hashable, Hashable]:
    assert isinstance(pair, tuple), "a side and an opponent"
    side, opponent = pair
    return side, opponent


class _Fitted:
    """Ratings and habits that fit all words best; in each group that is compared the first rating is held at nothing, for only
    differences count."""

    def __init__(self, preferences: Preferences, groups: Sequence[Sequence[Hashable]]) -> None:
        import numpy as np

        self.names = names = [name for group in groups for name in group]
        self._held = [names.index(group[0]) for group in groups]
        self._table = preferences.table
        self._sides = np.zeros((len(preferences.pairs), len(names)))
        for row, pair in enumerate(preferences.pairs):
            side, opponent = _both(pair)
            self._sides[row, self.names.index(side)] += 1
            self._sides[row, self.names.index(opponent)] -= 1
        self._ratings = np.zeros(len(names))
        self._habits = np.zeros(self._table.habits.shape[1])

    def fitted(self) -> list[float]:
        import numpy as np

        for _ in range(_STEPS):
            slopes = self._slopes()
            step = self._steps(slopes, np.ones((1, len(slopes.of_pairs))))[0]
            step *= min(1.0, 2.0 / max(float(np.abs(step).max()), _SMALL))  # so that none overshoots
            self._ratings = self._ratings + step[: len(self.names)]
            self._habits = self._habits + step[len(self.names) :]
            if float(np.abs(step).max()) < _SMALL:
                break
        return [float(value) for value in self._ratings]

    def redrawn(self, seed: int) -> Floats:
        """Resamples × ratings."""
        import numpy as np

        slopes = self._slopes()
        units = len(slopes.of_pairs)
        times = np.random.default_rng(seed_of(seed, "ratings")).multinomial(units, np.full(units, 1 / units), RESAMPLES)
        drawn: Floats = self._ratings + self._steps(slopes, times.astype(float))[:, : len(self.names)]
        return drawn

    def _slopes(self) -> Slopes:
        """With what needed no judge, which no habit touches."""
        table = self._table
        pairs = self._sides @ self._ratings
        slopes = table.slopes(pairs, self._habits)
        expected, weight = logistic(pairs), table.size - table.open
        return Slopes(
            slopes.of_pairs + table.settled - weight * expected,
            slopes.of_habits,
            slopes.bend_pairs + weight * expected * (1 - expected),
            slopes.between,
            slopes.bend_habits,
        )

    def _steps(self, slopes: Slopes, times: Floats) -> Floats:
        """One of Newton's for each row of `times`, which says how often each unit is there."""
        import numpy as np

        names, habits = len(self.names), len(self._habits)
        pairs = self._sides @ self._ratings
        expected = logistic(pairs)
        of_pairs = times @ slopes.of_pairs + (0.5 - expected)
        bend = times @ slopes.bend_pairs + expected * (1 - expected)
        wanted = np.zeros((len(times), names + habits))
        known = np.zeros((len(times), names + habits, names + habits))
        wanted[:, :names] = of_pairs @ self._sides
        wanted[:, names:] = times @ slopes.of_habits - RIDGE * self._habits
        known[:, :names, :names] = np.einsum("bk,kn,km->bnm", bend, self._sides, self._sides, optimize=True)
        mixed: Floats = np.einsum("kn,bkh->bnh", self._sides, np.tensordot(times, slopes.between, axes=1))
        known[:, :names, names:] = mixed
        known[:, names:, :names] = mixed.transpose(0, 2, 1)
        known[:, names:, names:] = np.tensordot(times, slopes.bend_habits, axes=1) + RIDGE * np.eye(habits)
        for held in self._held:
            wanted[:, held], known[:, held, :], known[:, :, held], known[:, held, held] = 0.0, 0.0, 0.0, 1.0
        steps: Floats = np.linalg.solve(known, wanted[:, :, None])[:, :, 0].astype(np.float64)
        return steps
