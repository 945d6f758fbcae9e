"""A terminal that is closed (SIGHUP): what is under way is ended as by SIGTERM, so that all that was paid for is in the books.

Whoever starts a command with `nohup` wants it to go on: where the signal is ignored from the start it stays so.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

STREAMS = (1, 2)
"""Standard output and standard error."""


def heard() -> bool:
    """Whether there is such a signal here, and nobody wants it to be ignored."""
    return hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN


class Terminal:
    """Where a command speaks to at its start."""

    def __init__(self) -> None:
        self._streams = [stream for stream in STREAMS if os.isatty(stream)]

    def leave_if_gone(self) -> None:
        """What is still said to a terminal that is gone goes nowhere: to write there fails, in the midst of closing."""
        for stream in self._streams:
            if not os.isatty(stream):
                with suppress(OSError):
                    nowhere = os.open(os.devnull, os.O_WRONLY)
                    os.dup2(nowhere, stream)
                    os.close(nowhere)


@contextmanager
def as_the_end(leave: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """While this lasts the signal is handed to `leave`, as another that ends a process would be. In the main thread."""
    if not heard():
        yield
        return

    terminal = Terminal()

    def hung_up(number: int, frame: FrameType | None) -> None:
        terminal.leave_if_gone()
        leave(number, frame)

    before = signal.signal(signal.SIGHUP, hung_up)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)
