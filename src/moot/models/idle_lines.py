"""Lines of a stream that bring nothing: blank ones, comments (`: ping`), events without a word.

Honest servers send them: a heartbeat while a model thinks, an empty event for every token of thoughts that are not shown. They
may come for as long as a call may take. What comes faster than any model can think is no heartbeat: to go through two million
of them takes longer than most replies, and says nothing.
"""

from __future__ import annotations

import time

from moot.errors import ReplyBroken

AT_ONCE = 20_000
"""A proxy may hold such lines back, and send them together."""
A_SECOND = 2_000
A_WORD = 4
"""The lines of an event that brings something, and those around it."""


class IdleLines:
    """Those of one stream, whose call began at `started` by the performance counter."""

    def __init__(self, started: float) -> None:
        self._started = started
        self._lines = 0

    def count(self) -> None:
        self._lines += 1
        if self._lines > AT_ONCE and self._lines > AT_ONCE + A_SECOND * (time.perf_counter() - self._started):
            raise ReplyBroken(f"the stream does not go on: {self._lines:,} lines brought no word")

    def brought_a_word(self) -> None:
        self._lines = max(0, self._lines - A_WORD)
