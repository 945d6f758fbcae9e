"""Reports beside the page: files that somebody made, perhaps somebody else, shown without trust.

A report is HTML with scripts. In the server's own origin it could read the key that the page keeps, or ask the team; so it
is shut into a sandbox without an origin, and reaches nothing. It is behind the key, like everything; a link cannot send
a key, so the page's links carry a ticket, which opens one report for a while.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
import time
from pathlib import Path

MOST_BYTES = 512 * 1024 * 1024
"""Of a report that are shown."""

TICKET_S = 12 * 3600.0

POLICY = (
    "sandbox allow-scripts allow-popups allow-downloads; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; connect-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, no-store",
}


class Reports:
    """The HTML files of one folder: no links out of it, nothing below it, nothing hidden."""

    def __init__(self, folder: Path | None, secret: bytes) -> None:
        self._folder = folder
        self._secret = secret

    def names(self) -> list[str]:
        if self._folder is None:
            return []
        try:
            with os.scandir(self._folder) as entries:
                files = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
        except OSError:  # the folder was taken away
            return []
        return sorted(filter(_shown, files))

    def read(self, name: str) -> bytes | None:
        """None where there is no such report. Opened first and looked at then: nobody can change it in between."""
        if self._folder is None or not _shown(name):
            return None
        try:
            with open(self._folder / name, "rb", opener=_opened) as file:
                return file.read(MOST_BYTES)
        except (OSError, ValueError):
            return None

    def ticket(self, name: str) -> str:
        """Leave to read one report, for whoever has the link."""
        until = f"{time.time() + TICKET_S:.0f}"
        return f"{until}.{self._signed(name, until)}"

    def opens(self, name: str, ticket: str) -> bool:
        until, _, signed = ticket.partition(".")
        if not hmac.compare_digest(signed.encode("utf-8", "replace"), self._signed(name, until).encode()):
            return False
        return float(until) > time.time()  # ours, since it is signed

    def _signed(self, name: str, until: str) -> str:
        signed = f"{until}/{name}".encode("utf-8", "replace")
        return hmac.new(self._secret, signed, hashlib.sha256).hexdigest()


def _opened(path: str, flags: int) -> int:
    """A file and nothing else: not what a link leads to, nor a pipe that nobody writes to."""
    number = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise FileNotFoundError(path)
    return number


def _shown(name: str) -> bool:
    return name.endswith(".html") and not name.startswith(".") and not any(mark in name for mark in "/\\\0")
