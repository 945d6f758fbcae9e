"""A last look before a request leaves: is the call still ours to make, and does anything leave at all?

Whoever makes a call has said so in the store, and others keep away from it as long as there are signs of life. A process
that was stopped for longer than that (a signal, a debugger, a laptop that slept, a machine that swaps) has been taken for
gone: what it was about to ask others have asked, and perhaps it is stored. It does not know, wakes, and would send all that
stands in its queues. So next to the endpoint, behind every queue, the clock is read once more; only where it says that we
were away is the store asked.

Here too a run that is to end holds back what has not left. Whoever is cancelled here has asked nobody, and owes nothing.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Protocol

from moot.errors import TakenOver
from moot.models.attempt import who_pays
from moot.models.flights import Flights
from moot.models.meanwhile import Meanwhile
from moot.models.model import Model, Wrapper
from moot.types import Reply, Request

_key: ContextVar[str | None] = ContextVar("key", default=None)


class CallClaims(Protocol):
    """Whose calls are whose."""

    def is_sure(self, key: str) -> bool:
        """Whether nobody can have taken the call from us. By the clock alone: it is asked before every request."""

    async def is_ours(self, key: str) -> bool:
        """Look where all can see it; if the call is ours it is sure again."""


def making(key: str) -> Meanwhile[str | None]:
    """What is sent within it, in tasks that begin there too, is sent for the call of this key."""
    return Meanwhile(_key, key)


class LastLook(Wrapper):
    """A model that is asked only for calls that are ours, and while calls may leave."""

    def __init__(self, inner: Model, claims: CallClaims, flights: Flights) -> None:
        super().__init__(inner)
        self._claims = claims
        self._flights = flights

    async def generate(self, request: Request) -> Reply:
        attempt = who_pays()
        if attempt is not None:
            attempt.held_back = True
        key = _key.get()
        if key is not None and not self._claims.is_sure(key) and not await self._claims.is_ours(key):
            raise TakenOver(f"{self.name}: another process has taken this call over")
        if self._flights.closed:
            await self._flights.may_leave()
        if attempt is not None:
            attempt.held_back = False
        flight = self._flights.left()
        try:
            return await self.inner.generate(request)
        except BaseException:
            self._flights.failed(flight)
            raise
