"""A race of options over the same questions, in one order: whoever cannot be the best any more is asked no further.

Of each option somebody may say that it is the best. He is offered a bet on every question: that whoever leads the others so far
will do better on it. If he is right that is fair to him or better; so whoever has won enough of it, at whatever moment, has shown
him wrong (Ville's inequality), and the option is out. One may look after every question and stop when one likes. Stakes from
small to large are played beside each other and their mean counts: a large lead shows early, a small one late.

The best of all is put out with a probability of `alpha` at most, over the whole race and however many options there are: it is
one option, and one such bet. Questions are taken to be drawn by lot.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

RACE_ALPHA = 0.05
STAKES = (0.05, 0.1, 0.2, 0.3, 0.45, 0.6)
"""Shares of what was won so far; a question can cost no more than the stake."""


@dataclass(slots=True, eq=False)
class Race:
    """Of so many options, of which all are in it at first."""

    options: int
    alpha: float = RACE_ALPHA
    running: NDArray[np.bool_] = field(init=False)
    asked: int = field(default=0, init=False)
    """Questions so far."""
    plays: int = field(default=0, init=False)
    """Options that were asked, added up over the questions."""
    _right: NDArray[np.float64] = field(init=False)
    _won: NDArray[np.float64] = field(init=False)
    """Stakes × options: the logarithm of what the bets against each have come to."""

    def __post_init__(self) -> None:
        if self.options < 2:
            raise ValueError(f"a race of {self.options}; expected two or more")
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha: expected a share between 0 and 1, found {self.alpha}")
        self.running = np.ones(self.options, dtype=np.bool_)
        self._right = np.zeros(self.options)
        self._won = np.zeros((len(STAKES), self.options))

    @property
    def left(self) -> tuple[int, ...]:
        """Who is in it."""
        return tuple(int(option) for option in np.flatnonzero(self.running))

    @property
    def over(self) -> bool:
        return int(self.running.sum()) == 1

    def hear(self, worth: NDArray[np.float64], at_most: NDArray[np.float64] | None = None) -> tuple[int, ...]:
        """One question more: what the answer of each is worth, from 0 to 1; of those who are out it is not looked at. Who
        leaves now.

        `at_most`: where it is not known what an answer is worth, the most it can be, and `worth` the least. Bets are then paid
        as if all of it had gone for the one who is bet against: whatever it was worth, the best is put out no more often.
        """
        if self.over:
            raise ValueError("the race is over")
        ahead, running = self._ahead(), self.running.copy()
        self.asked += 1
        self.plays += int(running.sum())
        now = np.where(running, worth, 0.0)
        rivals = ahead.astype(float)
        lead = rivals @ now / rivals.sum(axis=1)
        own = now if at_most is None else np.where(running, at_most, 0.0)
        gained = np.log1p(np.array(STAKES)[:, None] * (lead - own)[None, :])
        self._won += np.where(running, gained, 0.0)
        self._right += now
        beaten = running & (np.exp(self._won).mean(axis=0) >= 1.0 / self.alpha)
        if (beaten == running).all():  # somebody is the best
            beaten[int(np.where(running, self._right, -1.0).argmax())] = False
        self.running &= ~beaten
        return tuple(int(option) for option in np.flatnonzero(beaten))

    def _ahead(self) -> NDArray[np.bool_]:
        """Options × options: for each the ones that lead the others, by what is known before the question."""
        right = np.where(self.running, self._right, -np.inf)
        others = np.where(np.eye(self.options, dtype=np.bool_), -np.inf, right[None, :])
        found: NDArray[np.bool_] = others >= others.max(axis=1, keepdims=True)
        return found


@dataclass(frozen=True, slots=True)
class RaceOutcome:
    left: tuple[int, ...]
    """Who was not put out: one, or several that the questions could not tell apart."""
    questions: int
    plays: int
    plays_of_all: int
    """Had all been asked every one of these questions."""


def raced(worth: NDArray[np.float64], alpha: float = RACE_ALPHA) -> RaceOutcome:
    """Options × questions, in the order in which these are asked. It ends with one left, or with the questions."""
    race = Race(len(worth), alpha)
    for question in worth.T:
        race.hear(question)
        if race.over:
            break
    return RaceOutcome(race.left, race.asked, race.plays, race.options * race.asked)
