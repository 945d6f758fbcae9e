"""Ctrl-C while judges compare long answers: 130, how many comparisons are missing and what goes on, and figures of the rest."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from billing import Provider, provider

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.engine.stopping import Unfinished

QUESTIONS = 4
AT_ONCE = 3
ALL = QUESTIONS * 2 * 2  # two players, two orders


@pytest.fixture
def server() -> Iterator[Provider]:
    with provider(latency_s=0.0) as server:
        server.says = {"ivy": {"reason": "", "preferred": "first"}}
        yield server


@pytest.fixture
def file(tmp_path: Path, server: Provider) -> Path:
    rows = [{"id": f"q{n}", "text": f"Write a plan, number {n}.", "kind": "text"} for n in range(QUESTIONS)]
    (tmp_path / "plans.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    ivy = {"provider": "endpoint", "base_url": server.base_url, "model": "ivy", "limits": {"concurrent": AT_ONCE}}
    spec = {
        "name": "plans",
        "questions": {"file": "plans.jsonl"},
        "models": {
            "ann": {"provider": "simulated", "accuracy": 0.6, "words": 30},
            "bob": {"provider": "simulated", "accuracy": 0.5, "words": 15},
            "ivy": ivy,
        },
        "teams": {"two": {"players": ["ann", "bob"], "captain": "ann"}},
        "strategies": ["talkative"],
        "judge": {"models": ["ivy"], "pairwise": True},
    }
    path = tmp_path / "plans.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    return path


def interrupted(server: Provider, monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> int:
    """While judges are asked; those who have been are let answer once the command has heard it."""

    def let_answer(unfinished: Unfinished) -> None:
        server.held = False

    def interrupt() -> None:
        while server.in_flight < AT_ONCE and not ended.wait(0.01):
            pass
        if not ended.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    for place in ("run", "interrupts"):
        monkeypatch.setattr(f"moot.cli.{place}.tell_unfinished", let_answer)
    ended = threading.Event()
    server.held = True
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        return run_app(app, list(map(str, words)))
    finally:
        ended.set()
        thread.join()
        server.held = False


def test_the_ending_says_what_is_missing_and_what_goes_on(
    server: Provider, file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    kept = f"{QUESTIONS * 3} of {QUESTIONS * 3} episodes are kept"
    missing = f"{{}} of {ALL} comparisons by judges are missing"
    assert interrupted(server, monkeypatch, "run", file.name) == 130
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == f"interrupted: {kept}; {missing.format(ALL - AT_ONCE)}"
    assert last == f"moot run {file.name} resumes it; moot report {file.name} shows the results so far"
    assert interrupted(server, monkeypatch, "run", file.name, "--quiet") == 130
    error = capsys.readouterr().err
    assert error.splitlines()[-1] == (
        f"moot: interrupted; {kept}; {missing.format(ALL - 2 * AT_ONCE)}; run again to resume"
    )
    assert interrupted(server, monkeypatch, "grade", file.name) == 130
    error = capsys.readouterr().err
    assert error.splitlines() == [
        f"moot: {missing.format(ALL - 3 * AT_ONCE)}; the same command goes on",
        "moot: interrupted",
    ]
    assert run_app(app, ["report", file.name, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["preferences"]["words"] == 3 * AT_ONCE
    assert run_app(app, ["run", file.name]) == 0
    assert server.asked_of["ivy"] == ALL, "each comparison is asked for once"
