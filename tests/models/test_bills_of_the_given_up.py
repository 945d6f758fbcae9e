"""What an endpoint has stated of its bill by the time a call is given up is in the books as it was stated."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import pytest
from billing import MAX_TOKENS, MOST_USD, PRICE
from hostile_server import completion, hostile, http

from moot.errors import BudgetReached
from moot.models.answerable import Answerable
from moot.models.budget import Budget, Purse
from moot.models.endpoint import EndpointModel
from moot.models.hedge import Departure, Hedge
from moot.models.litellm import LitellmModel
from moot.models.model import Model
from moot.models.overheard import Tell, overhearing
from moot.models.stated_losses import StatedLosses
from moot.types import FREE, Message, Price, Reply, Request

REQUEST = Request((Message("user", "Who?"),))
PAID = Price(**PRICE)
COST = 9 * MOST_USD
STATED: dict[str, dict[str, Any]] = {
    "a cost": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15, "cost": COST},
    "tokens": {"prompt_tokens": 10, "completion_tokens": 9 * MAX_TOKENS, "total_tokens": 10 + 9 * MAX_TOKENS},
}


class Listens:
    """Whoever watches, for whom a reply is streamed."""

    is_bound = False

    def voice(self) -> Tell:
        return lambda words: None


def endpoint(base_url: str, price: Price | None = PAID) -> Model:
    return EndpointModel("ann", base_url=base_url, model="ann", price=price)


def streaming(base_url: str, price: Price | None = PAID) -> Model:
    return EndpointModel("ann", base_url=base_url, model="ann", price=price, stream=True)


def litellm(model: str) -> Callable[..., Model]:
    def made(base_url: str, price: Price | None = PAID) -> Model:
        return LitellmModel("ann", model=model, api_key="sk-test", base_url=base_url, price=price)

    return made


THROUGH: dict[str, Callable[..., Model]] = {
    "endpoint, for who listens": endpoint,
    "endpoint, streaming": streaming,
    "litellm": litellm("openai/ann"),
    "litellm, groq": litellm("groq/ann"),
}


def saying(
    usage: object, heard: asyncio.Event, *, end: str | None = None
) -> Callable[[Any, int], AsyncIterator[bytes]]:
    """A stream that states its bill with its first words, and then nothing more for as long as anybody waits."""

    async def stalls() -> AsyncIterator[bytes]:
        choice = {"index": 0, "delta": {"role": "assistant", "content": "So"}, "finish_reason": end}
        event = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        yield b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
        for _ in range(2):
            yield b"data: " + json.dumps({**event, "usage": usage} if usage else event).encode() + b"\n\n"
            await asyncio.sleep(0.2)
        heard.set()
        await asyncio.sleep(60)

    return lambda body, number: stalls()


async def given_up(model: Model, heard: asyncio.Event) -> None:
    with overhearing(Listens()):
        asked = asyncio.create_task(model.generate(REQUEST))
    async with asyncio.timeout(30):
        await heard.wait()
    asked.cancel()
    with suppress(asyncio.CancelledError):
        await asked


@pytest.mark.parametrize("through", THROUGH)
@pytest.mark.parametrize("stated", STATED)
async def test_what_was_stated_is_booked_and_ends_at_the_cap(through: str, stated: str) -> None:
    heard, purse = asyncio.Event(), Purse(10 * MOST_USD)
    async with hostile(saying(STATED[stated], heard)) as server:
        inner = THROUGH[through](server.base_url)
        model = Budget(Answerable(inner), purse, PAID, MAX_TOKENS)
        await given_up(model, heard)
        assert purse.spent_usd == purse.lost_usd == pytest.approx(COST)
        assert purse.reserved_usd == pytest.approx(0.0)
        with pytest.raises(BudgetReached, match=r"ann billed \$0\.45"):
            await model.generate(REQUEST)
        assert len(server.seen) == 1
        await inner.close()


@pytest.mark.parametrize("through", THROUGH)
@pytest.mark.parametrize("usage", [None, {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}], ids=str)
async def test_what_may_be_more_is_booked_at_its_most(through: str, usage: object) -> None:
    heard, purse = asyncio.Event(), Purse(10 * MOST_USD)
    async with hostile(saying(usage, heard)) as server:
        inner = THROUGH[through](server.base_url)
        await given_up(Budget(Answerable(inner), purse, PAID, MAX_TOKENS), heard)
        await inner.close()
    assert purse.spent_usd == pytest.approx(MOST_USD)
    assert not purse.overbilled


@pytest.mark.parametrize("through", THROUGH)
@pytest.mark.parametrize("price", [None, FREE], ids=["no price", "free"])
async def test_a_cost_is_a_loss_whether_the_file_has_a_price_or_not(through: str, price: Price | None) -> None:
    heard, purse, unpriced = asyncio.Event(), Purse(float("inf")), []
    async with hostile(saying(STATED["a cost"], heard, end="stop")) as server:
        inner = THROUGH[through](server.base_url, price)
        await given_up(StatedLosses(Answerable(inner), purse, lambda: unpriced.append(1)), heard)
        await inner.close()
    assert purse.lost_usd == pytest.approx(COST)
    assert unpriced == ([] if price is FREE or "endpoint" in through else unpriced)


async def test_a_hedges_slower_half_costs_what_it_stated() -> None:
    heard, purse = asyncio.Event(), Purse(100 * MOST_USD)
    stalls = saying(STATED["a cost"], heard)

    def answer(body: Any, number: int) -> Any:
        return stalls(body, number) if number == 1 else http(completion())

    async with hostile(answer) as server:
        inner = streaming(server.base_url)
        model = Hedge(Budget(Departure(Answerable(inner)), purse, PAID, MAX_TOKENS), 1.0)
        reply = await model.generate(REQUEST)
        await inner.close()
    assert reply.cost_usd is not None
    assert purse.lost_usd == pytest.approx(COST)
    assert purse.spent_usd == pytest.approx(COST + reply.cost_usd)


@pytest.mark.parametrize("through", ["endpoint", "endpoint, streaming", "litellm"])
async def test_a_reply_that_has_come_whole_is_paid_as_it_says(through: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be looked through for keys for a while, and given up meanwhile."""
    looked = asyncio.Event()

    async def looks(self: object, reply: Reply) -> Reply:
        looked.set()
        await asyncio.sleep(60)
        return reply

    monkeypatch.setattr("moot.models.secrets.Secrets.taken_from", looks)
    made = {"endpoint": endpoint, **THROUGH}[through]
    purse = Purse(100 * MOST_USD)
    async with hostile(lambda body, number: http(completion(usage=STATED["a cost"]))) as server:
        inner = made(server.base_url)
        asked = asyncio.create_task(Budget(Answerable(inner), purse, PAID, MAX_TOKENS).generate(REQUEST))
        async with asyncio.timeout(30):
            await looked.wait()
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        await inner.close()
    assert purse.spent_usd == purse.lost_usd == pytest.approx(COST)
    assert purse.overbilled
