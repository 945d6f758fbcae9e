"""Under a cap on money a model's calls go one at a time until it has sent a bill: only that shows whether it keeps to what
it was allowed, and so whether the others may go together.

A bill speaks for one model alone: another at the same address may think as long as it likes. A failure that says nothing of a
cost is no bill, so the next call is as much the first as the one before. Whoever waits stands outside the endpoint's limits, and
takes no place from the models that share them.

A model that never sends a bill must not hold a run up for ever. What it may have billed without a word (a reply that names no
price, a timeout) counts at its most in the books, and waiting for more of the same would tell no more: each such end, and each
failure that took long, lets one more go at once. So those that never answer go 1, 2, 4, 8 at a time. Of a model that the file
calls free the first reply that states no cost is all there is to wait for.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Coroutine
from contextvars import ContextVar
from typing import Any

from moot.errors import CallError
from moot.models.budget import told_usd
from moot.models.filtered import FILTERED
from moot.models.model import Model, Wrapper
from moot.types import Reply, Request

SLOW_S = 5.0
"""A failure that took longer may be the like of those to come: a gateway that gives up after a minute, again and again."""


class _Trip:
    """One call, as far as the endpoint sees it: the wait for a place there is nobody's slowness."""

    left_at: float | None = None


_trip: ContextVar[_Trip | None] = ContextVar("trip", default=None)


class Leaving(Wrapper):
    """Stands within the limits, and notes when a call leaves."""

    def generate(self, request: Request) -> Coroutine[Any, Any, Reply]:
        if (trip := _trip.get()) is not None:
            trip.left_at = time.monotonic()
        return self.inner.generate(request)


class BillAwaited(Wrapper):
    """A model whose calls go together once it has sent a bill; around the limits, with `Leaving` within them."""

    def __init__(self, inner: Model) -> None:
        super().__init__(inner)
        self._billed = False
        self._at_once = 1
        self._under_way = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    def generate(self, request: Request) -> Coroutine[Any, Any, Reply]:
        return self.inner.generate(request) if self._billed else self._first(request)

    async def _first(self, request: Request) -> Reply:
        await self._enter()
        untold, trip = False, _Trip()
        token = _trip.set(trip)
        try:
            reply = await self.inner.generate(request)
            self._billed = self._billed or self._tells(reply)
            untold = True
            return reply
        except CallError as error:
            if error.billed_usd and not error.bill_unfinished:
                self._billed = True
            untold = error.maybe_billed
            raise
        finally:
            _trip.reset(token)
            if untold or (trip.left_at is not None and time.monotonic() - trip.left_at > SLOW_S):
                self._at_once += 1
            self._leave()

    def _tells(self, reply: Reply) -> bool:
        """Whether it shows what others will cost. What a filter refused may cost nothing where others do."""
        free = self.price is not None and self.price.free and reply.finish != FILTERED
        return free or bool(told_usd(reply, self.price))

    async def _enter(self) -> None:
        if not self._waiting and self._under_way < self._at_once:
            self._under_way += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # let in at the moment it was given up
                self._leave()
            raise

    def _leave(self) -> None:
        self._under_way -= 1
        while self._waiting and (self._billed or self._under_way < self._at_once):
            turn = self._waiting.popleft()
            if not turn.done():
                self._under_way += 1
                turn.set_result(None)
