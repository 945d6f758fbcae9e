"""Ctrl-C while figures are taken ends the command at once: 130, one line, and nothing half-written."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

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
