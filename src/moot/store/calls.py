"""The cache's view of a store: calls of one experiment."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from sqlalchemy import Table

from moot.errors import CallError, StoreError
from moot.models.cache import StoredCall
from moot.store import schema
from moot.store.bookkeeping import CallClaim, Settlement
from moot.store.ledger import Paid
from moot.store.presence import Presence
from moot.store.rows import call_row, failure_row, reply_of
from moot.store.statements import Row
from moot.types import Reply, digest


class Shelf(Protocol):
    """Where calls stand: a store, or something in front of one."""

    def want(self, key: str, sample: int | None = None) -> None:
        """Somebody wants the call of this key, and of this sample where it is known."""

    async def find_call(self, key: str) -> Row | None: ...

    async def keep_call(self, row: Row, settlement: Settlement | None = None, claim: CallClaim | None = None) -> Row:
        """The row that stands, which may be one kept earlier by somebody else."""

    @property
    def presence(self) -> Presence | None:
        """Who we are among those who make calls for the store."""

    def put_later(self, rows: Sequence[tuple[Table, Row]]) -> None: ...


PaidFor = Callable[[float | None, StoredCall | None], None]
"""Hears what was paid, and for which call; None: for one that has no reply. No sum: nobody knows what it cost."""


class ExperimentCalls:
    """Finds calls of every experiment, keeps them in the name of this one, which pays.

    A refusal stands only within its experiment, where strategies must share it; another experiment asks again and
    keeps what it gets under a key of its own, so the first one's record stays as it was.
    """

    def __init__(self, store: Shelf, experiment: str) -> None:
        self._store = store
        self._experiment = experiment
        self._own_keys: dict[str, str] = {}
        self.made = 0
        self.found = 0
        self.cost_usd: float | None = 0.0
        self.unpriced = 0
        """Calls that may be on a bill without a reply, and at nobody knows how much."""
        self.on_cost: PaidFor = lambda usd, call: None
        """Hears of each call that was made here, once, however many use it, and what it cost; None where nobody knows."""

    def want(self, key: str, sample: int | None = None) -> None:
        self._store.want(self._own_keys.get(key, key), sample)

    async def find_call(self, key: str) -> Reply | None:
        row = await self._store.find_call(self._own_keys.get(key, key))
        if row is None:
            return None
        reply = reply_of(row)
        if reply.refused and row["experiment"] != self._experiment:
            self._own_keys[key] = digest([key, self._experiment])
            self.want(key)
            return await self.find_call(key)
        self.found += not reply.unrecorded
        return reply

    async def begin(self, key: str) -> Reply | None:
        presence = self._store.presence
        if presence is None:
            return None
        while True:
            claimed_key = self._own_keys.get(key, key)
            ours = await presence.begin(claimed_key)
            if ours and not presence.claiming:
                return None
            # Whoever else had it may have stored it; or it was stored between our look and our claim.
            reply = await self.find_call(key)
            if reply is None and ours and self._own_keys.get(key, key) == claimed_key:
                return None
            if ours:
                presence.end(claimed_key)
            if reply is not None:
                return reply

    def is_sure(self, key: str) -> bool:
        presence = self._store.presence
        return presence is None or presence.is_sure(self._own_keys.get(key, key))

    async def is_ours(self, key: str) -> bool:
        presence = self._store.presence
        return presence is None or await presence.is_ours(self._own_keys.get(key, key))

    def drop(self, key: str) -> None:
        if (presence := self._store.presence) is not None:
            presence.end(self._own_keys.get(key, key))

    async def keep_call(self, call: StoredCall) -> Reply:
        if call.key in self._own_keys:
            own_key = self._own_keys[call.key]
            call = replace(call, key=own_key, reply=call.reply.keyed(own_key))
        row = call_row(call, self._experiment)
        self.made += not call.reply.unrecorded
        cost = 0.0 if call.recorded else call.reply.cost_usd  # it is kept with what it cost, and nobody pays that now
        self.cost_usd = None if cost is None or self.cost_usd is None else self.cost_usd + cost
        self.on_cost(cost, call)
        settlement = call.receipt.with_call() if isinstance(call.receipt, Paid) else None
        presence = self._store.presence
        claim = None if presence is None else presence.kept(call.key)
        try:
            stands = await self._store.keep_call(row, settlement, claim)
        except StoreError:
            if presence is not None:
                presence.end(call.key)
            raise
        return call.reply if stands is row else reply_of(stands)

    def lose_unpriced(self) -> None:
        """A call has left, brought no reply, and its model has no price."""
        self.unpriced += 1
        self.on_cost(None, None)
        row = {"experiment": self._experiment, "calls": 1, "created_at": time.time()}
        with suppress(StoreError):  # a store that cannot write ends the run by itself
            self._store.put_later([(schema.unpriced_losses, row)])

    async def keep_failure(self, key: str, model: str, error: CallError) -> None:
        self.drop(key)
        own_key = self._own_keys.get(key, key)
        self._store.put_later([(schema.failures, failure_row(own_key, model, error, self._experiment))])
