"""A provider that keeps its own books, in a thread: every request it begins to work on is on the bill, answered or not."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

PRICE = {"prompt": 0.0, "completion": 100.0}
MAX_TOKENS = 500
MOST_USD = MAX_TOKENS * PRICE["completion"] / 1e6
"""Five cents: what a call can cost, where the provider keeps to what it was allowed."""


@dataclass
class Provider:
    tokens: int = 100
    """That every reply is said to have taken."""
    latency_s: float = 0.05
    base_url: str = ""
    bill_usd: float = 0.0
    requests: int = 0
    in_flight: int = 0
    most_in_flight: int = 0
    held: bool = False
    """As long as it is, nobody is answered."""
    down: frozenset[str] = frozenset()
    """Models that are not there: who asks for one gets an error, at once, and no bill."""
    says: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """By model; who is not in it says x."""
    asked: Counter[bytes] = field(default_factory=Counter)
    cut: int = 0
    """So many of the next replies break off in the middle."""
    slow: frozenset[str] = frozenset()
    """Models that work until nobody waits for them any more."""
    overbilling: Mapping[str, int] = field(default_factory=dict)
    """By model, the tokens of its replies; who is not in it takes as many as the others."""
    dearer: int | None = None
    """The tokens of the second reply, and of all that are asked for once that was given; those between come late."""
    told_dearer: bool = False
    loading: int = 0
    """So many of the next requests find no model yet: a 503, at once, and no bill."""
    fails_as: Mapping[str, object] | None = None
    """What stands beside the count of tokens in replies that are none: all of them, where there is something."""
    fails_by: str | None = None
    """How every request ends that was worked on: a status with a bill, or one of `_failure`."""
    fails_saying: str = "boom"
    stated_usd: float | None = None
    """What each reply is said to have cost, beside its tokens."""
    first: Mapping[str, object] | None = None
    """What the first that is asked hears, for nothing."""
    usage: Mapping[str, object] | None = None
    """How it writes what a reply took; plainly, where nothing is said."""
    asked_of: Counter[str] = field(default_factory=Counter)
    """By model, how many were worked on."""

    async def complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        model = json.loads(body)["model"]
        self.asked[body] += 1
        self.requests += 1
        if model in self.down:
            return web.json_response({"error": {"message": "the model is not loaded"}}, status=400)
        if self.loading:
            self.loading -= 1
            return web.json_response({"error": {"message": "the model is being loaded"}}, status=503)
        if self.first is not None:
            said, self.first = self.first, None
            return web.json_response(said)
        tokens, latency_s = self.overbilling.get(model, self.tokens), self.latency_s
        if self.dearer is not None and (self.told_dearer or self.requests == 2):
            tokens = self.dearer
        elif self.dearer is not None and self.requests > 2:
            latency_s += 1.0
        self.asked_of[model] += 1
        self.bill_usd += self.stated_usd or tokens * PRICE["completion"] / 1e6
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(latency_s)
            while self.held or model in self.slow:  # noqa: ASYNC110  said by another thread
                await asyncio.sleep(0.01)
        finally:
            self.in_flight -= 1
        self.told_dearer |= tokens == self.dearer
        if self.cut:
            self.cut -= 1
            return await _cut(request)
        said = {"reasoning": "", **self.says.get(model, {"answer": "x"})}
        choice = {"message": {"content": json.dumps(said)}, "finish_reason": "stop"}
        usage = self.usage or {"prompt_tokens": 10, "completion_tokens": tokens}
        if self.stated_usd is not None and self.fails_by is None and self.fails_as is None:
            return web.json_response({"choices": [choice], "usage": {**usage, "cost": self.stated_usd}})
        if self.stated_usd is not None:
            usage = {**usage, "cost": self.stated_usd}
        if self.fails_by is not None:
            return await _failure(request, self.fails_by, usage, self.fails_saying)
        if self.fails_as is not None:
            return web.json_response({**self.fails_as, "usage": usage})
        return web.json_response({"choices": [choice], "usage": usage})


async def _failure(request: web.Request, kind: str, usage: Mapping[str, object], words: str) -> web.StreamResponse:
    error = {"message": words}
    if kind == "cut":
        return await _cut(request)
    if kind == "html":
        return web.Response(text="<html>oops</html>", content_type="text/html")
    if kind == "no reply":
        assert request.transport is not None, "somebody asks"
        request.transport.abort()
        return web.Response()
    if kind == "error":
        return web.json_response({"error": {**error, "code": 502}, "usage": usage})
    if kind == "uncounted":
        choice = {"message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}
        return web.json_response({"choices": [choice], "usage": dict.fromkeys(usage, 0)})
    return web.json_response({"error": error, "usage": usage}, status=int(kind))


async def _cut(request: web.Request) -> web.StreamResponse:
    reply = web.StreamResponse(headers={"Content-Length": "1000", "Content-Type": "application/json"})
    await reply.prepare(request)
    await reply.write(b"{")
    assert request.transport is not None, "somebody asks"
    request.transport.close()
    return reply


def priced(server: Provider, name: str) -> dict[str, Any]:
    """A model of that provider, as an experiment file has it."""
    return {
        "provider": "endpoint",
        "base_url": server.base_url,
        "model": name,
        "price": PRICE,
        "params": {"max_tokens": MAX_TOKENS},
    }


@contextmanager
def provider(*, tokens: int = 100, latency_s: float = 0.05) -> Iterator[Provider]:
    books = Provider(tokens, latency_s)
    started, loop = threading.Event(), asyncio.new_event_loop()

    async def serve() -> web.AppRunner:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", books.complete)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
        books.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        return runner

    def work() -> None:
        runner = loop.run_until_complete(serve())
        started.set()
        loop.run_forever()
        loop.run_until_complete(runner.cleanup())
        loop.close()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    started.wait(10)
    try:
        yield books
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
