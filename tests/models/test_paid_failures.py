"""A failure is in the books whichever provider it comes through: as it says, at its most where nobody says, as nothing where
nothing left or a whole refusal came without a count."""

from __future__ import annotations

import asyncio
import pkgutil
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from billing import MAX_TOKENS, MOST_USD, PRICE, Provider, provider
from hostile_server import Sent, completion, hostile, http

import moot
from moot import Case, Question
from moot.errors import CallError, ConnectionFailed
from moot.experiment.model_specs import BUILT_IN_PROVIDERS
from moot.models.answerable import Answerable
from moot.models.budget import Budget, Purse
from moot.models.endpoint import EndpointModel, Network
from moot.models.first_bill import BillAwaited
from moot.models.litellm import LitellmModel
from moot.models.model import Model
from moot.types import FREE, Message, Price, Reply, Request, Usage

REQUEST = Request((Message("user", "Who?"),))
PAID = Price(**PRICE)
BOOM = {"message": "boom"}
USAGE = {"prompt_tokens": 20, "completion_tokens": 3 * MAX_TOKENS, "total_tokens": 20 + 3 * MAX_TOKENS}
TOLD_USD = 3 * MOST_USD
HALF = b'Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"id": "x", "choices": ['
FILTER = {"message": "The prompt was filtered due to the content policy", "code": "content_filter"}


def endpoint(base_url: str) -> Model:
    return EndpointModel("ann", base_url=base_url, model="ann", price=PAID, network=Network(timeout_s=0.5))


def streaming(base_url: str) -> Model:
    return EndpointModel("ann", base_url=base_url, model="ann", price=PAID, stream=True, network=Network(timeout_s=0.5))


def litellm(model: str) -> Callable[[str], Model]:
    return lambda base_url: LitellmModel(
        "ann", model=model, api_key="sk-test", base_url=base_url, price=PAID, timeout_s=0.5
    )


PAYING: dict[str, Callable[[str], Model]] = {
    "endpoint": endpoint,
    "endpoint, streaming": streaming,
    "litellm": litellm("openai/ann"),
    "litellm, anthropic": litellm("anthropic/ann"),
    "litellm, groq": litellm("groq/ann"),
    "litellm, openrouter": litellm("openrouter/ann"),
}
"""Those behind LiteLLM have code of their own there."""

TOLD: dict[str, bytes] = {
    "500": http({"error": BOOM, "usage": USAGE}, 500),
    "503": http({"error": BOOM, "usage": USAGE}, 503),
    "408": http({"error": BOOM, "usage": USAGE}, 408),
    "429": http({"error": BOOM, "usage": USAGE}, 429),
    "400": http({"error": BOOM, "usage": USAGE}, 400),
    "413": http({"error": BOOM, "usage": USAGE}, 413),
    "a filter": http({"error": FILTER, "usage": USAGE}, 400),
    "200 with an error": http({"error": {**BOOM, "code": 502}, "usage": USAGE}),
    "200 with a refusal": http({"error": {**BOOM, "code": 400}, "usage": USAGE}),
    "200 without a choice": http({"choices": [], "usage": USAGE}),
    "200 that ended in an error": http(
        {
            "choices": [{"index": 0, "message": {"role": "assistant", "content": "So"}, "finish_reason": "error"}],
            "usage": USAGE,
        }
    ),
}
UNTOLD: dict[str, bytes] = {
    "a reply that is cut": b"HTTP/1.1 200 OK\r\n" + HALF,
    "an error that is cut": b"HTTP/1.1 500 Whatever\r\n" + HALF,
    "no reply": b"",
    "no HTTP": b"what?\r\n\r\n",
    "HTML": http("<html>oops</html>", Content_Type="text/html"),
    "half a JSON": http('{"id":'),
    "an empty JSON": http({}),
    "nothing": http(""),
}
UNBILLED: dict[str, bytes] = {
    "500": http({"error": BOOM}, 500),
    "a gateway's page": http("<html>", 502, Content_Type="text/html"),
    "an empty 503": http("", 503),
    "429": http({"error": BOOM}, 429),
    "400": http({"error": BOOM}, 400),
}


async def spent_usd(model: Model) -> float:
    """What one call that gives no answer leaves in the books."""
    purse = Purse(100 * MOST_USD)
    try:
        with suppress(CallError):
            await Budget(Answerable(model), purse, PAID, MAX_TOKENS).generate(REQUEST)
    finally:
        await model.close()
    assert purse.reserved_usd == pytest.approx(0.0)
    return purse.spent_usd


def test_every_provider_that_can_have_a_price_and_asks_somebody_is_tried() -> None:
    specs = {name: pkgutil.resolve_name(place) for name, place in BUILT_IN_PROVIDERS.items()}
    priced = {name for name, spec in specs.items() if "price" in spec.model_fields}
    asks_nobody = {"simulated", "recorded"}
    assert priced == {*asks_nobody, *(name.partition(",")[0] for name in PAYING)}, "and an object, below"


@pytest.mark.parametrize("through", PAYING)
@pytest.mark.parametrize("kind", TOLD)
async def test_a_bill_inside_a_failure_counts_as_it_says(through: str, kind: str) -> None:
    async with hostile(lambda body, number: TOLD[kind]) as server:
        assert await spent_usd(PAYING[through](server.base_url)) == pytest.approx(TOLD_USD)
        assert len(server.seen) == 1


@pytest.mark.parametrize("through", PAYING)
@pytest.mark.parametrize("kind", UNTOLD)
async def test_what_may_be_billed_without_a_word_counts_at_its_most(through: str, kind: str) -> None:
    async with hostile(lambda body, number: UNTOLD[kind]) as server:
        assert await spent_usd(PAYING[through](server.base_url)) == pytest.approx(MOST_USD)
        assert len(server.seen) == 1


@pytest.mark.parametrize("through", PAYING)
async def test_who_never_answers_counts_at_its_most(through: str) -> None:
    async def never() -> AsyncIterator[bytes]:
        await asyncio.sleep(60)
        yield b""

    def answer(body: Any, number: int) -> Sent:
        return never()

    async with hostile(answer) as server:
        assert await spent_usd(PAYING[through](server.base_url)) == pytest.approx(MOST_USD)


@pytest.mark.parametrize("through", PAYING)
@pytest.mark.parametrize("kind", UNBILLED)
async def test_a_whole_refusal_without_a_count_costs_nothing(through: str, kind: str) -> None:
    async with hostile(lambda body, number: UNBILLED[kind]) as server:
        assert await spent_usd(PAYING[through](server.base_url)) == 0.0
        assert len(server.seen) == 1


@pytest.mark.parametrize("through", PAYING)
@pytest.mark.parametrize("address", ["http://127.0.0.1:9/v1", "http://nobody.invalid/v1"], ids=["refused", "no name"])
async def test_what_never_left_costs_nothing(through: str, address: str) -> None:
    model = PAYING[through](address)
    with pytest.raises(ConnectionFailed) as lost:
        await model.generate(REQUEST)
    assert lost.value.nobody_there
    assert await spent_usd(model) == 0.0


async def test_what_litellm_refuses_by_itself_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    for name in ("openai/ann", "anthropic/ann", "nobody/ann"):
        model = LitellmModel("ann", model=name, price=PAID)
        with pytest.raises(CallError):
            await model.generate(REQUEST)
        assert await spent_usd(model) == 0.0, name


async def test_a_failure_before_says_nothing_of_this_one() -> None:
    """Whoever asks again while it handles an earlier failure has that one among the causes of the next."""
    again = PAYING["litellm"]
    async with hostile(lambda body, number: UNTOLD["HTML"]) as server:
        try:
            await again("http://127.0.0.1:9/v1").generate(REQUEST)
        except ConnectionFailed:
            assert await spent_usd(again(server.base_url)) == pytest.approx(MOST_USD)


@dataclass
class Own:
    """An object of somebody's, which asks a provider in a way of its own."""

    ends: object
    name: str = "own"
    price: Price | None = PAID
    max_tokens: int = MAX_TOKENS
    asked: int = 0

    def shape(self, request: Request) -> Mapping[str, Any]:
        if self.ends == "shape":
            raise ValueError("no")
        return {"messages": [message.content for message in request.messages]}

    async def generate(self, request: Request) -> Reply:
        self.asked += 1
        if isinstance(self.ends, BaseException):
            raise self.ends
        return self.ends  # type: ignore[return-value]

    async def close(self) -> None: ...


ODD = [OSError("reset"), KeyError("choices"), None, "words", Reply("x", usage=Usage(1.5, 2)), asyncio.CancelledError()]  # type: ignore[arg-type]


@pytest.mark.parametrize("ends", ODD, ids=repr)
async def test_an_object_that_breaks_may_have_asked_somebody(ends: object) -> None:
    assert await spent_usd(Own(ends)) == pytest.approx(MOST_USD)


CASES = [Case(Question(str(number), f"What is capital number {number}?"), "Paris") for number in range(30)]


def test_an_object_that_breaks_ends_at_the_cap(tmp_path: Path) -> None:
    own = Own(OSError("reset"))
    store = f"sqlite:///{tmp_path}/cup.db"
    keys = {"name": "cup", "models": {"own": own}, "questions": CASES, "store": store, "budget_usd": 4 * MOST_USD}
    assert moot.run(keys).state == "budget"
    assert own.asked == 4


ZERO = [(0, 0), (20, 0)]


@pytest.mark.parametrize("counts", ZERO, ids=["0/0", "20/0"])
async def test_words_that_took_no_token_count_at_their_most_and_are_no_bill(counts: tuple[int, int]) -> None:
    """LiteLLM writes 0 where the provider says nothing; so do gateways."""
    usage = Usage(*counts)
    said = Reply("Paris", usage=usage, cost_usd=PAID.cost_usd(usage))
    assert await spent_usd(Own(said)) == pytest.approx(MOST_USD)
    gate = BillAwaited(Own(said))
    reply = await gate.generate(REQUEST)
    assert (reply.usage, reply.cost_usd) == (usage, 0.0), "as it was reported"
    assert not gate._billed


@pytest.mark.parametrize(
    "body", [completion(usage=None), completion(usage={"prompt_tokens": 0, "completion_tokens": 0})]
)
@pytest.mark.parametrize("through", ["endpoint", "litellm", "litellm, openrouter"])
async def test_a_reply_without_a_count_counts_at_its_most(through: str, body: dict[str, Any]) -> None:
    async with hostile(lambda asked, number: http(body)) as server:
        assert await spent_usd(PAYING[through](server.base_url)) == pytest.approx(MOST_USD)


@pytest.mark.parametrize("count", [None, {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}])
@pytest.mark.parametrize("through", ["endpoint", "litellm", "litellm, openrouter"])
async def test_a_reply_without_a_count_is_not_shown_as_free(through: str, count: dict[str, int] | None) -> None:
    async with hostile(lambda asked, number: http(completion(usage=count))) as server:
        model = PAYING[through](server.base_url)
        reply = await model.generate(REQUEST)
        await model.close()
    assert reply.text
    assert reply.cost_usd is None
    assert reply.usage.completion is None


@pytest.mark.parametrize(
    ("reply", "price", "usd"),
    [
        (Reply("", usage=Usage(20, 0)), Price(100.0, 100.0), 0.002),
        (Reply("Paris", usage=Usage(20, 0)), Price(100.0, 0.0), 0.002),
        (Reply("Paris", usage=Usage(0, 0), cost_usd=0.3), PAID, 0.3),
        (Reply("Paris", cost_usd=0.0), PAID, 0.0),
        (Reply("no", "content_filter", usage=Usage(20, 0)), Price(100.0, 100.0), 0.002),
        (Reply("Paris", usage=Usage(0, 0)), FREE, 0.0),
    ],
    ids=["no words", "words are free", "a cost of its own", "a cost of nothing", "a filter's words", "all is free"],
)
async def test_what_is_counted_counts_as_counted(reply: Reply, price: Price, usd: float) -> None:
    purse = Purse(1.0)
    await Budget(Answerable(Own(reply, price=price)), purse, price, MAX_TOKENS).generate(REQUEST)
    assert purse.spent_usd == pytest.approx(usd)
    assert purse.lost_usd == 0.0


def experiment(folder: Path, server: Provider, through: str, **keys: Any) -> dict[str, Any]:
    model = {
        "provider": through,
        "model": "openai/ann" if through == "litellm" else "ann",
        "base_url": server.base_url,
        "price": PRICE,
        "params": {"max_tokens": MAX_TOKENS},
        "limits": {"concurrent": 20},
        "retries": {"attempts": 2, "total_s": 20},
    }
    store = f"sqlite:///{folder}/cup.db"
    return {"name": "cup", "models": {"ann": model}, "questions": CASES, "store": store, **keys}


@pytest.mark.parametrize("through", ["endpoint", "litellm"])
@pytest.mark.parametrize("kind", ["500", "400", "429", "error", "cut", "html", "no reply", "uncounted"])
def test_the_cap_holds_whatever_fails(tmp_path: Path, through: str, kind: str) -> None:
    with provider(tokens=MAX_TOKENS, latency_s=0.0) as server:
        server.fails_by = kind
        results = moot.run(experiment(tmp_path, server, through, budget_usd=4 * MOST_USD))
        assert results.state == "budget"
        assert server.requests == 4
        bill_usd = results.figures["bill_usd"]
        assert (bill_usd is None) == (kind == "uncounted"), "what replies without a count cost is not known"
        assert server.bill_usd == pytest.approx((bill_usd or 0.0) + results.figures["losses_usd"])


@pytest.mark.parametrize("through", ["endpoint", "litellm"])
def test_one_bill_in_a_failure_shows_who_overcharges(tmp_path: Path, through: str) -> None:
    """Before many are under way."""
    with provider(tokens=14 * MAX_TOKENS, latency_s=0.1) as server:
        server.fails_by = "500"
        results = moot.run(experiment(tmp_path, server, through, budget_usd=1.0))
        assert results.state == "budget"
        assert server.requests == 1
        assert "billed $0.700 for a call that could cost $0.05" in str(results.stopped_by)
