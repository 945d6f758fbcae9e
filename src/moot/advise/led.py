"""Teams with a leader: its answer, unless enough of the others agree on another, or it is silent.

The others' vote is counted as any other, without the leader's own answer: that cannot win against it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from moot.advise.search import Costs, SeatedTeam, grow
from moot.advise.tallies import EVERYBODY, TalliedVote, Tallies
from moot.decide.candidates import Bools, Floats

LEADERS = 3
"""So many of the most accurate players are tried as leaders, and under a limit so many of those who keep to it."""
WIDTH = 8
NOT_OVERRULED = 0
"""Nobody overrules the leader; the others speak where it is silent."""


@dataclass(frozen=True, slots=True)
class LedTeam:
    leader: int
    others: SeatedTeam
    unless: int
    """`NOT_OVERRULED`, or how many overrule the leader."""

    @property
    def seats(self) -> SeatedTeam:
        return tuple(sorted((self.leader, *self.others)))


@dataclass(frozen=True, slots=True, eq=False)
class _Led:
    tallies: Tallies
    leader: int
    silent: Bools

    @classmethod
    def of(cls, tallies: Tallies, leader: int) -> _Led:
        return cls(tallies, leader, tallies.place[leader] == tallies.worth_at.shape[1] - 1)

    def standing(self, team: SeatedTeam) -> TalliedVote:
        # Where the leader is silent its place is that of silence, which never wins anyway.
        return self.tallies.standing(team, without=self.tallies.place[self.leader])

    def by_number(self, team: SeatedTeam, newcomers: slice = EVERYBODY) -> Floats:
        """Numbers × newcomers: how right it would be with each of them among the others, `NOT_OVERRULED` first."""
        standing = self.standing(team)
        numbers = range(NOT_OVERRULED, len(team) + 2)
        sums: Floats = np.zeros(())
        for block in self.tallies.blocks(standing, newcomers):
            top = np.maximum(block.own, standing.top[block.part])
            led, silent = self.tallies.worth[self.leader, block.part], self.silent[block.part]
            overruled = (silent[None, :] if number == NOT_OVERRULED else silent | (top >= number) for number in numbers)
            sums = sums + np.array(
                [np.where(over, block.worth, led).sum(axis=1, dtype=np.float64) for over in overruled]
            )
        return np.asarray(sums / max(1, len(self.silent)), dtype=np.float64)

    def values(self, team: SeatedTeam, newcomers: slice = EVERYBODY) -> Floats:
        found: Floats = self.by_number(team, newcomers).max(axis=0)
        return found

    def unless(self, team: SeatedTeam) -> int:
        """The number that gets most right; of equals it takes more to overrule the leader."""
        *rest, last = team
        by_number = self.by_number(tuple(rest), slice(last, last + 1))[:, 0]
        return max(
            range(len(by_number)), key=lambda number: (round(float(by_number[number]), 9), number or len(team) + 1)
        )


def led_teams(tallies: Tallies, costs: Costs, most: int) -> tuple[dict[LedTeam, float], bool]:
    """Teams worth keeping by how right they are, and whether every team of these leaders was looked at."""
    players, questions = tallies.worth.shape
    found: dict[LedTeam, float] = {}
    every = True
    by_accuracy = np.argsort(-tallies.worth.mean(axis=1), kind="stable").tolist()
    within = [seat for seat in by_accuracy if costs.fits((seat,))][:LEADERS] if costs.limited else []
    for leader in dict.fromkeys([*by_accuracy[:LEADERS], *within]):
        led = _Led.of(tallies, leader)
        by_size = grow(led.values, players, questions * 2, costs, most - 1, seated=(leader,), width=WIDTH)
        for of_size in by_size.values():
            every &= of_size.every_team
            for team, value in of_size.value.items():
                found[LedTeam(leader, team, led.unless(team))] = value
    return found, every
