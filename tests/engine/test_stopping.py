"""A run that is told to end begins nothing new, however it is told: what has left comes home, the rest is put back."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from billing import MAX_TOKENS, PRICE, Provider, provider
from processes import finish
from virtual_time import virtual_time

from moot.engine import stopping
from moot.engine.runner import Runner
from moot.engine.stopping import Stopping, Unfinished
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.models.model import call_key
from moot.models.scripted import ScriptedModel
from moot.types import Reply, Request

QUESTIONS = 40
PLACES = 4
LINE_UPS = 6
"""Two alone, and the vote and the talk with each of them as the captain."""
SIGNALS_MERGE = """
import sys
from moot.engine import stopping
stopping.ONE_SIGNAL_S = {one_signal_s}
from moot.cli import main
main()
"""
"""Whether two signals are one is a matter of a second, and a machine may be busy for longer."""


def write_experiment(folder: Path, server: Provider, **keys: Any) -> Path:
    questions = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": "x"} for n in range(QUESTIONS)]
    (folder / "q.jsonl").write_text("\n".join(map(json.dumps, questions)))
    described = {"name": "cup", "questions": {"file": "q.jsonl"}, "store": f"sqlite:///{folder}/cup.db", **keys}
    (folder / "cup.yaml").write_text(json.dumps(described))
    return folder / "cup.yaml"


def at(server: Provider, name: str) -> dict[str, Any]:
    model = {"provider": "endpoint", "base_url": server.base_url, "model": name, "price": PRICE}
    return {**model, "params": {"max_tokens": MAX_TOKENS}, "limits": {"concurrent": PLACES}}


def team_experiment(folder: Path, server: Provider, **keys: Any) -> Path:
    """Drafts that three strategies share, and captains who speak when all drafts are there."""
    models = {name: at(server, name) for name in ("ann", "bob")}
    team = {"t": {"players": ["ann", "bob"], "captain": "each"}}
    return write_experiment(folder, server, models=models, teams=team, strategies=["solo", "vote", "talkative"], **keys)


def start(path: Path, *, one_signal_s: float = 1.0, command: Sequence[str] = ()) -> subprocess.Popen[str]:
    program = SIGNALS_MERGE.format(one_signal_s=one_signal_s)
    arguments = [sys.executable, "-c", program, *(command or ["run", str(path), "--quiet"])]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def until(reached: Callable[[], bool], *processes: subprocess.Popen[str]) -> None:
    while not reached():
        assert all(process.poll() is None for process in processes), "it was to be told at work"
        time.sleep(0.01)


def told(process: subprocess.Popen[str]) -> str:
    """What it says to a signal: by then it has heard it."""
    assert process.stderr is not None
    return process.stderr.readline()


def rows(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "cup.db", timeout=60)) as connection:
        return connection.execute(sql).fetchall()


def dropped(folder: Path) -> list[int]:
    return [json.loads(facts).get("dropped", 0) for (facts,) in rows(folder, "SELECT facts FROM runs")]


@pytest.mark.parametrize(
    ("signals", "budget_usd"),
    [
        ([signal.SIGINT], None),
        ([signal.SIGTERM, signal.SIGTERM], None),
        ([signal.SIGHUP, signal.SIGTERM], None),
        ([signal.SIGINT, signal.SIGINT], 50),
    ],
    ids=["Ctrl-C", "timeout", "closed terminal", "under a budget"],
)
def test_only_what_has_begun_is_played(tmp_path: Path, signals: list[signal.Signals], budget_usd: float | None) -> None:
    with provider(latency_s=0.0) as server:
        server.held = True
        path = team_experiment(tmp_path, server, **({} if budget_usd is None else {"budget_usd": budget_usd}))
        process = start(path, one_signal_s=3600)
        out = PLACES if budget_usd is None else 2  # under a cap the first call of each model goes alone
        until(lambda: server.in_flight == out, process)
        process.send_signal(signals[0])
        said = told(process)
        for more in signals[1:]:
            process.send_signal(more)
        server.held = False
        code, error = finish(process)
        # Four calls are the drafts of two questions, two those of one. To come is what each captain makes of both.
        questions = out // 2
        episodes = questions * LINE_UPS
        assert server.requests == questions * 4
        assert max(server.asked.values()) == 1
    assert code == 130, error
    assert f"{episodes} episodes that have begun are played to their end, {out} calls are out" in said
    assert len(rows(tmp_path, "SELECT * FROM episodes WHERE outcome <> 'failed'")) == episodes
    assert rows(tmp_path, "SELECT state FROM runs") == [("interrupted",)]
    assert dropped(tmp_path) == [0], "what was put back is no hole"
    assert rows(tmp_path, "SELECT * FROM losses") == rows(tmp_path, "SELECT * FROM reservations") == []
    assert len(rows(tmp_path, "SELECT * FROM calls")) == questions * 4, "nothing is lost"


def test_a_second_signal_that_is_one_drops_what_had_begun(tmp_path: Path) -> None:
    with provider(latency_s=0.0) as server:
        server.held = True
        process = start(team_experiment(tmp_path, server), one_signal_s=0.0)
        until(lambda: server.in_flight == PLACES, process)
        process.send_signal(signal.SIGTERM)
        told(process)
        process.send_signal(signal.SIGINT)
        assert finish(process)[0] == 130
        assert server.requests == PLACES
        server.held = False
    assert dropped(tmp_path) == [2 * LINE_UPS]


async def test_who_waits_for_another_process_has_begun(tmp_path: Path) -> None:
    """Its calls are out in another's name: put back, it would keep only those that come soon."""
    let_go, asked = asyncio.Event(), Counter[str]()

    class Held(ScriptedModel):
        async def generate(self, request: Request) -> Reply:
            asked[call_key(self, request)] += 1
            await let_go.wait()
            return await super().generate(request)

    runners: list[Runner] = []
    async with AsyncExitStack() as stores:
        playing: list[asyncio.Task[Any]] = []
        for _ in range(2):
            with provider() as nobody:
                plan = build(read_experiment(team_experiment(tmp_path, nobody)), limit=2)
            models = {
                name: replace(built, model=Held(name, lambda _: {"reasoning": "", "answer": "x"}), endpoint=None)
                for name, built in plan.models.items()
            }
            store = await plan.store().open()
            stores.push_async_callback(store.close)
            runners.append(Runner(replace(plan, models=models), store))
            playing.append(asyncio.create_task(runners[-1].run()))
            while runners[-1]._begun < 2 * LINE_UPS:  # noqa: ASYNC110  it is counted, and nobody is told
                await asyncio.sleep(0.01)
        assert asked.total() == 4
        assert runners[1].interrupt() == Unfinished(2 * LINE_UPS, 0)
        let_go.set()
        assert await asyncio.gather(*playing) == ["done", "interrupted"]
    assert runners[1].tally.played == 2 * LINE_UPS
    assert set(asked.values()) == {1}
    assert dropped(tmp_path) == [0, 0]


@pytest.mark.parametrize("asked_beside", ["judges", "grouping"])
def test_calls_beside_the_play_come_home_and_none_is_lost(tmp_path: Path, asked_beside: str) -> None:
    with provider(latency_s=0.0) as server:
        server.held = True
        players = {name: {"provider": "simulated", "accuracy": 0.3} for name in ("ann", "bob")}
        models = {**players, **{name: at(server, name) for name in ("jim", "joe")}}
        beside: dict[str, Any] = {"judge": {"models": ["jim", "joe"]}}
        if asked_beside == "grouping":
            beside = {"grouping": {"model": "jim"}, "teams": {"t": {"players": ["ann", "bob"], "captain": "each"}}}
        strategies = ["solo"] if asked_beside == "judges" else ["talkative"]
        process = start(write_experiment(tmp_path, server, models=models, strategies=strategies, **beside))
        until(lambda: server.in_flight == PLACES, process)
        episodes = len(rows(tmp_path, "SELECT * FROM episodes"))
        process.send_signal(signal.SIGINT)
        said = told(process)
        server.held = False
        code, error = finish(process)
        assert server.requests == PLACES, "nothing new is sent"
    assert code == 130, error
    assert f"nothing new is asked; {PLACES} calls are out and stored when home" in said
    paid = rows(tmp_path, "SELECT * FROM calls WHERE cost_usd > 0")
    assert len(paid) == PLACES, "all of them are stored"
    assert len(rows(tmp_path, "SELECT * FROM episodes")) == episodes == 2 * QUESTIONS
    assert dropped(tmp_path) == [0]


def test_grading_anew_ends_in_order_too(tmp_path: Path) -> None:
    with provider(latency_s=0.0) as server:
        models = {"ann": {"provider": "simulated", "accuracy": 0.3}, "jim": at(server, "jim")}
        players = {"ann": {"model": "ann"}}
        path = write_experiment(tmp_path, server, models=models, players=players, strategies=["solo"])
        assert finish(start(path)) == (0, "")
        server.held = True
        process = start(path, command=["grade", str(path), "--judge", "jim"])
        until(lambda: server.in_flight == PLACES, process)
        process.send_signal(signal.SIGTERM)
        said = told(process)
        server.held = False
        assert finish(process) == (130, "moot: interrupted\n")
        assert server.requests == PLACES
    assert f"{PLACES} calls are out and stored when home" in said
    assert len(rows(tmp_path, "SELECT * FROM calls WHERE cost_usd > 0")) == PLACES


class Told:
    """A run that counts what it is told."""

    def __init__(self) -> None:
        self.interrupts = self.drops = self.left = 0

    def interrupt(self, patience_s: float = 0.0) -> Unfinished:
        self.interrupts += 1
        return Unfinished(3, 2) if self.interrupts == 1 else Unfinished()

    def drop(self) -> None:
        self.drops += 1

    def leave(self) -> None:
        self.left += 1


async def test_one_clock_for_all_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now)
    run, said = Told(), []
    signals = Stopping(run, said.append, run.leave)
    for _ in range(3):
        signals.heard(stopping.LONG_PATIENCE_S)
        signals.heard(stopping.PATIENCE_S)
        now += 0.3
    assert (run.interrupts, said) == (1, [Unfinished(3, 2)])
    now = 101.1
    signals.heard(stopping.PATIENCE_S)
    signals.heard(stopping.PATIENCE_S)
    assert run.interrupts == 2
    now = 105.0
    signals.heard(stopping.LONG_PATIENCE_S)
    assert (run.interrupts, run.left) == (2, 0), "it puts its books in order"
    now = 112.0
    signals.heard(stopping.LONG_PATIENCE_S)
    assert run.left == 1


@pytest.mark.parametrize(
    ("heard", "dropped_at"),
    [
        ((300.0,), [300.0]),
        ((300.0, 300.0), [300.0]),
        ((20.0, 300.0, 20.0), [20.0]),
        ((300.0, 20.0), [20.5, 300.0]),
    ],
    ids=["once", "twice", "urgent, and then less so", "and then more urgent"],
)
@virtual_time
async def test_a_signal_starts_a_clock_only_where_it_is_more_urgent(
    heard: Sequence[float], dropped_at: Sequence[float]
) -> None:
    """To drop what is being put in order already would end it half way. Half a second lies between the signals."""
    started, dropped = asyncio.get_running_loop().time(), []

    class Work:
        def interrupt(self, patience_s: float = 0.0) -> Unfinished:
            return Unfinished()

        def drop(self) -> None:
            dropped.append(asyncio.get_running_loop().time() - started)

    signals = Stopping(Work(), lambda unfinished: None)
    for place, patience_s in enumerate(heard):
        await asyncio.sleep(0.5 * bool(place))
        signals.heard(patience_s)
    await asyncio.sleep(1_000)
    assert dropped == pytest.approx(list(dropped_at), abs=0.01)
