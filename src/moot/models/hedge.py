"""A straggler's hedge: when a reply is late, the same request is sent a second time and the first to come is taken.

A few replies of every endpoint take many times as long as the others, and a question waits for its last player. So after
the time within which 95 of 100 requests of this model were answered, one more is sent; the slower of the two is
cancelled. It may be on the bill all the same, so it is paid for like any other attempt that gave no reply.

It stands between `Retry` and `Limit`: the second request waits for a place of its own at the endpoint and for money of
its own, and a lost pair is one failure to whoever retries. The clock starts when the request leaves, not when it
queues for its place: waiting for our own limits is nobody's slowness. At an endpoint that is busy up to its limit the
second request waits like every other, and mostly in vain: then it is not sent, and a second one would help nobody.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar

from moot.models.model import Model, Wrapper
from moot.models.overheard import who_listens
from moot.types import Reply, Request

REMEMBERED = 200
"""Latencies that the p95 is taken of: enough for it to be steady, few enough to follow an endpoint through the day."""

FEWEST = 20
"""Before that many replies nobody can say what is late."""

SHARE = 0.1
"""Second requests there may be for each first one. An endpoint that slows down as a whole must not get twice the load."""

LONGEST_CREDIT = 5.0

_leaving: ContextVar[asyncio.Future[float] | None] = ContextVar("leaving", default=None)


class Departure(Wrapper):
    """Stands next to the endpoint and tells the hedge outside the limits when a request leaves."""

    async def generate(self, request: Request) -> Reply:
        left = _leaving.get()
        if left is not None and not left.done():
            left.set_result(time.monotonic())
        return await self.inner.generate(request)


class Hedge(Wrapper):
    """A model that is asked a second time when it is late. `after_s` None: later than its own p95, once that is known."""

    def __init__(
        self, inner: Model, after_s: float | None = None, *, on_hedge: Callable[[str], None] | None = None
    ) -> None:
        super().__init__(inner)
        self._after_s = after_s
        self._on_hedge = on_hedge
        self._latencies_s: deque[float] = deque(maxlen=REMEMBERED)
        self._credit = 1.0
        self._news: asyncio.Future[None] | None = None

    @property
    def late_after_s(self) -> float | None:
        """When a reply counts as late; None while too little is known."""
        if self._after_s is not None:
            return self._after_s
        if len(self._latencies_s) < FEWEST:
            return None
        ranked = sorted(self._latencies_s)
        return ranked[math.ceil(0.95 * len(ranked)) - 1]

    async def generate(self, request: Request) -> Reply:
        if (listener := who_listens()) is not None and listener.is_bound:
            # What has been given away cannot be taken back for the words of another reply.
            return await self.inner.generate(request)
        self._earn(SHARE)
        loop = asyncio.get_running_loop()
        left: asyncio.Future[float] = loop.create_future()
        left_again: asyncio.Future[float] = loop.create_future()
        first = self._send(request, left)
        both = [first]
        try:
            if await self._is_late(first, left):
                self._credit -= 1
                both.append(self._send(request, left_again))
            reply = await _first_reply(both)
            self._learn(first, left)
            return reply
        finally:
            for task in both:
                task.cancel()
            await asyncio.gather(*both, return_exceptions=True)
            if left_again.done() and self._on_hedge is not None:
                self._on_hedge(self.name)
            elif len(both) == 2 and not left_again.done():  # it never got a place at the endpoint
                self._earn(1)

    def _send(self, request: Request, left: asyncio.Future[float]) -> asyncio.Task[Reply]:
        token = _leaving.set(left)
        try:
            return asyncio.create_task(_awaited(self.inner, request))
        finally:
            _leaving.reset(token)

    async def _is_late(self, first: asyncio.Task[Reply], left: asyncio.Future[float]) -> bool:
        """Wait until the reply is there, or it is late and there is credit for another request.

        What is late may only be learned, and credit only earned, while this reply is waited for: a straggler that left
        too early for either is asked for again as soon as it can be.
        """
        await asyncio.wait((first, left), return_when=asyncio.FIRST_COMPLETED)
        while not first.done():
            late_after_s = self.late_after_s
            early_by_s = None if late_after_s is None else left.result() + late_after_s - time.monotonic()
            if early_by_s is not None and early_by_s > 0:
                await asyncio.wait((first,), timeout=early_by_s)
            elif early_by_s is not None and self._credit >= 1:
                return True
            else:
                await asyncio.wait((first, self._next_news()), return_when=asyncio.FIRST_COMPLETED)
        return False

    def _earn(self, credit: float) -> None:
        self._credit = min(LONGEST_CREDIT, self._credit + credit)
        self._tell_news()

    def _next_news(self) -> asyncio.Future[None]:
        """Done as soon as there is more credit or one more latency is known."""
        if self._news is None or self._news.done():
            self._news = asyncio.get_running_loop().create_future()
        return self._news

    def _tell_news(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)

    def _learn(self, first: asyncio.Task[Reply], left: asyncio.Future[float]) -> None:
        """How long the first request took, or how long it had been waited for when the second was faster.

        The second's time is left out: with it, every hedge would make the endpoint look faster and bring on the next.
        """
        if left.done() and (not first.done() or first.exception() is None):
            self._latencies_s.append(time.monotonic() - left.result())
            self._tell_news()


async def _awaited(model: Model, request: Request) -> Reply:
    return await model.generate(request)


async def _first_reply(tasks: list[asyncio.Task[Reply]]) -> Reply:
    """The first that is a reply; where there is none, the error of the first request."""
    open_tasks = set(tasks)
    while open_tasks:
        done, open_tasks = await asyncio.wait(open_tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task in done and task.exception() is None:
                return task.result()
    return tasks[0].result()
