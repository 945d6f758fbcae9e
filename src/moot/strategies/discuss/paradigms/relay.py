"""Relay: the agents speak in turn, and each hears only the one before.

The last agent of a turn is heard by the first of the next. Where the one before said nothing, the word of the last who
did is passed on; not even its own earlier words are shown to an agent, unless it is the only one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moot.strategies.discuss.paradigm import Paradigm, Step, one_by_one
from moot.strategies.discuss.remark import TableRemark


@dataclass(frozen=True, slots=True)
class Relay(Paradigm):
    def steps(self, agents: Sequence[str]) -> list[Step]:
        return one_by_one(agents)

    def hears(self, agent: str, agents: Sequence[str], remarks: Sequence[TableRemark], turn: int) -> list[TableRemark]:
        others = [remark for remark in remarks if remark.speaker != agent or len(agents) == 1]
        return others[-1:]

    def reached(
        self, agent: str, agents: Sequence[str], remarks: Sequence[TableRemark], turn: int
    ) -> list[TableRemark]:
        """A word is handed on when its neighbour speaks: those behind the first have what they heard in this turn."""
        before = list(agents).index(agent)
        if before == 0:
            return self.hears(agent, agents, remarks, turn + 1)
        earlier = [remark for remark in remarks if remark.turn < turn or remark.speaker in agents[:before]]
        return self.hears(agent, agents, earlier, turn)
