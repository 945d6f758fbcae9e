"""What a store is, whichever database keeps it; and how it gathers small writes into groups.

A run asks for thousands of small reads and writes; a commit costs a wait for the disk. So work is collected while a
group is being written, and the next group takes all of it: one commit for many calls, and nobody is told that a call is
kept before it is durable.

A group that could not be written is said to everybody who waits for it and to everybody who comes after, whatever the
reason. Rows that nobody waits for stay, to be written when the store takes writes again: see `again`.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from sqlalchemy import Connection, Table

from moot.errors import StoreError, StoreUnreadable, UsageError
from moot.models.border import storable
from moot.store import schema
from moot.store.bookkeeping import CallClaim, Reservation, Settlement
from moot.store.columns import named
from moot.store.group import Done, Failed, Group
from moot.store.statements import Row

if TYPE_CHECKING:
    from moot.store.presence import Presence

T = TypeVar("T")

REPEATABLE = (schema.episodes, schema.scores)
"""What comes of stored calls alone, so that nothing is paid for it again if it is lost. These rows stand in no order that their
tables know, each touches pages of its own; and many of them together touch some pages twice."""
ENOUGH_ROWS, HELD_S = 2_000, 0.25
"""While calls come without a pause, such rows are kept back until there are so many, or for so long."""

LINGER_S = 0.02
BUSY_FROM = 24
"""When groups are this large, waiting a moment for more makes far fewer commits; a lone caller never waits."""


class AccountListener(Protocol):
    """Hears of every commit that touched an account; of one that failed, with None for what is held."""

    def __call__(self, held_usd: float | None, settled: Sequence[str]) -> None: ...


class Store(ABC):
    """Calls, episodes, scores, runs and experiments, kept.

    A database fills in five things: `exists`, `find_call`, and how it is opened, shut and written to.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        """Where it is, for messages; without anything secret."""
        self.lasts = True  # what is written can be found again by another process
        self._next = Group()
        self._busy = False
        self._idle: asyncio.Future[None] | None = None
        self._broken: StoreError | None = None
        self._writer: asyncio.Task[None] | None = None
        self._hurry: asyncio.Future[None] | None = None
        self._held_since: float | None = None
        self._needed: str | None = None
        self._listeners: dict[str, list[AccountListener]] = {}
        self._presence: Presence | None = None
        self._probe_table = f"moot_probe_{secrets.token_hex(6)}"

    def needed(self, otherwise: str) -> Self:
        """One that must be there already: opening creates nothing, and says `otherwise` where there is no store."""
        self._needed = otherwise
        return self

    @abstractmethod
    async def exists(self) -> bool:
        """Whether something is stored there. Nothing is created by asking."""

    async def open(self) -> Self:
        if self._needed is not None and not await self.exists():
            raise UsageError(self._needed)
        await self._open()
        return self

    async def close(self) -> None:
        """Everything handed over is written first; what the store did not take is tried once more."""
        if self._presence is not None:
            await self._presence.leave()
            self._presence = None
        await self._until_idle()
        if self._broken is not None and self._next.size:
            with suppress(StoreError):
                await self.again()
        await self._shut()

    async def join(self, party: str | None = None) -> Presence:
        """Be known to the other processes that make calls for this store, until it is closed."""
        from moot.store.presence import Presence

        if self._presence is None:
            self._presence = Presence(self, party)
            await self._presence.enter()
        return self._presence

    @property
    def presence(self) -> Presence | None:
        return self._presence

    def want(self, key: str, sample: int | None = None) -> None:  # noqa: B027  a store need not know who wants what
        """Somebody wants the call of this key."""

    @abstractmethod
    async def find_call(self, key: str) -> Row | None:
        """The stored call of this key, if there is one."""

    async def keep_call(self, row: Row, settlement: Settlement | None = None, claim: CallClaim | None = None) -> Row:
        """Durable when it returns; the row that stands, which may be one stored earlier by somebody else.

        In the same transaction what was reserved for the call is settled, and the claim on it released.
        """
        future: asyncio.Future[Row] = self._future()
        self._next.calls.append((row, future))
        if settlement is not None and row["key"] in self._next.paid:  # one of the two will not stand
            self._next.settlements.append(replace(settlement, lost=True))
        elif settlement is not None:
            self._next.paid[row["key"]] = settlement
        if claim is not None:
            self._next.released.append(claim)
        self._go()
        return await future

    def reserve(self, reservation: Reservation) -> asyncio.Future[bool]:
        """Whether it fits under the cap; if so it stands in the books when the future is done."""
        future: asyncio.Future[bool] = self._future()
        self._next.reservations.append((reservation, future))
        self._go()
        return future

    def settle(self, settlement: Settlement) -> None:
        """With the next group. As long as the store cannot write, the reservation stands as it is: spent."""
        self._next.settlements.append(settlement)
        if self._broken is None:
            self._go()
        else:
            self._tell_of_failure([settlement])

    def claim(self, claim: CallClaim) -> asyncio.Future[bool]:
        """Whether the call is this holder's to make."""
        future: asyncio.Future[bool] = self._future()
        self._next.claims.append((claim, future))
        self._go()
        return future

    def release(self, claims: Sequence[CallClaim]) -> None:
        self._next.released.extend(claims)
        if self._broken is None and claims:
            self._go()

    def listen(self, experiment: str, listener: AccountListener) -> None:
        """To all that happens to an account."""
        self._listeners.setdefault(experiment, []).append(listener)

    def check(self) -> None:
        """Nothing that has to be kept may be paid for while nothing can be: raises the reason."""
        if self._broken is not None:
            raise self._broken

    async def again(self) -> None:
        """Try a store that could not be written: the rows that it did not take, and something small beside them."""
        self._broken = None
        for step in (_probe, _drop):  # each is committed: what is gone before that is never written
            await self.run(partial(step, table=self._probe_table))

    def learn_calls(self, keys: Iterable[str]) -> None:  # noqa: B027  a store need not remember anything
        """Calls that were written as other work (`run`): a store that remembers what it holds is told here."""

    def put_later(self, rows: Sequence[tuple[Table, Row]]) -> None:
        """With the next group; `flush` waits for it. A store that could not write says so, and has them for another try."""
        for table, row in rows:
            self._next.puts.setdefault(table, []).append(row)
        self.check()
        self._go()

    async def flush(self) -> None:
        """Everything handed over so far is durable, or an error says that it is not."""
        await self._until_idle()
        self.check()

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Anything else, after the next group, in a transaction of its own."""
        future: asyncio.Future[T] = self._future()
        self._next.work.append((work, future))
        if self._hurry is not None:
            resolve(self._hurry, None)
        self._go()
        try:
            return await future
        except StoreUnreadable as error:
            raise named(error, self.name) from error

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Work that only reads: all of it sees the store at one moment, and no writer waits for it."""
        return await self.run(work)

    async def look(self, work: Callable[[Connection], T]) -> T:
        """The same for what takes a moment and is asked for again and again, such as who else is there."""
        return await self.read(work)

    @abstractmethod
    async def scrub(self) -> None:
        """After deleting what must not be found again: no file of the store holds it any more, or an error says which."""

    @abstractmethod
    async def _open(self) -> None:
        """Connect, and bring the tables up to date."""

    @abstractmethod
    async def _shut(self) -> None:
        """Let go of everything; nothing is left to write."""

    @abstractmethod
    async def _write(self, group: Group) -> Done:
        """Calls, rows, money and claims in one transaction, then each piece of work in its own."""

    async def _until_idle(self) -> None:
        if self._busy:
            if self._idle is None:
                self._idle = asyncio.get_running_loop().create_future()
            if self._hurry is not None:
                resolve(self._hurry, None)
            await asyncio.shield(self._idle)

    def _future(self) -> asyncio.Future[Any]:
        self.check()
        return asyncio.get_running_loop().create_future()

    def _go(self) -> None:
        if not self._busy:
            self._busy = True
            # A task, not at once: what others ask for in this turn of the loop joins the group.
            self._writer = asyncio.create_task(self._write_groups())

    async def _write_groups(self) -> None:
        """Until nothing is left: take all that has gathered, write it, tell those who wait."""
        group = Group()
        try:
            while self._broken is None and (group := self._next).size:
                self._next = Group()
                self._hold_back(group)
                try:
                    self._hand_out(group, await self._write(group))
                except Exception as error:  # noqa: BLE001  whatever it is: what was handed over is not on the disk
                    self._give_up(group, error)
                if group.size >= BUSY_FROM and self._idle is None and not self._next.work and self._broken is None:
                    await self._linger()
        except BaseException as error:  # the writer itself was stopped: nobody may wait for it for ever
            self._give_up(group, error)
            raise
        finally:
            self._busy = False
            if self._idle is not None:
                resolve(self._idle, None)
                self._idle = None

    def _hold_back(self, group: Group) -> None:
        """Leave rows to a later group that nobody waits for, as long as others are sure to come."""
        held = {table: rows for table in REPEATABLE if (rows := group.puts.get(table))}
        others_come = len(group.calls) >= BUSY_FROM and not group.work and self._idle is None
        now = time.monotonic()
        since, self._held_since = self._held_since or now, None
        if held and others_come and now - since < HELD_S and sum(map(len, held.values())) < ENOUGH_ROWS:
            self._held_since, self._next.puts = since, held
            for table in held:
                del group.puts[table]

    def _give_up(self, group: Group, error: BaseException) -> None:
        """Say it to all who wait, and to all who will come. What nobody waits for is kept for another try."""
        plainly = f"{self.name}: {str(error) or type(error).__name__}"
        self._broken = error if isinstance(error, StoreError) else StoreError(plainly)
        later, self._next = self._next, Group(puts=group.puts)
        self._next.settlements = [*group.settlements, *later.settlements]
        self._next.released = [*group.released, *later.released]
        for table, rows in later.puts.items():
            self._next.puts.setdefault(table, []).extend(rows)
        for future in (*group.waiting, *later.waiting):
            if not future.done():
                future.set_exception(self._broken)
                future.exception()  # read here: whoever waited may be gone
        self._tell_of_failure([*group.all_settlements, *later.all_settlements])

    async def _linger(self) -> None:
        """A moment for more to gather; other work, which somebody waits for, ends it."""
        loop = asyncio.get_running_loop()
        self._hurry = loop.create_future()
        timer = loop.call_later(LINGER_S, resolve, self._hurry, None)
        await self._hurry
        timer.cancel()
        self._hurry = None

    def _tell_of_failure(self, settlements: Iterable[Settlement]) -> None:
        for settlement in settlements:
            for listener in self._listeners.get(settlement.reservation.experiment, ()):
                listener(None, [settlement.reservation.id])

    def _hand_out(self, group: Group, done: Done) -> None:
        written = done.written
        for experiment, booked in written.accounts.items():
            for listener in self._listeners.get(experiment, ()):
                listener(booked.held_usd, booked.settled)
        for (_, asked), granted in zip(group.reservations, written.granted, strict=True):
            resolve(asked, granted)
        for (_, asked), claimed in zip(group.claims, written.claimed, strict=True):
            resolve(asked, claimed)
        for row, call in group.calls:
            resolve(call, written.earlier.get(row["key"], row))
        for (_, future), result in zip(group.work, done.worked, strict=True):
            if isinstance(result, Failed) and not future.done():
                future.set_exception(result.error)
            else:
                resolve(future, result)


def resolve(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)


def storable_value(value: Any) -> Any:
    """Text that every database takes: half a surrogate pair and NUL become the replacement character."""
    return storable(value) if isinstance(value, str) else value


def bounded_value(value: Any) -> Any:
    """A value of a row that a database did not take: clean text, and a number beyond all bounds is not known."""
    if isinstance(value, int) and not -(2**31) <= value < 2**31:
        return None
    return storable_value(value)


PROBE_CHARACTERS = 65_536


def _probe(connection: Connection, table: str) -> None:
    """A small write, to see whether there is space. Random, so that it does not shrink on its way to the disk."""
    connection.exec_driver_sql(f"DROP TABLE IF EXISTS {table}")
    connection.exec_driver_sql(f"CREATE TABLE {table} (words TEXT)")
    connection.exec_driver_sql(f"INSERT INTO {table} VALUES ('{secrets.token_hex(PROBE_CHARACTERS // 2)}')")


def _drop(connection: Connection, table: str) -> None:
    connection.exec_driver_sql(f"DROP TABLE IF EXISTS {table}")
