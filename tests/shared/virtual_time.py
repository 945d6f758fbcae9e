"""Time that passes only when nothing is left to do: what waits for a clock is tried exactly, at once, on any machine."""

from __future__ import annotations

import asyncio
import functools
import selectors
import time
from collections.abc import Callable, Coroutine
from typing import Any
from unittest.mock import patch


class Idle(selectors.DefaultSelector):  # type: ignore[valid-type, misc]
    """Does not wait: when nothing is ready, the time it was to wait is over."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_000.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        self.now += (
            1e-9  # a turn of the loop takes a moment: who waits for the last digit of a sum must not wait for ever
        )
        if not ready and timeout is None:
            raise RuntimeError("everybody waits, and nothing is to come")
        if not ready and timeout:
            self.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._idle = Idle()
        super().__init__(self._idle)

    def time(self) -> float:
        return self._idle.now


def now() -> float:
    """The time of the running loop: a clock to be given where one is asked for."""
    return asyncio.get_running_loop().time()


def virtual_time(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test without threads and sockets in virtual time: `asyncio.sleep` and `time.monotonic` agree."""

    @functools.wraps(test)
    def run(*given: Any, **named: Any) -> None:
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            loop = runner.get_loop()
            with patch.object(time, "monotonic", loop.time):
                runner.run(test(*given, **named))

    return run
