"""Who was shown what in which order, by whichever record tells of it: one rule for all who read records.

A `Shown` tells of one look, and so does a `Ballot` with an order. Where the voter has a `Shown` in the same role and turn both
tell of one look, and it is one: the n-th ballot there goes with the n-th `Shown`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from moot.traces.kinds import Trace, of_kind
from moot.traces.records import Ballot, Counted, Grouped, Resolution, Round, Shown


@dataclass(frozen=True, slots=True)
class RecordedLook:
    """One look of one who then decides."""

    to: str
    record: Shown | Ballot
    draw: int
    """Looks of one reader in one role with one number were put into order by one draw."""
    distinct: bool
    """No two of what was shown say the same: positions, or options that were put together before."""
    options: tuple[str, ...] = ()
    """What the options of a ballot say, by their numbers; empty: not known."""

    @property
    def role(self) -> str:
        return self.record.role

    @property
    def turn(self) -> int:
        return self.record.turn

    @property
    def order(self) -> tuple[tuple[str, ...], ...] | tuple[int, ...]:
        return self.record.order

    @property
    def drawn(self) -> bool:
        return self.record.drawn if isinstance(self.record, Shown) else True


def looks_of(traces: Iterable[Trace]) -> list[RecordedLook]:
    """Every look of one play, once, in the order of its records."""
    every = list(traces)
    with_shown = Counter((record.to, record.role, record.turn) for record in of_kind(every, Shown))
    argued = {record.turn for record in every if isinstance(record, Round | Resolution)}
    grouped = {(record.turn, len(record.groups)) for record in of_kind(every, Grouped)}
    options = {record.turn: record.options for record in of_kind(every, Counted)}
    draws: Counter[tuple[str, str]] = Counter()
    looks = []
    words: tuple[str, ...]
    for record in every:
        if isinstance(record, Shown):
            reader, words = record.to, ()
            distinct = record.turn in argued if record.distinct is None else record.distinct
        elif isinstance(record, Ballot) and record.order:
            reader, words = record.voter, options.get(record.turn, ())
            distinct = (record.turn, len(words)) in grouped
            if with_shown[place := (reader, record.role, record.turn)]:
                with_shown[place] -= 1
                continue
        else:
            continue
        draws[reader, record.role] += record.redrawn
        looks.append(RecordedLook(reader, record, draws[reader, record.role], distinct, words))
    return looks
