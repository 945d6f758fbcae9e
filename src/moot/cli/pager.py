"""Long texts by the page, as git shows them: only in a terminal, and nothing that fits a screen waits for a key."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from moot.cli.console import Console

LESS = "FRX"
"""What less is asked for where nobody has said: end if it fits a screen, show colours, leave the text on the screen."""


@contextmanager
def paged(*, wanted: bool = True) -> Iterator[Console]:
    """A console whose text goes to ``$PAGER``, else to less; straight to the terminal where there is neither."""
    console = Console()
    pager = _pager() if wanted and sys.stdout.isatty() else None
    if pager is None:
        yield console
        return
    with console.capture() as captured:
        yield console
    text = captured.get()
    if len(text.splitlines()) < console.height:
        sys.stdout.write(text)
        return
    _show(pager, text)


def _pager() -> list[str] | None:
    """None: none is there, the reader wants none, or what is named is no command."""
    named = os.environ.get("PAGER")
    if named is None:
        return ["less"] if shutil.which("less") else None
    try:
        command = shlex.split(named)
    except ValueError:  # a quotation mark that is never closed
        return None
    return command if command and command != ["cat"] and shutil.which(command[0]) else None


def _show(pager: list[str], text: str) -> None:
    environment = {**os.environ, "LESS": os.environ.get("LESS", LESS), "LESSCHARSET": "utf-8"}
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the pager's: it ends a search there
    try:
        with suppress(BrokenPipeError):  # whoever reads has seen enough
            subprocess.run(pager, input=text, env=environment, text=True, encoding="utf-8", check=False)
    except OSError:
        sys.stdout.write(text)
    finally:
        signal.signal(signal.SIGINT, before)
