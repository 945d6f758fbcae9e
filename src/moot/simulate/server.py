"""`moot simulate`: simulated models behind the OpenAI form, with latency, limits and faults on order.

It exists so that everything that talks to an endpoint can be tried, counted and broken without one. ``GET /stats`` and
``GET /log`` say what really arrived, ``POST /reset`` begins the count anew.

It reads and writes with `openai_form`, as `moot serve` does, and like it is a Starlette application on uvicorn. On aiohttp,
where it stood before, with a reader and a writer of its own, a whole reply took about a tenth less CPU (measured in turns on
a busy machine: 1.02 to 1.13 times as much now) and a stream about as much (0.83 to 1.11); most of either is the model.
"""

from __future__ import annotations

import asyncio
import hmac
import math
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext, suppress
from itertools import chain
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from moot.config.type_words import told
from moot.errors import RequestRejected, UsageError
from moot.openai_form.body import BodyLimit
from moot.openai_form.completions import Completion, Head, models_json
from moot.openai_form.connection import connection_of
from moot.openai_form.listening import Listening
from moot.openai_form.refusal import REFUSALS, Refused, json_response
from moot.openai_form.requests import WantedJson, read_body, wanted_form
from moot.simulate.chat_form import SimulatedChat
from moot.simulate.faults import SPOILED, STATUSES, Faults, Lasting, Paced, broken, spoiled, status_response
from moot.simulate.likeness import LIKENESSES, PLAIN
from moot.simulate.mark import SIMULATED, marked
from moot.simulate.server_config import FaultConfig, LatencyConfig, SimulateConfig, check_config
from moot.simulate.simulated import SimulatedModel
from moot.simulate.visits import NO_STATUS, RateLimit, Visit, VisitTally
from moot.simulate.world import World, normal
from moot.stats.counted_words import count
from moot.types import Case, Request

_LARGEST_BODY = 64 * 2**20
PIECE_TOKENS = 4
"""Tokens in one event of a stream, at four characters each."""

_PIECE_CHARS = 4 * PIECE_TOKENS


class SimulatedServer:
    """The server. `base_url` is what a client is given; `stats` and `log` are what GET /stats and GET /log tell."""

    def __init__(self, config: SimulateConfig, cases: Iterable[Case] = ()) -> None:
        self.config = config
        from moot.simulate.questions import known_questions

        known = [known_questions(source, config.seed) for source in config.questions]
        self.notes = tuple(note for dataset in known for note in dataset.notes)
        """What was found out about files of questions by looking at them, such as which column is what."""
        self.world = World(chain(cases, *known), config.seed)
        self.models = {
            name: SimulatedModel(name, world=self.world, **spec.model_dump()) for name, spec in config.models.items()
        }
        self.like = LIKENESSES[config.like] if config.like else PLAIN
        self._key = _api_key(config)
        self._tally = VisitTally()
        self._faults = Faults(config.faults, config.seed)
        self._limit = RateLimit(config.rpm) if config.rpm else None
        self._slots: AbstractAsyncContextManager[None] = (
            asyncio.Semaphore(config.capacity) if config.capacity else nullcontext()
        )
        self._listening: Listening | None = None
        self.url = ""

    @property
    def base_url(self) -> str:
        return self.url + self.like.base_path(next(iter(self.models)))

    @property
    def stats(self) -> dict[str, Any]:
        listening = self._listening
        return {**self._tally.as_json(), "open_connections": listening.open_connections if listening else 0}

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
        routes = [
            Route(f"{self.like.path}/chat/completions", Completions(self), methods=["POST"]),
            Route(f"{self.like.path}/models", self._list_models),
            Route("/stats", self._show_stats),
            Route("/log", self._show_log),
            Route("/reset", self._forget, methods=["POST"]),
        ]
        limit = Middleware(BodyLimit, most=_LARGEST_BODY)
        handlers = {**REFUSALS, Refused: self._refused}
        listening = Listening(Starlette(routes=routes, middleware=[limit], exception_handlers=handlers))
        self.url = await listening.start(host, port)
        self._listening = listening

    async def stop(self) -> None:
        if self._listening is not None:
            await self._listening.stop()
            self._listening = None

    async def _complete(self, request: HttpRequest, send: Send) -> None:
        """A response is sent when its visit is over, so that who has it finds it counted; one that lasts, before."""
        raw = await request.body()
        with self._tally.visit(raw) as visit:
            response = await self._answer(request, raw, visit)
            if isinstance(response, Lasting):
                await response(request.scope, request.receive, send)
            if visit.outcome == "gone":
                visit.outcome = "ok" if response.status_code == 200 else str(response.status_code)
            if visit.status is None:
                visit.status = response.status_code
        if not isinstance(response, Lasting):
            await response(request.scope, request.receive, send)

    async def _answer(self, request: HttpRequest, raw: bytes, visit: Visit) -> Response:
        try:
            self._check_key(request)
            chat = read_body(SimulatedChat, raw, half_characters=True)
            wanted = wanted_form(chat.response_format)
            self._check_served(chat, request, visit)
            return await self._serve(chat, wanted, visit)
        except Refused as refusal:
            return self.like.response(refusal)
        except RequestRejected as error:
            return self.like.response(Refused(400, str(error), param="response_format"))

    async def _refused(self, request: HttpRequest, error: Exception) -> Response:
        assert isinstance(error, Refused)
        return self.like.response(error)

    def _check_key(self, request: HTTPConnection) -> None:
        """401 without the key."""
        shown = self.like.key_shown(request) if self._key is not None else ""
        if self._key is not None and not hmac.compare_digest(shown.encode(), self._key.encode()):
            raise Refused(401, "Incorrect API key provided.", code="invalid_api_key")

    def _check_served(self, chat: SimulatedChat, request: HTTPConnection, visit: Visit) -> None:
        """What a real server turns away before any work: unknown models, forms it cannot do, too many requests."""
        visit.model = self.like.model_of(chat.model, request)
        if visit.model not in self.models:
            words = f"The model {told(chat.model)} does not exist; there are: {', '.join(self.models)}."
            raise Refused(404, words, code="model_not_found", param="model")
        self.like.check(chat, request)
        form = chat.response_format.type if chat.response_format else "text"
        if (form == "json_schema" and not self.config.json_schema) or (
            form == "json_object" and not self.config.json_object
        ):
            words = f"'response_format' of type {form!r} is not supported."
            raise Refused(400, words, param="response_format")
        wait_s = self._limit.wait_s() if self._limit else 0.0
        if wait_s:
            words = f"Rate limit of {self.config.rpm} requests a minute reached."
            raise Refused(
                429, words, kind="requests", code="rate_limit_exceeded", retry_after_s=math.ceil(wait_s)
            )  # fmt: skip

    async def _serve(self, chat: SimulatedChat, wanted: WantedJson | None, visit: Visit) -> Response:
        fault = self._faults.pick(model=visit.model, number=visit.n, body=visit.body, seen=visit.seen)
        if fault is not None:
            visit.outcome = fault.kind
            if fault.kind in STATUSES:
                return status_response(fault, self.like)
        completion = self._completion(chat, wanted, visit, fault)
        pieces: Iterable[bytes] | None = None
        if chat.stream:
            pieces = map(self.like.dressed, completion.pieces(chars=_PIECE_CHARS, with_usage=chat.with_usage))
        async with AsyncExitStack() as place:
            await place.enter_async_context(self._slots)
            wait_s = latency_s(self.config.latency, self.config.seed, visit)
            per_token_s = self.config.latency.per_token_s
            streamed = pieces is not None and (fault is None or fault.kind in SPOILED)
            if per_token_s and not streamed:
                wait_s += per_token_s * (completion.usage.completion or 0)
            if wait_s:
                await asyncio.sleep(wait_s)
            if pieces is not None and streamed:
                return Paced(pieces, per_token_s * PIECE_TOKENS, place.pop_all())
        body = self.like.dressed(completion.whole()) if pieces is None else b"".join(pieces)
        if fault is None or fault.kind in SPOILED:
            return Response(body, media_type="application/json")
        if fault.kind in ("reset", "hang"):
            visit.status = NO_STATUS
        return broken(fault, body, "application/json" if pieces is None else "text/event-stream")

    def _completion(
        self, chat: SimulatedChat, wanted: WantedJson | None, visit: Visit, fault: FaultConfig | None
    ) -> Completion:
        # A body seen for the second time asks for a second sample, as it would anywhere; only warm ones differ.
        schema = wanted.schema if wanted is not None else None
        asked = Request(chat.spoken(), chat.params(), schema, sample=self._tally.served[visit.body])
        reply = self.models[visit.model].reply(asked)
        choice = True
        if fault is not None and fault.kind in SPOILED:
            reply = spoiled(fault.kind, reply)
            # Servers know two ways of saying nothing; which one is up to the body.
            choice = fault.kind != "empty" or int(visit.body[-1], 16) % 2 == 0
        head = Head(f"chatcmpl-{visit.body[:24]}", marked(visit.model), fingerprint=SIMULATED)
        refused = reply.finish == "refusal"
        finish = "stop" if refused else reply.finish
        return Completion(head, reply.text, reply.usage, finish=finish, refused=refused, choice=choice)

    async def _list_models(self, request: HttpRequest) -> Response:
        self._check_key(request)
        return json_response(models_json(map(self.like.listed, self.models), owner="simulated"))

    async def _show_stats(self, request: HttpRequest) -> Response:
        return json_response(self.stats)

    async def _show_log(self, request: HttpRequest) -> Response:
        since = request.query_params.get("since", "0")
        if not since.isdecimal():
            raise Refused(400, "'since' must be a whole number.", param="since")
        return json_response(self.log(int(since)))

    async def _forget(self, request: HttpRequest) -> Response:
        self.reset()
        return json_response({})


class Completions:
    """The application behind the path of completions: it sends by itself, and ends when its client goes away."""

    def __init__(self, server: SimulatedServer) -> None:
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with connection_of(scope).working(), suppress(ClientDisconnect):
            await self._server._complete(HttpRequest(scope, receive), send)


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


async def simulate_until_stopped(
    config: SimulateConfig, host: str, port: int, *, remark: Callable[[str], None]
) -> None:
    """Serve until SIGINT or SIGTERM. `remark` is told how files of questions were read."""
    stopped = asyncio.Event()
    for signum in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(signum, stopped.set)
    async with running(config, host=host, port=port) as server:
        for note in server.notes:
            remark(note)
        print(f"simulating {count(len(server.models), 'model')} at {server.base_url}", flush=True)
        if server.like.entry:
            print(f"like {config.like}: a model's entry says {server.like.entry}", flush=True)
        await stopped.wait()


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
