"""What is to be told to one client, in its order, while the team plays.

A client may read more slowly than models write. Words that wait are put together, so that no more of them waits than was
written, however many pieces it came in.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class UntoldWords:
    """Words of one voice that nobody has taken yet."""

    voice: Hashable
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class Happenings:
    """From those who play to the one who is told. Whoever is told takes one thing after the other until the end."""

    def __init__(self) -> None:
        self._waiting: deque[Mapping[str, Any] | UntoldWords] = deque()
        self._open: dict[Hashable, UntoldWords] = {}
        self._news = asyncio.Event()
        self._over = False

    def tell(self, event: Mapping[str, Any]) -> None:
        """Whatever is said later comes later."""
        self._open.clear()
        self._waiting.append(event)
        self._news.set()

    def say(self, voice: Hashable, words: str) -> None:
        """The next words of somebody."""
        if (waiting := self._open.get(voice)) is None:
            waiting = self._open[voice] = UntoldWords(voice)
            self._waiting.append(waiting)
        waiting.pieces.append(words)
        self._news.set()

    def end(self) -> None:
        self._over = True
        self._news.set()

    async def next(self) -> Mapping[str, Any] | UntoldWords | None:
        """None: that was all."""
        while not self._waiting:
            if self._over:
                return None
            self._news.clear()
            await self._news.wait()
        taken = self._waiting.popleft()
        if isinstance(taken, UntoldWords):
            self._open.pop(taken.voice, None)
        return taken
