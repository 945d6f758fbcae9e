"""What calls took, by their keys: read from a store once, however often it is asked for.

A call that left, brought no reply and had no price stands under no key: what it cost nobody knows, so neither does anybody know
what the play cost that asked for it, nor what it all came to.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from itertools import chain
from typing import Any

from sqlalchemy import Connection, func, select

from moot.measures.episodes import EpisodeOutline
from moot.store import queries, schema
from moot.store.bulk_read import call_columns
from moot.traces import Unpriced, trace_json
from moot.types import UNRECORDED

Spent = tuple[int | None, int | None, int | None, float | None]
"""Tokens of a call's prompt, completion and reasoning, and its cost; None: its server did not say."""

_LOST = schema.unpriced_losses
_UNPRICED = f'"kind":"{trace_json(Unpriced(1))["kind"]}"'
"""As it stands in a stored verdict."""

_COLUMNS = ("key", "prompt_tokens", "completion_tokens", "reasoning_tokens", "cost_usd")


class Spending:
    """`name`: of an experiment. `at_once`: most of its calls will be asked for, so they are read in one go."""

    def __init__(self, connection: Connection, name: str = "", *, at_once: bool = False) -> None:
        self._connection = connection
        self._name = name
        self._at_once = at_once
        self._whole = name if at_once else None
        self._spent: dict[str, Spent] = {}
        self._alike: dict[Spent, Spent] = {}
        """Very many calls took the same: each of these is held once."""
        self._bill_usd: float | None = None
        self._any_unpriced: bool | None = None
        self._unpriced: dict[str, set[tuple[str, int]]] = {}

    def by_key(self, keys: Collection[str]) -> dict[str, Spent]:
        """Calls that are not stored are left out."""
        found = zip(keys, self._looked_up(keys), strict=True)
        return {key: spent for key, spent in found if spent is not None}

    def of(self, keys: Collection[str]) -> list[Spent]:
        """The same, where it does not matter which is whose."""
        return [spent for spent in self._looked_up(keys) if spent is not None]

    def sums_usd(self, several: Sequence[Sequence[str]]) -> list[float | None]:
        """What each of several groups of calls cost; None where the cost of a single call is unknown."""
        spent = self._looked_up(list(chain.from_iterable(several)))
        if set(map(len, several)) == {1}:  # nearly always: a call each
            return [None if payment is None else payment[3] for payment in spent]
        single = [self._spent.get(keys[0]) if len(keys) == 1 else None for keys in several]
        return [
            payment[3] if payment is not None else self._sum_usd(keys)
            for payment, keys in zip(single, several, strict=True)
        ]

    def paid_usd(self, seen: Sequence[EpisodeOutline]) -> list[float | None]:
        """What the calls of each episode cost, those without a reply among them where these have no price."""
        paid = self.sums_usd([episode.calls for episode in seen])
        if self._any_unpriced is None:
            self._any_unpriced = self._connection.execute(select(_LOST.c.id).limit(1)).first() is not None
        if not self._any_unpriced:  # nearly always
            return paid
        return [
            None if episode.key in self._unpriced_plays(episode.cell["id"]) else usd
            for episode, usd in zip(seen, paid, strict=True)
        ]

    def _unpriced_plays(self, cell: str) -> set[tuple[str, int]]:
        if cell not in self._unpriced:
            table = schema.episodes
            told = table.c.verdict.contains(_UNPRICED, autoescape=True)
            found = self._connection.execute(select(table.c.question, table.c.repeat).where(table.c.cell == cell, told))
            self._unpriced[cell] = {(question, repeat) for question, repeat in found}
        return self._unpriced[cell]

    def _sum_usd(self, keys: Sequence[str]) -> float | None:
        spent = map(self._spent.get, keys)
        costs_usd = [payment[3] for payment in spent if payment is not None and payment[3] is not None]
        return sum(costs_usd) if len(costs_usd) == len(keys) else None

    def _looked_up(self, keys: Collection[str]) -> list[Spent | None]:
        """In their order; None: it is not stored."""
        spent = list(map(self._spent.get, keys))
        if None not in spent:
            return spent
        self._learn(keys)
        return list(map(self._spent.get, keys))

    def _learn(self, keys: Collection[str]) -> None:
        if keys and self._whole is not None:
            self._read_whole(self._whole)
        table = schema.calls
        for part in queries.chunks(sorted(set(keys).difference(self._spent))):
            query = select(*(table.c[name] for name in _COLUMNS)).where(table.c.key.in_(part))
            if rows := self._connection.execute(query).fetchall():
                self._note(*zip(*rows, strict=True))

    def bill_usd(self) -> float | None:
        """What all calls of the experiment cost; None where one of them is unknown."""
        if not self._at_once:
            return bill_usd(self._connection, self._name)
        if self._whole is not None:
            self._read_whole(self._whole)
        return _told(self._connection, self._name, self._bill_usd)

    def _read_whole(self, name: str) -> None:
        self._whole = None
        for columns in call_columns(self._connection, name, _COLUMNS):
            self._note(*columns)
        self._bill_usd = sum_usd([spent[3] for spent in self._spent.values()])

    def _note(self, keys: Sequence[str], *columns: Sequence[Any]) -> None:
        prompt, completion, reasoning, costs_usd = columns
        if None in reasoning:  # no word of thoughts beside a counted completion: there were none
            pairs = zip(reasoning, completion, strict=True)
            reasoning = [0 if thought is None and written is not None else thought for thought, written in pairs]
        several: list[Spent] = list(zip(prompt, completion, reasoning, costs_usd, strict=True))
        self._spent.update(zip(keys, map(self._alike.setdefault, several, several), strict=True))


def bill_usd(connection: Connection, name: str) -> float | None:
    """What all calls of an experiment cost; None where one of them is unknown."""
    return _told(connection, name, sum_usd(_costs_usd(connection, name)))


def costs_known(connection: Connection, name: str) -> dict[str, Any]:
    """What there is to say of a bill that is not known: how many of the calls tell what they cost, and what these came to."""
    costs = _costs_usd(connection, name)
    known = [cost for cost in costs if cost is not None]
    calls = len(costs) + unpriced_losses(connection, name)
    return {"calls": calls, "known": len(known), "at_least_usd": math.fsum(known)}


def _costs_usd(connection: Connection, name: str) -> Sequence[float | None]:
    table = schema.calls
    ours = (table.c.experiment == name, table.c.finish != UNRECORDED)
    return connection.execute(select(table.c.cost_usd).where(*ours)).scalars().all()


def _told(connection: Connection, name: str, usd: float | None) -> float | None:
    """A bill of nothing is none where something was paid of which nobody knows how much."""
    return None if not usd and unpriced_losses(connection, name) else usd


def losses_row(connection: Connection, name: str, since: float = 0.0) -> dict[str, Any]:
    """What may be on the bill beside it: attempts that gave no reply, and those that are under way, or were when their process
    died; and calls that were forgotten, of which what they cost stays known. At the most they can have cost; null where that of
    some is not known, and then how many, and beside it what the others came to. `since`: in seconds of the clock."""
    amounts: list[float] = []
    for table in (schema.losses, schema.reservations):
        ours = select(table.c.usd).where(table.c.experiment == name, table.c.created_at >= since)
        amounts += connection.execute(ours).scalars().all()
    unknown = unpriced_losses(connection, name, since)
    known_usd = math.fsum(amounts)
    beside = {"losses_known_usd": known_usd} if unknown and known_usd else {}
    return {"losses_usd": None if unknown else known_usd, "losses_unknown": unknown, **beside}


def unpriced_losses(connection: Connection, name: str, since: float = 0.0) -> int:
    """How many calls may be on the bill without a reply, and at nobody knows how much."""
    ours = (_LOST.c.experiment == name, _LOST.c.created_at >= since)
    return int(connection.execute(select(func.sum(_LOST.c.calls)).where(*ours)).scalar() or 0)


def calls_counted(spent: Collection[Spent]) -> int:
    """Of how many calls the server told both how much it read and how much it wrote."""
    return sum(None not in call[:2] for call in spent)


def sum_tokens(counts: Sequence[int | None]) -> int | None:
    """One that no server told makes the sum unknown: the sum of the others is another figure."""
    return None if None in counts else sum(count for count in counts if count is not None)


def sum_usd(costs_usd: Sequence[float | None]) -> float | None:
    """The order of the calls changes nothing; one that is unknown makes the sum unknown."""
    return None if None in costs_usd else math.fsum(cost for cost in costs_usd if cost is not None)
