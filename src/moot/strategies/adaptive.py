"""Adaptive: take the vote where the team agrees, pay for the talkative captain only where it does not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from moot.strategies.captaincy import by_captain, captain_decides
from moot.strategies.vote import Vote
from moot.team import Team
from moot.types import Question, Verdict


@dataclass(frozen=True, slots=True)
class Adaptive:
    """Talk from so many different answers on; below that the vote stands."""

    name: ClassVar[str] = "adaptive"
    templates: ClassVar[tuple[str, ...]] = ("draft", "group", "captain")

    talk_from: int = 3
    captain: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.talk_from, int) or isinstance(self.talk_from, bool) or self.talk_from < 1:
            raise ValueError(f"talk_from: expected a whole number from 1 on, found {self.talk_from!r}")

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return by_captain(team, self.captain)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        grouping = await team.group(question, drafts)
        if len(grouping.groups) < self.talk_from:
            return Vote().decide(question, team, drafts, grouping)
        verdict = await captain_decides(question, team, drafts, reasons=True)
        return replace(verdict, notes={**grouping.notes(), **verdict.notes})
