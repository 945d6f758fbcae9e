"""Words on pairs of texts as arrays, and what their likelihood does unit by unit: its height, slope and curvature.

Pairs share no word, so that between two of them there is nothing: only judges' habits reach over all of them, and every system of
equations is solved for these few first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from moot.stats.bootstrap import Floats

    Places = NDArray[np.int64]

RIDGE = 0.01
"""In questions: what keeps parameters finite that no word bounds."""


@dataclass(frozen=True, slots=True)
class Slopes:
    """Slope and curvature of the likelihood, unit by unit: of pairs, of habits, and between them."""

    of_pairs: Floats
    """Units × pairs."""
    of_habits: Floats
    """Units × habits."""
    bend_pairs: Floats
    """Units × pairs: pairs share no word, so that there is nothing between two of them."""
    between: Floats
    """Units × pairs × habits."""
    bend_habits: Floats
    """Units × habits × habits."""

    def summed(self, pairs: Floats, habits: Floats) -> Slopes:
        """Over all units, with the ridge; as of one unit."""
        import numpy as np

        return Slopes(
            (self.of_pairs.sum(axis=0) - RIDGE * pairs)[None],
            (self.of_habits.sum(axis=0) - RIDGE * habits)[None],
            (self.bend_pairs.sum(axis=0) + RIDGE)[None],
            self.between.sum(axis=0)[None],
            (self.bend_habits.sum(axis=0) + RIDGE * np.eye(len(habits)))[None],
        )

    def left_out(self) -> Slopes:
        """Where all units together are level, without one of them there is its slope, the other way."""
        import numpy as np

        return Slopes(
            -self.of_pairs,
            -self.of_habits,
            np.maximum(self.bend_pairs.sum(axis=0) - self.bend_pairs, 0.0) + RIDGE,
            self.between.sum(axis=0) - self.between,
            self.bend_habits.sum(axis=0) - self.bend_habits + RIDGE * np.eye(self.of_habits.shape[1]),
        )

    def within(self) -> Floats:
        """What is known of the habits beside the pairs."""
        bend, between = self.bend_pairs.sum(axis=0) + RIDGE, self.between.sum(axis=0)
        known: Floats = self.bend_habits.sum(axis=0) - between.T @ (between / bend[:, None])
        return known

    def solved(self) -> tuple[Floats, Floats]:
        """Newton's step, unit by unit: habits first, for pairs are known once they are."""
        import numpy as np

        by_pair = self.between / self.bend_pairs[:, :, None]
        known = self.bend_habits - np.einsum("ukh,ukg->uhg", self.between, by_pair)
        wanted = self.of_habits - np.einsum("ukh,uk->uh", by_pair, self.of_pairs)
        habits = np.linalg.solve(known, wanted[:, :, None])[:, :, 0]
        pairs = self.of_pairs / self.bend_pairs - np.einsum("ukh,uh->uk", by_pair, habits)
        return pairs, habits


@dataclass(frozen=True, slots=True)
class WordTable:
    """The words that were asked for, row by row, and what all words weigh by unit and pair."""

    unit: Places
    pair: Places
    liked: Floats
    weights: Floats
    habits: Floats
    """Rows × habits: the place for the judge whose word it is, and the doublings."""
    size: Floats
    """Units × pairs: how many questions."""
    settled: Floats
    """What needed no judge, as far as it goes to the side."""
    open: Floats
    """What judges were asked, as a part of the questions."""

    def height(self, pairs: Floats, habits: Floats) -> float:
        import numpy as np

        odds = pairs[self.pair] + self.habits @ habits
        fits = self.liked * odds - np.logaddexp(0.0, odds)
        ridge = RIDGE / 2 * (float(pairs @ pairs) + float(habits @ habits))
        return float(self.weights @ fits) - ridge

    def slopes(self, pairs: Floats, habits: Floats) -> Slopes:
        import numpy as np

        expected = logistic(pairs[self.pair] + self.habits @ habits)
        apart = self.weights * (self.liked - expected)
        bend = self.weights * expected * (1 - expected)
        units, size = self.size.shape
        many = self.habits.shape[1]
        of_pairs, bend_pairs = np.zeros((units, size)), np.zeros((units, size))
        of_habits, between = np.zeros((units, many)), np.zeros((units, size, many))
        bend_habits = np.zeros((units, many, many))
        np.add.at(of_pairs, (self.unit, self.pair), apart)
        np.add.at(bend_pairs, (self.unit, self.pair), bend)
        np.add.at(of_habits, self.unit, apart[:, None] * self.habits)
        np.add.at(between, (self.unit, self.pair), bend[:, None] * self.habits)
        np.add.at(bend_habits, self.unit, bend[:, None, None] * self.habits[:, :, None] * self.habits[:, None, :])
        return Slopes(of_pairs, of_habits, bend_pairs, between, bend_habits)


def logistic(odds: Floats | float) -> Floats:
    import numpy as np

    part: Floats = 0.5 * (1 + np.tanh(0.5 * np.asarray(odds)))
    return part
