"""Each player alone: the baseline that every team is measured against."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from moot.team import Team
from moot.types import Question, Verdict


@dataclass(frozen=True, slots=True)
class Solo:
    """One player, one draft, no team."""

    name: ClassVar[str] = "solo"
    templates: ClassVar[tuple[str, ...]] = ("draft",)

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return tuple(replace(team, name=player.name, players=(player,)) for player in team.players)

    async def play(self, question: Question, team: Team) -> Verdict:
        (player,) = team.players
        draft = await team.draft(player, question)
        return Verdict(
            answer=draft.text,
            outcome=draft.outcome,
            reasoning=draft.reasoning,
            who=(player.name,) if draft.text is not None else (),
            answers=(draft,),
            absent=() if draft.text is not None else (player.name,),
            cause=draft.cause,
        )
