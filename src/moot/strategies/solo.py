"""Each player alone: the baseline that every team is measured against."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from moot.strategies.natives import Drafts, check_drafts, draft_templates, native
from moot.team import Team
from moot.types import Question, Verdict


@dataclass(frozen=True, slots=True)
class Solo:
    """One player, one draft, no team."""

    name: ClassVar[str] = "solo"

    drafts: Drafts = "single-call"
    """`double-call`: the answer first, its reasons in a second call. What it gains is the tax on the form."""

    def __post_init__(self) -> None:
        check_drafts(self.drafts)

    @property
    def templates(self) -> tuple[str, ...]:
        return draft_templates(self.drafts)

    def lineups(self, team: Team) -> tuple[Team, ...]:
        alone = replace(team, cohort=None, cohorts={})  # a player of two teams is alone only once
        return tuple(replace(alone, name=player.name, players=(player,)) for player in team.players)

    async def play(self, question: Question, team: Team) -> Verdict:
        (player,) = team.players
        draft = await native(question, team, player, self.drafts)
        return Verdict(
            answer=draft.text,
            outcome=draft.outcome,
            reasoning=draft.reasoning,
            who=(player.name,) if draft.text is not None else (),
            answers=(draft,),
            absent=() if draft.text is not None else (player.name,),
            cause=draft.cause,
        )
