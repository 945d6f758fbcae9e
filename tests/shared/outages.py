"""Outages of simulated models: whose calls fail, on which questions, and how many were made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest import mock

from moot.errors import CallError, ServerFailed
from moot.simulate.simulated import SimulatedModel
from moot.types import Reply, Request

Down = Callable[[str, Request], CallError | Reply | None]


@contextmanager
def asked(down: Down | None = None) -> Iterator[Counter[str]]:
    """By model, how many calls were made; those fail for which `down` says how."""
    generate, made = SimulatedModel.generate, Counter[str]()

    async def sometimes(self: SimulatedModel, request: Request) -> Reply:
        made[self.name] += 1
        came = None if down is None else down(self.name, request)
        if isinstance(came, CallError):
            raise came
        return came or await generate(self, request)

    with mock.patch.object(SimulatedModel, "generate", sometimes):
        yield made


def gone(*names: str, questions: Callable[[int], bool] = lambda n: True) -> Down:
    """These are not there, on such questions."""

    def down(name: str, request: Request) -> CallError | None:
        number = int((request.question_id or "q0").removeprefix("q"))
        return ServerFailed("the server is down", status=500) if name in names and questions(number) else None

    return down
