"""Calls at models without a price that left and brought no reply: of each nobody knows what it cost, not even at the most.

Whoever plays a question counts those of it, also where another play had asked for the same call first.
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import Self


class UnpricedCalls:
    """``with UnpricedCalls() as unpriced:`` counts what is asked within it, in tasks that begin there too. What is around it
    counts it as well."""

    def __init__(self) -> None:
        self._keys: set[str] = set()
        self._around: Token[UnpricedCalls | None] | None = None

    def __len__(self) -> int:
        return len(self._keys)

    def __enter__(self) -> Self:
        self._around = _counted.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._around is not None, "it was entered"
        _counted.reset(self._around)

    def add(self, key: str) -> None:
        self._keys.add(key)
        around = None if self._around is None else self._around.old_value
        if isinstance(around, UnpricedCalls):
            around.add(key)


_counted: ContextVar[UnpricedCalls | None] = ContextVar("unpriced", default=None)


def count_unpriced(key: str) -> None:
    if (counted := _counted.get()) is not None:
        counted.add(key)
