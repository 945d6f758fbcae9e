"""The cap on money: never crossed, counted at the server, whatever is lost on the way."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from virtual_time import virtual_time

from moot.errors import BudgetReached, CallError, ConnectionFailed, GenerationFailed, RateLimited, TimedOut
from moot.models.budget import Budget, Purse, Trust, most_tokens, most_usd, most_usd_of_tokens
from moot.models.endpoint import EndpointModel, Network
from moot.models.limit import COMPLETION_GUESS, Limit, Limiter, Limits
from moot.models.model import Wrapper
from moot.models.scripted import ScriptedModel
from moot.types import Message, Price, Reply, Request, Usage

PRICE = Price(prompt=1.0, completion=10.0)
MAX_TOKENS = 1000
ASKED = Request((Message("user", "x" * 84),))
MOST_USD = (100 * 1.0 + MAX_TOKENS * 10.0) / 1e6
"""84 bytes and 16 around them; the reply as long as allowed."""


def paid(model: ScriptedModel, purse: Purse) -> Budget:
    return Budget(model, purse, PRICE, MAX_TOKENS)


def costing(usd: float) -> Reply:
    return Reply("fine", cost_usd=usd)


async def test_a_call_reserves_its_most_and_gives_back_the_rest() -> None:
    purse = Purse(1.0)
    seen: list[float] = []

    def answer(request: Request) -> Reply:
        seen.append(purse.reserved_usd)
        return costing(0.001)

    await paid(ScriptedModel("tom", answer, price=PRICE), purse).generate(ASKED)
    assert seen == [pytest.approx(MOST_USD)]
    assert (purse.spent_usd, purse.reserved_usd, purse.lost_usd) == (0.001, 0.0, 0.0)


@pytest.mark.parametrize(
    ("script", "spent", "lost"),
    [
        (costing(0.002), 0.002, 0.0),
        (Reply("fine", cost_usd=None), MOST_USD, MOST_USD),
        (TimedOut("late"), MOST_USD, MOST_USD),
        (ConnectionFailed("cut", sent=True), MOST_USD, MOST_USD),
        (GenerationFailed("garbage"), MOST_USD, MOST_USD),
        (ConnectionFailed("refused"), 0.0, 0.0),
        (RateLimited("429"), 0.0, 0.0),
        (ValueError("a bug"), MOST_USD, MOST_USD),
    ],
    ids=lambda value: repr(value)[:40],
)
async def test_what_may_be_on_the_bill_is_counted_at_its_most(script: object, spent: float, lost: float) -> None:
    purse = Purse(1.0)
    model = paid(ScriptedModel("tom", [script], price=PRICE), purse)  # type: ignore[list-item]
    await asyncio.gather(model.generate(ASKED), return_exceptions=True)
    assert purse.spent_usd == pytest.approx(spent)
    assert purse.lost_usd == pytest.approx(lost)
    assert purse.reserved_usd == pytest.approx(0.0)


async def test_a_call_that_was_cancelled_may_be_on_the_bill() -> None:
    purse = Purse(1.0)

    class Slow(ScriptedModel):
        async def generate(self, request: Request) -> Reply:
            await asyncio.sleep(60)
            raise AssertionError

    task = asyncio.create_task(paid(Slow("tom", [], price=PRICE), purse).generate(ASKED))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert purse.lost_usd == pytest.approx(MOST_USD)
    assert purse.reserved_usd == pytest.approx(0.0)


async def test_where_nothing_cuts_a_reply_the_longest_so_far_says_what_a_lost_one_cost() -> None:
    losses: list[float] = []
    purse = Purse(math.inf, on_loss=losses.append)
    long = Reply("long", usage=Usage(prompt=50, completion=3 * COMPLETION_GUESS), cost_usd=0.02)
    model = ScriptedModel("tom", [TimedOut("late"), long, TimedOut("late"), RateLimited("429")], price=PRICE)
    paying = Budget(model, purse, PRICE, None)
    for _ in range(4):
        await asyncio.gather(paying.generate(ASKED), return_exceptions=True)
    prompt_usd = 100 * PRICE.prompt / 1e6
    guessed, learnt = (
        prompt_usd + tokens * PRICE.completion / 1e6 for tokens in (COMPLETION_GUESS, 3 * COMPLETION_GUESS)
    )
    assert losses == [pytest.approx(guessed), pytest.approx(learnt)]
    assert purse.spent_usd == pytest.approx(guessed + 0.02 + learnt)
    assert purse.reserved_usd == pytest.approx(0.0)


async def test_reservations_are_waited_for() -> None:
    """There is room for one at its most, but for all at what they cost: they go one after another."""
    purse = Purse(MOST_USD * 1.5)
    model = ScriptedModel("tom", lambda request: costing(MOST_USD / 100), price=PRICE)
    replies = await asyncio.gather(*(paid(model, purse).generate(ASKED) for _ in range(20)))
    assert len(replies) == 20
    assert purse.spent_usd == pytest.approx(20 * MOST_USD / 100)


async def test_when_nothing_is_left_to_wait_for_it_says_so() -> None:
    purse = Purse(MOST_USD * 1.5)
    model = paid(ScriptedModel("tom", lambda request: costing(MOST_USD * 0.9), price=PRICE), purse)
    results = await asyncio.wait_for(
        asyncio.gather(*(model.generate(ASKED) for _ in range(5)), return_exceptions=True), 5
    )
    assert [type(each) for each in results] == [Reply, *[BudgetReached] * 4]
    assert "raise budget_usd and run again" in str(results[-1])
    assert purse.spent_usd <= purse.cap_usd


@virtual_time
async def test_the_cap_itself_may_be_spent_and_nothing_above_it() -> None:
    """But for rounding, a billionth of a dollar: a call that could just reach the cap is made."""
    purse = Purse(1.0, spent_usd=0.25)
    half, quarter = await purse.reserve(0.5), await purse.reserve(0.25)
    waiting = asyncio.create_task(purse.reserve(2.0**-29))
    await asyncio.sleep(0)
    assert not waiting.done(), "the least above the cap waits for what is reserved"
    purse.settle(half, 0.5, lost=False)
    purse.settle(quarter, 0.25, lost=False)
    with pytest.raises(BudgetReached):
        await waiting
    assert (purse.spent_usd, purse.reserved_usd) == (1.0, 0.0)


async def test_what_was_spent_before_counts() -> None:
    purse = Purse(1.0, spent_usd=1.0 - MOST_USD / 2)
    model = ScriptedModel("tom", ["never asked"], price=PRICE)
    with pytest.raises(BudgetReached):
        await paid(model, purse).generate(ASKED)
    assert model.requests == []


async def test_a_waiter_that_is_cancelled_holds_nothing() -> None:
    purse = Purse(MOST_USD * 1.5)
    hold = await purse.reserve(MOST_USD)
    waiter = asyncio.create_task(purse.reserve(MOST_USD))
    await asyncio.sleep(0)
    waiter.cancel()
    await asyncio.gather(waiter, return_exceptions=True)
    purse.settle(hold, 0.0, lost=False)
    await asyncio.wait_for(purse.reserve(MOST_USD), 60)
    assert purse.reserved_usd == pytest.approx(MOST_USD)


@given(
    st.lists(st.tuples(st.floats(0.001, 0.3), st.floats(0, 1), st.booleans()), min_size=1, max_size=40),
    st.floats(0.05, 2.0),
)
def test_the_cap_is_never_crossed(calls: list[tuple[float, float, bool]], cap_usd: float) -> None:
    """Any calls in any order, each costing some share of its most, some cancelled while they wait or work."""

    async def scenario() -> None:
        purse = Purse(cap_usd)

        async def one(most_usd: float, share: float) -> None:
            hold = await purse.reserve(most_usd)
            spent_usd = most_usd
            try:
                assert purse.spent_usd + purse.reserved_usd <= cap_usd + 1e-9
                await asyncio.sleep(0)
                spent_usd = most_usd * share
            finally:
                purse.settle(hold, spent_usd, lost=False)

        tasks = [asyncio.create_task(one(most_usd, share)) for most_usd, share, _ in calls]
        await asyncio.sleep(0)
        for task, (_, _, cancelled) in zip(tasks, calls, strict=True):
            if cancelled:
                task.cancel()
        results = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 60)
        assert all(isinstance(each, None | BudgetReached | asyncio.CancelledError) for each in results)
        assert purse.spent_usd <= cap_usd + 1e-9
        assert purse.reserved_usd == pytest.approx(0, abs=1e-9)

    asyncio.run(scenario())


class DearerLater(Wrapper):
    """The second that leaves bills `TIMES` as much as a call could cost, and so do all that leave once that is known."""

    TIMES = 5.0

    def __init__(self, purse: Purse) -> None:
        super().__init__(ScriptedModel("tom", [], price=PRICE))
        self.purse, self.left = purse, 0

    async def generate(self, request: Request) -> Reply:
        self.left += 1
        dear = self.left == 2 or bool(self.purse.overbilled)
        await asyncio.sleep(0.05 if self.left <= 2 else 0.2 if dear else 0.6)
        return costing(MOST_USD * (self.TIMES if dear else 0.01))


@pytest.mark.parametrize("given_up", [0, 7])
@virtual_time
async def test_who_waits_for_room_pays_by_what_was_billed_meanwhile(given_up: int) -> None:
    """Twenty have room at what is known when they come, and eighty wait for it."""
    purse = Purse(20 * MOST_USD)
    model = DearerLater(purse)
    budget = Budget(model, purse, PRICE, MAX_TOKENS)
    calls = [asyncio.create_task(budget.generate(ASKED)) for _ in range(100)]
    await asyncio.sleep(0.1)
    assert purse.overbilled["tom"].times == pytest.approx(5)
    for call in calls[30 : 30 + given_up]:
        call.cancel()
    ended = await asyncio.gather(*calls, return_exceptions=True)
    assert {type(each) for each in ended} <= {Reply, BudgetReached, asyncio.CancelledError}
    assert purse.spent_usd <= purse.cap_usd
    assert purse.spent_usd > purse.cap_usd - 5 * MOST_USD, "and what room there is is used"
    assert purse.reserved_usd == pytest.approx(0, abs=1e-9)
    assert "the next call could cost $0.05" in str(next(each for each in ended if isinstance(each, BudgetReached)))


async def test_who_billed_more_than_allowed_is_believed_and_trusted_less() -> None:
    purse, trust = Purse(1.0), Trust()
    script = [costing(MOST_USD), costing(3 * MOST_USD), costing(2 * MOST_USD), TimedOut("late")]
    model = ScriptedModel("tom", script, price=PRICE)
    budget = Budget(model, purse, PRICE, MAX_TOKENS, trust)
    other = Budget(ScriptedModel("ann", [costing(0.0)], price=PRICE), purse, PRICE, MAX_TOKENS, trust)
    await budget.generate(ASKED)
    assert purse.overbilled == {}, "at its most is not above it"
    for _ in range(3):
        await asyncio.gather(budget.generate(ASKED), return_exceptions=True)
    assert purse.spent_usd == pytest.approx((1 + 3 + 2 + 3) * MOST_USD), "what is lost may be billed as dearly"
    overcharge = purse.overbilled["tom"]
    assert (overcharge.calls, overcharge.over_usd) == (2, pytest.approx(3 * MOST_USD))
    assert (overcharge.allowed_usd, overcharge.billed_usd) == pytest.approx((MOST_USD, 3 * MOST_USD))
    purse.cap_usd = purse.spent_usd + 2.9 * MOST_USD
    with pytest.raises(BudgetReached, match=r"tom billed .* for a call that could cost"):
        await other.generate(ASKED)
    purse.cap_usd = purse.spent_usd + 3.1 * MOST_USD
    await other.generate(ASKED)


@given(st.text(), st.text())
def test_no_prompt_has_more_tokens_than_bytes(text: str, wanted: str) -> None:
    schema = {"enum": [wanted]}
    request = Request((Message("user", text),), schema=schema)
    most = most_tokens(request)
    assert most >= len(text.encode()) + len(json.dumps(schema, ensure_ascii=False, separators=(",", ":")).encode()) - 8


# --- counted at the server ---------------------------------------------------------------------------------------------


@dataclass
class Till:
    """A server that keeps its own bill, in USD."""

    base_url: str = ""
    billed_usd: float = 0.0
    served: int = 0


@asynccontextmanager
async def selling(*, late_every: int = 0) -> AsyncIterator[Till]:
    """Bills every request it begins to work on, also those whose reply comes too late for anybody."""
    till = Till()

    async def complete(request: web.Request) -> web.Response:
        body = await request.json()
        till.served += 1
        prompt = sum(len(message["content"]) for message in body["messages"])
        completion = 37 * till.served % body["max_tokens"] + 1
        usage = Usage(prompt=prompt, completion=completion)
        till.billed_usd += PRICE.cost_usd(usage) or 0.0
        await asyncio.sleep(30 if late_every and till.served % late_every == 0 else 0.002)
        counted = {"prompt_tokens": prompt, "completion_tokens": completion}
        choice = {"message": {"content": "fine"}, "finish_reason": "stop"}
        return web.json_response({"choices": [choice], "usage": counted})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    till.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield till
    finally:
        await runner.cleanup()


@pytest.mark.parametrize("late_every", [0, 7], ids=["all answered", "some time out"])
async def test_two_hundred_calls_at_once_never_cross_the_cap(late_every: int) -> None:
    cap_usd = 40 * MOST_USD
    async with selling(late_every=late_every) as till:
        purse = Purse(cap_usd)
        endpoint = EndpointModel(
            "tom",
            base_url=till.base_url,
            model="m",
            params={"max_tokens": MAX_TOKENS},
            price=PRICE,
            network=Network(timeout_s=0.5 if late_every else 30.0),
        )
        model = Limit(Budget(endpoint, purse, PRICE, MAX_TOKENS), Limiter(Limits(concurrent=32)))
        requests = [Request((Message("user", f"{n:084}"),)) for n in range(200)]
        results = await asyncio.gather(*(model.generate(each) for each in requests), return_exceptions=True)
        await endpoint.close()
        stopped = [each for each in results if isinstance(each, BudgetReached)]
        assert all(isinstance(each, Reply | CallError | BudgetReached) for each in results)
        assert stopped, "the cap is below what two hundred calls cost"
        assert till.billed_usd <= cap_usd
        assert purse.spent_usd >= till.billed_usd - 1e-9, "nothing on the bill is missing in the books"
        assert till.billed_usd > 0.5 * cap_usd, "and the budget is used"


@pytest.mark.parametrize(("cached", "dearest"), [(None, 2.0), (0.5, 2.0), (3.0, 3.0)])
def test_the_most_that_a_call_can_cost_is_at_the_dearer_price_of_its_prompt(
    cached: float | None, dearest: float
) -> None:
    """Some providers ask more for tokens that they cache, and any of a prompt may be among them."""
    price = Price(2.0, 8.0, cached)
    assert most_usd_of_tokens(price, 1_000, 100) == pytest.approx((1_000 * dearest + 100 * 8.0) / 1e6)
    request = Request((Message("user", "Which?"),))
    bound_usd, tokens = most_usd(price, request, 100), most_tokens(request)
    for part in (0, tokens // 2, tokens):
        billed_usd = price.cost_usd(Usage(tokens, 100, cached=part))
        assert billed_usd is not None
        assert billed_usd <= bound_usd * (1 + 1e-12)
