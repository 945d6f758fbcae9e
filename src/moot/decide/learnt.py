"""Learnt: the answer that is right with the highest probability, by what graded questions tell of every player.

Without a file it learns from the other questions of the run. What `moot fit` wrote (`from`) needs none: so a team decides that
is asked one question at a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from moot.decide.deciding import Kept, RuleVote, traits_of_rule
from moot.decide.rule_file import RuleContent, rule_of
from moot.decide.studied import studied
from moot.strategies.captaincy import by_captain
from moot.strategies.option_meanings import Meaning
from moot.strategies.traits import Traits
from moot.team import Team
from moot.types import Question


@dataclass(frozen=True, slots=True)
class LearntVote(RuleVote):
    """The answer with the highest probability."""

    name: ClassVar[str] = "learnt"

    from_: Annotated[Mapping[str, Any] | None, Meaning(rule=True)] = None
    """A file that `moot fit` wrote, or what is in it; left out, what the other questions of the run teach."""

    def __post_init__(self) -> None:
        if self.from_ is not None:
            object.__setattr__(self, "from_", RuleContent(self.from_))
            rule_of(self.from_)

    @property
    def traits(self) -> Traits:
        return traits_of_rule(learns=self.from_ is None)

    def lineups(self, team: Team) -> tuple[Team, ...]:
        """A rule is about its own players: a team of others plays none."""
        if self.from_ is not None and set(rule_of(self.from_).players) != {player.name for player in team.players}:
            return ()
        return by_captain(team, self.captain, needed=False)

    def kept(self, team: Team) -> Kept:
        if self.from_ is not None:
            return rule_of(self.from_).kept_rule
        players = tuple(player.name for player in team.players)
        return Kept.of(studied(team.lessons, players).rule(), players)

    def kept_for(self, question: Question, team: Team) -> Kept:
        if self.from_ is not None:
            return rule_of(self.from_).for_kind(question.kind).kept_rule
        return self.kept(team)
