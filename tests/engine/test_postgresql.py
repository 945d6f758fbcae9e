"""Whole commands on a PostgreSQL store: the same results as on SQLite, several processes, and a server that goes away."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from beside import in_a_thread

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import UsageError
from moot.simulate.server import SimulatedServer, running
from moot.store import postgresql_line, public, store_at

sys.path.insert(0, str(Path(__file__).parent))
from processes import PLAYERS, experiment, finish, simulator, start, stats, wait_for, write_questions

RESULTS = "SELECT cells.label, player, captain, question, repeat, outcome, answer FROM episodes JOIN cells ON id = cell"
CALLS = "SELECT key, model, text, finish, prompt_tokens FROM calls"
SCORES = 'SELECT cell, "case", repeat, grader, value, stage FROM scores'


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def figures(capfd: pytest.CaptureFixture[str], *arguments: object) -> Any:
    capfd.readouterr()
    assert moot("report", *arguments, "--json") == 0
    shown = json.loads(capfd.readouterr().out)
    for row in shown["accuracy"]:
        row.pop("seconds", None)
    return shown["accuracy"]


def test_every_command_as_on_sqlite(tmp_path: Path, postgres: Any, capfd: pytest.CaptureFixture[str]) -> None:
    import sqlite3

    write_questions(tmp_path)
    url = postgres.database()
    plan = {
        "strategies": ["solo", "vote", "talkative"],
        "teams": {"all": {"players": ["ann", "bob", "cat"], "captain": "each"}},
    }
    with simulator(tmp_path) as server:
        path = experiment(tmp_path, server, **plan)
        assert moot("run", path, "--quiet") == 0
        assert moot("run", path, "--store", url) == 0
        asked = stats(server)["requests"]
        assert moot("run", path, "--quiet", "--store", url) == 0
        assert stats(server)["requests"] == asked, "a second run asks nothing"
        assert moot("run", path, "--estimate", "--store", url) == 0
        assert moot("grade", path, "--store", url) == 0
    with sqlite3.connect(tmp_path / "cup.db") as local:
        for query in (RESULTS, CALLS, SCORES, "SELECT * FROM cells", "SELECT * FROM cases"):
            rows = postgres.sql(url, query)
            assert rows
            assert sorted(rows, key=repr) == sorted(local.execute(query).fetchall(), key=repr)
    local.close()
    assert figures(capfd, path, "--store", url) == figures(capfd, path)
    assert figures(capfd, "--store", url) == figures(capfd, path)
    sides = ("--a", "vote", "--b", "solo@ann", "--json")
    compared = []
    for source in ([path], [path, "--store", url], [url]):
        capfd.readouterr()
        assert moot("compare", *source, *sides) == 0
        compared.append(json.loads(capfd.readouterr().out))
    assert compared[0] == compared[1] == compared[2]
    page = tmp_path / "report.html"
    assert moot("report", path, "--store", url, "-o", page) == 0
    assert page.stat().st_size > 10_000
    assert moot("show", path, "q3", "--store", url) == 0
    assert "Person 3" in capfd.readouterr().out
    assert moot("export", path, "-o", tmp_path / "replies.jsonl", "--store", url) == 0
    assert len((tmp_path / "replies.jsonl").read_text().splitlines()) == 90


def test_two_processes_and_one_that_is_killed(tmp_path: Path, postgres: Any) -> None:
    write_questions(tmp_path, 60)
    alone, url = postgres.database(), postgres.database()
    with simulator(tmp_path, latency=0.01) as server:
        path = experiment(tmp_path, server, url)
        assert moot("run", path, "--quiet", "--store", alone) == 0
        before = stats(server)["requests"]
        processes = [start(path) for _ in range(3)]
        wait_for(server, before + 40, processes[0])
        processes[0].kill()
        assert finish(processes[0])[0] == -signal.SIGKILL
        assert [finish(process) for process in processes[1:]] == [(0, ""), (0, "")]
        asked = stats(server)["requests"]
        assert finish(start(path)) == (0, "")
        assert stats(server)["requests"] == asked
    for query in (RESULTS, CALLS, SCORES):
        assert sorted(postgres.sql(url, query), key=repr) == sorted(postgres.sql(alone, query), key=repr)
    states = [state for (state,) in postgres.sql(url, "SELECT state FROM runs ORDER BY state")]
    assert states[:3] == ["done"] * 3
    assert states[3:] in ([], ["running"]), "the one that was killed, if it had begun"


def test_a_server_that_restarts_in_the_middle_costs_nothing(tmp_path: Path, postgres: Any) -> None:
    write_questions(tmp_path, 100)
    alone, url = postgres.database(), postgres.database()
    with simulator(tmp_path, latency=0.1) as server:
        path = experiment(tmp_path, server, url)
        assert moot("run", path, "--quiet", "--store", alone) == 0
        before = stats(server)["requests"]
        process = start(path)
        wait_for(server, before + 60, process)
        postgres.stop()
        try:
            assert process.poll() is None
            time.sleep(0.3)
        finally:
            postgres.start()
        assert finish(process) == (0, "")
        assert stats(server)["requests"] == before + 300, "every call was made once"
    for query in (RESULTS, CALLS, SCORES):
        assert sorted(postgres.sql(url, query), key=repr) == sorted(postgres.sql(alone, query), key=repr)
    assert postgres.sql(url, "SELECT state FROM runs") == [("done",)]


@contextmanager
def holding(
    monkeypatch: pytest.MonkeyPatch, folder: Path, after: int
) -> Iterator[tuple[SimulatedServer, threading.Event]]:
    """A simulated server that keeps every reply past so many back until it is told: the run stands still meanwhile."""
    released = threading.Event()
    served = SimulatedServer._serve

    async def held(server: SimulatedServer, *given: Any) -> Any:
        while server.stats["requests"] > after and not released.is_set():  # noqa: ASYNC110  set from another thread
            await asyncio.sleep(0.01)
        return await served(server, *given)

    monkeypatch.setattr(SimulatedServer, "_serve", held)
    models = {name: {"accuracy": accuracy} for name, accuracy in PLAYERS.items()}
    config = {"seed": 7, "models": models, "questions": str(folder / "questions.jsonl")}
    with in_a_thread(running(config)) as server:
        yield server, released


def until(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not reached() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert reached()


def test_a_server_that_stays_away_ends_the_run_and_loses_nothing(
    tmp_path: Path, postgres: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(postgresql_line, "PATIENCE_S", 0.5)
    write_questions(tmp_path, 100)
    url = postgres.database()
    with holding(monkeypatch, tmp_path, after=60) as (server, released):
        path = experiment(tmp_path, server.base_url, url)

        def stop() -> None:
            try:
                until(lambda: server.stats["requests"] > 60 and postgres.sql(url, CALLS) != [])
                postgres.stop()
            finally:
                released.set()

        thread = threading.Thread(target=stop)
        thread.start()
        try:
            assert moot("run", path, "--quiet") == 1
        finally:
            thread.join()
            postgres.start()
        error = capfd.readouterr().err
        assert "the server went away and did not come back within" in error
        assert "everything stored so far is kept" in error
        assert len(error.splitlines()) == 1
        kept = postgres.sql(url, "SELECT COUNT(*) FROM calls")[0][0]
        assert 0 < kept < 300
        before = server.stats["requests"]
        assert moot("run", path, "--quiet") == 0
        assert server.stats["requests"] - before == 300 - kept, "what was kept is not asked again"


# --- addresses and passwords ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [["run", "--quiet"], ["report"], ["show", "q0"], ["run", "--estimate"]])
@pytest.mark.parametrize("wrong", ["password", "database", "down", "nowhere", "no tables allowed"])
def test_a_server_that_cannot_be_used_is_said_before_any_call(
    tmp_path: Path, postgres: Any, capfd: pytest.CaptureFixture[str], command: list[str], wrong: str
) -> None:
    postgres.locked_user()
    urls = {
        "password": (postgres.url("postgres", user="locked", password="tell-nobody"), "password authentication failed"),
        "database": (postgres.url("absent", user="postgres", password="tell-nobody"), '"absent" does not exist'),
        "down": ("postgresql://me:tell-nobody@127.0.0.1:1/cup", "cannot be reached"),
        "nowhere": ("postgresql://me:tell-nobody@nowhere.invalid/cup", "cannot be reached"),
        "no tables allowed": (postgres.url("postgres", user="nobody", password="tell-nobody"), "nobody"),
    }
    url, words = urls[wrong]
    write_questions(tmp_path, 2)
    path = experiment(tmp_path, "http://127.0.0.1:9/v1", url)
    name, *options = command
    code = moot(name, path, *options, "--debug")
    error = capfd.readouterr().err
    assert code == 2, error
    assert words in error
    assert "tell-nobody" not in error
    assert "127.0.0.1:9" not in error, "no model was called"


def test_the_password_is_nowhere(tmp_path: Path, postgres: Any, capfd: pytest.CaptureFixture[str]) -> None:
    password = postgres.locked_user()
    admin = postgres.database()
    url = postgres.url(admin.partition("@/")[2].partition("?")[0], user="locked", password=password)
    write_questions(tmp_path, 3)
    with simulator(tmp_path) as server:
        path = experiment(tmp_path, server, url)
        assert moot("run", path, "--debug") == 0
        assert moot("report", path) == 0
        assert moot("report", path, "--json") == 0
        assert moot("show", path, "q1") == 0
        assert moot("show", path, "absent", "--debug") == 2
    shown = "".join(capfd.readouterr())
    assert password not in shown
    assert "Traceback" in shown, "the last command failed where everybody can see"
    assert password not in repr(store_at(url))
    stored = postgres.sql(admin, "SELECT config, facts FROM experiments JOIN runs ON experiments.id = experiment")
    assert stored
    assert password not in repr(stored)
    assert "postgresql://locked@" in repr(stored)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:tell@h:5/cup", "postgresql://me@h:5/cup"),
        ("postgresql://me:tell@h/cup?password=tell", "postgresql://me@h/cup"),
        ("postgresql://me:te/ll@h/cup", "postgresql://me@h/cup"),
        ("postgresql://me:te@ll@h/cup", "postgresql://me@h/cup"),
        ("postgresql://me:te#ll?@h/cup", "postgresql://me@h/cup"),
        ("postgresql://me:tell@/cup?host=/run/pg", "postgresql://me@/run/pg/cup"),
        ("mysql://me:tell@h/cup", "mysql://me@h/cup"),
        ("me:tell@h/cup", "…@h/cup"),
        ("sqlite:///a@b.db", "sqlite:///a@b.db"),
    ],
)
def test_what_is_shown_of_an_address(url: str, shown: str) -> None:
    assert public(url) == shown


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:tell@h",
        "postgresql://me:tell@h/",
        "postgresql://me:tell@h:port/cup",
        "postgresql://me:te/tell@h/cup",
        "postgresql://me:1/tell@h/cup",
        "postgresql://me:tell@[h/cup",
        "mysql://me:tell@h/cup",
        "postgres:/me:tell@h/cup",
    ],
)
def test_addresses_that_are_none(url: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match=r"expected .*postgresql://") as said:
        store_at(url)
    assert "tell" not in str(said.value)
    write_questions(tmp_path, 2)
    path = experiment(tmp_path, "http://127.0.0.1:9/v1", url)
    assert moot("run", path, "--debug") == 2
    error = capfd.readouterr().err
    assert "tell" not in error
    assert "cup.yaml:" in error


def test_without_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql_line, "asyncpg", None)
    with pytest.raises(UsageError, match=r"pip install 'moot\[postgresql\]'"):
        store_at("postgresql://me@h/cup")
