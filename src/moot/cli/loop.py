"""The event loop of long runs: uvloop where the platform has it, since a third of a call's CPU is the loop's own."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from moot.engine.garbage import spare_collector

T = TypeVar("T")


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    spare_collector()
    try:
        import uvloop
    except ImportError:  # Windows
        return asyncio.run(work)
    return uvloop.run(work)
