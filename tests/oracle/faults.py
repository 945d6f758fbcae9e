"""What a file cannot say: calls that are rejected, the same ones every time, as if an endpoint would not take them; and
questions of which nobody knows what is right, as those that a served team is asked."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

from outages import Down
from second_way.worlds import PLAYERS

import moot.data
from moot.errors import CallError, RequestRejected, ServerFailed
from moot.simulate.simulated import SimulatedModel
from moot.types import Request


@contextmanager
def troubles(shares: Mapping[str, float]) -> Iterator[None]:
    """By the model's name the share of its calls that fail. Of a question that is marked so, the reference is not known."""
    generate, read_case = SimulatedModel.generate, moot.data.read_case

    async def sometimes(self: SimulatedModel, request: Any) -> Any:
        words = "\n".join(str(message) for message in request.messages)
        drawn = int(hashlib.sha256(f"{self.name}\n{words}".encode()).hexdigest()[:8], 16) / 16**8
        if drawn < shares.get(self.name, 0.0):
            raise RequestRejected("not today", status=422)
        return await generate(self, request)

    def unknown(values: Mapping[str, Any], **where: Any) -> Any:
        case = read_case(values, **where)
        return replace(case, answer=None, accepted=(), known=False) if case.meta.get("unknown") else case

    with (
        mock.patch.object(SimulatedModel, "generate", sometimes),
        mock.patch.object(moot.data, "read_case", unknown),
    ):
        yield


@contextmanager
def slow(*names: str) -> Iterator[None]:
    """These models take their time: whoever need not wait for them does not."""
    generate = SimulatedModel.generate

    async def later(self: SimulatedModel, request: Any) -> Any:
        if self.name in names:
            await asyncio.sleep(0.05)
        return await generate(self, request)

    with mock.patch.object(SimulatedModel, "generate", later):
        yield


def outage(number: int, keys: Mapping[str, Any], questions: float = 0.5) -> Down:
    """A player, or who groups, is gone on about so many of the questions: in every other world always, else in two of three of
    its calls."""
    draw = random.Random(f"outage {number}")
    graders = keys.get("judge", {}).get("models", ())
    asked = {*PLAYERS, (keys.get("grouping") or {}).get("model")}
    gone = draw.choice([name for name in keys["models"] if name in asked and name not in graders])
    share = 1.0 if number % 2 else 0.67

    def drawn(*words: object) -> float:
        return int(hashlib.sha256(repr((number, *words)).encode()).hexdigest()[:8], 16) / 16**8

    def down(name: str, request: Request) -> CallError | None:
        missing = name == gone and drawn(request.question_id) < questions and drawn(request.messages) < share
        return ServerFailed("the server is down", status=500) if missing else None

    return down
