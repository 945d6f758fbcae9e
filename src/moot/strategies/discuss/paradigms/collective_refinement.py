"""Collective refinement: no turn order. Everybody answers, then everybody sees all answers of the round before at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moot.strategies.discuss.paradigm import Paradigm, Step
from moot.strategies.discuss.remark import TableRemark


@dataclass(frozen=True, slots=True)
class CollectiveRefinement(Paradigm):
    """Collective improvement goes the same way, but only the solutions are shown, not the messages: see `table`."""

    def steps(self, agents: Sequence[str]) -> list[Step]:
        return [Step(tuple(agents))]

    def hears(self, agent: str, agents: Sequence[str], remarks: Sequence[TableRemark], turn: int) -> list[TableRemark]:
        return [remark for remark in remarks if remark.turn == turn - 1]
