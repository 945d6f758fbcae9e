"""`moot play` at a real terminal: a pseudo-terminal with a person's keystrokes, in place of pipes."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

termios = pytest.importorskip("termios", reason="no terminals of this kind here")

CLOCK_S = 3.0
PROGRAM = f"""
import os, sys
os.login_tty(int(sys.argv[1]))
import moot.cli.play
from moot.cli.app import app
from moot.cli.exit import run_app
moot.cli.play.CLOCK_S = {CLOCK_S}
moot.cli.play.HURRY_S = 1.0
sys.exit(run_app(app, sys.argv[2:]))
"""


class Terminal:
    """A person in front of a screen: reads until something shows, then types."""

    def __init__(self, *arguments: str) -> None:
        self.screen, keyboard = os.openpty()
        termios.tcsetwinsize(self.screen, (40, 100))
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(keyboard), *arguments], pass_fds=(keyboard,), env=environment
        )
        os.close(keyboard)
        self.shown = b""
        self.place = 0

    @property
    def seen(self) -> str:
        """All that was shown, without colours."""
        text = self.shown.decode(errors="replace").replace("\r\n", "\n")
        return re.sub(r"\x1b\[[0-9;]*m", "", text)

    def until(self, words: str, seconds: float = 120) -> str:
        """What shows up to and with these words, from where the last look ended."""
        end = time.monotonic() + seconds
        while (found := self.seen.find(words, self.place)) < 0:
            left = end - time.monotonic()
            assert left > 0, f"{words!r} did not show in {self.seen[self.place :]!r}"
            if select.select([self.screen], [], [], left)[0]:
                self.shown += self._read()
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


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    rows = [{"id": f"q{n}", "text": f"Who is {n}?", "answer": f"Person {n}"} for n in range(4)]
    package = tmp_path / "package.jsonl"
    package.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    team = tmp_path / "team.yaml"
    models = {name: {"provider": "simulated", "accuracy": 1.0} for name in ("ann", "bob")}
    team.write_text(json.dumps({"name": "t", "models": models}), encoding="utf-8")
    opened = Terminal("play", str(package), "--team", str(team), "--captain", "me")
    yield opened
    opened.close()


def test_a_person_in_the_captains_chair(terminal: Terminal) -> None:
    opening = terminal.until("question 1 of 4")
    assert "ann, bob, me; captain: me; you decide by their answers; 4 questions, 6 points to win" in opening

    terminal.until("( 3 s): ")
    terminal.type("Person 0\n")
    assert "right" in terminal.until("team 1 : 0 audience")

    # The clock runs down in its place while somebody types, and takes what was begun with it.
    terminal.until("question 2 of 4")
    terminal.until("( 3 s): ")
    terminal.type("Pers")
    ticking = terminal.until("time is up")
    assert re.search(r"\x1b7\r.*1 s.*\x1b8", ticking)
    assert "seconds left" not in ticking
    assert "no answer" in terminal.until("team 1 : 1 audience")

    terminal.until("question 3 of 4")
    terminal.until("( 3 s): ")
    terminal.type("Person 2\n")
    assert "the team says: Person 2 – right" in terminal.until("team 2 : 1 audience")

    terminal.until("question 4 of 4")
    terminal.until("( 3 s): ")
    terminal.type("\x03")
    assert terminal.end() == 130
    last = terminal.seen[terminal.place :]
    assert "\nstopped" in last, "the end stands on a line of its own"
    assert "team 2 : 1 audience" in last
    assert "Traceback" not in terminal.seen


def test_the_end_of_the_input_is_silence_to_the_end(terminal: Terminal) -> None:
    terminal.until("( 3 s): ")
    terminal.type("\x04")
    assert terminal.end() == 0
    assert re.search(r"s\): (\x1b8)?\n  ann    Person 0    right", terminal.seen), "what follows has a line of its own"
    assert "team 0 : 4 audience" in terminal.seen
