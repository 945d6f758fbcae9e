"""Ctrl-C while figures are taken: the command ends at once, with one line and nothing half-written.

An event loop turns Ctrl-C into a request to its task, which neither a thread that reads a store nor a computation
without a pause ever hears: the figures would be shown as if nobody had said anything. While figures are taken nothing is
written and nobody is asked, so there is nothing to put in order: what was played is in the store.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from moot.cli.exit import INTERRUPTED
from moot.cli.safe_text import say
from moot.engine.stopping import CallsOnly, Stopping, Unfinished
from moot.models.flights import Flights

T = TypeVar("T")

TOLD = "interrupted"
SHOW_CURSOR = "\r\x1b[?25h"
"""Whoever drew a progress bar has hidden it."""


def leave_at_once(told: str = TOLD) -> None:
    """Now, with one line: a thread that computes, or waits for a lock, would keep any other exit waiting."""
    error = sys.__stderr__.fileno() if sys.__stderr__ is not None else 2
    with suppress(OSError):
        os.write(error, f"{SHOW_CURSOR if os.isatty(error) else ''}moot: {told}\n".encode())
    os._exit(INTERRUPTED)


@contextmanager
def ends_on_ctrl_c(told: str = TOLD) -> Iterator[None]:
    """Only where nothing is being written and nobody is being asked. `told`: the one line that is said."""
    if threading.current_thread() is not threading.main_thread():  # signals come to the main thread alone
        yield
        return

    before = signal.signal(signal.SIGINT, lambda number, frame: leave_at_once(told))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def tell_unfinished(unfinished: Unfinished) -> None:
    say(f"moot: {unfinished.words}", file=sys.stderr)


async def asked_in_order(work: Coroutine[Any, Any, T], flights: Flights) -> T:
    """What comes of calls that are no episode's. Ctrl-C lets those that have left come home, and is raised after that."""
    asking = CallsOnly(work, flights)
    with Stopping(asking, tell_unfinished, leave_at_once).listening():
        return await asking.result()


def run_or_interrupted(work: Coroutine[Any, Any, T]) -> T:
    """A command that hears of Ctrl-C by itself ends by it as any other does."""
    try:
        return asyncio.run(work)
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
