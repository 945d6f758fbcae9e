"""Memory: the agents speak in turn, and all hear all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moot.strategies.discuss.paradigm import Paradigm, Step, one_by_one
from moot.strategies.discuss.remark import TableRemark


@dataclass(frozen=True, slots=True)
class Memory(Paradigm):
    def steps(self, agents: Sequence[str]) -> list[Step]:
        return one_by_one(agents)

    def hears(self, agent: str, agents: Sequence[str], remarks: Sequence[TableRemark], turn: int) -> list[TableRemark]:
        return list(remarks)
