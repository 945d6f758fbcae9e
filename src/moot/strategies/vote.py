"""Vote: everybody drafts alone, answers that mean the same are one group, the largest group wins.

A tie goes to the captain's group if it is among the tied, else to one of them by lot. So the result depends on who is
captain, at no extra call: the drafts are the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from moot.ballots.plurality import plurality
from moot.strategies.captaincy import absent, by_captain, nobody_answered
from moot.team import Team
from moot.types import Answer, Grouping, Question, Verdict


@dataclass(frozen=True, slots=True)
class Vote:
    """The largest group of answers."""

    name: ClassVar[str] = "vote"
    templates: ClassVar[tuple[str, ...]] = ("draft", "group")

    captain: str | None = None
    """Who breaks ties, if not the team's captain."""

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return by_captain(team, self.captain, needed=False)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        return self.decide(question, team, drafts, await team.group(question, drafts))

    def decide(self, question: Question, team: Team, drafts: Sequence[Answer], grouping: Grouping) -> Verdict:
        if not grouping.groups:
            return nobody_answered(drafts)
        tied = plurality(group for group in grouping.groups for _ in group)
        own = next((group for group in tied if team.captain in group), None)
        winners = tied[0] if len(tied) == 1 else own or team.random(question, "tie").choice(tied)
        members = [draft for draft in drafts if draft.player in winners]
        said = _wording(members, team.captain)
        return Verdict(
            said.text,
            "answered",
            reasoning=said.reasoning,
            who=tuple(member.player for member in members),
            answers=tuple(drafts),
            ballots=tuple({"player": player, "group": grouping.group_of(player)} for player in grouping.players),
            absent=absent(drafts),
            notes={**grouping.notes(), "tied": len(tied)},
        )


def _wording(members: Sequence[Answer], captain: str | None) -> Answer:
    """Whose words the group is quoted in: the captain's, else the commonest, else the first player's."""
    for member in members:
        if member.player == captain:
            return member
    counts = Counter(member.text for member in members)
    return max(members, key=lambda member: counts[member.text])
