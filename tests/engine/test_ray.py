"""Runs on a Ray cluster of two nodes: the same results as here, call for call, whatever dies on the way."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app

sys.path.insert(0, str(Path(__file__).parent))
from processes import experiment, finish, simulator, start, stats, wait_for, write_questions

pytestmark = pytest.mark.ray

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
PRICED = {"price": {"prompt": 0.0, "completion": 10.0}, "params": {"max_tokens": 100}}
KEY = "MOOT_TEST_KEY_OF_ONE_NODE"


@dataclass(frozen=True)
class Nodes:
    """The first has a key in its environment, the second has none."""

    cluster: Any
    second: Any

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def processes(self, name: str) -> list[Any]:
        """Those of Ray's actors of this name."""
        import psutil

        found = []
        for node in self.cluster.list_all_nodes():
            with suppress(psutil.NoSuchProcess, KeyError):
                raylet = psutil.Process(node.all_processes["raylet"][0].process.pid)
                found += [each for each in raylet.children(recursive=True) if _is(each, f"ray::{name}")]
        return found


def _is(process: Any, name: str) -> bool:
    import psutil

    try:
        title = "".join(process.cmdline()[:1])
    except psutil.Error:
        return False
    return title == name or title.startswith(f"{name}.")


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    """One cluster for all, the last test takes a node away."""
    pytest.importorskip("ray", reason="ray is not installed")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    small = {"num_cpus": 2, "object_store_memory": 100_000_000, "include_dashboard": False}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(KEY, "key-of-the-first-node")
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


def same(postgres: Any, first: str, second: str) -> None:
    for query in EVERYTHING:
        found = [sorted(postgres.sql(url, query), key=repr) for url in (first, second)]
        assert found[0]
        assert found[0] == found[1], query


def on(nodes: Nodes, workers: int = 2) -> tuple[str, ...]:
    return ("--engine", "ray", "--ray-address", nodes.address, "--workers", str(workers))


def count(postgres: Any, url: str, table: str) -> int:
    return int(postgres.sql(url, f"SELECT COUNT(*) FROM {table}")[0][0])


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
        path = experiment(folder, server, here, model=PRICED, **PLAN)
        assert run_app(app, ["run", str(path), "--quiet"]) == 0
        yield Stage(path, server, here, stats(server)["requests"])


def test_the_same_as_here_call_for_call(postgres: Any, nodes: Nodes, stage: Stage) -> None:
    there = postgres.database()
    before = stats(stage.server)["requests"]
    assert finish(start(stage.path, "--store", there, *on(nodes, 4))) == (0, "")
    after = stats(stage.server)
    assert after["requests"] - before == stage.asked, "a call is made once, however many workers want it"
    assert after["max_concurrent"] == 8, "the limit is one for all workers, and they use it up"
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
        path = experiment(stopped, slow, first)
        running = start(path, *on(nodes))
        paying = start(experiment(poor, quick, second, concurrent=32, model=PRICED, budget_usd=0.02), *on(nodes))
        wait_for(slow, 40, running)
        running.send_signal(signal.SIGINT)
        began = time.monotonic()
        code, error = finish(running)
        assert time.monotonic() - began < 120
        kept = count(postgres, first, "episodes")
        assert code == 130
        assert 0 < kept < 600
        assert error == f"moot: interrupted; {kept} of 600 episodes are kept; run again to resume\n"
        assert postgres.sql(first, "SELECT state FROM runs") == [("interrupted",)]
        code, error = finish(paying)
        stored, asked = count(postgres, first, "calls"), stats(slow)["requests"]
        assert finish(start(path, *on(nodes), "--limit", "40")) == (0, "")
        assert stats(slow)["requests"] - asked == count(postgres, first, "calls") - stored, "what was kept is kept"
    assert code == 3, error
    assert re.search(r"the budget of \$0\.020* is reached", error)
    spent = postgres.sql(second, "SELECT SUM(cost_usd) FROM calls")[0][0]
    assert 0.01 < spent <= 0.02, "the cap is one for all workers"


def test_stragglers_are_asked_a_second_time_and_counted(tmp_path: Path, postgres: Any, nodes: Nodes) -> None:
    """With the progress and the table of any run: what workers do is told where it was started."""
    write_questions(tmp_path, 40)
    hedged = {"hedge": {"after": 0.1}, **PRICED}
    with simulator(tmp_path, latency=1.0) as server:
        # With places to spare: at a full endpoint the second request would wait like every other.
        path = experiment(tmp_path, server, postgres.database(), concurrent=200, model=hedged)
        process = start(path, *on(nodes), quiet=False)
        table, error = process.communicate(timeout=120)
        asked = stats(server)["requests"]
    assert process.returncode == 0, error
    assert "cup: 120/120 episodes" in error
    assert "120 calls" in error
    assert asked > 120
    assert f"{asked - 120} asked a second time" in error
    assert "cup: 40 questions" in table


def test_a_key_that_a_node_has_not(tmp_path: Path, postgres: Any, nodes: Nodes) -> None:
    write_questions(tmp_path, 20)
    url = postgres.database()
    with simulator(tmp_path) as server:
        path = experiment(tmp_path, server, url, model={"api_key_env": KEY})
        code, error = finish(start(path, *on(nodes, 4), env={**os.environ, KEY: "key-of-the-first-node"}))
        asked = stats(server)["requests"]
    assert code == 2, error
    assert len(error.splitlines()) == 1, "one message, however many workers lack it"
    assert f"the environment variable {KEY} is not set" in error
    assert error.startswith("moot: on "), "and on which machine"
    assert "cup.yaml" in error
    assert asked == 0, "before any call"
    assert postgres.sql(url, "SELECT state FROM runs") == [("failed",)]
    assert "key-of-the-first-node" not in error + repr(postgres.sql(url, "SELECT config FROM experiments"))


def test_a_server_of_the_store_that_restarts(postgres: Any, nodes: Nodes, stage: Stage) -> None:
    there = postgres.database()
    before = stats(stage.server)["requests"]
    process = start(stage.path, "--store", there, *on(nodes))
    wait_for(stage.server, before + stage.asked // 3, process)
    postgres.stop()
    try:
        assert process.poll() is None
        time.sleep(0.5)
    finally:
        postgres.start()
    assert finish(process) == (0, "")
    assert stats(stage.server)["requests"] - before == stage.asked, "every call was made once"
    same(postgres, stage.here, there)
    assert postgres.sql(there, "SELECT state FROM runs") == [("done",)]


def test_a_worker_that_is_killed_costs_its_open_calls_and_nothing_else(
    postgres: Any, nodes: Nodes, stage: Stage
) -> None:
    there = postgres.database()
    before = stats(stage.server)["requests"]
    process = start(stage.path, "--store", there, *on(nodes))
    wait_for(stage.server, before + stage.asked // 3, process)
    workers = nodes.processes("Worker")
    assert len(workers) == 2
    workers[0].send_signal(signal.SIGKILL)
    assert finish(process) == (0, "")
    after = stats(stage.server)
    again = after["requests"] - before - stage.asked
    assert 0 <= again <= 8, "only calls that were under way are made again"
    same(postgres, stage.here, there)


def test_the_gate_that_is_killed_ends_the_run_in_words(postgres: Any, nodes: Nodes, stage: Stage) -> None:
    there = postgres.database()
    before = stats(stage.server)["requests"]
    process = start(stage.path, "--store", there, *on(nodes))
    wait_for(stage.server, before + stage.asked // 3, process)
    (gate,) = nodes.processes("SharedLimits")
    gate.send_signal(signal.SIGKILL)
    code, error = finish(process)
    assert code == 1
    assert len(error.splitlines()) == 1, error
    assert "the gate cannot be reached" in error
    assert postgres.sql(there, "SELECT state FROM runs") == [("failed",)]
    assert run_app(app, ["run", str(stage.path), "--quiet", "--store", there]) == 0
    assert stats(stage.server)["requests"] - before - stage.asked <= 8, "only calls that were under way are made again"
    same(postgres, stage.here, there)


def test_ctrl_c_where_the_cluster_is_ours(tmp_path: Path, postgres: Any) -> None:
    """As a terminal sends it: to the command and to every process that it has started."""
    pytest.importorskip("ray", reason="ray is not installed")
    write_questions(tmp_path, 100)
    url = postgres.database()
    with simulator(tmp_path, latency=0.1) as server:
        path = experiment(tmp_path, server, url)
        running = start(path, "--engine", "ray", "--workers", "2", start_new_session=True)
        wait_for(server, 40, running)
        os.killpg(running.pid, signal.SIGINT)
        began = time.monotonic()
        code, error = finish(running)
        assert time.monotonic() - began < 120
        kept, stored, asked = count(postgres, url, "episodes"), count(postgres, url, "calls"), stats(server)["requests"]
        assert code == 130, error
        assert error == f"moot: interrupted; {kept} of 300 episodes are kept; run again to resume\n"
        assert 0 < kept < 300
        assert finish(start(path)) == (0, "")
        assert stats(server)["requests"] - asked == 300 - stored, "what was kept is not asked again"


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
