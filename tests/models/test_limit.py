"""Limits of an endpoint: calls at once, per minute and tokens per minute, counted where it matters: at the server."""

from __future__ import annotations

import asyncio
import heapq
import math
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from virtual_time import virtual_time

from moot.errors import CallError, RateLimited, ServerFailed
from moot.models.adaptive_limit import AdaptiveLimit
from moot.models.endpoint import EndpointModel
from moot.models.limit import Bucket, Limit, Limiter, Limits, paused_s
from moot.models.long_pause import LONGEST_PAUSE_S
from moot.models.scripted import Script, ScriptedModel
from moot.simulate.server import running
from moot.types import Message, Reply, Request, Usage, seeded

SERVED = {"models": {"ann": {"accuracy": 0.5}, "bob": {"accuracy": 0.5}}}


def request(number: int = 0) -> Request:
    return Request((Message("user", f"<question>\nWho is {number}?\n</question>"),))


class Slow(ScriptedModel):
    """Answers after a moment, and knows how many it had at once."""

    def __init__(self, wait: Callable[[], Awaitable[Any]] = lambda: asyncio.sleep(0.001)) -> None:
        super().__init__("slow", lambda request: "fine")
        self._wait = wait
        self.at_once = self.most_at_once = 0

    async def generate(self, request: Request) -> Reply:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await self._wait()
            return await super().generate(request)
        finally:
            self.at_once -= 1


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(asyncio, "sleep", made.sleep)
    return made


# --- calls at once ----------------------------------------------------------------------------------------------------


async def test_never_more_at_once_than_allowed_and_two_models_share_it() -> None:
    async with running({**SERVED, "latency": 0.01}) as server:
        limiter = Limiter(Limits(concurrent=5))
        models = [Limit(EndpointModel(name, base_url=server.base_url, model=name), limiter) for name in ("ann", "bob")]
        await asyncio.gather(*(model.generate(request(n)) for n in range(40) for model in models))
        for model in models:
            await model.close()
        assert server.stats["max_concurrent"] == 5
        assert server.stats["outcomes"] == {"ok": 80}
    assert limiter.in_flight == 0


async def test_a_slot_is_free_again_whatever_happens() -> None:
    script: list[Script] = ["fine", RateLimited("429"), ServerFailed("500", status=500), ValueError("a bug"), "fine"]
    limiter = Limiter(Limits(concurrent=1))
    model = Limit(ScriptedModel("tom", script), limiter)
    results = await asyncio.gather(*(model.generate(request()) for _ in range(5)), return_exceptions=True)
    assert [type(each) for each in results] == [Reply, RateLimited, ServerFailed, ValueError, Reply]
    assert limiter.in_flight == 0


async def test_a_waiter_that_is_cancelled_while_a_slot_passes_it_by() -> None:
    """Cancelled and, before it runs again, overtaken by a call that leaves."""
    limiter = Limiter(Limits(concurrent=1))
    await limiter.enter()
    waiter = asyncio.create_task(limiter.enter())
    await asyncio.sleep(0)
    waiter.cancel()
    limiter.leave()
    with pytest.raises(asyncio.CancelledError):
        await waiter
    assert limiter.in_flight == 0
    await asyncio.wait_for(limiter.enter(), 60)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 4), st.lists(st.integers(0, 12), min_size=1, max_size=40), st.integers(0, 2**32))
def test_cancelling_leaks_no_slot(concurrent: int, cancel_after: list[int], seed: int) -> None:
    """Calls are cancelled at any moment: waiting, entering, working. In the end every slot is there."""

    async def scenario() -> None:
        rng = random.Random(seed)
        limiter = Limiter(Limits(concurrent=concurrent))
        slow = Slow(lambda: _turns(rng.randrange(4)))
        model = Limit(slow, limiter)
        tasks = [asyncio.create_task(model.generate(request(n))) for n in range(len(cancel_after))]
        for turn in range(13):
            await asyncio.sleep(0)
            for task, at in zip(tasks, cancel_after, strict=True):
                if at == turn and rng.random() < 0.7:
                    task.cancel()
        results = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 60)
        assert all(isinstance(each, Reply | asyncio.CancelledError) for each in results)
        assert limiter.in_flight == 0
        assert slow.most_at_once <= concurrent
        await asyncio.wait_for(asyncio.gather(*(model.generate(request()) for _ in range(concurrent + 1))), 60)

    asyncio.run(scenario())


async def _turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


# --- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("share", "low", "high"), [(0.01, 200, 500), (0.05, 30, 300), (0.6, 0, 8)])
def test_rare_refusals_cost_little_and_many_cost_much(share: float, low: float, high: float) -> None:
    """Rounds of as many calls as are allowed, of which some are refused wherever they stand."""
    limit = AdaptiveLimit(500)
    generator = seeded(7, "refusals")
    for number in range(60):
        calls = limit.allowed
        for _ in range(calls):
            if generator.random() < share:
                limit.refused(started_at=number, now=number + 0.5)
            else:
                limit.succeeded(started_at=number, now=number + 0.5, in_flight=calls)
    assert low < limit.value <= high


def test_a_refusal_halves_once_for_the_calls_in_flight_together() -> None:
    limit = AdaptiveLimit(64)
    for _ in range(10):
        limit.refused(started_at=1.0, now=2.0)
    assert limit.allowed == 32
    limit.refused(started_at=3.0, now=4.0)
    assert limit.allowed == 16
    for n in range(20):
        limit.refused(started_at=5.0 + n, now=5.0 + n)
    assert limit.allowed == 1, "never less than one"


def test_quiet_success_lets_it_grow_back() -> None:
    limit = AdaptiveLimit(64)
    limit.refused(started_at=1.0, now=1.0)
    grown = [limit.allowed]
    for n in range(3000):
        limit.succeeded(started_at=2.0 + n, now=2.5 + n, in_flight=limit.allowed)
        grown.append(limit.allowed)
        if limit.allowed == 64:
            break
    assert grown[0] == 32
    assert grown[-1] == 64
    assert grown == sorted(grown)


def test_success_far_below_the_limit_teaches_nothing() -> None:
    limit = AdaptiveLimit(64)
    limit.refused(started_at=1.0, now=1.0)
    for n in range(1000):
        limit.succeeded(started_at=2.0 + n, now=2.5 + n, in_flight=3)
    assert limit.allowed == 32


@virtual_time
async def test_retry_after_stops_the_whole_endpoint() -> None:
    limiter = Limiter(Limits(concurrent=8))
    model = Limit(ScriptedModel("tom", [RateLimited("429", retry_after_s=0.2), "fine", "fine"]), limiter)
    with pytest.raises(RateLimited):
        await model.generate(request())
    assert limiter.state == "0/4 paused for 0 s"
    started = time.monotonic()
    await asyncio.gather(model.generate(request(1)), model.generate(request(2)))
    assert time.monotonic() - started >= 0.19
    assert "paused" not in limiter.state


async def test_an_overloaded_server_is_a_refusal_and_a_broken_one_is_not() -> None:
    for status, allowed in ((503, 4), (529, 4), (500, 8)):
        limiter = Limiter(Limits(concurrent=8))
        with pytest.raises(ServerFailed):
            await Limit(ScriptedModel("tom", [ServerFailed("no", status=status)]), limiter).generate(request())
        assert limiter.adaptive.allowed == allowed


async def test_a_pause_of_a_day_is_the_end_and_not_a_pause() -> None:
    model = Limit(ScriptedModel("tom", [RateLimited("429", retry_after_s=86_400.0)]), Limiter())
    for words in ("429", "tom asked for a pause of 86,400 s"):
        with pytest.raises(RateLimited, match=words) as caught:
            await asyncio.wait_for(model.generate(request()), 60)
    assert caught.value.retry_after_s == pytest.approx(86_400, abs=60)
    assert LONGEST_PAUSE_S < 86_400
    assert model.limiter.in_flight == 0


@virtual_time
async def test_a_pause_of_half_a_minute_or_more_is_the_models_own_and_is_waited_for() -> None:
    """Whoever waits for its end holds no place, and the others of the endpoint go on until they are refused themselves."""
    told: list[tuple[str, float]] = []
    asked: list[float] = []

    def tired(request: Request) -> str:
        asked.append(time.monotonic())
        if len(asked) == 1:
            raise RateLimited("429", retry_after_s=400.0)
        return "fine"

    def note(model: str, seconds: float) -> None:
        told.append((model, seconds))

    limiter = Limiter(Limits(concurrent=2))
    bob = Limit(ScriptedModel("bob", tired), limiter, on_pause=note)
    ann = Limit(ScriptedModel("ann", lambda request: "fine"), limiter)
    first = time.monotonic()
    calls = [asyncio.create_task(bob.generate(request(n))) for n in range(6)]
    await asyncio.sleep(1)
    assert [call.done() for call in calls] == [True, False, False, False, False, False]
    assert told == [("bob", 400.0)]
    assert "bob paused for 399 s" in limiter.state
    assert (round(paused_s(bob)), paused_s(ann)) == (399, 0.0)
    assert {(await ann.generate(request(n))).text for n in range(5)} == {"fine"}
    assert time.monotonic() - first < 2
    assert limiter.in_flight == 0
    await asyncio.gather(*calls[1:])
    assert len(asked) == 6
    assert min(asked[1:]) - first >= 400
    assert (limiter.in_flight, paused_s(bob)) == (0, 0.0)


@virtual_time
async def test_of_a_long_pause_the_others_of_the_endpoint_know_nothing_and_one_call_a_minute_sees_whether_it_is_over() -> (
    None
):
    """A quota of one model for the day; and a server that names an hour and is well again in a minute."""
    spent = [True]
    asked: list[float] = []

    def tired(request: Request) -> str:
        asked.append(time.monotonic())
        if spent[0]:
            raise RateLimited("429", retry_after_s=3600.0)
        return "fine"

    limiter = Limiter(Limits(concurrent=4, rpm=600))
    bob, ann = Limit(ScriptedModel("bob", tired), limiter), Limit(ScriptedModel("ann", lambda request: "fine"), limiter)
    first = time.monotonic()
    # Whoever waited in the line when it began is not asked either.
    got = await asyncio.gather(*(bob.generate(request(n)) for n in range(40)), return_exceptions=True)
    assert all(isinstance(each, RateLimited) for each in got)
    assert len(asked) <= 4
    assert "bob paused for 3,600 s" in limiter.state
    assert {(await ann.generate(request(n))).text for n in range(5)} == {"fine"}
    asked.clear()
    for _ in range(150):
        await asyncio.sleep(1)
        with pytest.raises(RateLimited):
            await bob.generate(request())
    assert [round((when - first) / 60) for when in asked] == [1, 2]
    spent[0] = False
    await asyncio.sleep(60)
    assert (await bob.generate(request())).text == "fine", "well again"
    assert (await bob.generate(request())).text == "fine"
    assert limiter.in_flight == 0


@virtual_time
async def test_while_one_call_sees_whether_a_long_pause_is_over_no_other_is_made() -> None:
    """Nor within the minute after it was refused, however long the server took to refuse it."""
    asked: list[float] = []

    class Tardy(ScriptedModel):
        async def generate(self, request: Request) -> Reply:
            asked.append(time.monotonic())
            await asyncio.sleep(50.0)
            raise RateLimited("429", retry_after_s=7200.0)

    model = Limit(Tardy("bob", lambda request: "fine"), Limiter(Limits(concurrent=4)))
    begun = time.monotonic()

    async def seconds_of_calls(until: float) -> list[int]:
        """A call every five seconds; when the server heard one."""
        asked.clear()
        calls = []
        while time.monotonic() - begun < until:
            calls.append(asyncio.create_task(model.generate(request())))
            await asyncio.sleep(5.0)
        ended = await asyncio.gather(*calls, return_exceptions=True)
        assert all(isinstance(each, RateLimited) for each in ended)
        return [round(when - begun) for when in asked]

    with pytest.raises(RateLimited):
        await model.generate(request())
    # Refused at 50 s; the next looks at 110 s, is refused at 160 s, and the one after it at 220 s.
    assert await seconds_of_calls(until=225.0) == [110, 220]


async def test_429s_at_the_server_are_answered_by_fewer_calls_at_once() -> None:
    faults = [{"kind": "429", "times": 3}]
    async with running({**SERVED, "latency": 0.005, "faults": faults}) as server:
        limiter = Limiter(Limits(concurrent=16))
        model = Limit(EndpointModel("ann", base_url=server.base_url, model="ann"), limiter)
        first = await asyncio.gather(*(model.generate(request(n)) for n in range(16)), return_exceptions=True)
        assert sum(isinstance(each, RateLimited) for each in first) == 3
        assert limiter.rate_limited == 3
        assert limiter.adaptive.allowed < 16
        server.reset()
        await asyncio.gather(*(model.generate(request(n)) for n in range(100, 140)), return_exceptions=True)
        assert server.stats["max_concurrent"] < 16
        await model.close()


# --- queueing ----------------------------------------------------------------------------------------------------------


def play(capacity: int, ceiling: int, calls: int, service_s: Callable[[], float]) -> tuple[AdaptiveLimit, list[float]]:
    """A server that works on so many at once and queues the rest, kept as busy as the limit allows."""
    limit = AdaptiveLimit(ceiling)
    now, in_flight = 0.0, 0
    queue: list[float] = []
    working: list[tuple[float, float]] = []
    ended: list[float] = []
    while len(ended) < calls:
        for _ in range(limit.allowed - in_flight):
            queue.append(now)
            in_flight += 1
        while queue and len(working) < capacity:
            heapq.heappush(working, (now + service_s(), queue.pop(0)))
        now, started_at = heapq.heappop(working)
        limit.succeeded(started_at, now, in_flight)
        in_flight -= 1
        ended.append(now)
    return limit, ended


@pytest.mark.parametrize("sigma", [0.0, 0.5], ids=["even replies", "uneven replies"])
@pytest.mark.parametrize(
    ("capacity", "ceiling", "at_least", "at_most"),
    [(8, 64, 8, 32), (2, 32, 2, 8), (1, 16, 1, 4), (64, 64, 64, 64), (500, 64, 64, 64), (4, 4, 4, 4)],
)
def test_calls_that_only_queue_are_not_sent_and_nothing_is_lost(
    capacity: int, ceiling: int, at_least: int, at_most: int, sigma: float
) -> None:
    rng = random.Random(3)
    limit, ended = play(capacity, ceiling, 6000, lambda: rng.lognormvariate(0, sigma))
    rng = random.Random(3)
    _, best = play(capacity, min(capacity, ceiling), 6000, lambda: rng.lognormvariate(0, sigma))
    assert at_least <= limit.allowed <= at_most
    assert ended[-1] < 1.06 * best[-1], "as much gets done as at the best fixed limit"


def test_a_server_that_grows_is_used() -> None:
    limit = AdaptiveLimit(64)
    now = 0.0
    for n in range(40_000):
        capacity = 4 if n < 8_000 else 64
        latency_s = max(1.0, limit.allowed / capacity)
        now += latency_s / limit.allowed
        limit.succeeded(now - latency_s, now, limit.allowed)
        if n == 7_999:
            assert limit.allowed <= 16
    assert limit.allowed == 64


def test_longer_replies_are_not_taken_for_a_queue() -> None:
    limit, now = AdaptiveLimit(64), 0.0
    for n in range(20_000):
        latency_s = 1.0 if n < 5_000 else 6.0
        now += latency_s / limit.allowed
        limit.succeeded(now - latency_s, now, limit.allowed)
    assert limit.level == 64


@virtual_time
async def test_a_server_with_a_queue_sees_fewer_calls_at_once() -> None:
    working, most_at_once, at_once = asyncio.Semaphore(4), 0, 0

    class Queueing(ScriptedModel):
        """Works on four at once; the others wait."""

        async def generate(self, request: Request) -> Reply:
            nonlocal at_once, most_at_once
            at_once += 1
            most_at_once = max(most_at_once, at_once)
            async with working:
                await asyncio.sleep(0.02)
            at_once -= 1
            return Reply("fine")

    limiter = Limiter(Limits(concurrent=32))
    model = Limit(Queueing("ann", "fine"), limiter)
    await asyncio.gather(*(model.generate(request(n)) for n in range(700)))
    assert limiter.adaptive.level <= 24
    most_at_once = 0
    await asyncio.gather(*(model.generate(request(n)) for n in range(700, 800)))
    assert most_at_once <= 24


# --- per minute --------------------------------------------------------------------------------------------------------


def most_in_a_minute(moments: list[tuple[float, float]]) -> float:
    """The largest sum of amounts in any window of 60 seconds, its end not included."""
    return max(sum(amount for at, amount in moments if start <= at < start + 60 - 1e-6) for start, _ in moments)


@pytest.mark.parametrize("rpm", [6, 60, 600])
async def test_requests_per_minute_are_kept(rpm: int, clock: Clock) -> None:
    limiter = Limiter(Limits(concurrent=1, rpm=rpm), clock=clock)
    started: list[tuple[float, float]] = []
    for _ in range(2 * rpm + 10):
        started.append((await limiter.enter(), 1.0))
        limiter.leave()
    assert most_in_a_minute(started) <= rpm
    assert started[-1][0] - started[0][0] < 60 * len(started) / rpm * 1.05, "and used"


@pytest.mark.parametrize("limits", [Limits(rpm=60), Limits(tpm=60_000), Limits(rpm=60, tpm=60_000)])
@virtual_time
async def test_who_gives_up_waiting_for_the_rates_leaves_nothing_to_be_waited_for(limits: Limits) -> None:
    loop = asyncio.get_running_loop()
    limiter = Limiter(limits, clock=loop.time)
    began = loop.time()

    async def made() -> float:
        started_at = await limiter.enter(1000)
        limiter.leave()
        return started_at - began

    for _ in range(20):
        given_up = [asyncio.create_task(made()) for _ in range(50)]
        await asyncio.sleep(0)
        for call in given_up:
            call.cancel()
        await asyncio.gather(*given_up, return_exceptions=True)
    in_turn = await asyncio.gather(*(made() for _ in range(6)))
    assert in_turn[-1] < 8, "a call a second, and nothing for the thousand that were never made"
    assert list(in_turn) == sorted(in_turn)
    assert limiter.in_flight == 0


@virtual_time
async def test_who_gives_up_in_the_middle_brings_those_behind_forward() -> None:
    loop = asyncio.get_running_loop()
    limiter, opened_at = Limiter(Limits(rpm=60), clock=loop.time), loop.time()
    calls = [asyncio.create_task(limiter.enter()) for _ in range(30)]
    await asyncio.sleep(3)
    began = [call for call in calls if call.done()]
    for call in calls[len(began) : -1]:
        call.cancel()
    assert await calls[-1] - opened_at < 5, "not half a minute: those before it will never call"


async def test_tokens_per_minute_are_kept_and_what_was_not_used_is_given_back(clock: Clock) -> None:
    limiter = Limiter(Limits(concurrent=1, tpm=6000), clock=clock)
    replies = [Reply("fine", usage=Usage(prompt=40, completion=60)) for _ in range(200)]
    model = Limit(ScriptedModel("tom", replies), limiter, max_tokens=200)
    used: list[tuple[float, float]] = []
    for n in range(200):
        await model.generate(request(n))
        used.append((clock.now, 100.0))
    assert most_in_a_minute(used) <= 6000
    assert used[-1][0] - used[0][0] < 0.75 * 60 * 200 * 210 / 6000, "all that was reserved would have taken longer"


@pytest.mark.parametrize(
    ("max_tokens", "usage", "waits"),
    [
        (300, Usage(prompt=50, completion=50), [2.0, 2.0]),  # what was given back fills no more than the bucket
        (300, Usage(prompt=100, completion=300), [2.0, 4.0]),
        (300, Usage(prompt=100, completion=None), [2.0, 4.0]),
        (300, Usage(prompt=100, completion=500), [2.0, 6.0]),
        (None, Usage(prompt=100, completion=500), [4.0, 6.0]),
    ],
)
async def test_a_call_waits_for_the_tokens_that_it_may_take(
    clock: Clock, max_tokens: int | None, usage: Usage, waits: list[float]
) -> None:
    """A hundred in a second, two hundred at once; a prompt of a hundred tokens, and of a reply as many as it may have."""
    limiter = Limiter(Limits(concurrent=1, tpm=6_200), clock=clock)
    model = Limit(ScriptedModel("tom", lambda _: Reply("fine", usage=usage)), limiter, max_tokens=max_tokens)
    waited = []
    for _ in waits:
        began = clock.now
        await model.generate(Request((Message("system", "x" * 100), Message("user", "y" * 300))))
        waited.append(clock.now - began)
    assert waited == pytest.approx(waits)


async def test_tokens_of_a_refused_call_are_given_back(clock: Clock) -> None:
    limiter = Limiter(Limits(concurrent=1, tpm=600), clock=clock)
    model = Limit(ScriptedModel("tom", lambda request: RateLimited("429")), limiter, max_tokens=500)
    began = clock.now
    for _ in range(5):
        with pytest.raises(CallError):
            await model.generate(request())
    assert clock.now - began < 300, "five refusals cost no five minutes"


@given(st.floats(0.5, 1e6), st.lists(st.floats(0, 200), max_size=60))
def test_a_bucket_never_gives_more_than_a_minutes_worth(per_minute: float, gaps: list[float]) -> None:
    now = 0.0
    bucket = Bucket(per_minute, lambda: now)
    used = []
    for gap in gaps:
        now += gap
        used.append((now + bucket.take(1), 1.0))
    if used:
        assert most_in_a_minute(used) <= math.ceil(per_minute)


async def test_rpm_is_kept_at_the_server() -> None:
    async with running({**SERVED, "rpm": 600}) as server:
        limiter = Limiter(Limits(concurrent=8, rpm=600))
        model = Limit(EndpointModel("ann", base_url=server.base_url, model="ann"), limiter)
        await asyncio.gather(*(model.generate(request(n)) for n in range(25)))
        await model.close()
        assert server.stats["outcomes"] == {"ok": 25}
