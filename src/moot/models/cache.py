"""The cache: every call is made once, is durable before its reply is used, and is known by all that shapes it.

Strategies that share drafts, a killed run that goes on, a report that shows every prompt: all of it is this wrapper. Two
callers who want the same call at the same moment wait for one request.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Protocol

from moot.errors import CallError, ModelBroke, TakenOver
from moot.models.flights import Flights
from moot.models.last_look import making
from moot.models.model import Model, Wrapper, plays_back
from moot.models.receipts import Receipt, Receipts
from moot.plugins import in_one_line
from moot.types import Reply, Request, canonical_json, digest_of_bytes


@dataclass(frozen=True, slots=True)
class StoredCall:
    """A call as it is kept. `shape` is the canonical JSON of everything that made the reply what it is."""

    key: str
    model: str
    shape: str
    reply: Reply
    receipt: Receipt | None = None
    """The bill of this reply, where it is to be settled with the call."""
    recorded: bool = False
    """Played back: what it cost was paid when it was made, and is no part of what is paid now."""


class CallStore(Protocol):
    """What the cache needs of a store."""

    def want(self, key: str, sample: int | None = None) -> None:
        """Somebody wants this call, whether it is stored, under way for somebody else or yet to be made. `sample`: its number."""

    async def find_call(self, key: str) -> Reply | None:
        """The stored reply, unless it is a refusal that another experiment met: that one may be asked again."""

    async def begin(self, key: str) -> Reply | None:
        """Before a call is made: None, if it is ours to make; else the reply that somebody else has got meanwhile.

        Who was given None says how it ended: `keep_call`, `keep_failure` or `drop`.
        """

    def drop(self, key: str) -> None:
        """A call that was begun ended without reply or failure: it was cancelled, or the run must end."""

    async def keep_call(self, call: StoredCall) -> Reply:
        """Durable when it returns. If somebody else stored this key first, theirs is returned and stands."""

    async def keep_failure(self, key: str, model: str, error: CallError) -> None:
        """A call that gave no reply in the end: kept for the record, never used as a reply."""


class Cache(Wrapper):
    """A model whose calls are kept."""

    def __init__(self, inner: Model, store: CallStore, flights: Flights | None = None) -> None:
        super().__init__(inner)
        self._store = store
        self._flights = flights or Flights()

    async def generate(self, request: Request) -> Reply:
        try:
            shape = canonical_json([self.inner.shape(request), request.sample, request.attempt])
        except TypeError as error:
            problem = f"model {self.name!r}: shape: expected JSON, found {in_one_line(error)}"
            raise ModelBroke(problem) from error
        key = digest_of_bytes(shape)
        self._store.want(key, request.sample)
        return await self._flights.once(key, partial(self._generate, key, shape, request))

    async def _generate(self, key: str, shape: bytes, request: Request) -> Reply:
        while True:
            stored = await self._store.find_call(key)
            if stored is not None:
                return stored
            stored = await self._store.begin(key)
            if stored is not None:
                return stored
            try:
                return await self._make(key, shape, request)
            except TakenOver:
                self._store.drop(key)  # whoever has taken it over is waited for, as for any other

    async def _make(self, key: str, shape: bytes, request: Request) -> Reply:
        with Receipts() as receipts, making(key):
            try:
                reply = await self.inner.generate(request)
            except TakenOver:
                raise
            except CallError as error:
                await self._store.keep_failure(key, self.name, error)
                raise
            except BaseException:
                self._store.drop(key)
                raise
            receipt = receipts.take(reply)
            recorded = plays_back(self.inner)
            call = StoredCall(key, self.name, shape.decode(), reply.keyed(key), receipt, recorded)
            return await self._store.keep_call(call)
