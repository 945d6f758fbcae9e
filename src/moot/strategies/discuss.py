"""Discuss: agents talk a task over for some turns, and a protocol decides.

Four parts that know nothing of each other: who hears whom (`paradigm`), how they speak (`style`), how it begins
(`drafting`) and what ends it (`decision`). Combinations that make no sense are refused before any call, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from moot.ballots import Rule, rule
from moot.ballots.consensus import CONSENSUS
from moot.ballots.cumulative import BUDGET, CumulativeVoting
from moot.strategies.discuss_decide import by_consensus, by_vote
from moot.strategies.discuss_options import check_options, check_team, with_copies
from moot.talk.challenge import PLANT, challenge
from moot.talk.collective_refinement import CollectiveRefinement
from moot.talk.paradigm import DEFAULT, paradigm
from moot.talk.personas import Personas, seat
from moot.talk.table import Manner, Table
from moot.talk.vote import JUDGE
from moot.team import Team
from moot.types import Question, Verdict


@dataclass(frozen=True, slots=True)
class Discuss:
    """A discussion with a decision."""

    name: ClassVar[str] = "discuss"
    paradigm: str | None = None
    """Who hears whom: memory, relay, report, debate, collective-refinement.

    Left out is `DEFAULT`, but where the drafting says itself who sees what, one that is written down is refused.
    """
    style: str = "simple"
    drafting: str = "first-agent"
    decision: str = "simple-voting"
    personas: Personas = "expert"
    agents: int = 3
    """The first so many players; where the team has fewer, they are asked several times over, each with a voice of its own."""
    max_turns: int = 5
    vote_from: int = 3
    """The turn at whose end the first vote is held."""
    visible_turns: int = 2
    debate_rounds: int = 2
    budget: int = BUDGET
    """Points that a voter has under cumulative-voting."""
    step_by_step: bool = False
    judge: str | None = None
    """The model that picks under ``decision: judge``."""
    challenge: str = "none"
    facts: str | None = None
    """Under ``challenge: facts``: a folder of text files, or the name of a retriever."""
    planted_by: str | None = None
    """Under ``challenge: wrong`` and ``irrelevant``: the model that makes up the answer."""

    def __post_init__(self) -> None:
        if isinstance(self.personas, list):
            object.__setattr__(self, "personas", tuple(self.personas))
        check_options(self)

    @property
    def templates(self) -> tuple[str, ...]:
        used = ["agent", "discuss", "solution", "group"]
        if self.personas != "none":
            used.append("persona")
        if self.decision not in CONSENSUS:
            used.append("pick" if self.decision == "judge" else "ballot")
        if self.challenge != "none":
            used.append("challenge")
        return (*used, "plant") if self.planted_by else tuple(used)

    @property
    def officers(self) -> Mapping[str, str]:
        """Models that are asked but do not talk, by their office."""
        return {office: model for office, model in ((JUDGE, self.judge), (PLANT, self.planted_by)) if model is not None}

    @property
    def warnings(self) -> tuple[str, ...]:
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
        table = Table(question, team, agents, self._manner())
        if self.decision in CONSENSUS:
            verdict = await by_consensus(table, self.decision, self.max_turns)
        else:
            verdict = await by_vote(table, self._rule(), self.vote_from, self.max_turns)
        notes: dict[str, Any] = {**verdict.notes, **table.notes()}
        if self.warnings:
            notes["warnings"] = list(self.warnings)
        if self.challenge != "none":
            notes["challenge"] = await self._challenge(table, verdict)
        return replace(verdict, notes=notes)

    async def _challenge(self, table: Table, verdict: Verdict) -> dict[str, Any]:
        if verdict.answer is None:
            return {"setting": self.challenge, "replies": [], "cause": "there was no answer to challenge"}
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
