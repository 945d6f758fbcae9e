"""The headline's team against its captain alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from moot.measures.claims.cut_short import without_claims
from moot.measures.claims.standing import stands
from moot.measures.played_again import played_again
from moot.measures.quiz.played import UNPLAYED
from moot.measures.sides import SideResults, alone_by_player, side_of
from moot.measures.source import Source
from moot.stats.estimates import Row, with_holm
from moot.stats.graded import Value
from moot.stats.graded_pairs import errors_apart, family_row, known_pairs

_ByCell = Sequence[Mapping[str, Value]]
"""For each cell of the team, by question."""


@dataclass(frozen=True)
class OverCaptain:
    """Captain by captain on each question; several captains of one question are one pair, their mean.

    Only where captains lead: one that does no more than break ties has no errors that a team could fix. The adjusted p
    pays for all options that this one was chosen from.
    """

    source: Source
    side: SideResults
    asked: Iterable[str]
    """The questions that the headline is about."""
    pooled: bool
    options: int
    """How many it was chosen from."""

    def row(self) -> Row | None:
        return self._row() if self._led else None

    def row_unless_turned(self, why: str) -> Row | None:
        """The same without what it claims, and `why`, unless all of that, adjusted or not, is claimed as well where the plays
        without somebody may come to anything."""
        row, again = self.row(), played_again(self.source)
        if row is None or again is None:
            return row
        other = replace(self, source=again, side=side_of(again, self.side.cells, self.side.title)).row()
        return row if stands(row, other) else {**without_claims(row), "why": why}

    @property
    def _led(self) -> bool:
        return all(cell["traits"].captain == "leads" for cell in self.side.cells)

    @cached_property
    def _after(self) -> _ByCell:
        return [self.side.values_of(cell) for cell in self.side.cells]

    @cached_property
    def _alone(self) -> _ByCell:
        tables = {table.name: table for table in map(self.source.draft_table, self.side.cells)}
        by_table = {name: alone_by_player(self.source, table) for name, table in tables.items()}
        return [by_table[self.source.draft_table(cell).name].get(cell["captain"] or "", {}) for cell in self.side.cells]

    def _row(self) -> Row | None:
        after, alone = self._after, self._alone
        pairs: dict[str, list[tuple[Value, Value]]] = {}
        for question in self.asked:
            if all(question in own for own in alone):
                led = [own.get(question, UNPLAYED) for own in after]
                pairs[question] = list(zip(led, (own[question] for own in alone), strict=True))
        row = errors_apart(family_row(pairs, pooled=self.pooled), pairs)
        if not row["n"] and not known_pairs(pairs):
            return None
        return with_holm([row], family=self.options if row["p"] is not None else None)[0]
