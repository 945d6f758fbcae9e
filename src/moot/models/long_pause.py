"""A pause that is too long to wait for: of one model, and asked about now and then.

A quota that is spent for the day belongs to a model more often than to its endpoint, and a server that names an hour may
be well again in a minute. So the others of the endpoint go on, and of the calls of this model one a minute is made.
"""

from __future__ import annotations

import math

from moot.errors import RateLimited

LONGEST_PAUSE_S = 900.0
"""A Retry-After beyond this (a spent daily quota) is no pause but the end: calls fail at once and say so."""

ASKED_AGAIN_S = 60.0


class LongPause:
    """Until when a model wants to be left alone, and when it is next asked whether it still does."""

    def __init__(self) -> None:
        self._until = -math.inf
        self._next_look = -math.inf

    def begin(self, now: float, seconds: float) -> None:
        self._until = now + seconds
        self._next_look = now + ASKED_AGAIN_S

    def end(self) -> None:
        self._until = -math.inf

    def check(self, model: str, now: float) -> None:
        """Refuse a call unasked, but for the one that is to see whether it is over."""
        if now < min(self._until, self._next_look):
            left_s = self._until - now
            raise RateLimited(
                f"{model} asked for a pause of {left_s:,.0f} s; not asked, one call a minute sees whether it is over",
                retry_after_s=left_s,
            )

    def look(self, model: str, now: float) -> None:
        """As `check`; and a call that is let through is the one for the next minute."""
        self.check(model, now)
        self._next_look = now + ASKED_AGAIN_S
