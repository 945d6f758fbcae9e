"""Ctrl-C while figures are taken, or while another program holds the store: 130, one line, and nothing half-written."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from billing import provider

from moot.cli.app import app
from moot.cli.exit import run_app

STANDS_STILL = """
import sys, time
from pathlib import Path
from pkgutil import resolve_name

def stands_still(*arguments, **named):
    Path({mark!r}).write_text("")
    while True:
        time.sleep(0.01)

module, name = {place!r}.rsplit(".", 1)
setattr(resolve_name(module), name, stands_still)
from moot.cli import main
main()
"""
"""A command as a process of its own, whose figures are never ready; it says when somebody has asked for them."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played")
    players = {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob", "cat")}
    file = folder / "cup.yaml"
    questions = {"builtin": "general-en", "sample": 6}
    keys = {"name": "cup", "models": players, "questions": questions, "strategies": ["solo", "vote"]}
    file.write_text(json.dumps({**keys, "store": f"sqlite:///{folder}/cup.db"}))
    assert run_app(app, ["run", str(file), "--quiet"]) == 0
    return file


@pytest.mark.parametrize(
    ("place", "arguments", "told"),
    [
        ("moot.cli.report.figures", ["report"], "interrupted"),
        ("moot.cli.report.figures", ["report", "-o", "page.html"], "interrupted"),
        (
            "moot.cli.run.headline_of",
            ["run"],
            "interrupted; 24 of 24 episodes are kept, moot report shows their figures",
        ),
        ("moot.cli.compare.compared", ["compare", "--a", "vote", "--b", "solo@ann"], "interrupted"),
        ("moot.cli.select.stored_labels", ["select", "--k", "2"], "interrupted"),
        ("moot.cli.select.method_rows", ["select", "--k", "2"], "interrupted"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value.rpartition(".")[2],
)
def test_the_command_ends_at_once(place: str, arguments: list[str], told: str, played: Path, tmp_path: Path) -> None:
    mark = tmp_path / "asked"
    code = STANDS_STILL.format(mark=str(mark), place=place)
    command = [sys.executable, "-c", code, arguments[0], str(played), *arguments[1:]]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        while not mark.exists():
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        shown, error = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 130, error
    assert [line for line in error.splitlines() if line.startswith("moot")] == [f"moot: {told}"]
    assert "Traceback" not in error
    assert shown == ""
    assert [path.name for path in tmp_path.iterdir()] == ["asked"], "nothing is written"


AT_A_LOCKED_STORE = """
from pathlib import Path
from moot.engine import stopping
from moot.store import sqlite

sqlite.BUSY_TIMEOUT_S = 3600
stopping.ONE_SIGNAL_S = stopping.ENDING_S = 0.0
migrate = sqlite.SqliteStore._migrate

def said(store):
    Path({mark!r}).write_text("")
    migrate(store)

sqlite.SqliteStore._migrate = said
from moot.cli import main
main()
"""
"""Whoever waits for the lock until it is free waits for longer than any test."""


def at_a_locked_store(mark: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", AT_A_LOCKED_STORE.format(mark=str(mark)), *arguments]
    return subprocess.Popen(command, cwd=mark.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("command", ["run", "report", "grade"])
def test_nobody_waits_for_who_holds_the_store(command: str, played: Path, tmp_path: Path) -> None:
    mark = tmp_path / "opens"
    with closing(sqlite3.connect(played.with_suffix(".db"), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        process = at_a_locked_store(mark, command, str(played))
        try:
            while not mark.exists():
                assert process.poll() is None, process.communicate()[1]
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            error = process.communicate(timeout=120)[1]
        finally:
            process.kill()
    assert (process.returncode, error) == (130, "moot: interrupted\n")


def test_a_run_at_a_store_that_is_locked_under_it_can_be_left(tmp_path: Path) -> None:
    """Told to end, and told again: its books cannot be closed, and whoever says it a third time need not wait for them."""
    questions = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": "x"} for n in range(8)]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, questions)))
    with provider(latency_s=0.0) as server:
        server.held = True
        ann = {"provider": "endpoint", "base_url": server.base_url, "model": "ann"}
        keys = {"name": "cup", "questions": {"file": "q.jsonl"}, "models": {"ann": ann}}
        (tmp_path / "cup.yaml").write_text(json.dumps(keys))
        process = at_a_locked_store(tmp_path / "opens", "run", "cup.yaml", "--quiet")
        try:
            while not server.in_flight:
                assert process.poll() is None, process.communicate()[1]
                time.sleep(0.01)
            with closing(sqlite3.connect(tmp_path / "cup.db", isolation_level=None, timeout=60)) as other:
                other.execute("BEGIN IMMEDIATE")
                process.send_signal(signal.SIGINT)
                assert process.stderr is not None
                assert "have begun are played to their end" in process.stderr.readline()
                while process.poll() is None:
                    process.send_signal(signal.SIGINT)
                    time.sleep(0.2)
                error = process.communicate(timeout=120)[1]
        finally:
            process.kill()
            server.held = False
    assert (process.returncode, error) == (130, "moot: interrupted\n")
