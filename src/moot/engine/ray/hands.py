"""Questions dealt out to workers: a hand at a time, and once more when a worker died with its hand."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass

from moot.engine.prefetched import Prefetched
from moot.engine.ray.worker import Dealt


@dataclass
class Hand:
    """Questions dealt out together."""

    questions: tuple[Dealt, ...]
    deaths: int = 0


class Deal:
    """What is left to play, hand by hand; a hand that was lost is dealt out again."""

    def __init__(self, hands: AsyncIterator[list[Hand]]) -> None:
        self._hands = Prefetched(hands)
        self._lost: deque[Hand] = deque()
        self._out = 0
        self._dry = False
        self._changed = asyncio.Event()

    async def next(self) -> Hand | None:
        while True:
            if self._lost:
                return self._lost.popleft()
            if not self._dry:
                hand = await self._hands.next()
                if hand is not None:
                    self._out += 1
                    return hand
                self._dry = True
                self._tell()
            elif self._out == 0:
                return None
            else:
                await self._changed.wait()

    def over(self) -> None:
        self._out -= 1
        self._tell()

    def lost(self, hand: Hand) -> None:
        self._lost.append(hand)
        self._tell()

    def close(self) -> None:
        self._hands.close()

    async def wait(self) -> None:
        """Until everything was played."""
        while not self._dry or self._out or self._lost:
            await self._changed.wait()

    def _tell(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
