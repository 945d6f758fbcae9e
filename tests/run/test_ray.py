"""Runs on a Ray cluster of two nodes: the same results as here, call for call, also when a node goes away."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app

pytestmark = pytest.mark.ray

MOOT = [sys.executable, "-c", "from moot.cli import main; main()"]
EVERYTHING = (
    "SELECT key, model, shape, text, finish, prompt_tokens, completion_tokens FROM calls",
    "SELECT cell, question, repeat, outcome, answer, verdict, transcript FROM episodes",
    'SELECT cell, "case", repeat, grader, value, stage FROM scores',
    "SELECT experiment, position, question FROM experiment_questions",
)
PLAN = {
    "strategies": ["solo", "vote", "talkative"],
    "teams": {"all": {"players": ["ann", "bob", "cat"], "captain": "each"}},
}


@dataclass(frozen=True)
class Nodes:
    cluster: Any
    second: Any

    @property
    def address(self) -> str:
        return str(self.cluster.address)


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    """One cluster for all, the last test takes a node away."""
    pytest.importorskip("ray", reason="ray is not installed")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    small = {"num_cpus": 2, "object_store_memory": 100_000_000, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, connect=False, head_node_args=small)
    second = cluster.add_node(num_cpus=2, object_store_memory=100_000_000)
    yield Nodes(cluster, second)
    for node in cluster.list_all_nodes():
        switch_off(cluster, node)


def switch_off(cluster: Any, node: Any) -> None:
    """As a machine that loses its power: everything on it is gone at once."""
    import psutil

    raylet = psutil.Process(node.all_processes["raylet"][0].process.pid)
    family = raylet.children(recursive=True)
    cluster.remove_node(node, allow_graceful=False)
    for process in family:
        with suppress(psutil.NoSuchProcess):
            process.kill()


@contextmanager
def simulator(folder: Path, **config: Any) -> Iterator[str]:
    models = {name: {"accuracy": accuracy} for name, accuracy in {"ann": 0.7, "bob": 0.5, "cat": 0.4}.items()}
    file = folder / "simulate.yaml"
    file.write_text(json.dumps({"seed": 7, "models": models, "questions": "questions.jsonl", **config}))
    command = [*MOOT, "simulate", "--port", "0", "--config", str(file)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


def stats(base_url: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{base_url.removesuffix('/v1')}/stats", timeout=10) as response:
        return json.load(response)


def write_questions(folder: Path, count: int) -> None:
    lines = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(count)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


def experiment(folder: Path, base_url: str, store: str, *, concurrent: int = 8, **keys: Any) -> Path:
    models = {
        name: {
            "provider": "endpoint",
            "base_url": base_url,
            "model": name,
            "limits": {"concurrent": concurrent},
            "price": {"prompt": 0.0, "completion": 10.0},
            "params": {"max_tokens": 100},
        }
        for name in ("ann", "bob", "cat")
    }
    path = folder / "cup.yaml"
    described = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models, "store": store, **keys}
    path.write_text(json.dumps(described))
    return path


def start(path: Path, *options: str) -> subprocess.Popen[str]:
    command = [*MOOT, "run", str(path), "--quiet", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, error = process.communicate(timeout=120)
    return process.returncode, error


def wait_for(server: str, requests: int, process: subprocess.Popen[str]) -> None:
    while process.poll() is None and stats(server)["requests"] < requests:
        time.sleep(0.1)
    assert process.poll() is None, finish(process)


def same(postgres: Any, first: str, second: str) -> None:
    for query in EVERYTHING:
        found = [sorted(postgres.sql(url, query), key=repr) for url in (first, second)]
        assert found[0]
        assert found[0] == found[1], query


def on(nodes: Nodes, workers: int = 2) -> tuple[str, ...]:
    return ("--engine", "ray", "--ray-address", nodes.address, "--workers", str(workers))


@dataclass(frozen=True)
class Stage:
    """A server of models, and what a run here has got from it."""

    path: Path
    server: str
    here: str
    asked: int


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory, postgres: Any) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("stage")
    write_questions(folder, 40)
    here = postgres.database()
    with simulator(folder, latency=0.05) as server:
        path = experiment(folder, server, here, **PLAN)
        assert run_app(app, ["run", str(path), "--quiet"]) == 0
        yield Stage(path, server, here, stats(server)["requests"])


def test_the_same_as_here_call_for_call(postgres: Any, nodes: Nodes, stage: Stage) -> None:
    there = postgres.database()
    before = stats(stage.server)["requests"]
    assert finish(start(stage.path, "--store", there, *on(nodes))) == (0, "")
    after = stats(stage.server)
    assert after["requests"] - before == stage.asked, "a call is made once, however many workers want it"
    assert after["max_concurrent"] <= 8, "the limit is one for all workers"
    assert run_app(app, ["run", str(stage.path), "--quiet", "--store", there]) == 0
    assert stats(stage.server)["requests"] == after["requests"], "either engine goes on where the other stopped"
    same(postgres, stage.here, there)
    assert postgres.sql(there, "SELECT state FROM runs") == [("done",), ("done",)]


def test_two_runs_at_once_one_interrupted_one_out_of_money(tmp_path: Path, postgres: Any, nodes: Nodes) -> None:
    stopped, poor = tmp_path / "stopped", tmp_path / "poor"
    for folder in (stopped, poor):
        folder.mkdir()
        write_questions(folder, 200)
    first, second = postgres.database(), postgres.database()
    with simulator(stopped, latency=0.1) as slow, simulator(poor, latency=0.01) as quick:
        running = start(experiment(stopped, slow, first), *on(nodes))
        paying = start(experiment(poor, quick, second, concurrent=32, budget_usd=0.02), *on(nodes))
        wait_for(slow, 40, running)
        running.send_signal(signal.SIGINT)
        began = time.monotonic()
        code, error = finish(running)
        assert time.monotonic() - began < 30
        kept = postgres.sql(first, "SELECT COUNT(*) FROM episodes")[0][0]
        assert code == 130
        assert 0 < kept < 600
        assert error == f"moot: interrupted; {kept} of 600 episodes are kept, run again to go on\n"
        assert postgres.sql(first, "SELECT state FROM runs") == [("interrupted",)]
        code, error = finish(paying)
    assert code == 3, error
    assert "the budget of $0.02 is reached" in error
    spent = postgres.sql(second, "SELECT SUM(cost_usd) FROM calls")[0][0]
    assert 0.01 < spent <= 0.02, "the cap is one for all workers"


def test_a_node_that_goes_away_costs_its_open_calls_and_nothing_else(postgres: Any, nodes: Nodes, stage: Stage) -> None:
    there = postgres.database()
    before = stats(stage.server)["requests"]
    process = start(stage.path, "--store", there, *on(nodes))
    wait_for(stage.server, before + stage.asked // 3, process)
    switch_off(nodes.cluster, nodes.second)
    assert finish(process) == (0, "")
    again = stats(stage.server)["requests"] - before - stage.asked
    assert 0 <= again <= 8, "only calls that were under way are made again"
    same(postgres, stage.here, there)


# --- before any call -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--engine", "ray"], "expected --store postgresql://"),
        (["--engine", "spark"], "expected local or ray"),
        (["--workers", "2"], "--workers belongs to a Ray cluster"),
        (["--ray-address", "h:1"], "--ray-address belongs to a Ray cluster"),
    ],
)
def test_what_does_not_go_together(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    write_questions(tmp_path, 2)
    path = experiment(tmp_path, "http://127.0.0.1:9/v1", f"sqlite:///{tmp_path}/cup.db")
    assert run_app(app, ["run", str(path), *options]) == 2
    error = capfd.readouterr().err
    assert words in error
    assert not (tmp_path / "cup.db").exists()
