"""Who may ask, how much, and how many at once: what stands between the network and the team.

Every key has limits of its own on requests, money and concurrency. Past all keys there is one bound on the questions
under way and one on those that wait; whoever comes after that is told when to come back.
"""

from __future__ import annotations

import asyncio
import hmac
import math
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from starlette.requests import HTTPConnection

from moot.openai_form.refusal import Refused
from moot.serve.expected_cost import ExpectedCosts
from moot.store.bookkeeping import day_of

DAY_S = 86_400.0
MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class KeyLimits:
    """For each key; None: no limit."""

    per_minute: int | None = None
    usd_per_day: float | None = None
    concurrent: int | None = None


@dataclass(frozen=True, slots=True)
class _Unread:
    """A question that is over."""

    usd: float
    """What was held for it."""
    readings: int
    """Of the books that were begun by then: the next one finds it there."""


class Holder:
    """One key, or everybody where there is none: what was asked and spent of late."""

    def __init__(
        self,
        name: str,
        limits: KeyLimits,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        *,
        asker: str | None = None,
        sees_all: bool = True,
    ) -> None:
        """`asker`: what its questions are kept under; None where there are no keys. `now`: the time, in seconds since
        1970, which days are told by."""
        self.name = name
        self.asker = asker
        self.sees = None if sees_all else asker
        """Whose questions it may see and grade; None: everybody's."""
        self.limits = limits
        self.open = 0
        self._clock = clock
        self._now = now
        self._asked: deque[float] = deque()
        self._paid_usd: dict[str, float] = {}
        self._held_usd: list[float] = []
        """For each question that is let in and not over, what it is expected to cost."""
        self._unread: list[_Unread] = []
        """Those that are over, until the books are read that they are in."""
        self._readings, self._learnt = 0, 0
        """Of the books: how many were begun, and which of them was begun last of those that have come back."""
        self._over = asyncio.Event()
        self.turn = asyncio.Lock()
        """To be let in, in the order in which they came."""

    def enter(self) -> None:
        """Count a request, or refuse it."""
        self.check()
        if self.limits.per_minute is not None:
            self._asked.append(self._clock())
        self.open += 1

    def check(self) -> None:
        """Refuse a request that would not be let in now, and count nothing."""
        now = self._clock()
        limits = self.limits
        while self._asked and self._asked[0] <= now - MINUTE_S:
            self._asked.popleft()
        if limits.per_minute is not None and len(self._asked) >= limits.per_minute:
            wait_s = self._asked[-limits.per_minute] + MINUTE_S - now
            raise _too_many(f"Rate limit of {limits.per_minute} requests a minute reached.", wait_s)
        if limits.concurrent is not None and self.open >= limits.concurrent:
            raise _too_many(f"Limit of {limits.concurrent} requests at once reached.", 1.0)
        self._check_day()

    def leave(self) -> None:
        self.open -= 1

    def _check_day(self) -> None:
        limit_usd = self.limits.usd_per_day
        if limit_usd is not None and self.spent_usd() >= limit_usd:
            wait_s = DAY_S - self._now() % DAY_S
            message = f"The limit of {limit_usd:g} USD a day (UTC) is spent."
            raise Refused(429, message, code="insufficient_quota", kind="insufficient_quota", retry_after_s=wait_s)

    def hold(self, expected_usd: float, *, at_most: bool = False) -> bool:
        """Whether the day has room for a question beside those under way, which is then held for it.

        Alone it is let in as long as anything is left: nobody knows better what it will cost. `at_most`: it is the most that it
        can cost, and what the day has no room for is refused, also alone.
        """
        self._check_day()
        limit_usd = self.limits.usd_per_day
        unread_usd = sum(each.usd for each in self._unread)
        expected_in_all_usd = self.spent_usd() + unread_usd + sum(self._held_usd) + expected_usd
        if limit_usd is not None and (self._held_usd or self._unread) and expected_in_all_usd > limit_usd:
            return False
        if limit_usd is not None and at_most and expected_in_all_usd > limit_usd:
            left_usd = limit_usd - self.spent_usd()
            message = (
                f"A question to this team can cost up to {expected_usd:.4g} USD, and of the {limit_usd:g} USD a day (UTC) "
                f"{left_usd:.4g} are left: ask fewer players, or a team that the file offers."
            )
            wait_s = DAY_S - self._now() % DAY_S
            raise Refused(429, message, code="insufficient_quota", kind="insufficient_quota", retry_after_s=wait_s)
        self._held_usd.append(expected_usd)
        return True

    def give_back(self, held_usd: float | None, *, to_be_read: bool = False) -> None:
        """The question is over, and in the books. None: nobody counts.

        `to_be_read`: a reading of the books that is under way may be older than what it cost, so it is counted as held until one
        that begins after this.
        """
        if held_usd is None:
            return
        self._held_usd.remove(held_usd)
        if to_be_read:
            self._unread.append(_Unread(held_usd, self._readings))
        self._over.set()
        self._over = asyncio.Event()

    async def another_over(self) -> None:
        """At once where none is under way."""
        if self._held_usd:
            await self._over.wait()

    def charge(self, day: str, usd: float) -> None:
        """Something on this key's account, whether its client has waited for the reply or not."""
        today = day_of(self._now())
        self._paid_usd = {kept: paid for kept, paid in self._paid_usd.items() if kept >= today}
        self._paid_usd[day] = self._paid_usd.get(day, 0.0) + usd

    def begin_reading(self) -> int:
        """The number of a reading of the books: they may come back in another order."""
        self._readings += 1
        return self._readings

    def learn(self, reading: int, day: str, usd: float) -> None:
        """What is in the books, which others write too: of all servers with one store, settled and under way. By this reading,
        unless one that was begun later has come back already."""
        if reading < self._learnt:
            return
        self._learnt = reading
        self._paid_usd[day] = usd
        self._unread = [each for each in self._unread if each.readings >= reading]

    def spent_usd(self) -> float:
        """Today. Unknown prices are not in it: a limit on money needs priced models."""
        return self._paid_usd.get(day_of(self._now()), 0.0)


class Admission:
    """All holders, and the bound on what the server does at once."""

    def __init__(
        self,
        keys: Mapping[str, str],
        *,
        admins: Mapping[str, str] | None = None,
        limits: KeyLimits | None = None,
        at_once: int = 64,
        waiting: int = 256,
    ) -> None:
        """`keys`: secret by name; each sees its own questions, `admins` those of all.

        Without any, everybody may ask, as one holder, who sees what is there: it is the machine's owner.
        """
        every = {**keys, **(admins or {})}
        bounds = limits or KeyLimits()
        self._holders = {name: Holder(name, bounds, asker=name, sees_all=name in (admins or {})) for name in every} or {
            "anyone": Holder("anyone", bounds)
        }
        self._secrets = {name: secret.encode() for name, secret in every.items()}
        self._slots = asyncio.Semaphore(at_once)
        self._most_waiting = waiting
        self.waiting = 0
        self.under_way = 0
        self.expected = ExpectedCosts()
        self.paid_today: Callable[[str], Awaitable[tuple[str, float]]] | None = None
        """The day and what is on a key's account on it, by the books; where money is limited it is asked each time."""

    def holder(self, request: HTTPConnection) -> Holder:
        """Whose key it is; compared in constant time, with every key, so that time tells nothing."""
        if not self._secrets:
            return self._holders["anyone"]
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        holder_name = None
        for name, secret in self._secrets.items():
            if hmac.compare_digest(token.strip().encode(), secret) and scheme.casefold() == "bearer":
                holder_name = name
        if holder_name is None:
            words = "Incorrect API key provided." if token else "No API key provided: send Authorization: Bearer KEY."
            raise Refused(401, words, code="invalid_api_key")
        return self._holders[holder_name]

    @property
    def names(self) -> list[str]:
        return list(self._holders)

    @property
    def is_full(self) -> bool:
        """Whoever comes now waits for a place."""
        return self._slots.locked()

    def named(self, name: str) -> Holder:
        return self._holders[name]

    async def check(self, holder: Holder) -> None:
        """Refuse what would not be let in now, and count nothing."""
        holder.check()

    async def count(self, holder: Holder) -> None:
        """A request that is refused for what it asks: one of its key's, though it waits for no place."""
        await self._read_books(holder)
        holder.enter()
        holder.leave()

    def charge(self, name: str, day: str, usd: float) -> None:
        if (holder := self._holders.get(name)) is not None:
            holder.charge(day, usd)

    @asynccontextmanager
    async def admitted(
        self, holder: Holder, team: str, characters: int, most_usd: float | None = None
    ) -> AsyncIterator[None]:
        """Wait for a place, and for room in the day's money where questions under way may leave some. `most_usd`: what the
        question can cost, where the day must have room for all of it."""
        if self.waiting >= self._most_waiting and self.is_full:
            raise _too_many(f"{self.waiting} requests are waiting already.", 1.0, code="queue_full")
        await self._read_books(holder)
        holder.enter()
        try:
            held_usd = await self._place(holder, team, characters, most_usd)
            self.under_way += 1
            try:
                yield
            finally:
                self.under_way -= 1
                self._slots.release()
                holder.give_back(held_usd, to_be_read=self.paid_today is not None)
        finally:
            holder.leave()

    async def _read_books(self, holder: Holder) -> None:
        if holder.limits.usd_per_day is not None and self.paid_today is not None:
            reading = holder.begin_reading()
            holder.learn(reading, *await self.paid_today(holder.name))

    async def _place(self, holder: Holder, team: str, characters: int, most_usd: float | None) -> float | None:
        """A place, and what is held for the question: as much as it is expected to cost by then. Dearer ones may have been billed
        while it waited for the place."""
        while True:
            held_usd = await self._funded(holder, team, characters, most_usd)
            try:
                with self._waits():
                    await self._slots.acquire()
            except BaseException:
                holder.give_back(held_usd)
                raise
            if held_usd is None or held_usd >= self._expected_usd(team, characters, most_usd):
                return held_usd
            self._slots.release()
            holder.give_back(held_usd)

    async def _funded(self, holder: Holder, team: str, characters: int, most_usd: float | None) -> float | None:
        if holder.limits.usd_per_day is None:
            return None
        with self._waits():
            async with holder.turn:  # else those that cost little would pass by one that is held dear for ever
                while True:
                    expected_usd = self._expected_usd(team, characters, most_usd)
                    if holder.hold(expected_usd, at_most=most_usd is not None):
                        return expected_usd
                    await holder.another_over()
                    await self._read_books(holder)

    def _expected_usd(self, team: str, characters: int, most_usd: float | None) -> float:
        return self.expected.usd(team, characters) if most_usd is None else most_usd

    @contextmanager
    def _waits(self) -> Iterator[None]:
        self.waiting += 1
        try:
            yield
        finally:
            self.waiting -= 1


def _too_many(message: str, wait_s: float, code: str = "rate_limit_exceeded") -> Refused:
    return Refused(429, message, code=code, kind="requests", retry_after_s=math.ceil(max(1.0, wait_s)))
