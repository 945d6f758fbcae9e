"""A command in a terminal of 80 columns and 24 rows, and what a person sees there."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import termios
import threading
from pathlib import Path

COLUMNS, ROWS = 80, 24


def seen_in_terminal(folder: Path, *arguments: str, codes: tuple[int, ...] = (0,), **environment: str) -> list[str]:
    """What a terminal of that size shows, line by line; what a progress line writes over itself counts once."""
    return left_on_screen(sent_to_terminal(folder, *arguments, codes=codes, **environment))


def sent_to_terminal(folder: Path, *arguments: str, codes: tuple[int, ...] = (0,), **environment: str) -> str:
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (ROWS, COLUMNS))
    variables = {**os.environ, "TERM": "xterm", "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    for name in ("COLUMNS", "LINES", "PAGER", "LESS"):
        if name not in environment:
            variables.pop(name, None)
    command = [sys.executable, "-m", "moot", *arguments]
    process = subprocess.Popen(command, cwd=folder, env=variables, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    heard = b""

    def read() -> None:
        nonlocal heard
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other side is closed
                return
            if not piece:
                return
            heard += piece

    reader = threading.Thread(target=read)
    reader.start()
    try:
        code = process.wait(120)
    finally:
        process.kill()
        reader.join(10)
        os.close(ours)
    sent = heard.decode("utf-8", "replace")
    assert code in codes, sent
    return sent


def left_on_screen(text: str) -> list[str]:
    """The lines that stay: a progress line goes up and over itself, and is gone at the end."""
    lines = [""]
    for written, code in re.findall(r"([^\x1b]*)(\x1b\[[0-9;?]*[A-Za-z]|\x1b.|$)", text):
        for part in re.split(r"(\r?\n|\r)", written):
            if part.endswith("\n"):
                lines.append("")
            elif part == "\r":
                lines[-1] = ""
            else:
                lines[-1] += part
        if code == "\x1b[1A" and len(lines) > 1:
            lines.pop()
        elif code == "\x1b[2K":
            lines[-1] = ""
    while lines and not lines[-1]:
        lines.pop()
    return [line.rstrip() for line in lines]


def ran_in_pipe(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The same where there is no terminal."""
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "moot", *arguments]
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=True, timeout=120)
