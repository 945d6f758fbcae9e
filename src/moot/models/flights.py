"""Calls under way in this process: each is made once, whoever wants it, and a run that is to end knows which have left.

A request has left once it is at the endpoint; before that it stands in queues of our own, for a place, for money or for the
key, and may be taken back for nothing. Who is told to end closes the flights: what has left comes home and is stored, and
nothing else leaves but for pieces of work that have begun.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from moot.errors import CallError, MootError
from moot.models.meanwhile import Meanwhile
from moot.models.unpriced_calls import count_unpriced
from moot.types import Reply

NOTHING_ASKED = "the models are closed: nothing is asked any more"
ENDING_S = 5.0
"""How long those have to end who were taken back."""


@dataclass(eq=False, slots=True)
class Work:
    """A piece of work that asks for calls, such as an episode.

    It has begun as soon as a call that it wants has left, whoever asked for it first (another strategy that shares the
    draft, another process), or as soon as it has heard anything, be it from the store. Up to then nobody's answer has had a
    part in how far it has come; from then on a quick answer brings it further than a slow one.
    """

    begun: bool = False
    ends_at: float = math.inf
    """By the monotonic clock: when it will be dropped, where it has been told to end."""
    drop: Callable[[], object] = lambda: None
    _waits: list[float] = field(default_factory=list)

    @property
    def idle_until(self) -> float:
        """Before that it cannot come further: a call of it waits so long between two attempts."""
        return max(self._waits, default=-math.inf)

    @contextmanager
    def waiting_until(self, when: float) -> Iterator[None]:
        self._waits.append(when)
        try:
            if when > self.ends_at:
                self.drop()
            yield
        finally:
            self._waits.remove(when)


@dataclass(eq=False, slots=True)
class Flight:
    """One call, for all who wait for it."""

    landed: asyncio.Future[Reply | None]
    leads: asyncio.Task[Any] | None = None
    """Who makes it."""
    taken_back: bool = False
    has_left: bool = False
    out: int = 0
    """Requests that have left and have not failed: until the flight is over their reply is on its way, or to the disk."""
    unpriced: bool = False
    """One of its requests may be on a bill, and nobody knows at how much."""
    _riders: list[Work] = field(default_factory=list)

    def board(self, work: Work | None) -> None:
        if work is not None and self.has_left:
            work.begun = True
        elif work is not None and not work.begun:
            self._riders.append(work)

    def take_back(self) -> None:
        if self.leads is not None:
            self.taken_back = True
            self.leads.cancel()

    def fail(self, error: Exception) -> None:
        self.landed.set_exception(error)
        self.landed.exception()  # read here, so that a failure nobody else waited for is not reported as forgotten

    def leave(self) -> None:
        self.has_left = True
        for work in self._riders:
            work.begun = True
        self._riders.clear()


_work: ContextVar[Work | None] = ContextVar("work", default=None)
_flight: ContextVar[Flight | None] = ContextVar("flight", default=None)


def asking_for(work: Work) -> Meanwhile[Work | None]:
    """What is asked within it, in tasks that begin there too, is asked for this piece of work."""
    return Meanwhile(_work, work)


@contextmanager
def waiting_until(when: float) -> Iterator[None]:
    """Around a pause of which it is known when it ends, by the monotonic clock."""
    work = _work.get()
    with nullcontext() if work is None else work.waiting_until(when):
        yield


def made_elsewhere() -> None:
    """The call is another process's, which may have it from the endpoint at any moment."""
    if (flight := _flight.get()) is not None:
        flight.leave()


def left_unpriced() -> None:
    """A request of this call may be on the bill without a reply, and has no price."""
    if (flight := _flight.get()) is not None:
        flight.unpriced = True


class Flights:
    """Calls under way in this process, so that nobody starts one twice."""

    def __init__(self) -> None:
        self._open: dict[str, Flight] = {}
        self.closed = False
        self.over = False
        """They have landed: nobody is asked any more."""
        self._news = asyncio.Event()

    async def once(self, key: str, fly: Callable[[], Awaitable[Reply]]) -> Reply:
        work = _work.get()
        try:
            reply = await self._once(key, fly, work)
        except CallError:
            if work is not None:
                work.begun = True
            raise
        if work is not None:
            work.begun = True
        return reply

    async def _once(self, key: str, fly: Callable[[], Awaitable[Reply]], work: Work | None) -> Reply:
        while (flight := self._open.get(key)) is not None and not self.over:
            flight.board(work)
            # None: whoever led was cancelled. One of those who waited takes over.
            try:
                reply = await asyncio.shield(flight.landed)
            finally:
                if flight.unpriced:
                    count_unpriced(key)
            if reply is not None:
                return reply
        if self.over:
            raise MootError(NOTHING_ASKED)
        mine = self._open[key] = Flight(asyncio.get_running_loop().create_future(), asyncio.current_task())
        mine.board(work)
        landed, token = mine.landed, _flight.set(mine)
        reply_or_nothing: Reply | None = None
        try:
            reply_or_nothing = await fly()
            return reply_or_nothing
        except asyncio.CancelledError:
            if not mine.taken_back or (mine.leads is not None and mine.leads.uncancel()):
                raise
            error = MootError(NOTHING_ASKED)  # whoever asked has not been cancelled, and is told
            mine.fail(error)
            raise error from None
        except Exception as error:
            mine.fail(error)
            raise
        finally:
            _flight.reset(token)
            if mine.unpriced:
                count_unpriced(key)
            del self._open[key]
            if not landed.done():
                landed.set_result(reply_or_nothing)
            self._news.set()

    @property
    def out(self) -> int:
        """Calls that have left, and whose replies are not stored yet."""
        return sum(flight.out > 0 for flight in self._open.values())

    def close(self) -> None:
        """From now on only what work that has begun still needs leaves."""
        self.closed = True
        self._news.set()

    async def all_home(self) -> None:
        """Until the flights are closed and nothing is out any more."""
        while not self.closed or self.out:
            self._news.clear()
            await self._news.wait()

    async def land(self, patience_s: float) -> None:
        """Before models and stores are closed: what has left comes home and is stored, as long as there is patience, and the rest
        is taken back. From then on nobody is asked, also by those who were left to themselves."""
        self.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                await self.all_home()
        self.over = True
        for flight in self._open.values():
            flight.take_back()
        with suppress(TimeoutError):
            async with asyncio.timeout(ENDING_S):
                while self._open:
                    self._news.clear()
                    await self._news.wait()

    def left(self) -> Flight | None:
        """A request leaves: the call that it is for. Whoever sends it says if it has `failed`."""
        flight = _flight.get()
        if flight is not None:
            flight.leave()
            flight.out += 1
        return flight

    def failed(self, flight: Flight | None) -> None:
        if flight is not None:
            flight.out -= 1
            self._news.set()

    async def may_leave(self) -> None:
        """Returns where a request may leave; else never, until whoever waits is cancelled."""
        if self.closed and not ((work := _work.get()) is not None and work.begun):
            await asyncio.get_running_loop().create_future()
