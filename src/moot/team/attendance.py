"""Attendance: a round that need not wait for everybody, and who was late for it.

Two thirds of the players and a period of grace are enough for a round to go on. Who was late then is a decision, and it
is made once: another line-up of the same question, or the same one after an interruption, hears exactly those who were
heard the first time, whatever has come in since.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from moot.errors import BudgetReached
from moot.team.together import dropped, heard_out

T = TypeVar("T")

Decide = Callable[[], Awaitable[tuple[str, ...]]]
"""Plays the round and says who was late."""

MOST_REMEMBERED = 10_000
"""Rounds whose decisions are held in memory: line-ups of one question are played close together."""


@dataclass(frozen=True, slots=True)
class Quorum:
    """When a round may go on: two thirds have replied, and those who are left have had so many seconds more."""

    grace_s: float = 60.0

    @staticmethod
    def needed(players: int) -> int:
        return -(-2 * players // 3)


class Attendance(Protocol):
    async def settle(self, key: str, decide: Decide) -> tuple[str, ...]:
        """Who was late for the round of this key: as decided earlier, else as `decide` says now."""


class Remembered:
    """Attendance in this process: whoever comes first decides, and those who come meanwhile wait for the decision."""

    def __init__(self) -> None:
        self._settled: dict[str, tuple[str, ...]] = {}
        self._open: dict[str, asyncio.Lock] = {}

    async def settle(self, key: str, decide: Decide) -> tuple[str, ...]:
        if key not in self._settled:
            async with self._open.setdefault(key, asyncio.Lock()):
                if key not in self._settled:
                    self._settled[key] = await self.decided(key, decide)
            self._open.pop(key, None)
        late = self._settled[key]
        while len(self._settled) > MOST_REMEMBERED:
            del self._settled[next(iter(self._settled))]
        return late

    async def decided(self, key: str, decide: Decide) -> tuple[str, ...]:
        """Where nobody in this process knows. A store that remembers longer is asked here."""
        return await decide()


async def until_quorum(asked: Mapping[str, Awaitable[T]], quorum: Quorum, usable: Callable[[T], bool]) -> dict[str, T]:
    """Those who replied in time, by name; the calls of the others are dropped.

    Only usable replies make a quorum: two errors that arrive at once are nobody's majority.
    """
    out = {asyncio.ensure_future(one): name for name, one in asked.items()}
    heard: dict[str, T] = {}
    deadline: float | None = None
    clock = asyncio.get_running_loop().time
    try:
        while out:
            left_s = None if deadline is None else max(0.0, deadline - clock())
            done, _ = await asyncio.wait(out, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
            if not done:
                break
            heard |= {out.pop(task): task.result() for task in done}
            if deadline is None and sum(map(usable, heard.values())) >= quorum.needed(len(asked)):
                deadline = clock() + quorum.grace_s
    except BudgetReached:
        await heard_out(out)
        raise
    finally:
        await dropped(out)
    return heard
