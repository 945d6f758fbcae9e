"""Points from a purse: each voter splits up to `budget` of them over the options as it likes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moot.ballots.tally import Ballot, Tally, add_up, misread

BUDGET = 25
"""Points in a voter's purse."""


@dataclass(frozen=True, slots=True)
class CumulativeVoting:
    """Points for options: ``{0: 20, 2: 5}``. A purse need not be emptied; an overdrawn one spoils the ballot."""

    budget: float = BUDGET
    name: str = "cumulative-voting"

    def problem(self, ballot: Mapping[int, float], options: int) -> str | None:
        if wrong := misread(ballot, options):
            return wrong
        if any(points < 0 for points in ballot.values()):
            return "expected points of zero or more"
        if (spent := math.fsum(ballot.values())) > self.budget:
            return f"expected at most {self.budget:g} points in all, found {spent:g}"
        return None

    def points(self, ballot: Mapping[int, float], options: int) -> tuple[float, ...]:
        return tuple(float(ballot.get(option, 0)) for option in range(options))

    def count(self, ballots: Sequence[Ballot], options: int) -> Tally:
        return add_up(self, ballots, options)
