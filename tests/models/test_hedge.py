"""The hedge: a second request for a late reply, both within the limits and both paid for."""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from virtual_time import virtual_time

from moot.engine.runner import Runner
from moot.errors import ConnectionFailed, FileError, RateLimited
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.models.budget import Budget, Purse
from moot.models.endpoint import EndpointModel
from moot.models.hedge import FEWEST, LONGEST_CREDIT, SHARE, Departure, Hedge
from moot.models.limit import COMPLETION_GUESS, Limit, Limiter, Limits
from moot.models.model import Model
from moot.types import Message, Price, Reply, Request, Usage

ASKED = Request((Message("user", "Who?"),))
PRICE = Price(1.0, 10.0)
MOST_TOKENS = 1000


class Slow:
    """Each request takes the next time of a list, then gives a reply that says which request it was, or fails."""

    name, price = "ann", PRICE

    def __init__(self, times_s: Any, errors: Mapping[int, Exception] | None = None) -> None:
        self._times_s = iter(times_s)
        self._errors = errors or {}
        self.sent = 0
        self.open = 0
        self.cancelled: list[int] = []

    def shape(self, request: Request) -> Mapping[str, Any]:
        return {}

    async def generate(self, request: Request) -> Reply:
        number = self.sent
        self.sent += 1
        self.open += 1
        try:
            await asyncio.sleep(next(self._times_s))
        except asyncio.CancelledError:
            self.cancelled.append(number)
            raise
        finally:
            self.open -= 1
        if number in self._errors:
            raise self._errors[number]
        usage = Usage(prompt=10, completion=20)
        return Reply(str(number), usage=usage, cost_usd=PRICE.cost_usd(usage))

    async def close(self) -> None:
        pass


def hedged(model: Model, after_s: float | None = None, concurrent: int = 10, purse: Purse | None = None) -> Hedge:
    inner: Model = Departure(model)
    if purse is not None:
        inner = Budget(inner, purse, PRICE, MOST_TOKENS)
    return Hedge(Limit(inner, Limiter(Limits(concurrent))), after_s)


@virtual_time
async def test_the_second_request_wins_and_the_first_is_cancelled_and_paid_for() -> None:
    losses: list[float] = []
    purse = Purse(1.0, on_loss=losses.append)
    slow = Slow([5.0, 0.01])
    reply = await hedged(slow, 0.02, purse=purse).generate(ASKED)
    assert (reply.text, slow.sent, slow.cancelled, slow.open) == ("1", 2, [0], 0)
    assert purse.reserved_usd == pytest.approx(0)
    (lost,) = losses
    assert lost > MOST_TOKENS * PRICE.completion / 1e6, "at the most it can cost"
    assert purse.spent_usd == pytest.approx(lost + (reply.cost_usd or 0))


@virtual_time
async def test_the_first_may_still_win_and_then_the_second_is_paid_for() -> None:
    purse = Purse(1.0)
    slow = Slow([0.06, 5.0])
    reply = await hedged(slow, 0.02, purse=purse).generate(ASKED)
    assert (reply.text, slow.sent, slow.cancelled) == ("0", 2, [1])
    assert purse.lost_usd > 0


@virtual_time
async def test_a_reply_in_time_is_asked_for_once() -> None:
    slow = Slow(itertools.repeat(0.001))
    model = hedged(slow, 5.0)
    assert [(await model.generate(ASKED)).text for _ in range(5)] == list("01234")
    assert slow.sent == 5


@virtual_time
async def test_what_is_late_is_learned_first() -> None:
    slow = Slow([*[0.01] * (FEWEST - 2), 0.06, 0.01, 0.5, 0.01])
    model = hedged(slow)
    for _ in range(FEWEST):
        assert model.late_after_s is None
        await model.generate(ASKED)
    assert slow.sent == FEWEST, "nobody can say yet what is late"
    late_after_s = model.late_after_s
    assert late_after_s is not None
    assert late_after_s == pytest.approx(0.01), "the p95 of twenty is the last but one"
    assert (await model.generate(ASKED)).text == str(FEWEST + 1)


@virtual_time
async def test_the_seconds_of_replacements_do_not_make_the_endpoint_look_faster() -> None:
    """One in ten is slow. If its replacement's time were learned, the p95 would sink to the usual time."""
    slow = Slow(itertools.cycle([0.3, *[0.01] * 9]))
    model = hedged(slow, concurrent=40)
    for _ in range(8):
        await asyncio.gather(*(model.generate(ASKED) for _ in range(10)))
    late_after_s = model.late_after_s
    assert late_after_s is not None
    assert late_after_s > 0.05


@virtual_time
async def test_waiting_for_a_place_is_not_lateness() -> None:
    slow = Slow(itertools.repeat(0.03))
    model = hedged(slow, 0.2, concurrent=1)
    await asyncio.gather(*(model.generate(ASKED) for _ in range(15)))
    assert slow.sent == 15, "the last of them waited 0.4 s for their place, and 0.03 s for the reply"


@virtual_time
async def test_both_keep_to_the_limit() -> None:
    most = 0

    class Watched(Slow):
        async def generate(self, request: Request) -> Reply:
            nonlocal most
            most = max(most, self.open + 1)
            return await super().generate(request)

    slow = Watched(itertools.repeat(0.05))
    model = hedged(slow, 0.01, concurrent=3)
    await asyncio.gather(*(model.generate(ASKED) for _ in range(12)))
    assert most <= 3


@virtual_time
async def test_an_endpoint_that_is_slow_as_a_whole_does_not_get_twice_the_load() -> None:
    calls = 100
    slow = Slow(itertools.repeat(0.03))
    model = hedged(slow, 0.01, concurrent=200)
    await asyncio.gather(*(model.generate(ASKED) for _ in range(calls)))
    assert calls < slow.sent <= calls + LONGEST_CREDIT + SHARE * calls + 1


@virtual_time
async def test_a_straggler_that_left_before_anybody_knew_what_is_late_is_asked_for_again() -> None:
    slow = Slow([3600.0, *[0.01] * (FEWEST + 1)])
    model = hedged(slow)
    first = asyncio.create_task(model.generate(ASKED))
    await asyncio.sleep(0.001)
    for _ in range(FEWEST):
        assert not first.done()
        await model.generate(ASKED)
    assert (await first).text == str(FEWEST + 1)


@virtual_time
async def test_a_straggler_without_credit_is_asked_for_again_once_there_is_some() -> None:
    slow = Slow([*[3600.0] * 3, *itertools.repeat(0.01, 100)])
    model = hedged(slow, 1.0)
    stuck = [asyncio.create_task(model.generate(ASKED)) for _ in range(3)]
    await asyncio.sleep(5)
    assert [task.done() for task in stuck].count(True) == 1, "credit for one"
    for _ in range(math.ceil(2 / SHARE)):
        await model.generate(ASKED)
    await asyncio.sleep(1)
    assert all(task.done() for task in stuck)


@pytest.mark.parametrize(
    ("times_s", "errors", "outcome", "sent"),
    [
        ([0.01], {0: ConnectionFailed("reset")}, "reset", 1),
        ([0.06, 0.08], {0: ConnectionFailed("reset")}, "1", 2),
        ([0.08, 0.01], {1: RateLimited("too many")}, "0", 2),
        ([0.06, 0.01], {0: ConnectionFailed("the first"), 1: RateLimited("the second")}, "the first", 2),
    ],
    ids=["failed before it was late", "the first fails", "the second fails", "both fail"],
)
@virtual_time
async def test_failures(times_s: list[float], errors: dict[int, Exception], outcome: str, sent: int) -> None:
    slow = Slow(times_s, errors)
    try:
        said = (await hedged(slow, 0.03).generate(ASKED)).text
    except (ConnectionFailed, RateLimited) as error:
        said = str(error)
    assert (said, slow.sent, slow.open) == (outcome, sent, 0)


@virtual_time
async def test_who_is_cancelled_leaves_nothing_behind() -> None:
    slow = Slow([5.0, 5.0])
    before = asyncio.all_tasks()
    asking = asyncio.create_task(hedged(slow, 0.01).generate(ASKED))
    await asyncio.sleep(0.05)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert sorted(slow.cancelled) == [0, 1]
    assert asyncio.all_tasks() == before


# --- over HTTP ---------------------------------------------------------------------------------------------------------


def completion(text: str = '{"reasoning": "so", "answer": "Paris"}') -> str:
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 100, "completion_tokens": 20}
    return json.dumps({"model": "m", "choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})


@asynccontextmanager
async def served(delay_s: Callable[[int, str], float]) -> AsyncIterator[str]:
    """An endpoint whose n-th request takes so long, or one that asks this."""
    numbers = itertools.count()

    async def chat(request: web.Request) -> web.Response:
        asked = (await request.json())["messages"][-1]["content"]
        await asyncio.sleep(delay_s(next(numbers), asked))
        return web.Response(text=completion(), content_type="application/json")

    app = web.Application()
    app.router.add_post("/v1/chat/completions", chat)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        await runner.cleanup()


FOR_EVER_S = 3600.0


async def test_stragglers_are_not_waited_for() -> None:
    """Three in a hundred would take an hour when they are asked first."""
    stuck = {f"Who is {number}?" for number in range(32, 300, 33)}

    def straggling(number: int, asked: str) -> float:
        if asked not in stuck:
            return 0.01
        stuck.remove(asked)
        return FOR_EVER_S

    async with served(straggling) as url:
        endpoint = EndpointModel("ann", base_url=url, model="m")
        model = Hedge(Limit(Departure(endpoint), Limiter(Limits(40))))

        numbers = itertools.count()
        answered: set[int] = set()

        async def ask_in_turn() -> None:
            """Goes on until the 300 are there: every further request earns some credit for those that are stuck."""
            while not answered.issuperset(range(300)):
                number = next(numbers)
                await model.generate(Request((Message("user", f"Who is {number}?"),)))
                answered.add(number)

        await asyncio.gather(*(ask_in_turn() for _ in range(20)))
        assert not stuck
        await endpoint.close()


def experiment(folder: Path, url: str, questions: int = 60, **more: Any) -> Path:
    lines = [{"id": f"q{n}", "text": f"Which city is number {n}?", "answer": "Paris"} for n in range(questions)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    model = {
        "provider": "endpoint",
        "base_url": url,
        "model": "m",
        "price": {"prompt": 1.0, "completion": 10.0},
        "params": {"max_tokens": 200},
        "limits": {"concurrent": 10},
        **more,
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps({"name": "cup", "questions": {"file": "questions.jsonl"}, "models": {"ann": model}}))
    return path


@pytest.mark.parametrize(
    ("hedge", "params", "least"),
    [
        (True, {"max_tokens": 200}, 200),
        ({"after": 0.2}, {"max_tokens": 200}, 200),
        ({"after": 0.2}, {}, COMPLETION_GUESS),
    ],
    ids=["p95", "after", "nothing cuts a reply"],
)
async def test_through_a_whole_run_the_losers_are_on_the_bill(
    tmp_path: Path, hedge: object, params: Mapping[str, int], least: int
) -> None:
    """Also without a budget: what was spent before counts when one is set later."""
    async with served(lambda number, asked: FOR_EVER_S if number == 40 else 0.02) as url:
        built = build(read_experiment(experiment(tmp_path, url, hedge=hedge, params=params)))
        store = await built.store().open()
        runner = Runner(built, store)
        state = await asyncio.wait_for(runner.run(), 120)
        await store.close()
    assert state == "done"
    assert sum(runner.tally.hedges.values()) >= 1
    with sqlite3.connect(tmp_path / "cup.db") as connection:
        (calls,) = connection.execute("SELECT count(*) FROM calls").fetchone()
        losses = [row[0] for row in connection.execute("SELECT usd FROM losses")]
    connection.close()
    assert calls == 60, "a call is stored once, however often it was sent"
    assert len(losses) == sum(runner.tally.hedges.values())
    assert min(losses) > least * 10 / 1e6


@pytest.mark.parametrize(
    "hedge", ["p95", {"after": "p99"}, {"after": 0}, {"after": -1}, {"before": 1}, 5, {"after": True}]
)
def test_a_wrong_hedge_is_found_beforehand(tmp_path: Path, hedge: object) -> None:
    path = experiment(tmp_path, "http://127.0.0.1:9/v1", hedge=hedge)
    with pytest.raises(FileError, match=r"models\.ann.*hedge.*expected true, or \{after: p95\}"):
        read_experiment(path)


@pytest.mark.parametrize(
    ("hedge", "after_s"),
    [(True, None), ({"after": "p95"}, None), ({}, None), ({"after": 2}, 2.0), ({"after": 0.5}, 0.5)],
)
def test_a_right_hedge(tmp_path: Path, hedge: object, after_s: float | None) -> None:
    built = build(read_experiment(experiment(tmp_path, "http://127.0.0.1:9/v1", hedge=hedge)))
    found = built.models["ann"].hedge
    assert found is not None
    assert found.after_s == after_s


@pytest.mark.parametrize("hedge", [False, None])
def test_no_hedge(tmp_path: Path, hedge: object) -> None:
    built = build(read_experiment(experiment(tmp_path, "http://127.0.0.1:9/v1", hedge=hedge)))
    assert built.models["ann"].hedge is None


@virtual_time
async def test_what_was_saved_up_in_quiet_times_has_an_end() -> None:
    """After a thousand quick replies an endpoint that slows down as a whole gets few requests twice."""
    quick, late = 1_000, 40
    slow = Slow([*[0.001] * quick, *[5.0] * 2 * late])
    model = hedged(slow, 1.0, concurrent=200)
    for _ in range(quick):
        await model.generate(ASKED)
    await asyncio.gather(*(model.generate(ASKED) for _ in range(late)))
    assert LONGEST_CREDIT <= slow.sent - quick - late <= LONGEST_CREDIT + SHARE * late


@virtual_time
async def test_a_request_that_failed_says_nothing_of_how_long_a_reply_takes() -> None:
    """The first is late and fails, the second brings the reply: a timeout would make the endpoint look slow for good."""
    failed = {FEWEST: ConnectionFailed("gone"), FEWEST + 2: ConnectionFailed("gone")}
    slow = Slow([*[0.01] * FEWEST, 30.0, 40.0, 30.0, 40.0], failed)
    model = hedged(slow)
    for _ in range(FEWEST):
        await model.generate(ASKED)
    before = model.late_after_s
    for _ in range(2):
        await model.generate(ASKED)
    assert slow.sent == FEWEST + 4
    assert before == pytest.approx(0.01, abs=1e-3)
    assert model.late_after_s == before
