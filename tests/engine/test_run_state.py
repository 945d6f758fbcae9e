"""What became of a run stands in the store, with its cause, however it ended; and the report says so."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.engine.runner import Runner
from moot.errors import MootError, StoreError
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.grade.grading import Grading
from moot.store import processes, sqlite
from moot.strategies.solo import Solo

MOOT = [sys.executable, "-c", "from moot.cli import main; main()"]


def experiment(folder: Path, model: dict[str, Any], questions: int = 40, **more: Any) -> Path:
    lines = [{"id": f"q{n}", "text": f"Who is number {n:04}?", "answer": f"Person {n}"} for n in range(questions)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    path = folder / "cup.yaml"
    described = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": {"ann": model}, **more}
    path.write_text(json.dumps(described))
    return path


def simulated() -> dict[str, Any]:
    return {"provider": "simulated", "accuracy": 0.5}


async def played(path: Path) -> str:
    built = build(read_experiment(path))
    store = await built.store().open()
    try:
        return await Runner(built, store).run()
    finally:
        await store.close()


def stored(folder: Path) -> list[tuple[str, bool]]:
    connection = sqlite3.connect(folder / "cup.db")
    rows = connection.execute("SELECT state, finished_at IS NOT NULL FROM runs ORDER BY id").fetchall()
    connection.close()
    return [(state, bool(finished)) for state, finished in rows]


def reported(path: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert run_app(app, ["report", str(path), "--json"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert not any("process" in run for run in runs), "who ran it is nobody's business"
    return list(runs)


def test_a_run_that_is_done_has_no_cause(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = experiment(tmp_path, simulated())
    assert asyncio.run(played(path)) == "done"
    (run,) = reported(path, capsys)
    assert run["state"] == "done"
    assert "cause" not in run


def test_a_key_that_is_withdrawn_midway(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Calls that fail are outcomes; the run goes to its end, and has failed."""

    async def run() -> str:
        answered = 0

        async def complete(request: web.Request) -> web.Response:
            nonlocal answered
            answered += 1
            if answered > 15:
                return web.json_response({"error": {"message": "no such key"}}, status=401)
            said = {"role": "assistant", "content": '{"reasoning": "so", "answer": "Person 1"}'}
            return web.json_response({"choices": [{"message": said, "finish_reason": "stop"}], "usage": {}})

        app = web.Application()
        app.router.add_post("/v1/chat/completions", complete)
        async with TestServer(app) as server:
            model = {"provider": "endpoint", "base_url": str(server.make_url("/v1")), "model": "ann"}
            return await played(experiment(tmp_path, model))

    assert asyncio.run(run()) == "failed"
    assert stored(tmp_path) == [("failed", True)]
    assert reported(tmp_path / "cup.yaml", capsys)[0]["state"] == "failed"


def test_a_bug_in_a_strategy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def broken(self: Solo, question: Any, team: Any) -> Any:
        raise ZeroDivisionError("of nothing")

    monkeypatch.setattr(Solo, "play", broken)
    path = experiment(tmp_path, simulated())
    assert run_app(app, ["run", str(path), "--quiet"]) == 1
    assert "40 × a bug in solo: ZeroDivisionError: of nothing" in capsys.readouterr().err
    assert stored(tmp_path) == [("failed", True)]


def test_a_bug_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """One that no outcome can be made of ends the run, and is its cause."""

    def broken(self: Grading, *given: Any, **named: Any) -> Any:
        raise ZeroDivisionError("of nothing")

    path = experiment(tmp_path, simulated())
    with monkeypatch.context() as patched:
        patched.setattr(Grading, "at_once", broken)
        with pytest.raises(MootError, match="ZeroDivisionError: of nothing"):
            asyncio.run(played(path))
    assert stored(tmp_path) == [("failed", True)]
    said = "The last run ended early: ZeroDivisionError: of nothing."
    assert run_app(app, ["report", str(path)]) == 0
    assert said in capsys.readouterr().out
    assert asyncio.run(played(path)) == "done"
    failed, done = reported(path, capsys)
    assert (failed["state"], failed["cause"]) == ("failed", "ZeroDivisionError: of nothing")
    assert done["state"] == "done"
    assert run_app(app, ["report", str(path)]) == 0
    assert said not in capsys.readouterr().out


def test_a_bug_after_the_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*given: Any) -> Any:
        raise ZeroDivisionError("of nothing")

    path = experiment(tmp_path, simulated(), judge={"models": ["ann"]}, players={"one": {"model": "ann"}})
    monkeypatch.setattr("moot.engine.after_play.grade_all", broken)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(played(path))
    assert stored(tmp_path) == [("failed", True)]


def test_a_budget_says_where_it_stood(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = {**simulated(), "price": {"prompt": 1, "completion": 10}, "max_tokens": 100}
    path = experiment(tmp_path, model, budget_usd=0.01)
    assert run_app(app, ["run", str(path), "--quiet"]) == 3
    (run,) = reported(path, capsys)
    assert run["state"] == "budget"
    assert re.match(r"the budget of \$0\.010* is reached", run["cause"])


def test_a_store_that_cannot_be_written_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It cannot say so itself; whoever reads it sees that nobody carries the run on."""
    original = sqlite.SqliteStore._write
    groups = 0

    async def write(self: Any, group: Any) -> Any:
        nonlocal groups
        groups += 1
        if groups > 6:
            raise sqlite3.OperationalError("attempt to write a readonly database")
        return await original(self, group)

    path = experiment(tmp_path, simulated(), questions=300)
    with monkeypatch.context() as patched:
        patched.setattr(sqlite.SqliteStore, "_write", write)
        with pytest.raises(StoreError, match="readonly"):
            asyncio.run(played(path))
    assert stored(tmp_path) == [("running", False)], "nothing could be written"
    (run,) = reported(path, capsys)
    assert (run["state"], run["cause"]) == ("failed", processes.GONE)
    assert asyncio.run(played(path)) == "done"


def test_a_run_whose_process_was_killed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Once while it ran, once after. Its endpoint never answers, so it is under way for as long as we like."""
    listening = socket.create_server(("127.0.0.1", 0))
    base_url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
    path = experiment(tmp_path, {"provider": "endpoint", "base_url": base_url, "model": "ann"})
    process = subprocess.Popen([*MOOT, "run", str(path), "--quiet"])
    try:
        listening.settimeout(30)
        listening.accept()
        (while_it_ran,) = reported(path, capsys)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        listening.close()
    assert while_it_ran["state"] == "running"
    assert stored(tmp_path) == [("running", False)]
    (run_after,) = reported(tmp_path / "cup.yaml", capsys)
    assert (run_after["state"], run_after["cause"]) == ("failed", processes.GONE)


def test_of_another_machine_nothing_is_known() -> None:
    mine = processes.begun()
    assert not processes.is_gone(mine)
    assert not processes.is_gone({**mine, "host": "another", "pid": 2**22 + 1})
    assert not processes.is_gone(None), "an older run did not say"
    processes.over(mine)
    assert processes.is_gone(mine)
