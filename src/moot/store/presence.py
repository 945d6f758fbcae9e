"""This process among those who make calls for one store, so that two runs at once do not pay for the same call twice.

Every process says once a second that it is alive. As long as it is alone it need not say what it does: nobody else can be
doing the same. When another one comes, both claim each call before they make it, and whoever finds a call claimed waits
until it is stored. Who comes second waits at first until the others have noticed: in the same transaction in which they say
so they claim what they have under way. A claim ends with the call, with its failure, or with whoever held it: a process
that is gone, or has given no sign of life for the length of a lease, holds nothing any more.

So a process is sure of its calls only as long as its last sign of life is fresh. One that was stopped comes back as if it
were new: it says that it is there, waits until the others have noticed, and claims what it still wants to ask. What others
have claimed or stored meanwhile it leaves to them.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from moot.errors import MootError
from moot.models.flights import made_elsewhere
from moot.store import holders, processes, schema
from moot.store.bookkeeping import CallClaim
from moot.store.holders import Others, others_of
from moot.store.statements import insert_new, insert_or_replace

if TYPE_CHECKING:
    from moot.store.store import Store

BEAT_S = 1.0

SURE_SHARE = 2 / 3
"""Of a lease: how old the last sign of life may be while nobody can have taken us for gone. The rest is for clocks of
several machines that do not agree, and for the way of a request to the line."""

LOOK_S = 0.2
"""How often those who wait for another's calls look whether they are there."""

TAKEN = -1
"""In place of the look that a call is sure by: another has taken it over."""


class Awake:
    """Whether this process was there all the time. If it was away, because the machine slept or the clock was set, the others
    may have been so too: they are given a lease to say a word."""

    def __init__(self) -> None:
        self._seen_at = time.time()
        self._trusting_until = -math.inf

    def now(self) -> float:
        """The time that others' silence is measured by: before any silence, as long as it tells nothing."""
        now = time.time()
        if abs(now - self._seen_at) > holders.LEASE_S / 2:
            self._trusting_until = time.monotonic() + holders.LEASE_S
        self._seen_at = now
        return now if time.monotonic() >= self._trusting_until else -math.inf


@dataclass(frozen=True, slots=True)
class Sight:
    """What a look at the others has shown. `taken` None: some of them do not know of us yet, and nothing was claimed."""

    others: Others
    beat_at: float
    taken: set[str] | None


class Presence:
    """This process, as the others see it."""

    def __init__(self, store: Store, party: str | None = None) -> None:
        """`party`: processes that share their work out among themselves, and so never ask the same."""
        self._store = store
        self.id = uuid.uuid4().hex
        self.party = party or self.id
        self._process = processes.begun()
        self.claiming = False
        self._awake = Awake()
        self._seen_at = -math.inf
        """Our last sign of life that is known to stand in the store."""
        self._looks = 0
        self._under_way: dict[str, int] = {}
        """Calls, each with the number of the look that it was claimed after. One that came in between is not sure."""
        self._awaited: dict[str, list[asyncio.Future[None]]] = {}
        self._looking: asyncio.Task[None] | None = None
        self._looking_again: asyncio.Task[None] | None = None
        self._beating: asyncio.Task[None] | None = None

    @property
    def has_company(self) -> bool:
        """Whether others are, or were, at work on the store; of our own party they may be at any time."""
        return self.claiming or self.party != self.id

    async def enter(self) -> None:
        """Until everybody who was there before knows of us; one that is too busy to notice is waited for no longer
        than one that is gone."""
        sight = await self._store.run(self._appear)
        others, self._seen_at = sight.others, sight.beat_at
        self._beating = asyncio.create_task(self._beat())
        until = time.monotonic() + holders.LEASE_S
        while others.unaware and time.monotonic() < until:
            await asyncio.sleep(LOOK_S)
            others = await self._store.run(partial(others_of, ident=self.id, party=self.party))

    async def leave(self) -> None:
        processes.over(self._process)
        for task in (self._beating, self._looking, self._looking_again):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        with suppress(MootError):
            await self._store.run(partial(holders.leave, holder=self.id))

    def _appear(self, connection: Connection) -> Sight:
        others = others_of(connection, self.id, self.party)
        self.claiming = bool(others.living)
        holders.forget(connection, others.gone)
        row = self._row(time.time())
        insert_new(schema.holders, tuple(row), connection.dialect.name).execute(connection, [row])
        return Sight(others, row["beat_at"], None)

    def _row(self, beat_at: float, *, claiming: bool | None = None) -> dict[str, Any]:
        process = json.dumps(self._process)
        alive = {"beat_at": beat_at, "claiming": int(self.claiming if claiming is None else claiming)}
        return {"id": self.id, "party": self.party, "process": process, **alive}

    async def _beat(self) -> None:
        with suppress(MootError):  # a store that cannot be written ends the run by itself
            while True:
                await asyncio.sleep(BEAT_S)
                # Here, and not where the store is read or the row made: we may be stopped on the way.
                beat_at, now = time.time(), self._awake.now()
                if not self._is_fresh(beat_at):
                    await self._look_again()  # a sign of life would hide that we were taken for gone
                else:
                    self._store.put_later([(schema.holders, self._row(beat_at))])
                others = await self._store.look(partial(others_of, ident=self.id, party=self.party, now=now))
                if others.own_beat_at is not None:
                    self._seen_at = max(self._seen_at, others.own_beat_at)
                if others.gone:
                    await self._store.run(partial(holders.forget, gone=others.gone))
                if others.living and not self.claiming:
                    await self._notice(beat_at)

    async def _notice(self, beat_at: float) -> None:
        # From this line on whoever begins a call claims it first; those before it are claimed here.
        self.claiming = True
        keys = list(self._under_way)
        await self._store.run(partial(self._claim_at_once, keys=keys, beat_at=beat_at))
        self._release_ended(keys)

    def _claim_at_once(self, connection: Connection, keys: list[str], beat_at: float) -> None:
        """What is under way is ours, as long as our last sign of life is fresh; `beat_at` says no more than that."""
        holders.claim(connection, keys, self.id)
        row = self._row(beat_at)
        insert_or_replace(schema.holders, tuple(row), connection.dialect.name).execute(connection, [row])

    def _release_ended(self, keys: list[str]) -> None:
        """What ended meanwhile was released before it was claimed."""
        self._store.release([CallClaim(key, self.id) for key in keys if key not in self._under_way])

    def _is_fresh(self, now: float) -> bool:
        return 0 <= now - self._seen_at <= SURE_SHARE * holders.LEASE_S

    def is_sure(self, key: str) -> bool:
        """Whether nobody can have taken the call from us since it was claimed."""
        return self._under_way.get(key) == self._looks and self._is_fresh(time.time())

    async def is_ours(self, key: str) -> bool:
        """Look until it is sure, or somebody else's."""
        while not self.is_sure(key):
            if self._under_way.get(key, TAKEN) == TAKEN:
                return False
            await self._look_again()
        return True

    async def _look_again(self) -> None:
        """Once for all who want to know."""
        if self._looking_again is None or self._looking_again.done():
            self._looking_again = asyncio.create_task(self._come_back())
        await asyncio.shield(self._looking_again)

    async def _come_back(self) -> None:
        until = time.monotonic() + holders.LEASE_S
        while True:
            patient = time.monotonic() < until
            look, keys = self._looks + 1, list(self._under_way)
            # Calls that begin from here on are claimed in a later transaction than this one, or are not sure after it.
            sight = await self._store.run(partial(self._reappear, keys=keys, now=self._awake.now(), patient=patient))
            if sight.others.living and not self.claiming:
                self.claiming = True
            elif sight.taken is not None:
                break
            else:
                await asyncio.sleep(LOOK_S)
        self._looks, self._seen_at = look, sight.beat_at
        for key in keys:
            if key in self._under_way:
                self._under_way[key] = TAKEN if key in sight.taken else look
        if self.claiming:
            self._release_ended(keys)

    def _reappear(self, connection: Connection, keys: list[str], now: float, patient: bool) -> Sight:
        beat_at = time.time()
        others = others_of(connection, self.id, self.party, now=now)
        waits = (patient and bool(others.unaware)) or (bool(others.living) and not self.claiming)
        # First of all our own row: whoever takes us for gone has to pass it, and finds us alive or has forgotten us.
        row = self._row(beat_at, claiming=self.claiming and not waits)
        insert_or_replace(schema.holders, tuple(row), connection.dialect.name).execute(connection, [row])
        holders.forget(connection, others.gone)
        if waits:
            return Sight(others, beat_at, None)
        if self.claiming:
            holders.claim(connection, keys, self.id)
        return Sight(others, beat_at, holders.taken(connection, keys, self.id))

    async def begin(self, key: str) -> bool:
        """Whether the call may be made here. If not, somebody else was making it, and it is time to look for it."""
        look = self._looks
        if not self.claiming:
            self._under_way[key] = look
            return True
        asked = self._store.claim(CallClaim(key, self.id))
        try:
            claimed = await asyncio.shield(asked)
        except asyncio.CancelledError:
            asked.add_done_callback(lambda _: self._store.release([CallClaim(key, self.id)]))
            raise
        if claimed:
            self._under_way[key] = look
            return True
        made_elsewhere()
        await self._other(key)
        return False

    def end(self, key: str) -> None:
        """The call failed, was dropped, or was not needed after all."""
        self._under_way.pop(key, None)
        if self.claiming:
            self._store.release([CallClaim(key, self.id)])

    def kept(self, key: str) -> CallClaim | None:
        """The call is about to be stored; its claim, if there is one, goes with it."""
        self._under_way.pop(key, None)
        return CallClaim(key, self.id) if self.claiming else None

    async def _other(self, key: str) -> None:
        """Until another's call is stored, or the other has let go of it."""
        future = asyncio.get_running_loop().create_future()
        self._awaited.setdefault(key, []).append(future)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        await future

    async def _look(self) -> None:
        try:
            while self._awaited:
                await asyncio.sleep(LOOK_S)
                claimed = await self._store.look(partial(holders.claimed, keys=list(self._awaited)))
                for key in [key for key in self._awaited if key not in claimed]:
                    for future in self._awaited.pop(key):
                        if not future.done():
                            future.set_result(None)
        except MootError as error:
            for futures in self._awaited.values():
                for future in futures:
                    if not future.done():
                        future.set_exception(error)
            self._awaited.clear()
