"""The cap on money: no call starts that could cross it.

A call reserves the most it can cost (every byte of the prompt a token, the reply as long as allowed), and gives back
the rest when the bill is known. When only reservations stand in the way a call waits for them; when there is nothing
left to wait for, `BudgetReached` ends the run. An attempt that may be on the provider's bill although no reply came
(a timeout, a reply cut in the middle) is counted at its most. Where nothing cuts a reply, which is no way to keep to a
cap and is allowed only without one, its most is a guess: as long as the longest that this model has given.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol

from moot.errors import BudgetReached, CallError
from moot.models.limit import COMPLETION_GUESS
from moot.models.model import Model, Wrapper
from moot.types import Price, Reply, Request

TOKENS_AROUND_A_MESSAGE = 16
"""Chat templates put a few tokens around each message."""


def most_tokens(request: Request) -> int:
    """An upper bound on the prompt: no tokeniser makes more tokens than there are bytes."""
    schema = len(str(request.schema).encode("utf-8", "replace")) if request.schema else 0
    return schema + sum(
        len(message.content.encode("utf-8", "replace")) + TOKENS_AROUND_A_MESSAGE for message in request.messages
    )


class Till(Protocol):
    """Whatever keeps to the cap: here in this process, or in one place for many processes."""

    async def reserve(self, amount_usd: float) -> None: ...

    def settle(self, reserved_usd: float, spent_usd: float, *, lost: bool) -> None: ...


class Purse:
    """What may be spent, shared by every model of a run."""

    def __init__(
        self, cap_usd: float, spent_usd: float = 0.0, *, on_loss: Callable[[float], None] | None = None
    ) -> None:
        """`on_loss` hears of every loss as it happens, so that it can be kept whatever becomes of the run."""
        self.cap_usd = cap_usd
        self._on_loss = on_loss
        self.spent_usd = spent_usd
        self.reserved_usd = 0.0
        self.lost_usd = 0.0
        """Part of what was spent: attempts that may be on the bill without having given a reply."""
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def reserve(self, amount_usd: float) -> None:
        while self.spent_usd + self.reserved_usd + amount_usd > self.cap_usd:
            if self.reserved_usd <= 1e-12:
                raise BudgetReached(
                    f"the budget of ${self.cap_usd:g} is reached: ${self.spent_usd:.4f} spent, and the next call could "
                    f"cost ${amount_usd:.4f}; everything so far is kept, raise budget_usd and run again to go on"
                )
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            await place
        self.reserved_usd += amount_usd

    def settle(self, reserved_usd: float, spent_usd: float, *, lost: bool) -> None:
        self.reserved_usd = max(0.0, self.reserved_usd - reserved_usd)
        self.spent_usd += spent_usd
        if lost and spent_usd:
            self.lost_usd += spent_usd
            if self._on_loss is not None:
                self._on_loss(spent_usd)
        waiting, self._waiting = self._waiting, deque()
        for place in waiting:
            if not place.done():
                place.set_result(None)


class Budget(Wrapper):
    """A model whose every call is paid from the purse."""

    def __init__(self, inner: Model, purse: Till, price: Price, max_tokens: int | None) -> None:
        """`max_tokens` None: nothing cuts a reply."""
        super().__init__(inner)
        self._purse = purse
        self._price = price
        self._max_tokens = max_tokens
        self._longest = COMPLETION_GUESS

    async def generate(self, request: Request) -> Reply:
        reserved_usd = self._most_usd(request)
        await self._purse.reserve(reserved_usd)
        spent_usd: float | None = None  # until we know better: a cancelled call may be on the bill too
        try:
            reply = await self.inner.generate(request)
            self._longest = max(self._longest, reply.usage.completion or 0)
            spent_usd = reply.cost_usd
        except CallError as error:
            spent_usd = None if error.maybe_billed else 0.0
            raise
        finally:
            billed_usd = self._most_usd(request) if spent_usd is None else spent_usd
            self._purse.settle(reserved_usd, billed_usd, lost=spent_usd is None)
        return reply

    def _most_usd(self, request: Request) -> float:
        dearest = max(self._price.prompt, self._price.cached or 0.0)
        reply = self._longest if self._max_tokens is None else self._max_tokens
        return (most_tokens(request) * dearest + reply * self._price.completion) / 1e6
