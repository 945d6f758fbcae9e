"""Killed or stopped at the very moments that matter: while the store is opened, made, migrated, written and closed.

Not by a clock: the process does it to itself, at a line of its own. The next run goes on, asks exactly what was not stored,
and finds everything that was.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from billing import Provider, provider
from processes import StorePlace, experiment, finish, sqlite_place, start, store_place, write_questions

QUESTIONS = 8
MODELS = 3
CALLS = MODELS * QUESTIONS

PREAMBLE = """
import os, signal, sys
from moot.store import holders, migrating, postgresql, presence, sqlite, store
holders.LEASE_S = 3.0
sent = signal.SIGKILL if {action!r} == "killed" else signal.SIGSTOP
done = []

def here():
    if not done:
        done.append(True)
        os.kill(os.getpid(), sent)

def before(kind, name):
    original = getattr(kind, name)
    def patched(*arguments, **named):
        here()
        return original(*arguments, **named)
    setattr(kind, name, patched)

def after(kind, name):
    original = getattr(kind, name)
    def patched(*arguments, **named):
        result = original(*arguments, **named)
        here()
        return result
    setattr(kind, name, patched)

def after_step(name):
    step = migrating.MIGRATIONS[name]
    migrating.MIGRATIONS[name] = lambda connection: (step(connection), here())

def after_commit_of_calls():
    commit, attempt = sqlite.SqliteStore._write, postgresql.Writing._attempt
    async def write(self, group):
        result = await commit(self, group)
        if group.calls:
            here()
        return result
    async def attempted(self, connection):
        result = await attempt(self, connection)
        if self._calls:
            here()
        return result
    sqlite.SqliteStore._write, postgresql.Writing._attempt = write, attempted

def before_commit_of_calls():
    after(sqlite.SqliteStore, "_add_calls")
    add_calls = postgresql.Writing._add_calls
    async def added(self, connection):
        result = await add_calls(self, connection)
        here()
        return result
    postgresql.Writing._add_calls = added

def while_episodes_are_kept_back():
    hand_out = store.Store._hand_out
    def handed_out(self, group, done):
        hand_out(self, group, done)
        if self._held_since is not None:
            here()
    store.Store._hand_out = handed_out

{moment}
from moot.cli import main
main()
"""

MOMENTS = {
    "before its tables are there": 'before(migrating, "migrate")',
    "between its tables and their commit": 'after(migrating, "_begin")',
    "before calls are committed": "before_commit_of_calls()",
    "after calls were committed": "after_commit_of_calls()",
    "when it leaves the others": 'before(presence.Presence, "leave")',
    "when it closes": 'before(sqlite.SqliteStore, "_shut"); before(postgresql.PostgresStore, "_shut")',
}


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> StorePlace:
    return store_place(request, tmp_path)


def started(path: Path, moment: str, action: str) -> subprocess.Popen[str]:
    program = PREAMBLE.format(action=action, moment=moment)
    command = [sys.executable, "-c", program, "run", str(path), "--quiet"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_inside(tmp_path: Path, place: StorePlace, moment: str) -> None:
    write_questions(tmp_path, QUESTIONS)
    with provider(latency_s=0.0) as server:
        path = experiment(tmp_path, server.base_url, place.url)
        assert finish(started(path, MOMENTS[moment], "killed")) == (-signal.SIGKILL, "")
        kept = place.calls()
        assert finish(start(path)) == (0, "")
        assert asked_once(server) >= kept, "what is stored is not asked for again"
    if moment in ("after calls were committed", "when it leaves the others", "when it closes"):
        assert kept, "what is committed is kept"
    whole(place)


def test_killed_while_episodes_are_kept_back(tmp_path: Path, place: StorePlace) -> None:
    """They are missing then; but their calls are stored, and the next run makes them of those alone."""
    questions = 100
    write_questions(tmp_path, questions)
    with provider(latency_s=0.05) as server:
        path = experiment(tmp_path, server.base_url, place.url, concurrent=64)
        killed = started(path, "while_episodes_are_kept_back()", "killed")
        assert finish(killed) == (-signal.SIGKILL, "")
        kept, episodes = place.calls(), place.count("episodes")
        assert episodes < len(kept) < MODELS * questions, "an episode has one call here: some were kept back"
        asked_before = server.requests
        assert finish(start(path)) == (0, "")
        assert server.requests == asked_before + MODELS * questions - len(kept), "only what is not stored is asked"
        assert asked_once(server) >= kept
    assert len(place.calls()) == place.count("calls") == MODELS * questions
    assert place.count("episodes WHERE outcome <> 'failed'") == place.count("scores") == MODELS * questions


def test_killed_inside_a_migration(tmp_path: Path) -> None:
    place = sqlite_place(tmp_path)
    write_questions(tmp_path, QUESTIONS)
    with provider(latency_s=0.0) as server:
        path = experiment(tmp_path, server.base_url, place.url)
        assert finish(start(path)) == (0, "")
        applied = place.sql("SELECT name FROM migrations ORDER BY name")
        of_yesterday = "DELETE FROM migrations WHERE name >= '0010'; DROP TABLE claims; DROP TABLE holders;"
        subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path / "s.db"), of_yesterday], check=True)
        assert finish(started(path, 'after_step("0011-ledger")', "killed")) == (-signal.SIGKILL, OLDER)
        assert finish(start(path)) == (0, OLDER), "nothing of the migration was kept"
        assert finish(start(path)) == (0, "")
        assert server.requests == CALLS
    assert place.sql("SELECT name FROM migrations ORDER BY name") == applied
    whole(place)


OLDER = "an older moot's store: it is brought up to date; a large one takes minutes\n"
SCRIPT = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])"


@pytest.mark.parametrize("moment", ["after calls were committed", "when it closes"])
def test_stopped_inside(tmp_path: Path, place: StorePlace, moment: str) -> None:
    """The next run goes on beside one that hangs, and that one ends well when it wakes."""
    write_questions(tmp_path, QUESTIONS)
    with provider(latency_s=0.0) as server:
        path = experiment(tmp_path, server.base_url, place.url, concurrent=1)
        first = started(path, MOMENTS[moment], "stopped")
        stopped_itself(first)
        try:
            kept = place.calls()
            assert finish(started(path, "", "killed")) == (0, "")
            requests = server.requests
        finally:
            first.send_signal(signal.SIGCONT)
        assert finish(first) == (0, "")
        assert server.requests <= requests + MODELS, "it finds what the other has asked, but for what was on its way"
        assert kept
        assert asked_once(server) >= kept
    whole(place)


def stopped_itself(process: subprocess.Popen[str]) -> None:
    told = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    assert told is not None
    assert told.si_code == os.CLD_STOPPED, finish(process)


def asked_once(server: Provider) -> set[tuple[str, str]]:
    bodies = [json.loads(body) for body, times in server.asked.items() if times == 1]
    return {(body["model"], body["messages"][0]["content"]) for body in bodies}


def whole(place: StorePlace) -> None:
    assert len(place.calls()) == CALLS
    assert place.sql("SELECT count(*) FROM episodes WHERE outcome <> 'failed'")[0][0] == CALLS
    if place.url.startswith("sqlite"):
        assert place.sql("PRAGMA integrity_check") == [("ok",)]
