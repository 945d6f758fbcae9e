"""Who else makes calls for this store, so that two runs at once do not pay for the same call twice.

Every process says once a second that it is alive. As long as it is alone it need not say what it does: nobody else can be
doing the same. When another one comes, both claim each call before they make it, and whoever finds a call claimed waits
until it is stored. Who comes second waits at first until the others have noticed: in the same transaction in which they say
so they claim what they have under way. A claim ends with the call, with its failure, or with whoever held it: a process
that is gone, or has given no sign of life for the length of a lease, holds nothing any more.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
import uuid
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, delete, select

from moot.errors import MootError
from moot.store import processes, schema
from moot.store.bookkeeping import CallClaim
from moot.store.statements import Row, insert_new, insert_or_replace

if TYPE_CHECKING:
    from moot.store.store import Store

BEAT_S = 1.0
LEASE_S = 15.0
"""Without a sign of life for so long a process on another machine is taken for gone; on this one it is seen at once."""

LOOK_S = 0.2
"""How often those who wait for another's calls look whether they are there."""

TOGETHER = 500


@dataclass(frozen=True, slots=True)
class Others:
    """Whoever else is at work on the store."""

    living: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    unaware: frozenset[str] = frozenset()
    """Living, and not claiming yet: they have not noticed anybody."""


def is_living(holder: Row, now: float) -> bool:
    return not processes.is_gone(json.loads(holder["process"])) and now - holder["beat_at"] <= LEASE_S


def others_of(connection: Connection, ident: str, party: str, *, now: float | None = None) -> Others:
    """`now`: since when a silence counts, if not since this moment."""
    living, gone, unaware = set(), set(), set()
    now = time.time() if now is None else now
    for holder in connection.execute(select(schema.holders)).mappings().all():
        if holder["id"] == ident or (holder["party"] == party and is_living(dict(holder), now)):
            continue
        if not is_living(dict(holder), now):
            gone.add(holder["id"])
            continue
        living.add(holder["id"])
        if not holder["claiming"]:
            unaware.add(holder["id"])
    return Others(frozenset(living), frozenset(gone), frozenset(unaware))


def living_holders(connection: Connection) -> set[str]:
    now = time.time()
    holders = connection.execute(select(schema.holders)).mappings().all()
    return {holder["id"] for holder in holders if is_living(dict(holder), now)}


class Awake:
    """Whether this process was there all the time. If it was away, because the machine slept or the clock was set, the others
    may have been so too: they are given a lease to say a word."""

    def __init__(self) -> None:
        self._seen_at = time.time()
        self._trusting_until = -math.inf

    def now(self) -> float:
        """The time that others' silence is measured by: before any silence, as long as it tells nothing."""
        now = time.time()
        if abs(now - self._seen_at) > LEASE_S / 2:
            self._trusting_until = time.monotonic() + LEASE_S
        self._seen_at = now
        return now if time.monotonic() >= self._trusting_until else -math.inf


class Presence:
    """This process, as the others see it."""

    def __init__(self, store: Store, party: str | None = None) -> None:
        """`party`: processes that share their work out among themselves, and so never ask the same."""
        self._store = store
        self.id = uuid.uuid4().hex
        self.party = party or self.id
        self._process = processes.begun()
        self.claiming = False
        self._under_way: set[str] = set()
        self._awaited: dict[str, list[asyncio.Future[None]]] = {}
        self._looking: asyncio.Task[None] | None = None
        self._beating: asyncio.Task[None] | None = None

    async def enter(self) -> None:
        """Until everybody who was there before knows of us; one that is too busy to notice is waited for no longer
        than one that is gone."""
        others = await self._store.run(self._appear)
        self._beating = asyncio.create_task(self._beat())
        until = time.monotonic() + LEASE_S
        while others.unaware and time.monotonic() < until:
            await asyncio.sleep(LOOK_S)
            others = await self._store.run(partial(others_of, ident=self.id, party=self.party))

    async def leave(self) -> None:
        processes.over(self._process)
        for task in (self._beating, self._looking):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        with suppress(MootError):
            await self._store.run(partial(forget, holders=[self.id]))

    def _appear(self, connection: Connection) -> Others:
        others = others_of(connection, self.id, self.party)
        self.claiming = bool(others.living)
        forget(connection, others.gone)
        row = self._row()
        insert_new(schema.holders, tuple(row), connection.dialect.name).execute(connection, [row])
        return others

    def _row(self) -> dict[str, Any]:
        process = json.dumps(self._process)
        alive = {"beat_at": time.time(), "claiming": int(self.claiming)}
        return {"id": self.id, "party": self.party, "process": process, **alive}

    async def _beat(self) -> None:
        awake = Awake()
        with suppress(MootError):  # a store that cannot be written ends the run by itself
            while True:
                await asyncio.sleep(BEAT_S)
                now = awake.now()  # here, and not where the store is read: the clock may jump on the way
                self._store.put_later([(schema.holders, self._row())])
                others = await self._store.read(partial(others_of, ident=self.id, party=self.party, now=now))
                if others.gone:
                    await self._store.run(partial(forget, holders=others.gone))
                if others.living and not self.claiming:
                    # From this line on whoever begins a call claims it first; those before it are claimed here.
                    self.claiming = True
                    keys = list(self._under_way)
                    await self._store.run(partial(self._notice, keys=keys))
                    # What ended meanwhile was released before it was claimed.
                    self._store.release([CallClaim(key, self.id) for key in keys if key not in self._under_way])

    def _notice(self, connection: Connection, keys: Sequence[str]) -> None:
        if rows := [{"key": key, "holder": self.id} for key in keys]:
            insert_new(schema.claims, ("key", "holder"), connection.dialect.name).execute(connection, rows)
        row = self._row()
        insert_or_replace(schema.holders, tuple(row), connection.dialect.name).execute(connection, [row])

    async def begin(self, key: str) -> bool:
        """Whether the call may be made here. If not, somebody else was making it, and it is time to look for it."""
        if not self.claiming:
            self._under_way.add(key)
            return True
        asked = self._store.claim(CallClaim(key, self.id))
        try:
            claimed = await asyncio.shield(asked)
        except asyncio.CancelledError:
            asked.add_done_callback(lambda _: self._store.release([CallClaim(key, self.id)]))
            raise
        if claimed:
            self._under_way.add(key)
            return True
        await self._other(key)
        return False

    def end(self, key: str) -> None:
        """The call failed, was dropped, or was not needed after all."""
        self._under_way.discard(key)
        if self.claiming:
            self._store.release([CallClaim(key, self.id)])

    def kept(self, key: str) -> CallClaim | None:
        """The call is about to be stored; its claim, if there is one, goes with it."""
        self._under_way.discard(key)
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
                claimed = await self._store.read(partial(_claimed, keys=list(self._awaited)))
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


def forget(connection: Connection, holders: Iterable[str]) -> None:
    """Whoever has gone claims nothing."""
    for holder in sorted(holders):
        connection.execute(delete(schema.claims).where(schema.claims.c.holder == holder))
        connection.execute(delete(schema.holders).where(schema.holders.c.id == holder))


def _claimed(connection: Connection, keys: Sequence[str]) -> set[str]:
    """Those of the keys on which somebody has a claim. It goes in the transaction that stores the call."""
    claimed: set[str] = set()
    for start in range(0, len(keys), TOGETHER):
        part = keys[start : start + TOGETHER]
        claimed |= set(connection.execute(select(schema.claims.c.key).where(schema.claims.c.key.in_(part))).scalars())
    return claimed
