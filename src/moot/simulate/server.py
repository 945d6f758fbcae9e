"""`moot simulate`: simulated models behind the OpenAI form, with latency, limits and faults on order.

It exists so that everything that talks to an endpoint can be tried, counted and broken without one. ``GET /stats`` and
``GET /log`` say what really arrived, ``POST /reset`` begins the count anew.
"""

from __future__ import annotations

import asyncio
import hmac
import math
import os
import signal
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from itertools import chain
from pathlib import Path
from typing import Any

from aiohttp import web

from moot.errors import RequestRejected, UsageError
from moot.openai_form.completions import PIECE_TOKENS, BadRequest, ChatRequest, Completion, read_chat
from moot.simulate.faults import SPOILED, STATUSES, Faults, break_wire, error_response, spoiled, status_response
from moot.simulate.server_config import FaultConfig, LatencyConfig, SimulateConfig, check_config
from moot.simulate.simulated import SimulatedModel
from moot.simulate.visits import NO_STATUS, RateLimit, Tally, Visit
from moot.simulate.world import World, normal
from moot.types import Case, Request

_LARGEST_BODY = 64 * 2**20
_STOP_S = 0.2


class SimulatedServer:
    """The server. `base_url` is what a client is given; `stats` and `log` are what GET /stats and GET /log tell."""

    def __init__(self, config: SimulateConfig, cases: Iterable[Case] = ()) -> None:
        self.config = config
        self.world = World(chain(cases, read_questions(config.questions)), config.seed)
        self.models = {
            name: SimulatedModel(name, world=self.world, **each.model_dump()) for name, each in config.models.items()
        }
        self._key = _api_key(config)
        self._tally = Tally()
        self._faults = Faults(config.faults, config.seed)
        self._limit = RateLimit(config.rpm) if config.rpm else None
        self._slots: AbstractAsyncContextManager[None] = (
            asyncio.Semaphore(config.capacity) if config.capacity else nullcontext()
        )
        self._runner: web.AppRunner | None = None
        self.url = ""

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def stats(self) -> dict[str, Any]:
        server = self._runner.server if self._runner else None
        return {**self._tally.as_json(), "open_connections": len(server.connections) if server else 0}

    def log(self, since: int = 0) -> list[dict[str, Any]]:
        """What arrived after the request of number `since`; the status is null while one is worked on."""
        return [
            {"n": visit.n, "model": visit.model, "body_sha256": visit.body, "status": visit.status}
            for visit in self._tally.log
            if visit.n > since
        ]

    def reset(self) -> None:
        self._tally.clear()
        self._faults.forget()

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        app = web.Application(client_max_size=_LARGEST_BODY)
        app.add_routes(
            [
                web.post("/v1/chat/completions", self._complete),
                web.get("/v1/models", self._list_models),
                web.get("/stats", self._show_stats),
                web.get("/log", self._show_log),
                web.post("/reset", self._forget),
                web.route("*", "/{path:.*}", _not_found),
            ]
        )
        # A handler ends when its client goes away: a request that hangs must not outlive who asked.
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=_STOP_S)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, host, port, backlog=1024).start()
        except OSError as error:
            await self._runner.cleanup()
            raise UsageError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
        shown = f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        with self._tally.visit(raw) as visit:
            response = await self._answer(request, raw, visit)
            if visit.outcome == "gone":
                visit.outcome = "ok" if response.status == 200 else str(response.status)
            if visit.status is None:
                visit.status = response.status
            return response

    async def _answer(self, request: web.Request, raw: bytes, visit: Visit) -> web.StreamResponse:
        if refused := self._refused(request):
            return refused
        try:
            chat = read_chat(raw)
            return self._unserved(chat, visit) or await self._serve(request, chat, visit)
        except BadRequest as error:
            return _invalid(str(error), param=error.param)
        except RequestRejected as error:
            return _invalid(str(error), param="response_format")

    def _refused(self, request: web.Request) -> web.Response | None:
        """401 without the key."""
        given = request.headers.get("Authorization", "")
        if self._key is None or hmac.compare_digest(given.encode(), f"Bearer {self._key}".encode()):
            return None
        return error_response(401, "Incorrect API key provided.", kind="invalid_request_error", code="invalid_api_key")

    def _unserved(self, chat: ChatRequest, visit: Visit) -> web.Response | None:
        """What a real server turns away before any work: unknown models, forms it cannot do, too many requests."""
        visit.model = chat.model.removeprefix("simulated/")
        if visit.model not in self.models:
            words = f"The model {chat.model!r} does not exist; there are: {', '.join(self.models)}."
            return error_response(404, words, kind="invalid_request_error", code="model_not_found", param="model")
        if (chat.form == "json_schema" and not self.config.json_schema) or (
            chat.form == "json_object" and not self.config.json_object
        ):
            return _invalid(f"'response_format' of type {chat.form!r} is not supported.", param="response_format")
        wait_s = self._limit.wait_s() if self._limit else 0.0
        if not wait_s:
            return None
        return error_response(
            429,
            f"Rate limit of {self.config.rpm} requests a minute reached.",
            kind="requests",
            code="rate_limit_exceeded",
            retry_after=str(math.ceil(wait_s)),
        )

    async def _serve(self, request: web.Request, chat: ChatRequest, visit: Visit) -> web.StreamResponse:
        fault = self._faults.pick(model=visit.model, number=visit.n, body=visit.body, seen=visit.seen)
        if fault is not None:
            visit.outcome = fault.kind
            if fault.kind in STATUSES:
                return status_response(fault)
        completion = self._completion(chat, visit, fault)
        async with self._slots:
            wait_s = latency_s(self.config.latency, self.config.seed, visit)
            per_token_s = self.config.latency.per_token_s
            streamed = chat.stream and (fault is None or fault.kind in SPOILED)
            if per_token_s and not streamed:
                wait_s += per_token_s * (completion.reply.usage.completion or 0)
            if wait_s:
                await asyncio.sleep(wait_s)
            if streamed:
                return await _stream(request, completion, with_usage=chat.with_usage, per_token_s=per_token_s)
        if fault is None or fault.kind in SPOILED:
            return web.Response(body=completion.whole(), content_type="application/json")
        if fault.kind in ("reset", "hang"):
            visit.status = NO_STATUS
        body = b"".join(completion.pieces(with_usage=chat.with_usage)) if chat.stream else completion.whole()
        content_type = "text/event-stream" if chat.stream else "application/json"
        return await break_wire(fault, request, body, content_type)

    def _completion(self, chat: ChatRequest, visit: Visit, fault: FaultConfig | None) -> Completion:
        # A body seen for the second time asks for a second sample, as it would anywhere; only warm ones differ.
        asked = Request(chat.messages, chat.params, chat.schema, sample=self._tally.served[visit.body])
        reply = self.models[visit.model].reply(asked)
        choice = True
        if fault is not None and fault.kind in SPOILED:
            reply = spoiled(fault.kind, reply)
            # Servers know two ways of saying nothing; which one is up to the body.
            choice = fault.kind != "empty" or int(visit.body[-1], 16) % 2 == 0
        return Completion(f"chatcmpl-{visit.body[:24]}", f"simulated/{visit.model}", reply, choice)

    async def _list_models(self, request: web.Request) -> web.Response:
        if refused := self._refused(request):
            return refused
        listed = [{"id": name, "object": "model", "created": 0, "owned_by": "simulated"} for name in self.models]
        return web.json_response({"object": "list", "data": listed})

    async def _show_stats(self, request: web.Request) -> web.Response:
        return web.json_response(self.stats)

    async def _show_log(self, request: web.Request) -> web.Response:
        since = request.query.get("since", "0")
        if not since.isdecimal():
            return _invalid("'since' must be a whole number.", param="since")
        return web.json_response(self.log(int(since)))

    async def _forget(self, request: web.Request) -> web.Response:
        self.reset()
        return web.json_response({})


@asynccontextmanager
async def running(
    config: SimulateConfig | Mapping[str, Any] | None = None,
    *,
    cases: Iterable[Case] = (),
    host: str = "127.0.0.1",
    port: int = 0,
) -> AsyncIterator[SimulatedServer]:
    """A server for as long as the block lasts.

    >>> async with running({"models": {"tom": {"accuracy": 0.4}}}) as server:
    ...     print(server.base_url, server.stats)
    """
    if not isinstance(config, SimulateConfig):
        config = check_config(config or {})
    server = SimulatedServer(config, cases)
    await server.start(host, port)
    try:
        yield server
    finally:
        await server.stop()


async def simulate_until_stopped(config: SimulateConfig, host: str, port: int) -> None:
    """Serve until SIGINT or SIGTERM."""
    stopped = asyncio.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(each, stopped.set)
    async with running(config, host=host, port=port) as server:
        print(f"simulating {len(server.models)} models at {server.base_url}", flush=True)
        await stopped.wait()


def read_questions(paths: Sequence[Path]) -> Iterator[Case]:
    """The questions that the simulated models are to know."""
    from moot.data import load

    for path in paths:
        yield from load(path)


def latency_s(latency: LatencyConfig, seed: int, visit: Visit) -> float:
    """How long this request takes, apart from its tokens."""
    if not latency.median_s:
        return latency.fixed_s
    return latency.median_s * math.exp(latency.sigma * normal(seed, "latency", visit.body, visit.seen))


def _api_key(config: SimulateConfig) -> str | None:
    if config.api_key_env is None:
        return None
    key = os.environ.get(config.api_key_env)
    if not key:
        raise UsageError(f"api_key_env: the environment variable {config.api_key_env} is not set")
    return key


async def _stream(
    request: web.Request, completion: Completion, *, with_usage: bool, per_token_s: float
) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
    await response.prepare(request)
    pieces = completion.pieces(with_usage=with_usage)
    if not per_token_s:
        await response.write(b"".join(pieces))
    for piece in pieces:
        await response.write(piece)
        await asyncio.sleep(per_token_s * PIECE_TOKENS)
    await response.write_eof()
    return response


async def _not_found(request: web.Request) -> web.Response:
    words = f"Unknown request: {request.method} {request.path}"
    return error_response(404, words, kind="invalid_request_error", code="unknown_url")


def _invalid(message: str, param: str | None) -> web.Response:
    return error_response(400, message, kind="invalid_request_error", param=param)
