"""Which process a run belongs to, so that a run whose process is gone is not said to be under way for ever.

A process that was killed, or whose store could not be written any more, leaves the word "running" behind. On the machine
where it ran anybody can see that it is gone; elsewhere nobody can, and the word stands. A container is elsewhere, whatever
name it goes by: the numbers of its processes are its own.
"""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from moot.types import digest

THE_MACHINES_OWN = "pid:[4026531836]"
"""The first namespace of processes, under the number that Linux gives it everywhere."""

GONE = "its process ended without a word: killed, or unable to write"

_open: set[str] = set()
"""The runs of this process that are under way."""


def begun() -> dict[str, Any]:
    """Who runs, to be kept with the run. The machine's name is nobody's business: its hash tells it apart as well."""
    run = uuid.uuid4().hex
    _open.add(run)
    return {"host": _host(), "numbers": _numbers(), "pid": os.getpid(), "run": run}


def _host() -> str:
    return digest(socket.gethostname())[:12]


@cache
def _numbers() -> str:
    """Where a process's number means the same process. The machine's own numbering survives a start, a container's does not."""
    parts = [_read("/etc/machine-id")]
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        space = ""
    if space not in ("", THE_MACHINES_OWN):
        parts += [space, _read("/proc/sys/kernel/random/boot_id")]
    return digest(parts)[:12]


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


def over(process: Mapping[str, Any]) -> None:
    _open.discard(process["run"])


def is_gone(process: Mapping[str, Any] | None) -> bool:
    """Whether it is known that nobody carries this run on."""
    if process is None or process["host"] != _host() or process.get("numbers", _numbers()) != _numbers():
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
