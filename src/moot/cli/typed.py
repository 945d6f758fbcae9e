"""What a person types, line by line, without holding up anything else: from a terminal, a pipe or a file.

The reading thread uses the file descriptor itself. A thread that waits inside `sys.stdin` holds its lock, and a program
that ends meanwhile is killed by it; one that waits in `os.read` is in nobody's way.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress


class Typed:
    """Lines of standard input. Nothing is read before the first line is asked for."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._started = False
        self._ended = False

    async def line(self) -> str | None:
        """The next line, without its end; None where the input is over."""
        if not self._started:
            self._started = True
            threading.Thread(target=self._read, args=(asyncio.get_running_loop(),), daemon=True).start()
        if self._ended:
            return None
        line = await self._lines.get()
        self._ended = line is None
        return line

    def forget(self) -> None:
        """At a terminal, drop what was typed too late: it was meant for something else. A pipe is never ahead of us.

        Dropped is also a line that was begun and not ended: it would be the beginning of the next answer.
        """
        _drop_begun()
        while sys.stdin.isatty() and not self._lines.empty():
            if self._lines.get_nowait() is None:
                self._ended = True

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            for line in _lines():
                loop.call_soon_threadsafe(self._lines.put_nowait, line)
            loop.call_soon_threadsafe(self._lines.put_nowait, None)
        except RuntimeError:
            pass  # the loop has ended, and with it everybody who waited


def _drop_begun() -> None:
    try:
        import termios
    except ImportError:  # a system without them
        return
    with suppress(OSError, ValueError, AttributeError, termios.error):  # no terminal behind it
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def _lines() -> Iterator[str]:
    try:
        descriptor = sys.stdin.fileno()
    except (OSError, ValueError, AttributeError):
        yield from (line.rstrip("\r\n") for line in sys.stdin or ())  # no file behind it, so it never waits
        return
    encoding = sys.stdin.encoding or "utf-8"
    rest = b""
    while chunk := _chunk(descriptor):
        *whole, rest = (rest + chunk).split(b"\n")
        yield from (line.decode(encoding, errors="replace").rstrip("\r") for line in whole)
    if rest:
        yield rest.decode(encoding, errors="replace")


def _chunk(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""
