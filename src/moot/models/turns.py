"""Work in steps, so that what takes long does not keep the event loop to itself.

Something long may come from a server at once: a reply of megabytes in one event. Whoever goes through it says after every
step of some milliseconds that others may have their turn; who waits for it gives them one, and who cannot goes on.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import aclosing
from typing import TypeVar

T = TypeVar("T")
Stepwise = Generator[None, None, T]
"""Yields after each step, and returns what came of them."""

TURN_S = 0.005
"""What has already come in is gone through for so long before others have their turn: a server that sends faster than it is
read would else keep the event loop to itself."""


def ended(steps: Stepwise[T]) -> T:
    """What comes of them, at once."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


async def each_in_turn(values: AsyncGenerator[T]) -> AsyncIterator[T]:
    """One after the other, while others have their turns: neither who makes them nor who takes them need wait for anything."""
    over_at = time.perf_counter() + TURN_S
    async with aclosing(values):
        async for value in values:
            yield value
            if time.perf_counter() > over_at:
                await asyncio.sleep(0)
                over_at = time.perf_counter() + TURN_S


async def in_turns(steps: Stepwise[T]) -> T:
    """What comes of them, while others have their turns."""
    over_at = time.perf_counter() + TURN_S
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        if time.perf_counter() > over_at:
            await asyncio.sleep(0)
            over_at = time.perf_counter() + TURN_S
