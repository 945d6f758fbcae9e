"""What calls took, by their keys: read from a store once, however often it is asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, select

from moot.store import queries, schema
from moot.store.bulk_read import written_calls

Spent = tuple[int, int, int, float | None]
"""Tokens of a call's prompt, completion and reasoning, and its cost."""

_COLUMNS = ("key", "prompt_tokens", "completion_tokens", "reasoning_tokens", "cost_usd")


class Spending:
    """`whole`: the name of an experiment most of whose calls will be asked for; they are read in one go."""

    def __init__(self, connection: Connection, whole: str | None = None) -> None:
        self._connection = connection
        self._whole = whole
        self._spent: dict[str, Spent] = {}

    def by_key(self, keys: Collection[str]) -> dict[str, Spent]:
        """Calls that are not stored are left out."""
        self._learn(keys)
        spent = self._spent
        return {key: spent[key] for key in keys if key in spent}

    def sums_usd(self, several: Sequence[Sequence[str]]) -> list[float | None]:
        """What each of several groups of calls cost; None where the cost of a single call is unknown."""
        self._learn([key for keys in several for key in keys])
        return [self._sum_usd(keys) for keys in several]

    def _sum_usd(self, keys: Sequence[str]) -> float | None:
        spent = map(self._spent.get, keys)
        costs_usd = [payment[3] for payment in spent if payment is not None and payment[3] is not None]
        return sum(costs_usd) if len(costs_usd) == len(keys) else None

    def _learn(self, keys: Collection[str]) -> None:
        if keys and self._whole is not None:
            self._note(written_calls(self._connection, self._whole, _COLUMNS))
            self._whole = None
        table, spent_by_call = schema.calls, self._spent
        for part in queries.chunks(sorted({key for key in keys if key not in spent_by_call})):
            query = select(*(table.c[name] for name in _COLUMNS)).where(table.c.key.in_(part))
            self._note(self._connection.execute(query).fetchall())

    def _note(self, rows: Iterable[Sequence[Any]]) -> None:
        alike: dict[Spent, Spent] = {}
        for key, prompt, completion, reasoning, cost in rows:
            spent = (prompt or 0, completion or 0, reasoning or 0, cost)
            self._spent[key] = alike.setdefault(spent, spent)
