"""Limits of an endpoint: how many calls at once, per minute, and tokens per minute; shared by all its models.

Concurrency adapts. A 429 halves it (at most once for the calls that were in flight together, and by less where only few
of the calls are refused) and, with Retry-After, stops the endpoint until then, or only the model where that is long
(`long_pause`); quiet success lets it grow back. Calls that only queue at the server help nobody: where fewer at once get
as much done, there are fewer.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from moot.errors import CallError, RateLimited, ServerFailed
from moot.models.long_pause import LONGEST_PAUSE_S, LongPause
from moot.models.model import Model, Wrapper
from moot.types import Reply, Request, Usage

DEFAULT_CONCURRENT = 64
COMPLETION_GUESS = 500
"""Tokens that a reply is taken to cost against `tpm` until it is there, when the request sets no maximum."""


@dataclass(frozen=True, slots=True)
class Limits:
    concurrent: int = DEFAULT_CONCURRENT
    rpm: float | None = None
    tpm: float | None = None


class Turnstile(Protocol):
    """Whatever keeps an endpoint's limits: here in this process, or in one place for many processes."""

    @property
    def limits(self) -> Limits: ...

    @property
    def state(self) -> str:
        """For the progress line: calls in flight, of how many allowed."""

    async def enter(self, tokens: float = 0.0) -> float:
        """Wait for a place among the calls in flight; gives the time at which the call starts. Then `leave`."""

    def leave(self) -> None: ...

    def succeeded(self, started_at: float) -> None: ...

    def refused(self, started_at: float, retry_after_s: float | None) -> None: ...

    def settle_tokens(self, reserved: float, usage: Usage) -> None: ...


@dataclass(slots=True)
class CallsUnderLimit:
    """Calls that started and ended under one limit while it was the limit that held them back."""

    level: float
    opened_at: float
    calls: int = 0
    total_s: float = 0.0

    @property
    def mean_s(self) -> float:
        return self.total_s / self.calls


class AdaptiveLimit:
    """The number of calls allowed in flight: halved by refusals, and no higher than is of use.

    Latency alone says little: replies differ in length, and a queue of our own making looks like a slow server. So now
    and then a lower limit is tried. If latency falls as far as the limit did, calls had only been queueing: the lower
    limit costs nothing and stays. If it does not, the server works on so many at once and the old limit is back. A limit
    that was lowered is tried upwards in the same way.
    """

    ROUND = 64
    """Calls at least that a limit is judged by: replies differ in length."""
    EARLY = 20
    """Calls after which a trial that is plainly failing ends."""
    QUEUEING = 0.62
    """Half the limit with less than this share of the latency: nothing is lost, within the noise."""
    USEFUL = 1.6
    """Twice the limit with less than this times the latency: more gets done."""
    FIRST_HOLD, HOLD = 3, 30
    """Rounds before the first trial and between trials, so that trials that fail cost next to nothing."""
    HEADROOM = 1.5
    """Above the lowest limit that lost nothing, so that the server always has the next call at hand."""
    GROWTH = 0.2
    FEWEST = 8
    """Calls by which the share of refusals is told, at least."""

    def __init__(self, ceiling: int) -> None:
        self.ceiling = ceiling
        self.level = float(ceiling)
        """As much as is of use."""
        self.value = float(ceiling)
        """As much as is allowed: below the level for a while after a refusal."""
        self._halved_at = -math.inf
        self._before_refusal = float(ceiling)
        self._refused_share = 1.0
        """Of the calls of about the last round; the worst until there are any."""
        self._round = CallsUnderLimit(self.level, -math.inf)
        self._before: CallsUnderLimit | None = None
        self._hold = self.FIRST_HOLD
        self._shrinking = False

    @property
    def allowed(self) -> int:
        return max(1, int(self.value))

    def succeeded(self, started_at: float, now: float, in_flight: int) -> None:
        self._refused_share -= self._refused_share / self._about_a_round
        if in_flight < 0.8 * self.allowed:
            return  # not the limit that holds us back: nothing to learn
        if self.value < self.level:
            # One step a call would swing wildly when hundreds return together: this is one step a round of calls.
            self.value = min(self.level, self.value + self.GROWTH / math.sqrt(self.value))
            return
        if started_at < self._round.opened_at:
            return
        self._round.calls += 1
        self._round.total_s += now - started_at
        enough = max(self.ROUND, 2 * self.allowed)
        if self._round.calls >= enough or (self._round.calls >= self.EARLY and self._fails_plainly()):
            self._judge(now)

    def refused(self, started_at: float, now: float) -> None:
        """Halve, or less where few are refused: a server that now and then says no is not one that is full.

        Calls that started before that only confirm what is known, and say how many of them there are.
        """
        self._refused_share += (1 - self._refused_share) / self._about_a_round
        if started_at >= self._halved_at:
            self._before_refusal = self.value
            self._halved_at = now
            if self._before is not None:
                self._settle(self._before.level, now)
        lower = self._before_refusal * (1 - self._refused_share / 2)
        self.value = max(1.0, min(self.value, lower))

    @property
    def _about_a_round(self) -> int:
        return max(self.FEWEST, self.allowed)

    def _fails_plainly(self) -> bool:
        before = self._before
        return before is not None and self.level < before.level and self._round.mean_s > 0.85 * before.mean_s

    def _judge(self, now: float) -> None:
        """A round is over: go on as before, begin a trial, or end one."""
        before = self._before
        if before is None:
            self._hold -= 1
            if self._hold > 0 or self.ceiling < 2:
                self._open(now)
            elif self.level < self.ceiling and not self._shrinking:
                self._try(min(float(self.ceiling), 2 * self.level), now)
            else:
                self._try(max(1.0, self.level / 2), now)
            return
        share = self._round.mean_s / before.mean_s
        if self.level > before.level:
            useful = share < self.USEFUL ** math.log2(self.level / before.level)
            self._settle(self.level if useful else before.level, now)
        elif share > self.QUEUEING:
            self._settle(before.level * (self.HEADROOM if self._shrinking else 1.0), now)
        elif self.level < 2:
            self._settle(self.level, now)
        else:
            self._shrinking = True
            self._try(self.level / 2, now)

    def _try(self, level: float, now: float) -> None:
        self._before = self._round
        self._move(level, now)

    def _settle(self, level: float, now: float) -> None:
        self._before, self._hold, self._shrinking = None, self.HOLD, False
        self._move(min(float(self.ceiling), level), now)

    def _move(self, level: float, now: float) -> None:
        held_back_by_level = self.value >= self.level
        self.level = level
        self.value = level if held_back_by_level else min(self.value, level)
        self._open(now)

    def _open(self, now: float) -> None:
        self._round = CallsUnderLimit(self.level, now)


class Bucket:
    """So much in any minute, with at most a few seconds' worth at once. What was taken too much is paid back by waiting."""

    BURST_S = 2.0

    def __init__(self, per_minute: float, clock: Callable[[], float]) -> None:
        # The burst is part of the minute: a full bucket and a minute of filling must not be more than was allowed.
        self._rate = per_minute / (60 + self.BURST_S)
        self._most = max(1.0, self._rate * self.BURST_S)
        self._level = self._most
        self._clock = clock
        self._filled_at = clock()

    def take(self, amount: float) -> float:
        """Take now, and say how many seconds to wait before using it."""
        now = self._clock()
        self._level = min(self._most, self._level + (now - self._filled_at) * self._rate)
        self._filled_at = now
        self._level -= amount
        return max(0.0, -self._level / self._rate)

    def give_back(self, amount: float) -> None:
        self._level += amount


class Limiter:
    """One endpoint's limits, however many models share it."""

    def __init__(self, limits: Limits | None = None, *, clock: Callable[[], float] | None = None) -> None:
        clock = clock or time.monotonic
        self.limits = limits or Limits()
        self.adaptive = AdaptiveLimit(self.limits.concurrent)
        self.in_flight = 0
        self.rate_limited = 0
        self._clock = clock
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._turn = asyncio.Lock()
        self._requests = Bucket(self.limits.rpm, clock) if self.limits.rpm else None
        self._tokens = Bucket(self.limits.tpm, clock) if self.limits.tpm else None
        self._paused_until = 0.0

    @property
    def state(self) -> str:
        """For the progress line: calls in flight, of how many allowed."""
        paused = self._paused_until > self._clock()
        return f"{self.in_flight}/{self.adaptive.allowed}" + (" paused" if paused else "")

    async def enter(self, tokens: float = 0.0) -> float:
        """Wait for a place among the calls in flight; gives the time at which the call starts. Then `leave`."""
        await self._acquire()
        if self._requests or self._tokens or self._paused_until > 0:
            try:
                await self._wait_for_rates(tokens)
            except BaseException:
                self.leave()
                raise
        return self._clock()

    def leave(self) -> None:
        self.in_flight -= 1
        while self._waiting and self.in_flight < self.adaptive.allowed:
            place = self._waiting.popleft()
            if not place.done():
                self.in_flight += 1
                place.set_result(None)

    def leave_unused(self, tokens: float) -> None:
        """Of who was let in and has gone before a call was made."""
        self._give_back(tokens)
        self.leave()

    def succeeded(self, started_at: float) -> None:
        self.adaptive.succeeded(started_at, self._clock(), self.in_flight)

    def refused(self, started_at: float, retry_after_s: float | None) -> None:
        now = self._clock()
        self.rate_limited += 1
        self.adaptive.refused(started_at, now)
        if retry_after_s:
            self._paused_until = max(self._paused_until, now + retry_after_s)

    def settle_tokens(self, reserved: float, usage: Usage) -> None:
        if self._tokens is not None and usage.prompt is not None and usage.completion is not None:
            self._tokens.give_back(reserved - usage.prompt - usage.completion)

    async def _acquire(self) -> None:
        if self.in_flight < self.adaptive.allowed and not self._waiting:
            self.in_flight += 1
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.leave()
            elif place in self._waiting:  # else `leave` came upon it first and passed it by
                self._waiting.remove(place)
            raise

    async def _wait_for_rates(self, tokens: float) -> None:
        """One at a time, in turn: nobody waits behind what others took who have given up since."""
        async with self._turn:
            await self._wait_while_paused()
            pause_s = max(
                self._requests.take(1) if self._requests else 0.0,
                self._tokens.take(tokens) if self._tokens else 0.0,
            )
            try:
                if pause_s > 0:
                    await asyncio.sleep(pause_s)
                await self._wait_while_paused()
            except BaseException:
                self._give_back(tokens)
                raise

    async def _wait_while_paused(self) -> None:
        while (asked_s := self._paused_until - self._clock()) > 0:  # noqa: ASYNC110  it may be prolonged meanwhile
            await asyncio.sleep(asked_s)

    def _give_back(self, tokens: float) -> None:
        """Of a call that was not made after all."""
        if self._requests:
            self._requests.give_back(1)
        if self._tokens:
            self._tokens.give_back(tokens)


class Limit(Wrapper):
    """A model that keeps to its endpoint's limits."""

    def __init__(self, inner: Model, limiter: Turnstile, *, max_tokens: int | None = None) -> None:
        super().__init__(inner)
        self.limiter = limiter
        self._max_tokens = max_tokens
        self._long_pause = LongPause()

    async def generate(self, request: Request) -> Reply:
        self._long_pause.check(self.name, time.monotonic())  # before it waits in the line for nothing
        tokens = self._guess_tokens(request) if self.limiter.limits.tpm else 0.0
        started_at = await self.limiter.enter(tokens)
        try:
            self._long_pause.look(self.name, time.monotonic())  # others may have been refused while it waited
        except RateLimited:
            self.limiter.settle_tokens(tokens, Usage(prompt=0, completion=0))
            self.limiter.leave()
            raise
        try:
            reply = await self.inner.generate(request)
        except CallError as error:
            if isinstance(error, RateLimited) or (isinstance(error, ServerFailed) and error.status == 503):
                self.limiter.refused(started_at, self._pause_of_all(error.retry_after_s))
            if not error.maybe_billed:
                self.limiter.settle_tokens(tokens, Usage(prompt=0, completion=0))
            raise
        else:
            self._long_pause.end()
            self.limiter.succeeded(started_at)
            self.limiter.settle_tokens(tokens, reply.usage)
            return reply
        finally:
            self.limiter.leave()

    def _pause_of_all(self, asked_s: float | None) -> float | None:
        if asked_s is None or asked_s <= LONGEST_PAUSE_S:
            return asked_s
        self._long_pause.begin(time.monotonic(), asked_s)
        return None

    def _guess_tokens(self, request: Request) -> float:
        prompt = sum(len(message.content) for message in request.messages) / 4
        return prompt + (self._max_tokens or COMPLETION_GUESS)
