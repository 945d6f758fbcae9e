"""A person in front of a terminal on which `moot` runs: reads until something shows, then types."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import termios
import time

PROGRAM = """
import os, sys
os.login_tty(int(sys.argv[1]))
import moot.cli.play, moot.cli.play_screen
from moot.cli.app import app
from moot.cli.exit import run_app
moot.cli.play.CLOCK_S = {clock_s}
moot.cli.play_screen.HURRY_S = 1.0
sys.exit(run_app(app, sys.argv[2:]))
"""


class Terminal:
    """The clock of a game is short here, so that nobody waits for it."""

    def __init__(self, *arguments: str, rows: int = 40, columns: int = 100, clock_s: float = 3.0) -> None:
        self.screen, keyboard = os.openpty()
        termios.tcsetwinsize(self.screen, (rows, columns))
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": str(columns), "LINES": str(rows)}
        command = [sys.executable, "-c", PROGRAM.format(clock_s=clock_s), str(keyboard), *arguments]
        self.process = subprocess.Popen(command, pass_fds=(keyboard,), env=environment)
        os.close(keyboard)
        self.shown = b""
        self.place = 0

    @property
    def sent(self) -> str:
        """All that was sent, as the terminal obeys it."""
        return self.shown.decode(errors="replace")

    @property
    def seen(self) -> str:
        """All that was shown, without colours."""
        return re.sub(r"\x1b\[[0-9;]*m", "", self.sent.replace("\r\n", "\n"))

    def until(self, words: str, seconds: float = 120) -> str:
        """What shows up to and with these words, from where the last look ended."""
        end = time.monotonic() + seconds
        while (found := self.seen.find(words, self.place)) < 0:
            left = end - time.monotonic()
            assert left > 0, f"{words!r} did not show in {self.seen[self.place :]!r}"
            if select.select([self.screen], [], [], left)[0]:
                piece = self._read()
                assert piece, f"{words!r} did not show in {self.seen[self.place :]!r}"
                self.shown += piece
        start, self.place = self.place, found + len(words)
        return self.seen[start : self.place]

    def type(self, keys: str) -> None:
        os.write(self.screen, keys.encode())

    def end(self) -> int:
        """The exit code, once all has been read: an end of file, or on Linux an error, says so."""
        while chunk := self._read():
            self.shown += chunk
        return self.process.wait(timeout=60)

    def _read(self) -> bytes:
        try:
            return os.read(self.screen, 4096)
        except OSError:
            return b""

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.screen)
