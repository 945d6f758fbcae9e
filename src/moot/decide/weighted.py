"""Weighted: the group of answers with the most weight behind it; weights are given, or learnt from graded questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from annotated_types import Ge, Le

from moot.decide.candidates import Candidates
from moot.decide.deciding import Kept, RuleVote, traits_of_rule
from moot.decide.rules import DraftRule, WeightedSum
from moot.decide.studied import studied
from moot.decide.weights import weights_by_accuracy
from moot.errors import UsageError
from moot.strategies import value_told
from moot.strategies.captaincy import by_captain
from moot.strategies.traits import Traits
from moot.team import Team

LARGEST = 100_000
"""Of a weight that is given: sums of such are exact enough to tell who is ahead by one voice."""
UNNAMED = 1.0
"""What the voice of a player counts whom the weights do not name."""


class GivenWeights(dict[str, float]):
    """As a file has them, also in a label: {ann: 2, bob: 1}."""

    def __str__(self) -> str:
        return (
            "{" + ", ".join(f"{value_told(name)}: {value_told(float(weight))}" for name, weight in self.items()) + "}"
        )

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self.items()))


@dataclass(frozen=True, slots=True)
class WeightedVote(RuleVote):
    """The group with the most weight behind it."""

    name: ClassVar[str] = "weighted"

    weights: Literal["learnt"] | Mapping[str, Annotated[float, Ge(0), Le(LARGEST)]] = "learnt"
    """By player; whom it does not name counts 1. `learnt`: the log-odds of being right, from graded questions."""

    def __post_init__(self) -> None:
        if not isinstance(self.weights, str):
            object.__setattr__(self, "weights", GivenWeights(sorted(self.weights.items())))

    @property
    def traits(self) -> Traits:
        return traits_of_rule(learns=isinstance(self.weights, str))

    def lineups(self, team: Team) -> tuple[Team, ...]:
        if not isinstance(self.weights, str):
            names = [player.name for player in team.players]
            for name in self.weights:
                if name not in names:
                    expected = f"expected some of {', '.join(names)}"
                    raise UsageError(f"weights: {name!r} is not in team {team.name!r}; {expected}")
            if not any(self.weights.get(name, UNNAMED) for name in names):
                raise UsageError(f"weights: all players of team {team.name!r} count 0; expected a voice that counts")
        return by_captain(team, self.captain, needed=False)

    def kept(self, team: Team) -> Kept:
        players = tuple(player.name for player in team.players)
        if not isinstance(self.weights, str):
            given = {name: float(self.weights.get(name, UNNAMED)) for name in players}
            return Kept(WeightedSum(given), self.name, "the weights are given", weights=given)
        taught = studied(team.lessons, players)

        def learner(candidates: Candidates, units: Sequence[str]) -> DraftRule:
            return WeightedSum(weights_by_accuracy(candidates, taught.choices))

        return Kept.of(taught.rule(self.name, learner), players)
