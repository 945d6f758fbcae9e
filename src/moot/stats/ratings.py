"""Ratings from preferences: one number for each who was compared, in points, of which 400 make odds of ten to one.

Bradley and Terry: the log-odds that one is preferred to another are the difference of their ratings; judges' habits are taken
out as in `preference`. One of them is the anchor and has none. Each pair counts one tied question more than was asked, so that
who always wins has a rating too. The interval is that of the middle 95 % of resamples of the questions, each of them one
step of Newton's away from what fits all.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
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


@dataclass(frozen=True, slots=True)
class Rating:
    name: Hashable
    value: float
    """In points above the anchor."""
    low: float | None
    high: float | None


def ratings(preferences: Preferences, anchors: Sequence[Hashable], *, seed: int = 0) -> list[Rating]:
    """Of all who stand in a pair (side, opponent). The best of the `anchors` is the anchor, and is the first told."""
    import numpy as np

    found = _Fitted(preferences, list(dict.fromkeys(name for pair in preferences.pairs for name in _both(pair))))
    values = dict(zip(found.names, found.fitted(), strict=True))
    anchor = max((name for name in anchors if name in values), key=lambda name: values[name])
    drawn = found.redrawn(seed) if len(preferences.units) > 1 else None
    place = found.names.index(anchor)
    told = []
    for name in sorted(values, key=lambda name: (name != anchor, -values[name])):
        limits: Sequence[float | None] = (None, None)
        if name == anchor:
            limits = (0.0, 0.0)
        elif drawn is not None:
            apart = drawn[:, found.names.index(name)] - drawn[:, place]
            limits = [float(end) * POINTS for end in np.quantile(apart, [ALPHA / 2, 1 - ALPHA / 2])]
        told.append(Rating(name, (values[name] - values[anchor]) * POINTS, *limits))
    return told


def _both(pair: Hashable) -> tuple[Hashable, Hashable]:
    assert isinstance(pair, tuple), "a side and an opponent"
    side, opponent = pair
    return side, opponent


class _Fitted:
    """Ratings and habits that fit all words best; the first rating is held at nothing, for only differences count."""

    def __init__(self, preferences: Preferences, names: Sequence[Hashable]) -> None:
        import numpy as np

        self.names = list(names)
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
        wanted[:, 0], known[:, 0, :], known[:, :, 0], known[:, 0, 0] = 0.0, 0.0, 0.0, 1.0
        steps: Floats = np.linalg.solve(known, wanted[:, :, None])[:, :, 0].astype(np.float64)
        return steps
