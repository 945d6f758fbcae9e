"""Who has locked a SQLite file, as Linux tells it: whoever waits for a minute in vain wants to know for whom."""

from __future__ import annotations

import os
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path

WRITING = 120
"""The byte of the -shm file that a writer in WAL mode has locked."""
AGAIN_S = 0.01


@dataclass(frozen=True, slots=True)
class Writer:
    """A process that holds the lock."""

    pid: int
    command: str
    stopped: bool

    def __str__(self) -> str:
        what = f"process {self.pid}" + (f" ({self.command})" if self.command else "")
        if self.stopped:
            return f"{what} holds it and is stopped; let it go on (kill -CONT {self.pid}) or end it, then run again"
        return f"{what} holds it; wait until it has ended, or end it, then run again"


def writer_of(path: Path) -> Writer | None:
    """None: nobody knows, as on another system or in another container."""
    path = path.resolve()
    places: dict[tuple[str, bool], Path] = {}
    for file in (Path(f"{path}-shm"), path):
        try:
            found = file.stat()
        except OSError:
            continue
        device = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
        places[device, file != path] = file
    for pid, place, first, last in _write_locks():
        in_log = (place, True) in places and first <= WRITING <= last
        if pid != os.getpid() and (in_log or (place, False) in places):
            return Writer(pid, _command(pid), _is_stopped(pid))
    return None


def _write_locks() -> list[tuple[int, str, int, int]]:
    """Process, file, first and last byte."""
    try:
        lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return []
    locks = []
    for line in lines:
        # 1: POSIX  ADVISORY  WRITE 3568 fd:00:2531452 120 120
        words = line.split()
        if len(words) == 8 and words[3] == "WRITE" and words[4].isdigit() and int(words[4]):
            last = int(words[7]) if words[7].isdigit() else 2**63
            locks.append((int(words[4]), words[5], int(words[6]), last))
    return locks


def _command(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    return " ".join(" ".join(word.decode("utf-8", "replace") for word in words if word).split())[:100]


def _is_stopped(pid: int) -> bool:
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
            in "Tt"
        )
    except (OSError, IndexError):
        return False


def with_log_beside(connection: sqlite3.Connection, patience_s: float) -> None:
    """What is written goes to a log beside the file first, so that readers wait for nobody. Whoever makes the same store at this
    moment stands in the way, and SQLite does not wait for that by itself."""
    ends_at = time.monotonic() + patience_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > ends_at:
                raise
            time.sleep(AGAIN_S)
        else:
            return
