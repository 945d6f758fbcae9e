"""What calls took, by their keys: read from a store once, however often it is asked for."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from itertools import chain
from typing import Any

from sqlalchemy import Connection, select

from moot.store import queries, schema
from moot.store.bulk_read import call_columns

Spent = tuple[int, int, int, float | None]
"""Tokens of a call's prompt, completion and reasoning, and its cost."""

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
        return self._bill_usd

    def _read_whole(self, name: str) -> None:
        self._whole = None
        for columns in call_columns(self._connection, name, _COLUMNS):
            self._note(*columns)
        self._bill_usd = sum_usd([spent[3] for spent in self._spent.values()])

    def _note(self, keys: Sequence[str], *columns: Sequence[Any]) -> None:
        *tokens, costs_usd = columns
        counts = [[count or 0 for count in column] if None in column else column for column in tokens]
        several: list[Spent] = list(zip(*counts, costs_usd, strict=True))
        self._spent.update(zip(keys, map(self._alike.setdefault, several, several), strict=True))


def bill_usd(connection: Connection, name: str) -> float | None:
    """What all calls of an experiment cost; None where one of them is unknown."""
    return sum_usd(_costs_usd(connection, name))


def costs_known(connection: Connection, name: str) -> dict[str, Any]:
    """What there is to say of a bill that is not known: how many of the calls tell what they cost, and what these came to."""
    costs = _costs_usd(connection, name)
    known = [cost for cost in costs if cost is not None]
    return {"calls": len(costs), "known": len(known), "at_least_usd": math.fsum(known)}


def _costs_usd(connection: Connection, name: str) -> Sequence[float | None]:
    table = schema.calls
    return connection.execute(select(table.c.cost_usd).where(table.c.experiment == name)).scalars().all()


def sum_usd(costs_usd: Sequence[float | None]) -> float | None:
    """The order of the calls changes nothing; one that is unknown makes the sum unknown."""
    return None if None in costs_usd else math.fsum(cost for cost in costs_usd if cost is not None)
