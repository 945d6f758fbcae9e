"""The limits and the money of many workers, kept in one place."""

from __future__ import annotations

import asyncio

import pytest
from virtual_time import virtual_time

from moot.engine.shared_limits import PolledLine, RemoteLimiter, SharedLimits
from moot.errors import MootError
from moot.models.limit import Limit, Limiter, Limits
from moot.models.scripted import ScriptedModel
from moot.types import Message, Reply, Request

REQUEST = Request((Message("user", "Who?"),))


def line(gate: SharedLimits, worker: str) -> PolledLine:
    async def send(notes: object) -> None:
        await asyncio.sleep(0)
        await gate.send(worker, notes)  # type: ignore[arg-type]

    return PolledLine(send, lambda: gate.collect(worker))


class Counting(ScriptedModel):
    """Knows how many of its kind are in flight, over all workers."""

    in_flight = most = calls = 0

    async def generate(self, request: Request) -> Reply:
        kind = type(self)
        kind.in_flight += 1
        kind.most = max(kind.most, kind.in_flight)
        kind.calls += 1
        try:
            await asyncio.sleep(0.002)
            return await super().generate(request)
        finally:
            kind.in_flight -= 1


@virtual_time
async def test_all_workers_together_keep_to_the_limit() -> None:
    class Here(Counting):
        pass

    gate = SharedLimits({"e": Limits(concurrent=5)})
    lines = [line(gate, f"w{number}") for number in range(3)]
    models = [Limit(Here("tom", lambda _: "x"), RemoteLimiter("e", Limits(concurrent=5), each)) for each in lines]
    await asyncio.gather(*(model.generate(REQUEST) for model in models for _ in range(60)))
    assert Here.calls == 180
    assert Here.most == 5
    for each in lines:
        await each.close()
    assert gate.limiters["e"].in_flight == 0


@virtual_time
async def test_one_pause_stops_all() -> None:
    gate = SharedLimits({"e": Limits(concurrent=5)})
    first, second = line(gate, "a"), line(gate, "b")
    here, there = (RemoteLimiter("e", Limits(concurrent=5), each) for each in (first, second))
    started_at = await here.enter()
    here.refused(started_at, 0.2)
    here.leave()
    await asyncio.sleep(0.02)
    loop = asyncio.get_running_loop()
    began = loop.time()
    await there.enter()
    assert loop.time() - began > 0.1
    await first.close()
    await second.close()


@virtual_time
async def test_requests_a_minute_are_counted_once_for_all() -> None:
    limits = Limits(concurrent=100, rpm=60)
    gate = SharedLimits({"e": limits})
    lines = [line(gate, f"w{number}") for number in range(4)]
    doors = [RemoteLimiter("e", limits, each) for each in lines]
    entered = 0

    async def enter(door: RemoteLimiter) -> None:
        nonlocal entered
        await door.enter()
        entered += 1

    tasks = [asyncio.create_task(enter(door)) for door in doors for _ in range(5)]
    await asyncio.sleep(0.3)
    assert entered == 2, "two seconds' worth at once, not two for each worker"
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for each in lines:
        await each.close()


@virtual_time
async def test_a_worker_that_dies_gives_its_places_back() -> None:
    gate = SharedLimits({"e": Limits(concurrent=2)})
    dying, living = line(gate, "a"), line(gate, "b")
    held = RemoteLimiter("e", Limits(concurrent=2), dying)
    await asyncio.gather(held.enter(), held.enter())
    waiting = asyncio.create_task(held.enter())
    entering = asyncio.create_task(RemoteLimiter("e", Limits(concurrent=2), living).enter())
    await asyncio.sleep(0.02)
    assert not entering.done()
    await gate.gone("a")
    await asyncio.wait_for(entering, 60)
    assert gate.limiters["e"].in_flight == 1
    held.leave()
    with pytest.raises(MootError, match="was given up"):
        await waiting
    await dying.close()
    await living.close()


@virtual_time
async def test_who_leaves_before_being_let_in_takes_no_place() -> None:
    gate = SharedLimits({"e": Limits(concurrent=1)})
    only = line(gate, "a")
    door = RemoteLimiter("e", Limits(concurrent=1), only)
    for pause_s in (0.0, 0.0005, 0.001, 0.01):
        task = asyncio.create_task(door.enter())
        await asyncio.sleep(pause_s)
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        else:
            door.leave()
        await asyncio.sleep(0.02)
        assert gate.limiters["e"].in_flight == 0
    await only.close()


@virtual_time
async def test_who_gives_up_waiting_for_the_rates_leaves_nothing_to_be_waited_for() -> None:
    limits = Limits(rpm=60)
    gate = SharedLimits({"e": limits})
    gate.limiters["e"] = Limiter(limits, clock=(loop := asyncio.get_running_loop()).time)
    first, second = line(gate, "a"), line(gate, "b")
    here, there = RemoteLimiter("e", limits, first), RemoteLimiter("e", limits, second)
    for moment_s in (0.0, 0.01):  # before the gate hears of them, and after
        given_up = [asyncio.create_task(here.enter()) for _ in range(60)]
        await asyncio.sleep(moment_s)
        for call in given_up:
            if call.done():
                here.leave()
            call.cancel()
        await asyncio.gather(*given_up, return_exceptions=True)
        await asyncio.sleep(0.01)
    assert gate.limiters["e"].in_flight == 0
    began = loop.time()
    for _ in range(4):
        await there.enter()
        there.leave()
    assert loop.time() - began < 8, "a call a second, and nothing for those that were never made"
    await first.close()
    await second.close()


@virtual_time
async def test_a_gate_that_is_gone_is_said_to_all_who_wait() -> None:
    async def send(_: object) -> None:
        return None

    async def collect() -> list[object]:
        await asyncio.sleep(0.01)
        raise ConnectionError("no more")

    broken = PolledLine(send, collect)  # type: ignore[arg-type]
    door = RemoteLimiter("e", Limits(), broken)
    for _ in range(2):
        with pytest.raises(MootError, match="the gate cannot be reached: no more"):
            await door.enter()
    await broken.close()
