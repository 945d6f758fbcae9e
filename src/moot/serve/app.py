"""A team behind an OpenAI-compatible API: any program that can talk to a model can talk to a team.

Every answer is an episode: played by the same code as in an experiment, kept in the same store. A client that goes away
stops its calls; a client in a hurry gets the vote of those who have replied.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import orjson
from fastapi import FastAPI, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from moot import __version__
from moot.errors import MootError, UsageError
from moot.live.served_past import purge
from moot.live.team import LiveTeam
from moot.openai_form.body import BodyLimit
from moot.serve.admission import Gate, Holder, KeyLimits, Refused
from moot.serve.chat import ChatRequest, Completion, Wanted, wanted_form
from moot.serve.history import history_routes
from moot.serve.metrics import Metrics
from moot.serve.openapi import BEARER, CHAT, body_of, describe, read_body, time_limit_s
from moot.serve.playing import Play, Stream, unless_gone
from moot.serve.refusal import NOT_KEEPING, json_response, refuse_politely
from moot.serve.responses import ResponsesRequest, response_events, response_json

DAY_S = 86_400.0

ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": words, "content": {"application/json": {}}}
    for status, words in {
        400: "The request is wrong.",
        401: "The key is wrong.",
        404: "There is no such team or episode.",
        408: "Nobody answered within the time limit of the request.",
        413: "The body is too large.",
        429: "Too many requests; Retry-After says when to come back.",
        502: "The team has no answer.",
        503: "The budget is spent, or the store cannot be written.",
    }.items()
}


@dataclass(frozen=True, slots=True)
class Settings:
    """How a team is served."""

    keys: Mapping[str, str] = field(default_factory=dict)
    """Secrets by name; without any, whoever can reach the port may ask."""
    limits: KeyLimits = field(default_factory=KeyLimits)
    at_once: int = 64
    waiting: int = 256
    body_bytes: int = 1_048_576
    keep_days: float | None = None
    reports: Path | None = None
    """A folder of reports that the page links to."""


class Feedback(BaseModel):
    """What turned out to be right: the answer itself, or whether the team's was."""

    model_config = ConfigDict(extra="forbid")

    episode: Annotated[str, Field(pattern=r"^ep_[0-9a-f]{40}$")]
    answer: Annotated[str, Field(min_length=1, max_length=10_000)] | None = None
    correct: bool | None = None


def create_app(live: LiveTeam, settings: Settings | None = None) -> FastAPI:
    """The application. It opens the team when it starts and closes it when it ends."""
    settings = settings or Settings()
    server = Server(live, settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await live.open()
        forgetting = asyncio.create_task(server.forget()) if settings.keep_days is not None else None
        try:
            yield
        finally:
            if forgetting is not None:
                forgetting.cancel()
            await live.close()

    app = FastAPI(title="moot", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None)
    describe(app, (ChatRequest, ResponsesRequest, Feedback))
    app.add_middleware(BodyLimit, most=settings.body_bytes, count=server.count_request)
    refuse_politely(app)
    server.routes(app)
    history_routes(app, server.gate, live, settings.reports)
    return app


class Server:
    """What the routes share: the team, the gate, the figures."""

    def __init__(self, live: LiveTeam, settings: Settings) -> None:
        self.live = live
        self.settings = settings
        self.gate = Gate(settings.keys, limits=settings.limits, at_once=settings.at_once, waiting=settings.waiting)
        self.metrics = Metrics(self.gate)
        self._started = int(time.time())

    def count_request(self, path: str, status: int) -> None:
        self.metrics.requests.labels(path, str(status)).inc()

    def routes(self, app: FastAPI) -> None:
        described = partial(app.add_api_route, responses=ERRORS)
        described("/healthz", self.healthz, responses=None)
        described("/metrics", self.figures, openapi_extra=BEARER)
        described("/v1/models", self.models, openapi_extra=BEARER)
        # A plain route before the described one of the same path: FastAPI's way to a handler that reads its request by
        # itself costs a tenth of all that a request costs. The second is there to be described.
        app.add_route("/v1/chat/completions", self.chat, methods=["POST"], include_in_schema=False)
        posted = partial(described, methods=["POST"])
        posted("/v1/chat/completions", self.chat, openapi_extra={**CHAT, **body_of(ChatRequest)})
        posted("/v1/responses", self.responses, openapi_extra={**BEARER, **body_of(ResponsesRequest)})
        posted("/v1/feedback", self.feedback, openapi_extra={**BEARER, **body_of(Feedback)})

    async def healthz(self) -> Response:
        if self.live.record.error is None:
            return json_response({"status": "ok", "error": None})
        return json_response({"status": "not keeping", "error": NOT_KEEPING}, status=503)

    async def figures(self, request: Request) -> Response:
        self.gate.holder(request)
        return Response(self.metrics.text(), media_type="text/plain; version=0.0.4")

    async def models(self, request: Request) -> Response:
        self.gate.holder(request)
        listed = [
            {"id": name, "object": "model", "created": self._started, "owned_by": "moot"} for name in self.live.cells
        ]
        return json_response({"object": "list", "data": listed})

    async def chat(self, request: Request) -> Response:
        holder = self.gate.holder(request)
        body = await read_body(ChatRequest, request)
        play = self._play(request, holder, body, wanted_form(body.response_format), "chatcmpl-")
        if body.stream:
            options = body.stream_options
            told = request.headers.get("x-moot-team", "").casefold() in ("1", "true", "yes")
            watched = told or bool(options and options.include_team)
            with_usage = bool(options and options.include_usage)
            return await play.streamed(request, watched=watched, with_usage=with_usage)
        done = await unless_gone(request, play.completion())
        return _whole(done.whole(), done)

    async def responses(self, request: Request) -> Response:
        holder = self.gate.holder(request)
        body = await read_body(ResponsesRequest, request)
        play = self._play(request, holder, body, body.wanted, "resp_")
        done = await unless_gone(request, play.completion())
        if body.stream:
            return Stream(play.ident, _each(response_events(done)))
        return _whole(orjson.dumps(response_json(done)), done)

    def _play(
        self,
        request: Request,
        holder: Holder,
        body: ChatRequest | ResponsesRequest,
        wanted: Wanted | None,
        prefix: str,
    ) -> Play:
        return Play(
            self,
            holder,
            model=body.model,
            messages=body.messages,
            wanted=wanted,
            time_limit_s=body.time_limit_s or time_limit_s(request),
            ident=f"{prefix}{uuid.uuid4().hex}",
        )

    async def feedback(self, request: Request) -> Response:
        self.gate.holder(request)
        body = await read_body(Feedback, request)
        if (body.answer is None) == (body.correct is None):
            raise Refused(400, "Send either 'answer' or 'correct'.", code="invalid_feedback", param="answer")
        try:
            learnt = await self.live.record.feedback(body.episode, answer=body.answer, correct=body.correct)
        except UsageError as error:
            raise Refused(404, str(error), code="no_such_episode", param="episode") from None
        self.metrics.feedback.labels(str(learnt["correct"]).lower()).inc()
        return json_response(learnt)

    async def forget(self) -> None:
        """Once at the start and then every day: nothing older than was promised stays."""
        while True:
            before = time.time() - (self.settings.keep_days or 0) * DAY_S
            with contextlib.suppress(MootError):
                await self.live.store.run(partial(purge, experiment=self.live.record.id, before=before))
            await asyncio.sleep(DAY_S)


async def _each(pieces: Any) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


def _whole(body: bytes, done: Completion) -> Response:
    return Response(body, media_type="application/json", headers={"X-Request-Id": done.id})
