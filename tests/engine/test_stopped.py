"""Processes that are stopped for longer than others wait for them, and wake again: what others took over they leave alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from billing import Provider, provider
from processes import StorePlace, experiment, finish, store_place, write_questions

LEASE_S = 3.0
CONCURRENT = 4
WINDOW = 32
"""Episodes that are under way in a run at least: so many calls are claimed when four are asked."""

QUESTIONS = 24
SOON_TAKEN_FOR_GONE = f"""
from moot.store import holders, presence
holders.LEASE_S, presence.BEAT_S = {LEASE_S}, 0.1
from moot.cli import main
main()
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> StorePlace:
    return store_place(request, tmp_path)


def start(path: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SOON_TAKEN_FOR_GONE, "run", str(path), "--quiet"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def until(reached: Callable[[], bool], *processes: subprocess.Popen[str]) -> None:
    while not reached():
        for process in processes:
            assert process.poll() is None, ("it was to be stopped at work", finish(process))
        time.sleep(0.02)


def stop_between_writes(process: subprocess.Popen[str], place: StorePlace) -> None:
    """Stopped inside a transaction it would keep SQLite's lock, and nobody could take anything over: `test_standing_still`."""
    while True:
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        if not place.locked():
            return
        process.send_signal(signal.SIGCONT)
        time.sleep(0.1)


def asked_again(server: Provider) -> int:
    return sum(times - 1 for times in server.asked.values())


@pytest.mark.parametrize(
    ("other", "wakes"), [("came before", "when all is done"), ("came after", "while the other is at work")]
)
def test_who_was_stopped_sends_nothing_that_the_other_took_over(
    tmp_path: Path, place: StorePlace, other: str, wakes: str
) -> None:
    write_questions(tmp_path, QUESTIONS)
    with provider(latency_s=0.0) as server:
        server.held = True
        path = experiment(tmp_path, server.base_url, place.url, concurrent=CONCURRENT)
        first = start(path)
        until(lambda: server.in_flight == CONCURRENT, first)
        second = start(path) if other == "came before" else None
        if second is not None:
            until(lambda: place.count("claims") >= WINDOW, first, second)
        stop_between_writes(first, place)
        try:
            server.held = False
            server.latency_s = 0.05
            second = second or start(path)
            if wakes == "when all is done":
                assert finish(second) == (0, "")
            else:
                until(lambda: server.requests >= 3 * CONCURRENT, second)
        finally:
            first.send_signal(signal.SIGCONT)
        assert finish(first) == (0, "")
        if second.returncode is None:
            assert finish(second) == (0, "")
        assert asked_again(server) <= 2 * CONCURRENT, "no more than what had left when it was stopped"
        assert place.count("episodes WHERE outcome <> 'failed'") == 3 * QUESTIONS
        assert place.count("claims") == place.count("holders") == 0
