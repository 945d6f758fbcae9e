"""Who stands behind which solution, message by message: what consensus is checked on.

A *position* is a solution that somebody put on the table, named by the number of the remark that did so. The current
position is the newest one; of those put there at once, the one that most stand behind. An agent stands behind a position
because it made it, because it agreed to it having been shown it, or because it gave the same solution unasked. Agreement
counts for what the agent was shown: whoever has not heard of a change has not agreed to it. So a changed solution begins
with its author alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from moot.strategies.discuss.remark import Said, TableRemark


@dataclass(frozen=True, slots=True)
class Stance:
    """Where an agent stands after a remark; `position` None: behind nothing."""

    position: int | None
    backs: str | None = None


def about(remarks: Iterable[TableRemark]) -> TableRemark | None:
    """The remark whose position an agent speaks to: the last that it was shown and that stands for one."""
    return next((remark for remark in reversed(list(remarks)) if remark.position is not None), None)


def supporters(remarks: Iterable[TableRemark], position: int | None) -> tuple[str, ...]:
    """Those whose last word stands behind this position, in the order in which they first spoke."""
    if position is None:
        return ()
    last = {remark.speaker: remark.position for remark in remarks if remark.said is not None}
    return tuple(agent for agent, stood in last.items() if stood == position)


def own_solution(remarks: Sequence[TableRemark], said: Sequence[TableRemark]) -> TableRemark | None:
    """The remark of an agent that holds its last solution, given or agreed to; `remarks` are its own.

    One that rejects a solution and gives no other stands where it stood before, unless it stood behind that very one.
    """
    rejected: set[int | None] = set()
    for remark in reversed(remarks):
        if remark.said is None or (remark.position is not None and remark.position in rejected):
            continue
        if remark.said.solution is not None or remark.backs is not None:
            return remark
        spoken_to = about(said[number] for number in remark.shown)
        if remark.said.agree is False and spoken_to is not None:
            rejected.add(spoken_to.position)
    return None


def stance(number: int, message: Said, spoken_to: TableRemark | None, same: Sequence[TableRemark]) -> Stance:
    """Where the agent stands that said this. `same`: of the positions on the table, those with the solution it gave.

    A solution that is none of them is a new position, whatever the agent says of its agreement. An agent that rejects
    the very solution that it repeats stands behind nothing: of the two, the field for agreement is the clear one.
    """
    if message.solution is None:
        agreed = spoken_to if message.agree else None
        return Stance(agreed.position, agreed.backs) if agreed else Stance(None)
    if not same:
        return Stance(number, message.solution)
    rejected = spoken_to.position if spoken_to is not None and message.agree is False else None
    kept = [remark for remark in same if remark.position != rejected]
    return Stance(kept[-1].position, kept[-1].backs) if kept else Stance(None)


def line_of_thought(number: int, message: Said, spoken_to: TableRemark | None) -> Stance:
    """The same where solutions are withheld: agents agree to a line of thought, and who does not opens another."""
    if message.agree and spoken_to is not None:
        return Stance(spoken_to.position)
    return Stance(number)
