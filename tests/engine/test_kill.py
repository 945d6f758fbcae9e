"""Processes that are killed and interrupted: what was stored is never asked for again, and the result is the same."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest
from beside import rows as rows_of

from moot.engine.play import play
from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.models.endpoint import EndpointModel
from moot.models.model import Wrapper, call_key
from moot.types import Reply, Request

sys.path.insert(0, str(Path(__file__).parent))
import processes
from processes import MOOT

PLAYERS = {"ann": 0.7, "bob": 0.5, "cat": 0.4, "dan": 0.2}
CONCURRENT = 32


@dataclass(frozen=True)
class Simulator:
    url: str

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.url}{path}", timeout=60) as response:
            return json.load(response)

    @property
    def answered(self) -> int:
        return int(self.get("/stats")["outcomes"].get("ok", 0))

    def wait_for(self, answered: int, process: subprocess.Popen[str]) -> None:
        """Until so many were answered, or the process has ended by itself."""
        while process.poll() is None and self.answered < answered:
            time.sleep(0.01)


@contextmanager
def simulator(folder: Path, **config: Any) -> Iterator[Simulator]:
    models = {name: {"accuracy": accuracy} for name, accuracy in PLAYERS.items()}
    with processes.simulator(folder, models=models, **config) as base_url:
        yield Simulator(base_url.removesuffix("/v1"))


def write_questions(folder: Path, count: int) -> None:
    lines = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(count)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


def write_experiment(folder: Path, name: str, server: Simulator, players: Iterable[str] = PLAYERS) -> Path:
    limits = {"concurrent": CONCURRENT}
    models = {
        each: {"provider": "endpoint", "base_url": f"{server.url}/v1", "model": each, "limits": limits}
        for each in players
    }
    path = folder / f"{name}.yaml"
    path.write_text(json.dumps({"name": name, "questions": {"file": "questions.jsonl"}, "models": models}))
    return path


def start(path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([*MOOT, "run", str(path), "--quiet"], stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, error = process.communicate(timeout=300)
    return process.returncode, error


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    """By the experiment file, whose store stands beside it."""
    return rows_of(path.with_suffix(".db"), sql)


def stored_keys(path: Path) -> set[str]:
    if not rows(path, "SELECT name FROM sqlite_master WHERE name = 'calls'"):
        return set()  # killed before there were tables
    return {key for (key,) in rows(path, "SELECT key FROM calls")}


class Noting(Wrapper):
    """Notes under which key a request is stored and as which bytes it is sent, and makes up a reply."""

    def __init__(self, inner: EndpointModel, bodies: dict[str, str]) -> None:
        super().__init__(inner)
        self._endpoint = inner
        self._bodies = bodies

    async def generate(self, request: Request) -> Reply:
        sent = orjson.dumps(self._endpoint.body(request, "schema"))
        self._bodies[call_key(self.inner, request)] = hashlib.sha256(sent).hexdigest()
        return Reply('{"reasoning": "", "answer": "x"}')


async def bodies_by_key(path: Path) -> dict[str, str]:
    """What every call of an experiment looks like at the server."""
    bodies: dict[str, str] = {}
    experiment = build(read_experiment(path))
    noting = {
        name: Noting(built.model, bodies)
        for name, built in experiment.models.items()
        if isinstance(built.model, EndpointModel)
    }
    for case in experiment.dataset or ():
        for cell in experiment.with_models(noting).cells:
            await play(cell, case.question)
    return bodies


def report(path: Path) -> list[dict[str, Any]]:
    """The accuracy figures, without the seconds that they took."""
    shown = subprocess.run([*MOOT, "report", str(path), "--json"], capture_output=True, text=True, check=True).stdout
    return [{key: value for key, value in row.items() if key != "seconds"} for row in json.loads(shown)["accuracy"]]


EPISODES = "SELECT player, question, repeat, outcome, answer FROM episodes JOIN cells ON cells.id = cell"


def test_two_thousand_calls_killed_again_and_again(tmp_path: Path) -> None:
    questions, kills, rng = 500, 4, random.Random(11)
    calls = questions * len(PLAYERS)
    write_questions(tmp_path, questions)
    with simulator(tmp_path, latency={"median_s": 0.01}) as server:
        calm = write_experiment(tmp_path, "calm", server)
        assert finish(start(calm)) == (0, "")
        already = server.get("/stats")["requests"]
        assert already == calls

        path = write_experiment(tmp_path, "killed", server)
        bodies = asyncio.run(bodies_by_key(path))
        assert len(bodies) == len(set(bodies.values())) == calls
        at_kills: list[tuple[int, set[str]]] = []
        for _ in range(kills):
            process = start(path)
            server.wait_for(server.answered + rng.randrange(1, calls // (kills + 1)), process)
            time.sleep(rng.random() * 0.05)
            process.kill()
            assert finish(process)[0] == -signal.SIGKILL
            at_kills.append((server.get("/stats")["requests"], stored_keys(path)))
        assert finish(start(path)) == (0, "")

        log = server.get(f"/log?since={already}")
        stats = server.get("/stats")
    for arrived, stored in at_kills:
        asked_later = {entry["body_sha256"] for entry in log if entry["n"] > arrived}
        again = {key for key in stored if bodies[key] in asked_later}
        assert not again, f"{len(again)} of {len(stored)} stored replies were asked for again"
    assert [len(stored) for _, stored in at_kills] == sorted(len(stored) for _, stored in at_kills)
    assert at_kills[-1][1], "the kills came while there was something to lose"
    assert len(stored_keys(path)) == calls
    lost = stats["requests"] - 2 * calls
    assert lost <= kills * 3 * CONCURRENT, "only what was under way is asked again"
    assert sorted(rows(path, EPISODES)) == sorted(rows(calm, EPISODES))
    assert report(path) == report(calm)
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_there_is_and_says_so(tmp_path: Path, sent: signal.Signals) -> None:
    write_questions(tmp_path, 400)
    with simulator(tmp_path, latency=0.05) as server:
        path = write_experiment(tmp_path, "stopped", server, ["ann"])
        process = start(path)
        server.wait_for(64, process)
        process.send_signal(sent)
        code, error = finish(process)
        assert code == 130
        kept = len(rows(path, "SELECT 1 FROM episodes"))
        assert 0 < kept < 400
        assert error.endswith(f"moot: interrupted; {kept} of 400 episodes are kept; run again to resume\n")
        assert "that have begun are played to their end" in error
        assert rows(path, "SELECT state FROM runs") == [("interrupted",)]
        assert finish(start(path)) == (0, "")
        assert len(rows(path, "SELECT 1 FROM episodes")) == 400
        assert server.answered <= 400 + CONCURRENT


async def test_an_interrupt_before_the_first_call(tmp_path: Path) -> None:
    write_questions(tmp_path, 3)
    path = write_experiment(tmp_path, "early", Simulator("http://127.0.0.1:9"), ["ann"])
    experiment = build(read_experiment(path))
    store = await experiment.store().open()
    runner = Runner(experiment, store)
    runner.interrupt()
    assert await runner.run() == "interrupted"
    await store.close()
    assert runner.tally.played == 0


def test_who_interrupts_again_does_not_wait_for_a_server_that_hangs(tmp_path: Path) -> None:
    write_questions(tmp_path, 3)
    with simulator(tmp_path, faults=[{"kind": "hang"}]) as server:
        process = start(write_experiment(tmp_path, "hanging", server, ["ann"]))
        while server.get("/stats")["concurrent"] < 3:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        told = process.stderr.readline()
        while process.poll() is None:  # what follows at once is the same Ctrl-C, handed on by somebody
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)
        code, error = finish(process)
    assert code == 130
    assert "3 episodes that have begun are played to their end, 3 calls are out; Ctrl-C again drops them" in told
    assert "0 of 3 episodes are kept" in error


@pytest.mark.parametrize("command", ["doctor", "ask"])
def test_other_commands_can_be_interrupted_too(tmp_path: Path, command: str) -> None:
    write_questions(tmp_path, 3)
    with simulator(tmp_path, faults=[{"kind": "hang"}]) as server:
        path = write_experiment(tmp_path, "hanging", server, ["ann"])
        arguments = {"doctor": ["doctor", str(path)], "ask": ["ask", "Who?", "--team", str(path), "--json"]}[command]
        process = subprocess.Popen([*MOOT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while server.get("/stats")["concurrent"] < 1:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Traceback" not in error
