"""Limits of an endpoint: how many calls at once, per minute, and tokens per minute; shared by all its models.

Concurrency adapts. A 429 halves it (at most once for the calls that were in flight together) and, with Retry-After,
stops the endpoint until then. Latency well above its long-run level means that calls queue at the server, where they
help nobody: the limit shrinks in proportion. Quiet success lets it grow back to the ceiling.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from moot.errors import RateLimited, ServerFailed
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


class AdaptiveLimit:
    """The number of calls allowed in flight, by the gradient of latency and by refusals."""

    TOLERANCE = 2.0
    """Latency may double before it counts as queueing: replies differ in length."""
    SMOOTHING = 0.2
    LONG_RUN = 600
    """Calls over which the long-run latency is averaged."""

    def __init__(self, ceiling: int) -> None:
        self.ceiling = ceiling
        self.value = float(ceiling)
        self._long_run_s: float | None = None
        self._seen = 0
        self._short_run_s = 0.0
        self._halved_at = -math.inf

    @property
    def allowed(self) -> int:
        return max(1, int(self.value))

    def succeeded(self, latency_s: float, in_flight: int) -> None:
        self._seen += 1
        weight = max(1 / self._seen, 1 / self.LONG_RUN)
        self._long_run_s = latency_s if self._long_run_s is None else self._mix(self._long_run_s, latency_s, weight)
        self._short_run_s = self._mix(self._short_run_s or latency_s, latency_s, max(1 / self._seen, 1 / 20))
        if in_flight < self.allowed / 2:
            return  # not the limit that holds us back: nothing to learn
        gradient = min(1.0, max(0.5, self.TOLERANCE * self._long_run_s / max(self._short_run_s, 1e-9)))
        target = self.value * gradient + math.sqrt(self.value)
        # One step a call would swing wildly when hundreds return together: scaled to one step a round of calls.
        step = self.SMOOTHING * (target - self.value) / self.value
        self.value = min(float(self.ceiling), max(1.0, self.value + step))
        if self._short_run_s > self._long_run_s * self.TOLERANCE:
            # The long run must not learn the queue that we ourselves made.
            self._long_run_s *= 0.999

    def refused(self, started_at: float, now: float) -> None:
        """Halve, unless this call started before the last halving: it only confirms what is known."""
        if started_at >= self._halved_at:
            self.value = max(1.0, self.value / 2)
            self._halved_at = now

    @staticmethod
    def _mix(old: float, new: float, weight: float) -> float:
        return old + weight * (new - old)


class Bucket:
    """So much a minute, with at most a few seconds' worth at once. What was taken too much is paid back by waiting."""

    BURST_S = 2.0

    def __init__(self, per_minute: float, clock: Callable[[], float]) -> None:
        self._rate = per_minute / 60
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

    def __init__(self, limits: Limits | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits or Limits()
        self.adaptive = AdaptiveLimit(self.limits.concurrent)
        self.in_flight = 0
        self.rate_limited = 0
        self._clock = clock
        self._waiting: deque[asyncio.Future[None]] = deque()
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

    def succeeded(self, started_at: float) -> None:
        self.adaptive.succeeded(self._clock() - started_at, self.in_flight)

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
            else:
                self._waiting.remove(place)
            raise

    async def _wait_for_rates(self, tokens: float) -> None:
        pause_s = max(
            self._requests.take(1) if self._requests else 0.0,
            self._tokens.take(tokens) if self._tokens else 0.0,
        )
        while pause_s > 0 or (pause_s := self._paused_until - self._clock()) > 0:
            await asyncio.sleep(pause_s)
            pause_s = self._paused_until - self._clock()


class Limit(Wrapper):
    """A model that keeps to its endpoint's limits."""

    def __init__(self, inner: Model, limiter: Limiter, *, max_tokens: int | None = None) -> None:
        super().__init__(inner)
        self.limiter = limiter
        self._max_tokens = max_tokens

    async def generate(self, request: Request) -> Reply:
        tokens = self._guess_tokens(request) if self.limiter.limits.tpm else 0.0
        started_at = await self.limiter.enter(tokens)
        try:
            reply = await self.inner.generate(request)
        except RateLimited as error:
            self.limiter.refused(started_at, error.retry_after_s)
            raise
        except ServerFailed as error:
            if error.status == 503:
                self.limiter.refused(started_at, error.retry_after_s)
            raise
        else:
            self.limiter.succeeded(started_at)
            self.limiter.settle_tokens(tokens, reply.usage)
            return reply
        finally:
            self.limiter.leave()

    def _guess_tokens(self, request: Request) -> float:
        prompt = sum(len(message.content) for message in request.messages) / 4
        return prompt + (self._max_tokens or COMPLETION_GUESS)
