"""Which process a run belongs to, so that a run whose process is gone is not said to be under way for ever.

A process that was killed, or whose store could not be written any more, leaves the word "running" behind. On the machine
where it ran anybody can see that it is gone; elsewhere nobody can, and the word stands.
"""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Mapping
from typing import Any

from moot.types import digest

GONE = "its process ended without a word: killed, or unable to write"

_open: set[str] = set()
"""The runs of this process that are under way."""


def begun() -> dict[str, Any]:
    """Who runs, to be kept with the run. The machine's name is nobody's business: its hash tells it apart as well."""
    run = uuid.uuid4().hex
    _open.add(run)
    return {"host": digest(socket.gethostname())[:12], "pid": os.getpid(), "run": run}


def over(process: Mapping[str, Any]) -> None:
    _open.discard(process["run"])


def is_gone(process: Mapping[str, Any] | None) -> bool:
    """Whether it is known that nobody carries this run on."""
    if process is None or process["host"] != digest(socket.gethostname())[:12]:
        return False
    if process["pid"] == os.getpid():
        return process["run"] not in _open
    return os.name == "posix" and not _lives(process["pid"])


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)  # asks, and sends nothing
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's
    return True
