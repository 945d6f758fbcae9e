"""A model whose own mistakes are failed calls: whatever an object or a package of somebody else's raises or returns.

Whoever asks a model, be it a player, a judge or one that groups, then hears of it in one way and goes on with the rest.
Here every reply and every error of a run passes the border, whichever kind of model it comes from.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from dataclasses import replace
from inspect import isawaitable
from types import CoroutineType
from typing import Any

from moot.errors import CallError, ModelBroke, MootError
from moot.models import border
from moot.models.model import Model, Wrapper
from moot.plugins import NotAsExpected, PluginBroke, blaming, in_one_line
from moot.types import Message, Price, Reply, Request, Usage, canonical_json


class Answerable(Wrapper):
    """The innermost around a model."""

    def shape(self, request: Request) -> Mapping[str, Any]:
        try:
            return checked_shape(self.inner, request)
        except PluginBroke as error:
            raise ModelBroke(str(error)) from error

    async def generate(self, request: Request) -> Reply:
        try:
            replying: object = self.inner.generate(request)
            if type(replying) is not CoroutineType and not isawaitable(replying):
                found = f"one that gives a {type(replying).__name__} at once"
                raise _broke(f"model {self.name!r}: expected async def generate, found {found}")
            reply: object = await replying
        except CallError as error:
            border.clean_error(error)
            raise
        except MootError:
            raise
        except asyncio.CancelledError as error:
            if (task := asyncio.current_task()) is None or task.cancelling():
                raise  # somebody stops it; else it has cancelled itself
            raise _broke(f"model {self.name!r}: CancelledError") from error
        except Exception as error:
            said = " ".join(border.words(error).split())
            raise _broke(f"model {self.name!r}: {type(error).__name__}: {said}") from error
        if not isinstance(reply, Reply):
            raise _broke(f"model {self.name!r}: expected a Reply, found {type(reply).__name__}")
        if (problem := _odd_part(reply)) is not None:
            raise _broke(border.words(f"model {self.name!r}: expected a Reply with {problem}"))
        return charged(border.admitted(reply), self.price)


def _broke(message: str) -> ModelBroke:
    """Of a model that was asked: nobody knows whether it had asked somebody who charges for it."""
    error = ModelBroke(message)
    error.maybe_billed = True
    return error


def charged(reply: Reply, price: Price | None) -> Reply:
    """The reply with what it cost: as its model says, else price times tokens, for every kind of model."""
    if reply.cost_usd is not None or price is None or reply.in_part is not None:
        return reply
    cost_usd = price.cost_usd(reply.usage)
    return reply if cost_usd is None else replace(reply, cost_usd=cost_usd)


def checked_shape(model: Model, request: Request) -> Mapping[str, Any]:
    """What shapes a reply: a mapping. Whether it is JSON is seen where a key is made of it."""
    with blaming("model", model.name, "shape"):
        shape: object = model.shape(request)
        if not isinstance(shape, (dict, Mapping)):  # nearly always a dict, which is told at once
            raise NotAsExpected("a mapping", type(shape))
        return shape


def shape_in_json(model: Model, request: Request) -> Mapping[str, Any]:
    """The same, where it is JSON for sure."""
    shape = checked_shape(model, request)
    with blaming("model", model.name, "shape"):
        try:
            canonical_json(shape)
        except TypeError as error:
            raise NotAsExpected("JSON", found=in_one_line(error)) from None
    return shape


def check_model_object(model: Model) -> None:
    """What would make false figures in silence: one stored reply for all that is asked, or costs that nobody can count."""
    shapes = []
    for content in ("What is asked?", "And what else?"):
        shape = shape_in_json(model, Request((Message("user", content),)))
        shapes.append(canonical_json(shape))
    with blaming("model", model.name):
        if shapes[0] == shapes[1]:
            what = "one that differs where the messages do, since a reply is stored under it"
            raise NotAsExpected(what, found="the same for all", part="shape")
        if not isinstance(model.price, Price | None):
            raise NotAsExpected("Price(...) or None", model.price, part="price")


def _odd_part(reply: Reply) -> str | None:
    """What is wrong with a reply, as a store would find out too late."""
    if not isinstance(reply.text, str):
        return f"a text, found {reply.text!r:.40}"
    if not isinstance(reply.finish, str):
        return f"a finish in words, found {reply.finish!r:.40}"
    usage = reply.usage
    if not isinstance(usage, Usage):
        return f"Usage as its usage, found {usage!r:.40}"
    for tokens in (usage.prompt, usage.completion, usage.reasoning, usage.cached):
        if tokens is not None and type(tokens) is not int:
            return f"Usage of whole numbers, found {usage!r:.80}"
    if not _is_amount(reply.latency_s):
        return f"a number as its latency_s, found {reply.latency_s!r:.40}"
    if reply.cost_usd is not None and not _is_amount(reply.cost_usd):
        return f"a number or None as its cost_usd, found {reply.cost_usd!r:.40}"
    for part, text in (("version", reply.version), ("thoughts", reply.thoughts)):
        if text is not None and not isinstance(text, str):
            return f"a text or None as its {part}, found {text!r:.40}"
    if reply.logprobs is not None:
        try:
            canonical_json(reply.logprobs)
        except TypeError as error:
            return f"logprobs in JSON, found {in_one_line(error)}"
    return None


def _is_amount(value: object) -> bool:
    if type(value) is not float and (isinstance(value, bool) or not isinstance(value, int | float)):
        return False
    return 0 <= value < math.inf
