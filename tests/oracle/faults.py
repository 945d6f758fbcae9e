"""What a file cannot say: calls that are rejected, the same ones every time, as if an endpoint would not take them; and
questions of which nobody knows what is right, as those that a served team is asked."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

import moot.data
from moot.errors import RequestRejected
from moot.simulate.simulated import SimulatedModel


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
