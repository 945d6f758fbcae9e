"""Limits, bills and ways of asking: what is let through at each bound and what just beyond it, worked out by hand."""

from __future__ import annotations

import asyncio
import base64
import math
from typing import Any

import pytest

from moot.errors import RequestRejected, StoreError
from moot.models.budget import Budget, Hold, Overcharge, Overcharges, Purse, told_usd, within
from moot.models.filtered import FILTERED
from moot.models.limit import Bucket, Limiter, Limits
from moot.models.scripted import ScriptedModel
from moot.models.secrets import Secrets
from moot.models.stream_way import StreamRefused, StreamWay
from moot.models.taken_params import TakenParams, refused_params
from moot.types import FREE, Message, Price, Reply, Request, Usage

# --- limits -----------------------------------------------------------------------------------------------------------


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def test_a_place_is_had_at_once_only_where_nobody_is_in_the_way() -> None:
    limiter = Limiter(Limits(concurrent=2), clock=Clock())
    assert [limiter.enter_now() for _ in range(3)] == [100.0, 100.0, None]
    assert limiter.in_flight == 2
    assert limiter.state == "2/2"
    waiting = asyncio.create_task(limiter.enter())
    await asyncio.sleep(0)
    limiter.leave()
    assert limiter.enter_now() is None, "the place is of whoever waits"
    assert await waiting == 100.0
    for _ in range(2):
        limiter.leave()
    assert limiter.in_flight == 0
    assert limiter.enter_now() == 100.0


@pytest.mark.parametrize("limits", [Limits(rpm=60), Limits(tpm=60)], ids=["requests", "tokens"])
def test_where_the_pace_is_limited_a_place_alone_is_not_enough(limits: Limits) -> None:
    assert Limiter(limits, clock=Clock()).enter_now() is None


def test_a_bucket_holds_two_seconds_of_a_minute_that_includes_them() -> None:
    clock = Clock()
    bucket = Bucket(62.0, clock)  # one a second, two at once
    assert [bucket.take(1) for _ in range(4)] == pytest.approx([0.0, 0.0, 1.0, 2.0])
    clock.now += 2.0
    assert bucket.take(1) == pytest.approx(1.0)
    bucket.give_back(1)
    clock.now += 100.0
    assert [bucket.take(1) for _ in range(3)] == pytest.approx([0.0, 0.0, 1.0]), "it holds no more"
    slow = Bucket(6.2, clock)
    assert [slow.take(1) for _ in range(2)] == pytest.approx([0.0, 10.0]), "one at least"


# --- bills ------------------------------------------------------------------------------------------------------------

PRICE, PROMPT_ONLY = Price(2.0, 8.0), Price(2.0, 0.0)


@pytest.mark.parametrize(
    ("usage", "price", "cost_usd", "told"),
    [
        (Usage(100, 10), PRICE, 0.5, 0.5),
        (Usage(100, None), PRICE, 0.5, 0.5),
        (Usage(1_000_000, 0), PRICE, 2.0, None),  # words that took no token were not counted
        (Usage(1_000_000, 0), PRICE, 2.5, 2.5),  # more than was counted
        (Usage(1_000_000, 0), PROMPT_ONLY, 2.0, 2.0),  # they cost nothing
        (Usage(0, 0), PROMPT_ONLY, 0.0, None),  # what was asked was not counted either
        (Usage(0, 0), FREE, 0.0, 0.0),
        (Usage(0, 0), None, 0.0, 0.0),
        (Usage(0, 0), PRICE, None, None),
    ],
    ids=str,
)
def test_what_a_reply_is_known_to_have_cost(usage: Usage, price: Price | None, cost_usd: Any, told: Any) -> None:
    assert told_usd(Reply("words", usage=usage, cost_usd=cost_usd), price) == told
    for spoken in (Reply("", usage=usage, cost_usd=cost_usd), Reply("no", FILTERED, usage, cost_usd=cost_usd)):
        assert told_usd(spoken, price) == cost_usd, "no words of the model, and no tokens"


def test_a_cap_holds_but_for_a_last_digit() -> None:
    assert [within(1.0, usd) for usd in (1.0, math.fsum([0.05] * 20) + 2e-16, 1.0 + 1e-6)] == [True, True, False]
    assert [within(0.0, usd) for usd in (0.0, 1e-12)] == [True, False]


def test_who_billed_more_than_was_allowed() -> None:
    assert Overcharge().times == 0.0
    assert Overcharge(1, 0.5, 0.0, 0.5).times == math.inf
    assert Overcharge(1, 0.5, 0.25, 0.75).times == 3.0
    together = Overcharge(1, 0.5, 0.25, 0.75) + Overcharge(2, 1.0, 1.0, 2.0)
    assert together == Overcharge(3, 1.5, 0.25, 0.75), "the worst by how many times"
    assert Overcharge() + Overcharge(1, 0.5, 0.25, 0.75) == Overcharge(1, 0.5, 0.25, 0.75)
    told = Overcharges()
    told.overcharged("ann", 0.25, 0.75, 3.0)
    told.overcharged("ann", 1.0, 1.5, 1.5)
    told.overcharged("bob", 0.0, 0.5, 1.0)
    assert told.overcharge_words() == (
        "ann billed $0.75 for a call that could cost $0.25, and more than allowed in 2 of its calls ($1.00 over); "
        "bob billed $0.50 for a call that is free by its price in the file, $0.50 in 1 of its calls"
    )
    assert Hold(1.0).entry == ""


# --- what a server does not take --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "words", "names"),
    [
        (400, "unsupported parameter: top_k", ("top_k",)),
        (422, "top_k is not supported", ("top_k",)),
        (500, "unsupported parameter: top_k", ()),
        (400, "top_k is wrong", ()),
        (400, "top_k is not allowed: it must be below 5", ()),
        (400, "extra field: top_kk", ()),
        (400, "unknown field: model", ()),
        (400, "neither top_k nor seed is supported; they are not available", ("seed", "top_k")),
    ],
)
def test_which_parameters_a_server_does_not_know(status: int, words: str, names: tuple[str, ...]) -> None:
    sent = {"model": "m", "messages": [], "seed": 1, "top_k": 5}
    assert refused_params(status, {"message": words}, sent) == names
    by_name = refused_params(400, {"message": "not supported: seed and top_k", "param": "top_k"}, sent)
    assert by_name == ("top_k",)


def test_what_is_sent_in_another_way() -> None:
    taken = TakenParams(frozenset({"max_tokens"}), frozenset({"temperature"}))
    body = {"max_tokens": 5, "temperature": 0}
    assert taken.applied(body, ["temperature"]) == {"max_completion_tokens": 5}
    assert taken.applied(body, []) == {"max_completion_tokens": 5, "temperature": 0}, "it was named"
    both = {"max_tokens": 5, "max_completion_tokens": 6}
    assert taken.applied(both, []) == both, "its other name is taken"
    assert TakenParams().applied(body, ["temperature"]) is body
    assert (TakenParams().is_everything, taken.is_everything) == (True, False)
    assert TakenParams(frozenset({"max_tokens"})).joined(TakenParams(left_out=frozenset({"temperature"}))) == taken
    assert len(taken.words()) == 2
    assert taken.words()[0] == "max_tokens is sent as max_completion_tokens, which the server takes in its place"


@pytest.mark.parametrize("status", [400, 404, 405, 415, 422, 501])
@pytest.mark.parametrize(
    ("priced", "words", "way"),
    [(False, "no streams", "whole"), (False, "stream_options?", "uncounted"), (True, "stream_options?", "whole")],
)
def test_a_server_that_does_not_stream_is_asked_in_a_lesser_way(
    status: int, priced: bool, words: str, way: str
) -> None:
    stream = StreamWay(always=False, price=PRICE if priced else FREE)
    body: dict[str, Any] = {}
    assert stream.body(body, listens=True) == "counted"
    assert body == {"stream": True, "stream_options": {"include_usage": True}}
    with pytest.raises(StreamRefused):
        stream.check("counted", status, words)
    assert stream.body({}, listens=True) == way


def test_what_is_no_word_about_streams() -> None:
    stream = StreamWay(always=False, price=None)
    for asked, status, words in (
        ("whole", 400, "no streams"),
        ("counted", 500, "no streams"),
        ("counted", 400, "upstream"),
    ):
        stream.check(asked, status, words)  # type: ignore[arg-type]
    assert stream.body({}, listens=True) == "counted"
    assert stream.body({}, listens=False) == "whole"
    assert stream.body({"stream": False}, listens=True) == "whole"
    always = StreamWay(always=True, price=None)
    always.check("counted", 400, "no streams")
    with pytest.raises(RequestRejected):
        always.check("counted", 400, "no stream_options")
    assert always.body({}, listens=False) == "uncounted"
    assert len(always.words()) == 1
    assert stream.words() == ()


@pytest.mark.parametrize(
    ("always", "price", "completion", "finish", "way"),
    [
        (False, PRICE, None, "stop", "whole"),
        (False, PRICE, 0, "stop", "counted"),
        (False, PRICE, None, FILTERED, "counted"),
        (False, FREE, None, "stop", "counted"),
        (True, PRICE, None, "stop", "counted"),
    ],
)
def test_a_model_with_a_price_streams_only_where_its_tokens_are_counted(
    always: bool, price: Price, completion: int | None, finish: str, way: str
) -> None:
    stream = StreamWay(always=always, price=price)
    stream.learn("counted", Reply("fine", finish, Usage(None, completion)))
    assert stream.body({}, listens=True) == way


# --- keys of other letters --------------------------------------------------------------------------------------------


def test_a_key_with_a_space_may_be_written_with_a_plus() -> None:
    secrets = Secrets(["open sesame now"])
    for text in ("open sesame now", "open+sesame now", "open+sesame+now"):
        assert secrets.without(Reply(f"<{text}>")).text == "<⟨…✂…⟩>", text
    assert secrets.without(Reply("open-sesame-now")).text == "open-sesame-now"


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_key_is_known_in_both_ways_in_which_headers_are_packed(encoding: str) -> None:
    key = "pässwört-né-16"
    packed = base64.b64encode(f"a:{key}:b".encode(encoding)).decode()
    for text in (key.encode(encoding).hex(), packed):
        left = Secrets([key]).without(Reply(f"got {text} here")).text
        assert "⟨…✂…⟩" in left
        assert len(left) < len("got ⟨…✂…⟩ here") + 10


def test_a_key_of_bytes_that_are_no_text_is_looked_for_nevertheless() -> None:
    """As the environment gives it."""
    for byte in (0x80, 0xFF):
        key = f"open{chr(0xDC00 + byte)}sesame-now"
        assert Secrets([key]).hidden_in(f"no to {key}!") == "no to …!"


class Looking(Purse):
    """What a look around finds: nothing, a higher bill, or that the store is broken."""

    def __init__(self, *finds: float | BaseException) -> None:
        super().__init__(10.0)
        self._finds = list(finds)

    async def look_around(self) -> None:
        found = self._finds.pop(0)
        if isinstance(found, BaseException):
            raise found
        self.billed_before = {"tom": found}


ASKED = Request((Message("user", "?"),))


@pytest.mark.parametrize("error", [StoreError("gone"), asyncio.CancelledError()], ids=["broken", "cancelled"])
async def test_what_was_held_is_given_back_where_nobody_is_asked(error: BaseException) -> None:
    purse, model = Looking(0.0, error), ScriptedModel("tom", ["fine"])
    with pytest.raises(type(error)):
        await Budget(model, purse, Price(0.0, 2.0), 1_000_000).generate(ASKED)
    assert model.requests == []
    assert (purse.reserved_usd, purse.spent_usd) == (0.0, 0.0)


async def test_what_is_held_is_what_is_known_when_it_leaves() -> None:
    """A bill of three times the most has come while it waited."""
    held: list[float] = []
    purse = Looking(0.0, 3.0, 3.0)

    def answer(request: Request) -> Reply:
        held.append(purse.reserved_usd)
        return Reply("fine", cost_usd=0.5)

    await Budget(ScriptedModel("tom", answer), purse, Price(0.0, 2.0), 1_000_000).generate(ASKED)
    assert held == [pytest.approx(6.0, rel=0.01)]
    assert (purse.reserved_usd, purse.spent_usd) == (0.0, 0.5)
