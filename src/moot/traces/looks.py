"""Who was shown what in which order, by whichever record tells of it: one rule for all who read records.

A `Shown` tells of one look, and so does a `Ballot` with an order. Where the voter has a `Shown` in the same role and turn both
tell of one look, and it is one: the n-th ballot there goes with the n-th `Shown`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from moot.traces.kinds import Trace, of_kind
from moot.traces.records import Ballot, Counted, Grouped, Resolution, Round, Shown

ShownOrder = tuple[tuple[str, ...], ...] | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RecordedLook:
    """One look of one who then decides."""

    to: str
    record: Shown | Ballot
    draw: int
    """Looks of one reader in one role with one number were put into order by one draw."""
    distinct: bool
    """No two of what was shown say the same: positions, or options that were put together before."""
    options: tuple[str, ...] | None = ()
    """What the options of a ballot say, by their numbers; empty: nobody counted them. None: nobody can tell which count they
    are of."""
    before: ShownOrder | None = None
    """The order in which this reader in this role was last shown the same things; None: it never was."""

    @property
    def role(self) -> str:
        return self.record.role

    @property
    def turn(self) -> int:
        return self.record.turn

    @property
    def order(self) -> ShownOrder:
        return self.record.order

    @property
    def drawn(self) -> bool:
        return self.record.drawn if isinstance(self.record, Shown) else True


def looks_of(traces: Iterable[Trace]) -> list[RecordedLook]:
    """Every look of one play, once, in the order of its records."""
    every = list(traces)
    with_shown = Counter((record.to, record.role, record.turn) for record in of_kind(every, Shown))
    argued = {record.turn for record in every if isinstance(record, Round | Resolution)}
    counts = _counts(every)
    draws: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str, Hashable], RecordedLook] = {}
    looks = []
    for place, record in enumerate(every):
        options: tuple[str, ...] | None = ()
        if isinstance(record, Shown):
            reader = record.to
            distinct = record.turn in argued if record.distinct is None else record.distinct
        elif isinstance(record, Ballot) and record.order:
            reader, options, distinct = record.voter, counts[place].options, counts[place].put_together
            if with_shown[ballot_place := (reader, record.role, record.turn)]:
                with_shown[ballot_place] -= 1
                continue
        else:
            continue
        things = [(reader, record.role, thing) for thing in _things(record, options)]
        before = next((last[thing] for thing in things if thing in last), None)
        if kept := None if record.redrawn else before:
            draw = kept.draw
        else:
            draw = draws[reader, record.role] = draws[reader, record.role] + 1
        shown_before = None if before is None else before.order
        looks.append(look := RecordedLook(reader, record, draw, distinct, options, shown_before))
        if look.drawn:
            last |= dict.fromkeys(things, look)
    return looks


def _things(record: Shown | Ballot, options: tuple[str, ...] | None) -> list[Hashable]:
    """By what it is told whether two looks are at the same things, the surest first.

    A voter keeps its order of so many options from turn to turn, whatever they say by then; but of several votes in a turn
    the one on the same words is meant.
    """
    things = tuple(sorted(record.order))
    return [things] if isinstance(record, Shown) else [(options, things), things]


@dataclass(slots=True)
class _Count:
    """One count of votes: what stands in the records of its turn since the count before."""

    ballots: list[int] = field(default_factory=list)
    """Their places among the records."""
    groups: set[int] = field(default_factory=set)
    """How many groups there were, wherever options were put together."""
    options: tuple[str, ...] | None = ()

    @property
    def put_together(self) -> bool:
        return self.options is not None and len(self.options) in self.groups


def _counts(every: Sequence[Trace]) -> dict[int, _Count]:
    """By the place of a ballot among the records: the count it went into.

    That is the only one of its turn; of several with other options the next one after it, as long as each has ballots before it.
    """
    by_turn: dict[int, list[_Count]] = {}
    for place, record in enumerate(every):
        if not isinstance(record, Grouped | Ballot | Counted):
            continue
        counts = by_turn.setdefault(record.turn, [_Count()])
        if isinstance(record, Ballot):
            counts[-1].ballots.append(place)
        elif isinstance(record, Grouped):
            counts[-1].groups.add(len(record.groups))
        else:
            counts[-1].options = record.options
            counts.append(_Count())
    return {
        place: count if _fits(every[place], count) else _Count(options=None)
        for counts in by_turn.values()
        for count in _told_apart(counts)
        for place in count.ballots
    }


def _told_apart(counts: Sequence[_Count]) -> Sequence[_Count]:
    """The counts of one turn; the last of them is what stands after all counts."""
    *counted, rest = counts
    if len({count.options for count in counted}) <= 1:
        ballots = [place for count in counts for place in count.ballots]
        groups = {number for count in counts for number in count.groups}
        return [_Count(ballots, groups, counted[0].options if counted else ())]
    if not rest.ballots and all(count.ballots for count in counted):
        return counted
    return [_Count(count.ballots, options=None) for count in counts]


def _fits(ballot: Trace, count: _Count) -> bool:
    """Whether the options of a ballot are among those that were counted, as far as any were."""
    assert isinstance(ballot, Ballot)
    return not count.options or set(ballot.order) <= set(range(len(count.options)))
