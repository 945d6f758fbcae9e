"""Report: all talk to a moderator only, who hears all. The moderator is the first agent.

The moderator opens the turn, the others reply to it. As they hear nobody else, they do so at the same time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moot.strategies.discuss.paradigm import Paradigm, Step
from moot.strategies.discuss.remark import TableRemark


@dataclass(frozen=True, slots=True)
class ReportParadigm(Paradigm):
    def steps(self, agents: Sequence[str]) -> list[Step]:
        moderator, *others = agents
        return [Step((moderator,)), Step(tuple(others))]

    def hears(self, agent: str, agents: Sequence[str], remarks: Sequence[TableRemark], turn: int) -> list[TableRemark]:
        moderator = agents[0]
        return [remark for remark in remarks if agent == moderator or remark.speaker in (agent, moderator)]
