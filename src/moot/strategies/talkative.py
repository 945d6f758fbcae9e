"""Talkative team: the captain sees everybody's answers with a short rationale beside each; then decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from moot.strategies.captaincy import Captained, by_captain, captain_decides
from moot.strategies.natives import LONG_DRAFT
from moot.strategies.traits import CallBound, Traits
from moot.team import Team
from moot.types import Question, Verdict


@dataclass(frozen=True, slots=True)
class Talkative(Captained):
    """Answers with reasons."""

    name: ClassVar[str] = "talkative"
    traits: ClassVar[Traits] = Traits(
        prompts=("draft", "captain"),
        drafts="single-call",
        captain="leads",
        word="captain",
        hears="reasons",
        names="hidden",
        asks="captain",
        calls=CallBound(per_player=1, fixed=1),
        long_answers=(*LONG_DRAFT, "captain-text"),
        final_stage="talkative",
    )

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return by_captain(team, self.captain)

    async def play(self, question: Question, team: Team) -> Verdict:
        return await captain_decides(question, team, await team.drafts(question), reasons=True)
