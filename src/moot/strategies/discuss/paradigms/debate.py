"""Debate: the moderator opens the turn, the others talk among themselves for some rounds, then forward to the moderator.

The moderator is the first agent. What is forwarded is what the others say in their last round: the moderator, who opens
the next turn, hears nothing of the rounds before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moot.strategies.discuss.paradigm import Paradigm, Step, one_by_one
from moot.strategies.discuss.remark import TableRemark


@dataclass(frozen=True, slots=True)
class DebateParadigm(Paradigm):
    rounds: int = 2

    def steps(self, agents: Sequence[str]) -> list[Step]:
        moderator, *others = agents
        opening = [Step((moderator,))]
        return opening + [step for part in range(self.rounds) for step in one_by_one(others, part + 1)]

    def hears(self, agent: str, agents: Sequence[str], remarks: Sequence[TableRemark], turn: int) -> list[TableRemark]:
        moderator = agents[0]
        if agent != moderator:
            return list(remarks)
        return [remark for remark in remarks if remark.speaker == moderator or self._is_forwarded(remark)]

    def _is_forwarded(self, remark: TableRemark) -> bool:
        """Drafts, which are written before any debate, are forwarded as they are."""
        return remark.part in (0, self.rounds)
