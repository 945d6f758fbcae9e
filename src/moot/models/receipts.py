"""Which bill belongs to which reply.

The wrapper that pays stands deep inside the one that keeps calls, with retries and hedges between them. A reply that is
kept carries its own cost; one that came but was not taken (a hedge's slower half) does not, and its bill has to be kept
without it. So who pays leaves a receipt for every reply, and who keeps the call picks the one that belongs to it.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Protocol

from moot.types import Reply


class Receipt(Protocol):
    """A bill that is known and not yet in the books."""

    def close(self) -> None:
        """Book it by itself: no call is kept that carries it."""


class Receipts:
    """Those of the calls made within it. The tasks that attempts run in share it.

    What nobody took is booked by itself at the end.
    """

    def __init__(self) -> None:
        self._open: list[tuple[Reply, Receipt]] = []

    def __enter__(self) -> Receipts:
        self._token = _receipts.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _receipts.reset(self._token)
        for _reply, receipt in self._open:
            receipt.close()
        self._open.clear()

    def add(self, reply: Reply, receipt: Receipt) -> None:
        self._open.append((reply, receipt))

    def take(self, reply: Reply) -> Receipt | None:
        """The one of this very reply; nobody else will book it."""
        for place, (paid_reply, receipt) in enumerate(self._open):
            if paid_reply is reply:
                del self._open[place]
                return receipt
        return None


_receipts: ContextVar[Receipts | None] = ContextVar("receipts", default=None)


def current() -> Receipts | None:
    return _receipts.get()
