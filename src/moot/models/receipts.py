"""Which bill belongs to which reply.

The wrapper that pays stands deep inside the one that keeps calls, with retries and hedges between them. A reply that is
kept carries its own cost; one that came but was not taken (a hedge's slower half) does not, and its bill has to be kept
without it. So who pays leaves a receipt for every reply, and who keeps the call picks the one that belongs to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from moot.types import Reply


class Receipt(Protocol):
    """A bill that is known and not yet in the books."""

    def close(self) -> None:
        """Book it by itself: no call is kept that carries it."""


class Receipts:
    """Those of one call. The tasks that its attempts run in share it."""

    def __init__(self) -> None:
        self._open: list[tuple[Reply, Receipt]] = []

    def add(self, reply: Reply, receipt: Receipt) -> None:
        self._open.append((reply, receipt))

    def take(self, reply: Reply) -> Receipt | None:
        """The one of this very reply; nobody else will book it."""
        for place, (paid_reply, receipt) in enumerate(self._open):
            if paid_reply is reply:
                del self._open[place]
                return receipt
        return None

    def close(self) -> None:
        for _, receipt in self._open:
            receipt.close()
        self._open.clear()


_receipts: ContextVar[Receipts | None] = ContextVar("receipts", default=None)


@contextmanager
def collecting() -> Iterator[Receipts]:
    """Receipts of the calls made in here. What nobody took is booked by itself at the end."""
    receipts = Receipts()
    token = _receipts.set(receipts)
    try:
        yield receipts
    finally:
        _receipts.reset(token)
        receipts.close()


def current() -> Receipts | None:
    return _receipts.get()
