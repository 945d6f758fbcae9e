"""Discuss: agents talk a task over for some turns, and a protocol decides.

Four parts that know nothing of each other: who hears whom (`paradigm`), how they speak (`style`), how it begins
(`drafting`) and what ends it (`decision`). Combinations that make no sense are refused before any call, with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from moot.ballots import Rule, rule
from moot.ballots.consensus import CONSENSUS
from moot.ballots.cumulative import CumulativeVoting
from moot.strategies.discuss.challenge import challenge
from moot.strategies.discuss.decide import by_consensus, by_vote
from moot.strategies.discuss.options import DiscussOptions, check_team, with_copies
from moot.strategies.discuss.paradigm import DEFAULT, paradigm
from moot.strategies.discuss.paradigms.collective_refinement import CollectiveRefinement
from moot.strategies.discuss.personas import seat
from moot.strategies.discuss.table import DiscussionTable, Manner
from moot.strategies.traits import CallBound, Traits
from moot.team import Team
from moot.traces import Challenge, Remarked, Trace
from moot.types import Question, Verdict


@dataclass(frozen=True, slots=True)
class Discuss(DiscussOptions):
    """A discussion with a decision."""

    name: ClassVar[str] = "discuss"

    @property
    def traits(self) -> Traits:
        return Traits(
            prompts=self._prompts,
            word="group",
            hears="talk",
            groups=True,
            offices=self.offices,
            facts=self.facts,
            decides_by=self.family,
            calls=CallBound(fixed=self._most_calls),
            warnings=self._warnings,
        )

    @property
    def _most_calls(self) -> int:
        """Personas, messages, then for each vote a ballot from everybody, or a judge's, and a challenge.

        Where solutions are withheld everybody is asked for one before each vote, and one agent after a consensus.
        """
        rounds = self.debate_rounds + 1 if self.paradigm == "debate" else 1
        votes = 0 if self.decision in CONSENSUS else max(0, self.max_turns - self.vote_from) + 1
        asked = 1 + self.max_turns * rounds + votes + 2 * (self.challenge != "none")
        asked += votes * (self.style == "reasoning")
        return int(self.agents * asked + votes + 2)

    @property
    def _prompts(self) -> tuple[str, ...]:
        used = ["agent", "discuss"]
        if self.style == "reasoning":
            used.append("solution")
        if self.personas != "none":
            used.append("persona")
        if self.decision not in CONSENSUS:
            used.append("pick" if self.decision == "judge" else "ballot")
        if self.challenge != "none":
            used.append("challenge")
        return (*used, "plant") if self.planted_by else tuple(used)

    @property
    def _warnings(self) -> tuple[str, ...]:
        """What is worth knowing before the first call, although nothing is wrong."""
        if self.agents == 3 and self.decision in ("majority-consensus", "supermajority-consensus"):
            return ("with three agents majority-consensus and supermajority-consensus are the same: two of three",)
        return ()

    def lineups(self, team: Team) -> tuple[Team, ...]:
        """One table; where the team has cohorts, who never hear each other, one for each of them."""
        seated = tuple(replace(table, players=with_copies(table.players, self.agents)) for table in team.tables())
        for table in seated:
            check_team(self, table)
        return tuple(replace(table, captain=None) for table in seated)

    async def play(self, question: Question, team: Team) -> Verdict:
        agents = await seat(question, team, self.personas)
        table = DiscussionTable(question, team, agents, self._manner())
        if self.decision in CONSENSUS:
            verdict = await by_consensus(table, self.decision, self.max_turns)
        else:
            verdict = await by_vote(table, self._rule(), self.vote_from, self.max_turns)
        challenged = await self._challenge(table, verdict) if self.challenge != "none" else ()
        remarked = map(Remarked, self._warnings)
        return replace(verdict, traces=(*table.traces(), *verdict.traces, *challenged, *remarked))

    async def _challenge(self, table: DiscussionTable, verdict: Verdict) -> tuple[Trace, ...]:
        if verdict.answer is None:
            return (Challenge(self.challenge, cause="there was no answer to challenge"),)
        return await challenge(table, self.challenge, verdict.answer, verdict.turns + 1)

    def _manner(self) -> Manner:
        improvement = self.drafting == "collective-improvement"
        return Manner(
            CollectiveRefinement() if improvement else paradigm(self.paradigm or DEFAULT, self.debate_rounds),
            self.style,
            self.drafting,
            self.step_by_step,
            self.visible_turns,
            by_meaning=self.decision in CONSENSUS,
        )

    def _rule(self) -> Rule | None:
        """None: the judge decides."""
        if self.decision == "judge":
            return None
        return CumulativeVoting(self.budget) if self.decision == "cumulative-voting" else rule(self.decision)
