"""Where nothing listens a run ends after a few calls: nobody plays a thousand questions against a server that is not running.

Until an endpoint has been heard of, by a reply or by any error but a connection that could not be made, few calls are at its
door, each with all its tries, and the others wait. A connection that cannot be made is tried again as ever: a server may be
about to start. If `LOST_CALLS` have used up their tries and met nothing else, the endpoint is not there, and that is said once.
Heard of once, the door is open for good: an endpoint that goes away later makes calls fail like any other trouble.

A model may think for minutes before its first word. So others wait for `PATIENCE_S` only, unless a connection has failed by then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from moot.errors import CallError, ConnectionFailed, EndpointUnreachable, TakenOver
from moot.models.first_calls import FIRST_CALLS, PATIENCE_S
from moot.models.model import Model, Wrapper
from moot.types import Reply, Request

LOST_CALLS = 3
"""So many have used up their tries: one alone may have met a bad moment."""


class EndpointDoor:
    """One endpoint, for all models behind it."""

    def __init__(self, *, told: Callable[[str], None] | None = None) -> None:
        """`told`: hears that nobody is there, and nothing is ended."""
        self.is_open = False
        self._told = told
        self._inside = 0
        self._failed = False
        """A connection could not be made, and nothing was heard since."""
        self._lost: dict[str, int] = {}
        """Calls that used up their tries, by the name of the model in the file."""
        self._patient = True
        self._clock: asyncio.TimerHandle | None = None
        self._nobody: str | None = None
        self._news: asyncio.Future[None] | None = None

    def heard(self) -> None:
        if not self.is_open:
            self.is_open = True
            if self._clock is not None:
                self._clock.cancel()
            self._tell()

    def failed(self) -> None:
        self._failed = True

    async def enter(self) -> None:
        while not self.is_open and (self._nobody is not None or not self._may_enter()):
            if self._nobody is not None:
                raise EndpointUnreachable(self._nobody)
            if self._news is None or self._news.done():
                self._news = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._news)  # who waits and is cancelled takes nobody else along
        self._inside += 1
        if self._clock is None and not self.is_open:
            self._clock = asyncio.get_running_loop().call_later(PATIENCE_S, self._wait_no_longer)

    def leave(self) -> None:
        self._inside -= 1
        self._tell()

    def lose(self, model: str, error: ConnectionFailed) -> None:
        """A call of this model met nobody, however often it was tried. `EndpointUnreachable`: so did enough of them."""
        self._lost[model] = self._lost.get(model, 0) + 1
        if self.is_open or sum(self._lost.values()) < LOST_CALLS:
            return
        self._nobody = nobody_there(list(self._lost), error)
        if self._told is not None:
            self._told(self._nobody)
            self.heard()
            return
        self._tell()
        raise EndpointUnreachable(self._nobody) from error

    def _may_enter(self) -> bool:
        return self._inside < FIRST_CALLS or not (self._failed or self._patient)

    def _wait_no_longer(self) -> None:
        self._patient = False
        self._tell()

    def _tell(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)


class Knocking(Wrapper):
    """A model at its endpoint's door: one try, which tells whether anybody is there."""

    def __init__(self, inner: Model, door: EndpointDoor) -> None:
        super().__init__(inner)
        self._door = door

    def generate(self, request: Request) -> Coroutine[Any, Any, Reply]:
        # Once the door is open there is nothing to tell.
        return self.inner.generate(request) if self._door.is_open else self._knock(request)

    async def _knock(self, request: Request) -> Reply:
        try:
            reply = await self.inner.generate(request)
        except TakenOver:  # nothing was sent
            raise
        except CallError as error:
            if isinstance(error, ConnectionFailed) and error.nobody_there:
                self._door.failed()
            else:  # also a connection that was cut: somebody was there
                self._door.heard()
            raise
        self._door.heard()
        return reply


class LetIn(Wrapper):
    """The same around all tries of a call."""

    def __init__(self, inner: Model, door: EndpointDoor) -> None:
        super().__init__(inner)
        self._door = door

    def generate(self, request: Request) -> Coroutine[Any, Any, Reply]:
        return self.inner.generate(request) if self._door.is_open else self._let_in(request)

    async def _let_in(self, request: Request) -> Reply:
        await self._door.enter()
        try:
            return await self.inner.generate(request)
        except ConnectionFailed as error:
            if error.nobody_there:
                self._door.lose(self.name, error)
            raise
        finally:
            self._door.leave()


def nobody_there(models: list[str], error: ConnectionFailed) -> str:
    of = f"model {models[0]}" if len(models) == 1 else f"models {', '.join(models)}"
    asked = "" if "start the server" in str(error) else " Is the server running?"
    return f"nobody answers for {of}: {error}.{asked}"
