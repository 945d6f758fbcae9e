"""A model of somebody else's whose reply is none: what is wrong with it is said, and that it may be on a bill."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from moot.errors import ModelBroke, UsageError
from moot.models.answerable import Answerable, charged, check_model_object, shape_in_json
from moot.plugins import PluginBroke
from moot.types import BillInPart, Message, Price, Reply, Request, Usage

ASKED = Request((Message("user", "?"),))


class Theirs:
    """Gives this."""

    def __init__(self, reply: Any = None, shape: Any = None, price: Any = None) -> None:
        self.name, self.price, self._reply, self._shape = "theirs", price, reply, shape

    def shape(self, request: Request) -> Any:
        return self._shape(request) if callable(self._shape) else self._shape

    async def generate(self, request: Request) -> Any:
        if isinstance(self._reply, BaseException):
            raise self._reply
        return self._reply

    async def close(self) -> None:
        """There is nothing to close."""


ODD: Mapping[str, tuple[Any, str]] = {
    "no reply": ("fine", "expected a Reply, found str"),
    "no text": (Reply(7), "a text, found 7"),  # type: ignore[arg-type]
    "no finish": (Reply("", finish=None), "a finish in words, found None"),  # type: ignore[arg-type]
    "no usage": (Reply("", usage=3), "Usage as its usage, found 3"),  # type: ignore[arg-type]
    "half a token": (Reply("", usage=Usage(1, 0.5)), "Usage of whole numbers, found Usage("),  # type: ignore[arg-type]
    "a true token": (Reply("", usage=Usage(cached=True)), "Usage of whole numbers"),
    "no latency": (Reply("", latency_s=None), "a number as its latency_s, found None"),  # type: ignore[arg-type]
    "a latency below nothing": (Reply("", latency_s=-0.1), "a number as its latency_s, found -0.1"),
    "an endless latency": (Reply("", latency_s=float("inf")), "a number as its latency_s, found inf"),
    "a true latency": (Reply("", latency_s=True), "a number as its latency_s, found True"),
    "a cost in words": (Reply("", cost_usd="1"), "a number or None as its cost_usd, found '1'"),  # type: ignore[arg-type]
    "a cost below nothing": (Reply("", cost_usd=-1), "a number or None as its cost_usd, found -1"),
    "a cost that is none": (Reply("", cost_usd=float("nan")), "a number or None as its cost_usd, found nan"),
    "a version in numbers": (Reply("", version=3), "a text or None as its version, found 3"),  # type: ignore[arg-type]
    "thoughts in a list": (Reply("", thoughts=[]), "a text or None as its thoughts, found []"),  # type: ignore[arg-type]
    "logprobs of a kind": (Reply("", logprobs=object()), "logprobs in JSON, found TypeError"),
    "an error of its own": (KeyError("what"), "KeyError: 'what'"),
}


@pytest.mark.parametrize(("reply", "words"), ODD.values(), ids=ODD)
async def test_what_is_no_reply_is_blamed_on_the_model_and_may_be_billed(reply: Any, words: str) -> None:
    with pytest.raises(ModelBroke) as raised:
        await Answerable(Theirs(reply)).generate(ASKED)
    assert str(raised.value).startswith("model 'theirs': ")
    assert words in str(raised.value)
    assert raised.value.maybe_billed


async def test_a_generate_that_is_not_async_is_said_so() -> None:
    class AtOnce(Theirs):
        def generate(self, request: Request) -> Any:
            return Reply("fine")

    with pytest.raises(ModelBroke, match="expected async def generate, found one that gives a Reply at once"):
        await Answerable(AtOnce()).generate(ASKED)


async def test_a_whole_number_is_an_amount_and_so_is_nothing() -> None:
    reply = await Answerable(Theirs(Reply("fine", latency_s=0, cost_usd=2, usage=Usage(1, 0)))).generate(ASKED)
    assert (reply.text, reply.latency_s, reply.cost_usd) == ("fine", 0, 2)


def test_a_price_says_the_cost_where_the_model_does_not() -> None:
    """A million tokens asked at two dollars and half a million answered at eight."""
    price, usage = Price(2.0, 8.0), Usage(1_000_000, 500_000)
    assert charged(Reply("", usage=usage), price).cost_usd == 6.0
    assert charged(Reply("", usage=usage, cost_usd=0.0), price).cost_usd == 0.0, "as its model says"
    for told, known in ((Reply("", usage=usage), None), (Reply("", usage=Usage()), price)):
        assert charged(told, known) is told
    in_part = Reply("", usage=usage, in_part=BillInPart())
    assert charged(in_part, price) is in_part


def said(request: Request) -> dict[str, Any]:
    return {"messages": [message.content for message in request.messages]}


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Theirs(shape=["a list"]), "'theirs': shape: expected a mapping, found list"),
        (Theirs(shape={"a": 1}), "shape: expected one that differs where the messages do"),
        (Theirs(shape=lambda request: {"a": object()}), "'theirs': shape: expected JSON, found TypeError"),
        (Theirs(shape=said, price=3.0), "price: expected Price(...) or None, found 3.0"),
        (Theirs(shape=lambda request: 1 / 0), "'theirs': shape: ZeroDivisionError"),
    ],
    ids=["no mapping", "the same for all", "no JSON", "no price", "breaks"],
)
def test_an_object_that_would_make_false_figures_is_refused(model: Theirs, words: str) -> None:
    with pytest.raises(PluginBroke) as raised:
        check_model_object(model)
    assert words in str(raised.value)


def test_an_object_that_counts_is_taken() -> None:
    check_model_object(Theirs(shape=said))
    check_model_object(Theirs(shape=said, price=Price(1.0, 2.0)))
    assert shape_in_json(Theirs(shape=said), ASKED) == {"messages": ["?"]}
    with pytest.raises(ModelBroke, match="expected a mapping, found list"):
        Answerable(Theirs(shape=["a list"])).shape(ASKED)


async def test_what_moot_raises_on_purpose_passes() -> None:
    with pytest.raises(UsageError, match="on purpose"):
        await Answerable(Theirs(UsageError("on purpose"))).generate(ASKED)
