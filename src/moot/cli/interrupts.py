"""Ctrl-C while figures are taken: the command ends at once, with one line and nothing half-written.

An event loop turns Ctrl-C into a request to its task, which neither a thread that reads a store nor a computation
without a pause ever hears: the figures would be shown as if nobody had said anything. While figures are taken nothing is
written and nobody is asked, so there is nothing to put in order: what was played is in the store.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from moot.cli.exit import INTERRUPTED

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
