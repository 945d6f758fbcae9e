"""A consensus among solutions of which some have lost a part: each of those may be the same as any other, or as none.

At the table they are never put together with another, so agreement may seem to come later than it did, or not at all. What
was heard does not change with what they said; who stood behind what does. So it is asked after every step on which solutions
enough agents might have stood. In open questions others that were put on the table after such a solution may be the same too,
since nobody was asked whether they mean what came before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from moot.ballots.consensus import reached
from moot.models.cut_out import was_cut
from moot.strategies.discuss.remark import TableRemark
from moot.strategies.discuss.stance import about
from moot.strategies.discuss.table import DiscussionTable
from moot.traces import HangsOnCut


@dataclass
class CutSolutions:
    """Of one discussion, step by step."""

    table: DiscussionTable
    protocol: str
    _might: set[str | None] = field(default_factory=set)
    """On which solutions they might have agreed before; None: on one that nobody knows."""

    def look(self) -> None:
        """After a step that brought no agreement."""
        cut = self._cut
        if not cut:
            return
        last = {remark.speaker: remark for remark in self.table.spoken}
        standing = [remark for remark in last.values() if remark.position is not None]
        unknown = {remark.speaker for remark in standing if was_cut(remark.backs)}
        apart_by_words = self.table.question.is_closed or not self.table.manner.by_meaning
        open_ = unknown | {
            remark.speaker for remark in standing if not apart_by_words and (remark.position or 0) > cut[0].number
        }
        behind = Counter(_folded(remark) for remark in standing if remark.speaker not in unknown)
        for text, sure in behind.items():
            more = sum(remark.speaker in open_ and _folded(remark) != text for remark in standing)
            if self._enough(sure + more):
                self._might.add(text)
        if self._enough(len(unknown)):
            self._might.add(None)

    def of_agreement(self, made: TableRemark) -> Iterator[HangsOnCut]:
        """What an agreement hangs on: they might have agreed before, and on something else, or not on this."""
        cut = self._cut
        if not cut:
            return
        sure = sum(not self._may_reject(name) for name in self.table.supporters)
        elsewhere = self.table.drawn_over_cut or self._might - {_folded(made)}
        if was_cut(made.backs) or elsewhere or not self._enough(sure):
            yield from self.of_none()

    def of_none(self) -> Iterator[HangsOnCut]:
        """What it hangs on that there was no agreement, and which solution then stands."""
        if cut := self._cut:
            said = {remark.speaker for remark in cut}
            yield HangsOnCut(tuple(name for name in self.table.names if name in said))

    @property
    def _cut(self) -> list[TableRemark]:
        """The remarks whose solutions have lost a part; where solutions are withheld nobody stands behind one."""
        if self.table.manner.style == "reasoning":
            return []
        return [remark for remark in self.table.spoken if remark.said and was_cut(remark.said.solution)]

    def _may_reject(self, name: str) -> bool:
        """Whether what it rejected may be the very solution that it gave: then it stands behind nothing."""
        last = next(remark for remark in reversed(self.table.spoken) if remark.speaker == name)
        spoken_to = about(self.table.said[number] for number in last.shown)
        return bool(last.said and last.said.agree is False and spoken_to is not None and was_cut(spoken_to.backs))

    def _enough(self, agents: int) -> bool:
        return reached(self.protocol, agents, len(self.table.agents))


def _folded(remark: TableRemark) -> str:
    return (remark.backs or "").strip().casefold()
