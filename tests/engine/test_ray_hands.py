"""Hands of questions: each is played to its end once, also when workers die with them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from moot.engine.ray.cluster import RayCluster
from moot.engine.ray.engine import RayRunner
from moot.engine.ray.hands import Deal, Hand
from moot.engine.ray.worker import Dealt, Lineup
from moot.experiment.build import build
from moot.experiment.spec import read_experiment


async def batches(*sizes: int) -> AsyncIterator[list[Hand]]:
    for size in sizes:
        await asyncio.sleep(0)
        yield [Hand(()) for _ in range(size)]


async def test_every_hand_once_and_lost_ones_again() -> None:
    deal = Deal(batches(3, 0, 4))
    played: list[Hand] = []

    async def take(dies: int) -> None:
        while (hand := await deal.next()) is not None:
            await asyncio.sleep(0)
            if dies:
                hand.deaths += 1
                deal.lost(hand)
                return
            played.append(hand)
            deal.over()

    waiting = asyncio.create_task(deal.wait())
    await asyncio.wait_for(asyncio.gather(*(take(number % 2) for number in range(6))), 60)
    await asyncio.wait_for(waiting, 60)
    assert len(played) == len({id(hand) for hand in played}) == 7
    assert sum(hand.deaths for hand in played) == 3
    assert await deal.next() is None


async def test_who_is_idle_waits_for_a_hand_that_may_be_lost() -> None:
    deal = Deal(batches(1))
    hand = await deal.next()
    assert hand is not None
    idle = asyncio.create_task(deal.next())
    await asyncio.sleep(0.01)
    assert not idle.done()
    deal.lost(hand)
    assert await asyncio.wait_for(idle, 60) is hand
    last = asyncio.create_task(deal.next())
    deal.over()
    assert await asyncio.wait_for(last, 60) is None


async def test_a_question_that_kills_its_workers_ends_as_failed(tmp_path: Path, postgres: Any) -> None:
    url = postgres.database()
    (tmp_path / "q.jsonl").write_text(json.dumps({"id": "q", "text": "Who?", "answer": "X"}))
    models = {"ann": {"provider": "simulated", "accuracy": 0.5}}
    file = {"name": "cup", "questions": {"file": "q.jsonl"}, "models": models, "store": url, "repeats": 2}
    (tmp_path / "cup.yaml").write_text(json.dumps(file))
    experiment = build(read_experiment(tmp_path / "cup.yaml"))
    store = await experiment.store().open()
    runner = RayRunner(experiment, store, RayCluster())
    (case,) = experiment.dataset or ()
    (cell,) = experiment.cells
    runner._give_up(Hand((Dealt(case, (Lineup(cell.id, 0), Lineup(cell.id, 1))),), deaths=3))
    await store.close()
    rows = postgres.sql(url, "SELECT repeat, outcome, answer, verdict FROM episodes ORDER BY repeat")
    assert [row[:3] for row in rows] == [(0, "failed", None), (1, "failed", None)]
    assert json.loads(rows[0][3])["cause"] == "3 workers died while they played it"
    assert postgres.sql(url, "SELECT value FROM scores") == [(0.0,), (0.0,)]
    assert runner.tally.outcomes["failed"] == 2
