"""`moot serve --workers`: whatever is promised of a server holds for all its workers together, whichever of them is asked."""

from __future__ import annotations

import http.client
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from billing import MAX_TOKENS, MOST_USD, PRICE, Provider, provider

from moot.serve.worker_gate import AMPLE_S

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds the workers in /proc")

KEY = "a-key-for-the-test-of-workers"
AT_ENDPOINT = 3
PATIENCE_S = 60.0
ENOUGH_S = 30.0
"""For what takes a second or two, however busy the machine."""


@dataclass
class WorkersServed:
    """A server of two workers, and a connection to each."""

    process: subprocess.Popen[str]
    address: tuple[str, int]
    endpoint: Provider
    store: Path

    @property
    def workers(self) -> list[int]:
        return _workers_of(self.process.pid)

    @contextmanager
    def connected(self) -> Iterator[list[http.client.HTTPConnection]]:
        """To each worker: while the others are stopped, it is the one that takes a connection."""
        connections = []
        workers = self.workers
        try:
            for one in workers:
                others = [pid for pid in workers if pid != one]
                for other in others:
                    os.kill(other, signal.SIGSTOP)
                try:
                    connection = http.client.HTTPConnection(*self.address, timeout=PATIENCE_S)
                    connections.append(connection)
                    assert told(connection, "GET", "/v1/models")[0] == 200
                finally:
                    for other in others:
                        os.kill(other, signal.SIGCONT)
            yield connections
        finally:
            for connection in connections:
                connection.close()


def _children(parent: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, above = stat.read_text().rpartition(")")[2].split()[:2]
        except OSError:  # it has ended
            continue
        if int(above) == parent and state != "Z":
            found.append(int(stat.parent.name))
    return sorted(found)


def _workers_of(parent: int) -> list[int]:
    return [pid for pid in _children(parent) if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def told(connection: http.client.HTTPConnection, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    response = connection.getresponse()
    read = response.read()
    return response.status, json.loads(read) if path != "/metrics" else read.decode()


def asked(connection: http.client.HTTPConnection, text: str, model: str = "solo@ann", **more: Any) -> tuple[int, Any]:
    body = {"model": model, "messages": [{"role": "user", "content": text}], **more}
    return told(connection, "POST", "/v1/chat/completions", body)


def until(holds: Callable[[], bool]) -> None:
    ends = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < ends, "it did not come to pass"
        time.sleep(0.02)


@contextmanager
def served_by_two(folder: Path, *options: str) -> Iterator[WorkersServed]:
    with provider(tokens=100, latency_s=0.0) as endpoint:
        models = {
            name: {
                "provider": "endpoint",
                "base_url": endpoint.base_url,
                "model": name,
                "price": PRICE,
                "params": {"max_tokens": MAX_TOKENS},
                "limits": {"concurrent": AT_ENDPOINT},
            }
            for name in ("ann", "bob")
        }
        path = folder / "team.yaml"
        teams = {"two": {"players": ["ann", "bob"], "captain": "ann"}}
        path.write_text(json.dumps({"name": "two", "models": models, "teams": teams, "strategies": ["solo", "vote"]}))
        store = folder / "store.db"
        command = [sys.executable, "-m", "moot", "serve", str(path), "--port", "0", "--workers", "2", "--all", *options]
        command += ["--store", f"sqlite:///{store}"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "MOOT_WORKERS_KEY": KEY}
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            assert line.startswith("serving ")
            while not line.startswith("the table: "):
                line = process.stdout.readline()
            host, _, port = line.split()[2].removeprefix("http://").rstrip("/").partition(":")
            yield WorkersServed(process, (host, int(port)), endpoint, store)
        finally:
            endpoint.held = False
            process.kill()
            process.wait(PATIENCE_S)
            process.stdout.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkersServed]:
    with served_by_two(tmp_path_factory.mktemp("workers")) as running:
        yield running


def test_what_one_has_answered_the_other_knows_at_once(served: WorkersServed) -> None:
    with served.connected() as connections:
        for one, other in (connections, reversed(connections)):
            status, answered = asked(one, f"Which river is longer than that of {one}?")
            assert status == 200
            episode = answered["moot"]["episode"]
            assert told(other, "POST", "/v1/feedback", {"episode": episode, "correct": True})[0] == 200
            assert told(other, "GET", "/v1/moot/episodes")[1]["episodes"][0]["episode"] == episode
            assert told(other, "DELETE", f"/v1/moot/episodes/{episode}")[1]["forgotten"]["episodes"] == 1
            assert told(one, "GET", f"/v1/moot/episodes/{episode}")[0] == 404


def test_an_endpoint_has_no_more_calls_at_once_than_its_limit(served: WorkersServed) -> None:
    before = served.endpoint.requests
    served.endpoint.held = True
    with served.connected() as first, served.connected() as second, served.connected() as third:
        connections = [*first, *second, *third]
        assert len(connections) > AT_ENDPOINT
        with ThreadPoolExecutor(len(connections)) as pool:
            asking = [pool.submit(asked, each, f"Who comes as number {k}?") for k, each in enumerate(connections)]
            until(lambda: served.endpoint.in_flight == AT_ENDPOINT)
            time.sleep(0.3)  # another would have left by now
            assert served.endpoint.in_flight == AT_ENDPOINT
            served.endpoint.held = False
            assert [each.result()[0] for each in asking] == [200] * len(connections)
    assert served.endpoint.requests == before + len(connections)


def test_of_calls_that_nobody_else_can_make_none_is_claimed(served: WorkersServed) -> None:
    """A claim is a commit before every call. Whoever else comes to the store is told from the workers all the same."""
    served.endpoint.held = True
    with served.connected() as connections, ThreadPoolExecutor(2) as pool:
        asking = [pool.submit(asked, each, "Who asks the same?") for each in connections]
        until(lambda: served.endpoint.in_flight == len(connections))
        with closing(sqlite3.connect(f"file:{served.store}?mode=ro", uri=True)) as store:
            assert store.execute("SELECT count(*) FROM claims").fetchone() == (0,)
            parties = store.execute("SELECT count(DISTINCT party), count(*), sum(claiming) FROM holders").fetchone()
        served.endpoint.held = False
        assert [each.result()[0] for each in asking] == [200, 200]
    assert parties == (1, 2, 0)


def test_a_team_that_one_puts_together_is_known_to_the_other(served: WorkersServed) -> None:
    with served.connected() as (one, other):
        team = {"players": ["bob", "ann"], "strategy": "talkative", "captain": "bob"}
        status, answered = asked(one, "Who is the captain?", moot={"team": team})
        assert (status, answered["model"]) == (200, "bob+ann/talkative@bob")
        assert asked(other, "And who is it now?", "bob+ann/talkative@bob")[0] == 200
        assert told(other, "GET", "/v1/moot/episodes?limit=1")[1]["episodes"][0]["model"] == "bob+ann/talkative@bob"


def test_the_figures_are_those_of_all(served: WorkersServed) -> None:
    def counted(connection: http.client.HTTPConnection) -> float:
        lines = told(connection, "GET", "/metrics")[1].splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.startswith("moot_episodes_total{"))

    with served.connected() as (one, other):
        before = counted(one)
        for connection in (one, other, other):
            assert asked(connection, "How many are asked?")[0] == 200
        assert counted(one) == counted(other) == before + 3


def test_another_takes_the_place_of_a_worker_that_is_killed(served: WorkersServed) -> None:
    """What it had taken of the endpoint's places is free again, and what was put together is known to who comes after it."""
    with served.connected() as (one, _):
        team = {"players": ["ann", "bob"], "strategy": "vote"}
        assert asked(one, "Who plays?", moot={"team": team})[1]["model"] == "ann+bob/vote"
    served.endpoint.held = True
    killed = served.workers[0]
    with (
        served.connected() as first,
        served.connected() as second,
        served.connected() as third,
        ThreadPoolExecutor(3) as pool,
    ):
        asking = [pool.submit(asked, connections[0], "Who goes?") for connections in (first, second, third)]
        until(lambda: served.endpoint.in_flight == AT_ENDPOINT)
        os.kill(killed, signal.SIGKILL)
        for each in asking:
            with pytest.raises((http.client.HTTPException, ConnectionError)):
                each.result()
    served.endpoint.held = False
    until(lambda: len(served.workers) == 2 and killed not in served.workers)
    until(lambda: _healthy(served))
    with served.connected() as connections:
        for number, connection in enumerate(connections):
            for again in range(AT_ENDPOINT + 1):
                assert asked(connection, f"Who comes after number {number}, {again}?")[0] == 200
            assert asked(connection, "Who plays now?", "ann+bob/vote")[0] == 200


def _healthy(served: WorkersServed) -> bool:
    connection = http.client.HTTPConnection(*served.address, timeout=PATIENCE_S)
    try:
        return told(connection, "GET", "/healthz")[0] == 200
    finally:
        connection.close()


def test_it_is_not_well_while_one_of_them_says_nothing(served: WorkersServed) -> None:
    with served.connected() as (one, _):
        stopped = served.workers[1]
        os.kill(stopped, signal.SIGSTOP)
        try:
            status, said = told(one, "GET", "/healthz")
            assert (status, said["status"]) == (503, "not answering"), "and not that nothing can be kept"
        finally:
            os.kill(stopped, signal.SIGCONT)
        until(lambda: told(one, "GET", "/healthz")[0] == 200)


def test_all_of_them_end_with_who_started_them_and_their_questions_first(served: WorkersServed) -> None:
    """A signal that comes twice at once, to all of a group, as a terminal and `timeout` send it, is one word."""
    workers = served.workers
    served.endpoint.held = True
    with served.connected() as connections, ThreadPoolExecutor(2) as pool:
        asking = [pool.submit(asked, each, f"Who is the last, {k}?") for k, each in enumerate(connections)]
        until(lambda: served.endpoint.in_flight == len(connections))
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGTERM):
            os.killpg(served.process.pid, number)
            time.sleep(0.05)
        served.endpoint.held = False
        assert [each.result()[0] for each in asking] == [200, 200]
    assert served.process.wait(PATIENCE_S) in (-signal.SIGHUP, -signal.SIGTERM)
    assert not [pid for pid in workers if _runs(pid)]


def test_limits_of_a_key_hold_for_all_of_them(tmp_path: Path) -> None:
    """And none of them goes on when who keeps the limits is killed."""
    options = ("--key-env", "MOOT_WORKERS_KEY", "--per-minute", "7", "--usd-per-day", str(2.5 * MOST_USD))
    with served_by_two(tmp_path, *options) as served, served.connected() as connections:
        one, other = connections
        for connection in (one, other):
            assert asked(connection, "What does it cost?")[0] == 200  # now it is known
        served.endpoint.tokens = MAX_TOKENS
        ended = [asked(connection, f"Who pays for {k}?")[0] for k in range(2) for connection in connections]
        assert ended == [200, 200, 200, 429]
        assert served.endpoint.bill_usd <= 3.5 * MOST_USD  # the last is let in as long as anything is left
        status, refused = asked(other, "Who pays?")
        assert (status, refused["error"]["code"]) == (429, "insufficient_quota")
        workers = served.workers
        served.process.kill()
        served.process.wait(PATIENCE_S)
        until(lambda: not [pid for pid in workers if _runs(pid)])


@contextmanager
def more_connections(served: WorkersServed, number: int) -> Iterator[list[http.client.HTTPConnection]]:
    """Each to whichever worker takes it, and patient for long enough to be let in, and not for ever."""
    connections = [http.client.HTTPConnection(*served.address, timeout=ENOUGH_S) for _ in range(number)]
    try:
        yield connections
    finally:
        for connection in connections:
            connection.close()


def test_a_place_that_one_worker_has_no_use_for_is_given_to_who_waits_at_the_other(tmp_path: Path) -> None:
    """However long that one has waited. And where more wait than there are places, at all workers, nobody waits for ever."""
    with served_by_two(tmp_path, "--at-once", "2") as served:
        served.endpoint.held = True
        with served.connected() as first, served.connected() as second, ThreadPoolExecutor(3) as pool:
            sitting = [pool.submit(asked, each[0], f"Who sits, {k}?") for k, each in enumerate((first, second))]
            until(lambda: served.endpoint.in_flight == 2)
            waits = pool.submit(asked, first[1], "Who waits?")
            time.sleep(1.5 * AMPLE_S)
            assert not waits.done()
            served.endpoint.held = False
            assert [each.result(ENOUGH_S)[0] for each in (*sitting, waits)] == [200] * 3
        served.endpoint.latency_s = 1.2 * AMPLE_S
        with more_connections(served, 7) as crowd, ThreadPoolExecutor(len(crowd)) as pool:
            questions = [f"Who comes with the crowd, {k}?" for k in range(len(crowd))]
            assert [status for status, _ in pool.map(asked, crowd, questions)] == [200] * len(crowd)
        assert served.endpoint.most_in_flight == 2


def test_what_both_are_asked_at_once_is_called_once_where_calls_are_used_again(tmp_path: Path) -> None:
    with served_by_two(tmp_path, "--reuse") as served, served.connected() as connections:
        served.endpoint.held = True
        with ThreadPoolExecutor(2) as pool:
            asking = [pool.submit(asked, each, "Who is asked twice?") for each in connections]
            until(lambda: served.endpoint.in_flight == 1)
            time.sleep(0.5)  # another would have left by now
            assert served.endpoint.in_flight == 1
            served.endpoint.held = False
            assert [each.result()[0] for each in asking] == [200, 200]
        assert served.endpoint.requests == 1


@contextmanager
def starting(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A server that has begun to start its workers, in a group of its own."""
    path = folder / "team.yaml"
    models = {"ann": {"provider": "simulated", "accuracy": 0.5}}
    path.write_text(json.dumps({"name": "one", "models": models, "strategies": ["solo"]}))
    command = [sys.executable, "-m", "moot", "serve", str(path), "--port", "0", "--workers", "2"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    pipes: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=folder, env=environment, start_new_session=True, **pipes) as process:
        try:
            until(lambda: bool(_workers_of(process.pid)))
            yield process
        finally:
            process.kill()


def test_told_to_end_while_it_starts_it_ends(tmp_path: Path) -> None:
    with starting(tmp_path) as process:
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == -signal.SIGTERM


def test_interrupted_twice_at_a_terminal_while_it_starts_it_says_so_and_no_more(tmp_path: Path) -> None:
    """A terminal tells the workers too, whatever they are about to import."""
    with starting(tmp_path) as process:
        until(
            lambda: any("_pydantic_core" in Path(f"/proc/{pid}/maps").read_text() for pid in _workers_of(process.pid))
        )
        for _ in range(2):
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.2)
        _, words = process.communicate(timeout=PATIENCE_S)
    assert words.splitlines() in ([], ["moot: interrupted"])


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
