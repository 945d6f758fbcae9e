"""Where the microseconds of a call go: CPU of loops that pass one layer more each, against the same nginx.

A profiler would tell it by function, and charge those most that call the smallest ones. Here nothing is watched: each row is a
loop of its own, and what a layer takes is the difference to the row above, the cost of a longer way included.
"""

from __future__ import annotations

import asyncio
import gc
import json
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import uvloop

from loopback import nginx
from moot.engine.garbage import spare_collector
from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.models.answerable import Answerable
from moot.models.cache import Cache
from moot.models.endpoint import EndpointModel
from moot.models.flights import Flights
from moot.models.last_look import LastLook
from moot.models.limit import Limit, Limiter
from moot.models.model import Model
from moot.models.retry import Retry
from moot.store.calls import ExperimentCalls
from moot.store.sqlite import SqliteStore
from moot.strategies.solo import Solo
from moot.team import Player, Team
from moot.team.forms import AnswerForm
from moot.types import Question, Request, dense_json

CONCURRENT = 64
WINDOW = 3 * CONCURRENT
"""Plays under way at once, as in a run: enough to keep the places at the endpoint taken while some wait for the disk."""


@dataclass(frozen=True)
class Layer:
    name: str
    loop: Callable[[], Awaitable[float]]
    """Seconds of CPU for all calls."""


class NothingKept:
    """A store that keeps nothing."""

    def want(self, key: str, sample: int | None = None) -> None: ...

    async def find_call(self, key: str) -> None: ...

    async def begin(self, key: str) -> None: ...

    def drop(self, key: str) -> None: ...

    async def keep_call(self, call: Any) -> Any:
        return call.reply

    def is_sure(self, key: str) -> bool:
        return True


async def cpu_of(one: Callable[[Any], Awaitable[object]], items: Iterable[Any], at_once: int) -> float:
    left = iter(items)

    async def work() -> None:
        for item in left:
            await one(item)

    started = time.process_time()
    await asyncio.gather(*(work() for _ in range(at_once)))
    return time.process_time() - started


class Layers:
    """The loops, from the bare one to a whole run."""

    def __init__(self, url: str, folder: Path, calls: int) -> None:
        self.url, self.folder, self.calls = url, folder, calls
        words = "which city on the Seine has been the capital of France for most of its history?"
        self.questions = [Question(f"q{n}", f"Question {n}: {words}") for n in range(calls)]
        self.requests = [self._request(question) for question in self.questions]
        self._stores = 0

    def _request(self, question: Question) -> Request:
        team = Team("alone", (Player("ann", self._endpoint()),))
        messages = team._messages(team.players[0], team.prompts.draft(question))
        return Request(messages, schema=AnswerForm(question).schema, question_id=question.id)

    def _endpoint(self) -> EndpointModel:
        return EndpointModel("ann", base_url=self.url, model="fixed", params={"temperature": 0, "max_tokens": 200})

    def all(self) -> list[Layer]:
        return [
            Layer("bare aiohttp loop", self.bare),
            Layer("endpoint: body, clock, bounded intake, reading the reply", self.endpoint),
            Layer("around it: odd replies, last look, limit, retry", self.chained),
            Layer("cache: the key of the call, one flight for all who want it", self.cached),
            Layer("store: a row a call, on the disk", self.stored),
            Layer("team and strategy: prompt, form, verdict", self.played),
            Layer("a run: episode, grade, two rows more; every call a question of its own", self.run),
        ]

    async def bare(self) -> float:
        endpoint = self._endpoint()
        bodies = [dense_json(endpoint.body(request, "schema")).encode() for request in self.requests]
        address = f"{self.url}/chat/completions"
        headers = {"Content-Type": "application/json"}
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), headers=headers) as session:

            async def post(body: bytes) -> None:
                async with session.post(address, data=body) as response:
                    json.loads(await response.read())["choices"][0]["message"]["content"]

            return await cpu_of(post, bodies, CONCURRENT)

    async def endpoint(self) -> float:
        return await self._asked(lambda endpoint: endpoint, CONCURRENT)

    async def chained(self) -> float:
        return await self._asked(lambda endpoint: self._chain(endpoint, NothingKept(), Flights()))

    async def cached(self) -> float:
        return await self._asked(lambda endpoint: self._cache(endpoint, NothingKept()))

    async def stored(self) -> float:
        store = await self._store()
        took_s = await self._asked(lambda endpoint: self._cache(endpoint, ExperimentCalls(store, "bench")))
        await store.close()
        return took_s

    async def played(self) -> float:
        store, endpoint, solo = await self._store(), self._endpoint(), Solo()
        model = self._cache(endpoint, ExperimentCalls(store, "bench"))
        team = Team("alone", (Player("ann", model),))
        took_s = await cpu_of(lambda question: solo.play(question, team.seated()), self.questions, WINDOW)
        await endpoint.close()
        await store.close()
        return took_s

    async def run(self) -> float:
        from engine import write_experiment

        self._stores += 1
        plan = build(
            read_experiment(write_experiment(self.folder, f"run{self._stores}", self.url, self.calls, CONCURRENT))
        )
        store = plan.store()
        runner = Runner(plan, store)
        await store.open()
        started = time.process_time()
        await runner.run()
        took_s = time.process_time() - started
        await store.close()
        return took_s

    def _chain(self, endpoint: Model, claims: Any, flights: Flights) -> Model:
        return Retry(Limit(LastLook(Answerable(endpoint), claims, flights), Limiter()))

    def _cache(self, endpoint: Model, calls: Any) -> Model:
        flights = Flights()
        return Cache(self._chain(endpoint, calls, flights), calls, flights)

    async def _asked(self, around: Callable[[Model], Model], at_once: int = WINDOW) -> float:
        endpoint = self._endpoint()
        took_s = await cpu_of(around(endpoint).generate, self.requests, at_once)
        await endpoint.close()
        return took_s

    async def _store(self) -> SqliteStore:
        self._stores += 1
        store = SqliteStore(self.folder / f"store{self._stores}.db")
        await store.open()
        await store.join()
        return store


def profile(calls: int = 5_000, rounds: int = 5) -> None:
    """Each layer's share, by the medians of rounds in turn."""
    spare_collector()
    took_us: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name, nginx() as url:
        layers = Layers(url, Path(name), calls)
        for _ in range(rounds):
            for layer in layers.all():
                gc.collect()
                took_us.setdefault(layer.name, []).append(1e6 * uvloop.run(layer.loop()) / calls)
    print(f"where the microseconds go, {calls:,} calls with one player, {rounds} rounds in turn, all loops on uvloop:")
    print("    µs so far (least, median, most)   of that here   times bare   layer")
    bare_us = statistics.median(next(iter(took_us.values())))
    before_us = 0.0
    for name, each_us in took_us.items():
        median_us = statistics.median(each_us)
        spread = f"{min(each_us):7.0f} {median_us:7.0f} {max(each_us):7.0f}"
        print(f"    {spread}   {median_us - before_us:19.0f}   {median_us / bare_us:10.2f}   {name}", flush=True)
        before_us = median_us


if __name__ == "__main__":
    profile()
