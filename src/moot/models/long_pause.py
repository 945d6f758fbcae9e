"""Pauses that a server asks for one model.

A quota belongs to a model more often than to its endpoint. So where a server names half a minute or more the pause is that
model's, and the others of the endpoint go on until they are refused themselves. A short one is waited for; one that is too
long to wait for (a quota of the day) is the end: calls fail at once and say so, and since a server that names an hour may be
well again in a minute, one call a minute is made.
"""

from __future__ import annotations

import asyncio
import math
import time

from moot.errors import RateLimited
from moot.models.flights import waiting_until

MODELS_OWN_S = 30.0
"""A Retry-After from here on is of the model that was refused; below, of its whole endpoint."""

LONGEST_PAUSE_S = 900.0
"""A Retry-After beyond this (a spent daily quota) is no pause but the end: calls fail at once and say so."""

ASKED_AGAIN_S = 60.0


class ModelPause:
    """Until when a model wants to be left alone, and when it is next asked whether it still does."""

    def __init__(self) -> None:
        self._until = -math.inf
        self._next_look = -math.inf
        self._too_long = False

    @property
    def is_none(self) -> bool:
        """Nobody has asked for one, or it is over for good: there is nothing to wait for."""
        return self._until == -math.inf

    @property
    def left_s(self) -> float:
        return max(0.0, self._until - time.monotonic())

    def begin(self, seconds: float) -> bool:
        """Whether it is news: of the calls that are refused together the first is."""
        now = time.monotonic()
        news = not self.left_s
        self._until = now + seconds
        self._too_long = seconds > LONGEST_PAUSE_S
        self._next_look = now + ASKED_AGAIN_S
        return news

    def over(self) -> None:
        """The server has answered. What is merely waited for is so nevertheless: the call may have left before the refusal."""
        if self._too_long:
            self._until = -math.inf

    async def wait(self, model: str) -> None:
        """Until it is over; refused unasked where that is too long, but for the call that is to see whether it still is."""
        self.check(model)
        while not self._too_long and (left_s := self.left_s):
            with waiting_until(self._until):
                await asyncio.sleep(left_s)  # it may be prolonged meanwhile
            self.check(model)

    def check(self, model: str) -> None:
        if self._too_long and time.monotonic() < min(self._until, self._next_look):
            raise RateLimited(
                f"{model} asked for a pause of {self.left_s:,.0f} s; not asked, one call a minute sees whether it is over",
                retry_after_s=self.left_s,
            )

    def may_call(self, model: str) -> bool:
        """When there is a place: others may have been refused meanwhile. A call that is let through is the one for the minute."""
        self.check(model)
        if not self._too_long and self.left_s:
            return False
        self._next_look = time.monotonic() + ASKED_AGAIN_S
        return True
