"""Each player alone: the baseline that every team is measured against."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from moot.strategies.natives import LONG_DRAFT, Drafts, draft_calls, draft_prompts, native
from moot.strategies.traits import CallBound, Traits
from moot.team import Team
from moot.types import Question, Verdict


@dataclass(frozen=True, slots=True)
class Solo:
    """One player, one draft, no team."""

    name: ClassVar[str] = "solo"

    drafts: Drafts = "single-call"

    @property
    def traits(self) -> Traits:
        return Traits(
            prompts=draft_prompts(self.drafts),
            drafts=self.drafts,
            alone=True,
            word="player",
            hears="nothing",
            asks="nobody",
            calls=CallBound(per_player=draft_calls(self.drafts)),
            long_answers=LONG_DRAFT,
            final_stage=draft_prompts(self.drafts)[0],
        )

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
