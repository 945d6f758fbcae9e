"""Adaptive: take the vote where the team agrees, pay for the talkative captain only where it does not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from annotated_types import Ge

from moot.ballots.cut_voices import count_hangs_on_cut, cut_players
from moot.strategies.captaincy import Captained, by_captain, captain_decides
from moot.strategies.traits import CallBound, Traits
from moot.strategies.vote import Vote
from moot.team import Team
from moot.traces import HangsOnCut
from moot.types import Question, Verdict


@dataclass(frozen=True, slots=True)
class Adaptive(Captained):
    """Talk from so many different answers on; below that the vote stands."""

    name: ClassVar[str] = "adaptive"
    traits: ClassVar[Traits] = Traits(
        prompts=("draft", "captain"),
        drafts="single-call",
        captain="leads",
        word="captain",
        hears="reasons",
        groups=True,
        asks="captain",
        calls=CallBound(per_player=1, fixed=1),
    )

    talk_from: Annotated[int, Ge(1)] = 3

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return by_captain(team, self.captain)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        grouping = await team.group(question, drafts)
        if len(grouping.groups) < self.talk_from:
            return Vote().decide(question, team, drafts, grouping)
        verdict = await captain_decides(question, team, drafts, reasons=True)
        cut = cut_players(drafts)
        # With nothing cut out they might have been fewer answers, and no talk.
        hangs = count_hangs_on_cut(grouping.groups, cut, self.talk_from)
        told = (HangsOnCut(tuple(draft.player for draft in drafts if draft.player in cut)),) if hangs else ()
        return replace(verdict, traces=(grouping.trace(), *verdict.traces, *told))
