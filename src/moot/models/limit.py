"""Limits of an endpoint: how many calls at once, per minute, and tokens per minute; shared by all its models.

Concurrency adapts. A 429 halves it (at most once for the calls that were in flight together, and by less where only few
of the calls are refused) and, with Retry-After, stops the endpoint until then, or only the model where that is half a minute
or more (`long_pause`); quiet success lets it grow back. Calls that only queue at the server help nobody: where fewer at once get
as much done, there are fewer.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from moot.errors import CallError, RateLimited, ServerFailed
from moot.models.adaptive_limit import AdaptiveLimit
from moot.models.flights import waiting_until
from moot.models.long_pause import MODELS_OWN_S, ModelPause
from moot.models.model import Model, Wrapper
from moot.types import Reply, Request, Usage

DEFAULT_CONCURRENT = 64
COMPLETION_GUESS = 500
"""Tokens that a reply is taken to cost against `tpm` until it is there, when the request sets no maximum."""
OVERLOADED = (503, 529)
"""Statuses by which a server asks for fewer calls; 529 is Anthropic's."""


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

    @property
    def paused_s(self) -> float:
        """For how long all its models are paused, as far as is known here."""

    async def enter(self, tokens: float = 0.0) -> float:
        """Wait for a place among the calls in flight; gives the time at which the call starts. Then `leave`."""

    def leave(self) -> None: ...

    def succeeded(self, started_at: float) -> None: ...

    def refused(self, started_at: float, retry_after_s: float | None) -> None: ...

    def model_paused(self, model: str, seconds: float) -> None:
        """For the progress line: calls of this model wait by themselves."""

    def settle_tokens(self, reserved: float, usage: Usage) -> None: ...


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
        self._models_paused: dict[str, float] = {}

    @property
    def state(self) -> str:
        """For the progress line: calls in flight, of how many allowed."""
        now = self._clock()
        pauses = [f" paused for {self._paused_until - now:,.0f} s"] if self._paused_until > now else []
        paused = {model: until for model, until in self._models_paused.items() if until > now}
        pauses += [f" {model} paused for {until - now:,.0f} s" for model, until in paused.items()]
        return f"{self.in_flight}/{self.adaptive.allowed}" + ",".join(pauses)

    @property
    def paused_s(self) -> float:
        """For how long all its models are paused."""
        return max(0.0, self._paused_until - self._clock())

    def model_paused(self, model: str, seconds: float) -> None:
        self._models_paused[model] = self._clock() + seconds

    async def enter(self, tokens: float = 0.0) -> float:
        """Wait for a place among the calls in flight; gives the time at which the call starts. Then `leave`."""
        if self.in_flight < self.adaptive.allowed and not self._waiting:
            self.in_flight += 1
        else:
            await self._place()
        if self._is_paced:
            try:
                await self._wait_for_rates(tokens)
            except BaseException:
                self.leave()
                raise
        return self._clock()

    def enter_now(self) -> float | None:
        """The same where there is nothing to wait for; None where there may be."""
        if self.in_flight >= self.adaptive.allowed or self._waiting or self._is_paced:
            return None
        self.in_flight += 1
        return self._clock()

    @property
    def _is_paced(self) -> bool:
        """Whether a place alone is not enough to start."""
        return bool(self._requests or self._tokens or self._paused_until > 0)

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

    async def _place(self) -> None:
        """In the queue; whoever leaves hands its place on."""
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
        while (asked_s := self._paused_until - self._clock()) > 0:
            with waiting_until(time.monotonic() + asked_s):
                await asyncio.sleep(asked_s)

    def _give_back(self, tokens: float) -> None:
        """Of a call that was not made after all."""
        if self._requests:
            self._requests.give_back(1)
        if self._tokens:
            self._tokens.give_back(tokens)


class Limit(Wrapper):
    """A model that keeps to its endpoint's limits."""

    def __init__(
        self,
        inner: Model,
        limiter: Turnstile,
        *,
        max_tokens: int | None = None,
        on_pause: Callable[[str, float], None] | None = None,
    ) -> None:
        """`on_pause` hears when a server asks for a long one: of which model, and how many seconds."""
        super().__init__(inner)
        self.limiter = limiter
        self._max_tokens = max_tokens
        self._pause = ModelPause()
        self._on_pause = on_pause

    @property
    def paused_s(self) -> float:
        """For how long nobody asks it, since its server wants that."""
        return max(self._pause.left_s, self.limiter.paused_s)

    async def generate(self, request: Request) -> Reply:
        tokens = self._guess_tokens(request) if self.limiter.limits.tpm else 0.0
        started_at = await self._enter(tokens)
        try:
            reply = await self.inner.generate(request)
        except CallError as error:
            if isinstance(error, RateLimited) or (isinstance(error, ServerFailed) and error.status in OVERLOADED):
                self.limiter.refused(started_at, self._pause_of_all(error.retry_after_s))
            if error.billed_tokens is not None and not error.bill_unfinished:
                self.limiter.settle_tokens(tokens, Usage(*error.billed_tokens))
            elif not error.maybe_billed:
                self.limiter.settle_tokens(tokens, Usage(prompt=0, completion=0))
            raise
        else:
            self._pause.over()
            self.limiter.succeeded(started_at)
            self.limiter.settle_tokens(tokens, reply.usage)
            return reply
        finally:
            self.limiter.leave()

    def _pause_of_all(self, asked_s: float | None) -> float | None:
        if asked_s is None or asked_s < MODELS_OWN_S:
            return asked_s
        news = self._pause.begin(asked_s)
        self.limiter.model_paused(self.name, asked_s)
        if news and self._on_pause is not None:
            self._on_pause(self.name, asked_s)
        return None

    async def _enter(self, tokens: float) -> float:
        """A place at the endpoint, outside of the model's own pauses: who waits for their end keeps nobody from one."""
        while True:
            if not self._pause.is_none:
                await self._pause.wait(self.name)
            started_at = await self.limiter.enter(tokens)
            if self._pause.is_none:  # others may have been refused meanwhile, but were not
                return started_at
            may_call = False
            try:
                may_call = self._pause.may_call(self.name)
            finally:
                if not may_call:
                    self.limiter.settle_tokens(tokens, Usage(prompt=0, completion=0))
                    self.limiter.leave()
            if may_call:
                return started_at

    def _guess_tokens(self, request: Request) -> float:
        prompt = sum(len(message.content) for message in request.messages) / 4
        return prompt + (self._max_tokens or COMPLETION_GUESS)


def paused_s(model: Model) -> float:
    """For how long a model is not asked because its server wants that; 0 where it is."""
    longest = 0.0
    while isinstance(model, Wrapper):
        longest = max(longest, model.paused_s if isinstance(model, Limit) else 0.0)
        model = model.inner
    return longest
