"""Retry: only what may pass next time, never for ever, and the real error is kept.

429, 5xx, successes without a reply, timeouts and lost connections are tried again after a pause that grows and is
jittered, so that a thousand callers do not come back in step; Retry-After wins over our own guess. Anything else fails at
once.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from moot.errors import TransportError
from moot.models.flights import waiting_until
from moot.models.model import Model, Wrapper
from moot.types import Reply, Request


@dataclass(frozen=True, slots=True)
class RetryPatience:
    """How long to go on trying: a number of attempts, and a time from the first failure on."""

    attempts: int = 6
    total_s: float = 900.0
    first_pause_s: float = 0.5
    longest_pause_s: float = 30.0

    def pause_s(self, failures: int, error: TransportError) -> float:
        """Full jitter over an exponential, but never earlier than the server asked for."""
        asked = error.retry_after_s
        grown = min(self.longest_pause_s, self.first_pause_s * 2 ** (failures - 1))
        if asked:  # "after 0 seconds" says no more than our own guess does
            return asked + random.uniform(0, min(1.0, 0.1 * asked + 0.05))
        return random.uniform(0.1 * grown, grown)


class OnRetry(Protocol):
    def __call__(self, model: str, request: Request, error: TransportError) -> None: ...


class Retry(Wrapper):
    """A model that is asked again after a transport error.

    When several calls in a row have used up their patience the endpoint is taken for dead: calls are then tried once
    each, so that a run goes on with the other models, and the first success brings the patience back.
    """

    TAKEN_FOR_DEAD = 5

    def __init__(
        self,
        inner: Model,
        patience: RetryPatience | None = None,
        *,
        on_retry: OnRetry | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        super().__init__(inner)
        self.patience = patience or RetryPatience()
        self._on_retry = on_retry
        self._clock = clock or time.monotonic
        self._lost_in_a_row = 0

    async def generate(self, request: Request) -> Reply:
        deadline = math.inf
        failures = 0
        while True:
            try:
                reply = await self.inner.generate(request)
                self._lost_in_a_row = 0
                return reply
            except TransportError as error:
                failures += 1
                if failures == 1:  # a call may have waited long for its turn at the endpoint: that is no failing
                    deadline = self._clock() + self.patience.total_s
                pause_s = self.patience.pause_s(failures, error)
                attempts = 1 if self._lost_in_a_row >= self.TAKEN_FOR_DEAD else self.patience.attempts
                if failures >= attempts or self._clock() + pause_s > deadline:
                    self._lost_in_a_row += 1
                    # taken for dead while this call was being tried: it had more attempts than one by then
                    error.add_note(f"(attempt {failures} of {max(failures, attempts)})")
                    raise
                if self._on_retry is not None:
                    self._on_retry(self.name, request, error)
            with waiting_until(time.monotonic() + pause_s):
                await asyncio.sleep(pause_s)
