"""Leader: the answer of the best player, unless enough others agree on another, or it is silent.

Then it is the largest group of the others. Who leads, and how many it takes to overrule it, are given, or learnt from graded
questions: the most accurate player, and the number that would have got most of these right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from annotated_types import Ge

from moot.decide.candidates import Candidates
from moot.decide.deciding import Kept, RuleVote, traits_of_rule
from moot.decide.learning import best_player
from moot.decide.rules import NEVER, DraftRule, Leader, expected_worth
from moot.decide.studied import studied
from moot.errors import UsageError
from moot.strategies.captaincy import by_captain
from moot.strategies.traits import Traits
from moot.team import Team


@dataclass(frozen=True, slots=True)
class LedVote(RuleVote):
    """One player's answer, unless enough others agree on another."""

    name: ClassVar[str] = "leader"

    player: str | None = None
    """Who leads; left out, whoever was right most often on graded questions."""
    unless: Annotated[int, Ge(1)] | Literal["never"] | None = None
    """So many others who agree on another answer overrule it; `never`: nobody does. Left out, learnt too."""

    @property
    def traits(self) -> Traits:
        return traits_of_rule(learns=self.player is None or self.unless is None)

    def lineups(self, team: Team) -> tuple[Team, ...]:
        names = [player.name for player in team.players]
        if self.player is not None and self.player not in names:
            expected = f"expected one of {', '.join(names)}"
            raise UsageError(f"player: {self.player!r} is not in team {team.name!r}; {expected}")
        if isinstance(self.unless, int) and self.unless >= len(names):
            problem = (
                f"unless: {self.unless} others are more than team {team.name!r} has; expected up to {len(names) - 1}"
            )
            raise UsageError(f"{problem}, or {NEVER}")
        return by_captain(team, self.captain, needed=False)

    def kept(self, team: Team) -> Kept:
        players = tuple(player.name for player in team.players)
        if self.player is not None and self.unless is not None:
            given = Leader(self.player, self._number(self.unless))
            return Kept(given, self.name, "who leads is given", weights=given.voices(players))
        taught = studied(team.lessons, players)
        return Kept.of(taught.rule(self.name, self._learnt, (self.player, self.unless)), players)

    def _learnt(self, candidates: Candidates, units: Sequence[str]) -> DraftRule:
        """Every number of others is tried, and that nobody overrules it; of equals it takes more to overrule it."""
        leader = best_player(candidates) if self.player is None else self.player
        if self.unless is not None:
            return Leader(leader, self._number(self.unless))
        tried = [Leader(leader), *(Leader(leader, number) for number in reversed(range(1, len(candidates.players))))]
        return max(tried, key=lambda rule: float(expected_worth(rule, candidates).mean()))

    @staticmethod
    def _number(unless: int | str) -> int | None:
        return None if isinstance(unless, str) else unless
