"""What every rule of voting shares: a ballot, the count that comes of ballots, and how points are added up.

Options are numbers, 0 to n − 1, so no rule can lean on what an option says, who wrote it or where it was shown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

Ballot = Mapping[int, float] | None
"""What a voter says of options by their number; None is a spoilt ballot."""

MOST_SAID = 1e15
"""Nobody means more, and sums of such numbers are no longer exact; a sum of the largest is no number at all."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How a vote came out."""

    points: tuple[float, ...]
    """What each option got."""
    winners: tuple[int, ...]
    """Everyone tied for first place, in the order of their numbers; nobody, if nobody got anything."""
    spoilt: int = 0
    """Ballots that did not fit the rule. They gave nothing to anyone, and their voters are voters all the same."""
    voters: int = 0
    """Everyone who had a ballot, spoilt or not."""

    @property
    def tied(self) -> bool:
        return len(self.winners) > 1


class Rule(Protocol):
    """A rule of voting: pure, the same for every voter and every option."""

    @property
    def name(self) -> str: ...

    def problem(self, ballot: Mapping[int, float], options: int) -> str | None:
        """Why the ballot does not fit, in words for the voter; None if it does."""

    def count(self, ballots: Sequence[Ballot], options: int) -> Tally:
        """Count the ballots that fit. The others are spoilt: never mended, never turned into a vote."""


class PointsRule(Rule, Protocol):
    """A rule in which every ballot gives points and the points are added up. Such a vote can be weighted."""

    def points(self, ballot: Mapping[int, float], options: int) -> tuple[float, ...]:
        """What a ballot that fits gives to each option."""


def add_up(rule: PointsRule, ballots: Sequence[Ballot], options: int, weights: Sequence[float] | None = None) -> Tally:
    """The tally of a rule of points. Sums do not depend on the order of the ballots, to the last bit."""
    weights = [1.0] * len(ballots) if weights is None else weights
    point_rows = [
        tuple(weight * points for points in rule.points(ballot, options))
        for ballot, weight in zip(ballots, weights, strict=True)
        if ballot is not None and rule.problem(ballot, options) is None
    ]
    points = tuple(math.fsum(row[option] for row in point_rows) for option in range(options))
    return Tally(points, most(points), spoilt=len(ballots) - len(point_rows), voters=len(ballots))


def most(points: Sequence[float]) -> tuple[int, ...]:
    """All who have the most, where the most is something. A difference in the last bits of a sum is no difference."""
    best = max(points, default=0.0)
    if best <= 0:
        return ()
    return tuple(option for option, got in enumerate(points) if math.isclose(got, best, rel_tol=1e-9))


def misread(ballot: Mapping[int, float], options: int) -> str | None:
    """What is wrong with a ballot under any rule: it speaks of an option that there is not, or says no number of it."""
    for option, value in ballot.items():
        if isinstance(option, bool) or not isinstance(option, int) or not 0 <= option < options:
            return f"there is no option {option!r}; expected 0 to {options - 1}"
        if not isinstance(value, int | float):
            return f"expected a number for option {option}, found {value!r}"
        if not abs(value) <= MOST_SAID:
            return f"expected a number for option {option}, of no more than {MOST_SAID:g}"
    return None
