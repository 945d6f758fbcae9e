"""Voters of unequal weight: whoever has been right more often may count for more."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moot.ballots.tally import Ballot, PointsRule, Tally, add_up


@dataclass(frozen=True, slots=True)
class Weighted:
    """A rule of points in which the first voter counts `weights[0]` times, the second `weights[1]` times, …"""

    rule: PointsRule
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        if not all(math.isfinite(weight) and weight >= 0 for weight in self.weights):
            raise ValueError(f"expected weights of zero or more, found {list(self.weights)}")

    @property
    def name(self) -> str:
        return f"weighted {self.rule.name}"

    def problem(self, ballot: Mapping[int, float], options: int) -> str | None:
        return self.rule.problem(ballot, options)

    def count(self, ballots: Sequence[Ballot], options: int) -> Tally:
        if len(ballots) != len(self.weights):
            raise ValueError(f"expected a ballot for each of {len(self.weights)} weights, found {len(ballots)}")
        return add_up(self.rule, ballots, options, self.weights)
