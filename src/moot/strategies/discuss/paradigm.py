"""What a paradigm is: who speaks when, and who hears what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Literal, Protocol, cast

from moot.errors import UsageError
from moot.models.closest import closest
from moot.strategies.discuss.remark import TableRemark

ParadigmName = Literal["memory", "relay", "report", "debate", "collective-refinement"]
BUILT_IN: Mapping[str, str] = {
    "memory": "moot.strategies.discuss.paradigms.memory:Memory",
    "relay": "moot.strategies.discuss.paradigms.relay:Relay",
    "report": "moot.strategies.discuss.paradigms.report:ReportParadigm",
    "debate": "moot.strategies.discuss.paradigms.debate:DebateParadigm",
    "collective-refinement": "moot.strategies.discuss.paradigms.collective_refinement:CollectiveRefinement",
}
DEFAULT: ParadigmName = "memory"
"""What a discussion is held under whose file names none."""


@dataclass(frozen=True, slots=True)
class Step:
    """Agents who speak at the same time, so none of them hears another."""

    speakers: tuple[str, ...]
    part: int = 0


class Paradigm(Protocol):
    """Pure: the names of the agents and what was said so far are all that it goes by."""

    def steps(self, agents: Sequence[str]) -> list[Step]:
        """One turn."""

    def hears(self, agent: str, agents: Sequence[str], remarks: Sequence[TableRemark], turn: int) -> list[TableRemark]:
        """What an agent that speaks now has heard. How far back it remembers is not decided here."""

    def reached(
        self, agent: str, agents: Sequence[str], remarks: Sequence[TableRemark], turn: int
    ) -> list[TableRemark]:
        """What has come to an agent at the end of a turn: what it would hear if it spoke next."""
        return self.hears(agent, agents, remarks, turn + 1)


def one_by_one(agents: Sequence[str], part: int = 0) -> list[Step]:
    return [Step((agent,), part) for agent in agents]


def paradigm(name: str, debate_rounds: int = 2) -> Paradigm:
    """The paradigm of this name."""
    if name not in BUILT_IN:
        expected = f"expected one of {', '.join(BUILT_IN)}{closest(name, BUILT_IN)}"
        raise UsageError(f"paradigm {name!r} is unknown; {expected}")
    kind = resolve_name(BUILT_IN[name])
    return cast(Paradigm, kind(debate_rounds) if name == "debate" else kind())
