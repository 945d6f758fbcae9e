"""What is left to play, ahead of those who play it: batches that are read while the last one is under way."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Prefetched(Generic[T]):
    """Items of batches that come asynchronously, for many takers, with one batch always on its way."""

    def __init__(self, batches: AsyncIterator[list[T]]) -> None:
        self._batches = batches
        self._shelf: deque[T] = deque()
        self._coming: asyncio.Task[list[T] | None] | None = self._fetch()

    async def next(self) -> T | None:
        while not self._shelf:
            if self._coming is None:
                return None
            coming = self._coming
            batch = await asyncio.shield(coming)
            if coming is self._coming:  # the first who wakes takes it for all
                self._shelf.extend(batch or ())
                self._coming = None if batch is None else self._fetch()
        return self._shelf.popleft()

    def close(self) -> None:
        if self._coming is not None:
            self._coming.cancel()

    def _fetch(self) -> asyncio.Task[list[T] | None]:
        return asyncio.create_task(self._next_batch())

    async def _next_batch(self) -> list[T] | None:
        return await anext(self._batches, None)
