"""A team behind an OpenAI-compatible API: any program that can talk to a model can talk to a team.

Every answer is an episode: played by the same code as in an experiment, kept in the same store. A client that goes away
stops its calls; a client in a hurry gets the vote of those who have replied.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse
from starlette.types import Message as AsgiMessage
from starlette.types import Receive, Scope, Send

from moot import __version__
from moot.errors import BudgetReached, MootError, UsageError
from moot.run.live import Asked, LiveTeam, unheard
from moot.run.served import purge
from moot.serve.body import BodyLimit
from moot.serve.chat import (
    LONGEST_S,
    ChatMessage,
    ChatRequest,
    Completion,
    Conversation,
    Wanted,
    completion_of,
    conversation,
    delta_event,
    now,
    sse,
    table_event,
    wanted_form,
)
from moot.serve.dress import check_schema, dressed
from moot.serve.events import call_event, seated_event, verdict_event
from moot.serve.gate import Gate, Holder, KeyLimits, Refused, Ticket
from moot.serve.history import history_routes
from moot.serve.metrics import Metrics
from moot.serve.responses import ResponsesRequest, response_events, response_json
from moot.serve.tracing import span
from moot.types import Call

ALIVE_S = 15.0
"""A stream with nothing to say sends a comment this often, so that nobody in between closes it."""

DAY_S = 86_400.0

T = TypeVar("T")
F = TypeVar("F", bound=BaseModel)


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


# Headers and bodies are read by hand and only described here: resolving them is half of what FastAPI does for a request.
_BEARER: dict[str, Any] = {"security": [{"bearer": []}]}
_CHAT = {
    **_BEARER,
    "parameters": [
        {
            "name": "X-Moot-Team",
            "in": "header",
            "schema": {"type": "string", "enum": ["true", "false"]},
            "description": "true: the stream tells what happens at the table, as it happens.",
        },
        {
            "name": "X-Moot-Time-Limit",
            "in": "header",
            "schema": {"type": "number", "exclusiveMinimum": 0, "maximum": 3600},
            "description": "Seconds, like time_limit_s in the body.",
        },
    ],
}


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
    _describe(app)
    app.add_middleware(BodyLimit, most=settings.body_bytes, count=server.count_request)
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(MootError, _moot_error)
    server.routes(app)
    history_routes(app, server.gate, live, settings.reports)
    return app


_REF = "#/components/schemas/{model}"


def _body(form: type[BaseModel]) -> dict[str, Any]:
    """The description of a body that a route reads by itself."""
    reference = {"$ref": _REF.format(model=form.__name__)}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": reference}}}}


def _describe(app: FastAPI) -> None:
    """Add what FastAPI cannot know: the bodies, and that a key may be asked for."""
    plain = app.openapi

    def described() -> dict[str, Any]:
        schema = plain()
        parts = schema.setdefault("components", {})
        parts["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
        for form in (ChatRequest, ResponsesRequest, Feedback):
            whole = form.model_json_schema(ref_template=_REF)
            parts.setdefault("schemas", {}).update({**whole.pop("$defs", {}), form.__name__: whole})
        return schema

    app.openapi = described  # type: ignore[method-assign]


async def _read(form: type[F], request: Request) -> F:
    """The body in this form, or the first thing that is wrong with it."""
    raw = await request.body()
    try:
        return form.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        message = f"{place}: {first['msg']}" if place else str(first["msg"])
        raise Refused(400, message, code="invalid_request", param=place or None) from None


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
        errors: dict[int | str, dict[str, Any]] = {
            status: {"description": words, "content": {"application/json": {}}}
            for status, words in {
                400: "The request is wrong.",
                401: "The key is wrong.",
                404: "There is no such team or episode.",
                413: "The body is too large.",
                429: "Too many requests; Retry-After says when to come back.",
                502: "The team has no answer.",
                503: "The budget is spent, or the store cannot be written.",
                408: "Nobody answered within the time limit of the request.",
            }.items()
        }

        @app.get("/healthz")
        async def healthz() -> Response:
            broken = self.live.record.error
            body = {"status": "ok" if broken is None else "not keeping", "error": str(broken) if broken else None}
            return _json(body, status=200 if broken is None else 503)

        @app.get("/metrics", responses=errors, openapi_extra=_BEARER)
        async def metrics(request: Request) -> Response:
            self.gate.holder(request)
            return Response(self.metrics.text(), media_type="text/plain; version=0.0.4")

        @app.get("/v1/models", responses=errors, openapi_extra=_BEARER)
        async def models(request: Request) -> Response:
            self.gate.holder(request)
            listed = [
                {"id": name, "object": "model", "created": self._started, "owned_by": "moot"}
                for name in self.live.cells
            ]
            return _json({"object": "list", "data": listed})

        @app.post("/v1/chat/completions", responses=errors, openapi_extra={**_CHAT, **_body(ChatRequest)})
        async def chat(request: Request) -> Response:
            holder = self.gate.holder(request)
            body = await _read(ChatRequest, request)
            options = body.stream_options
            told = request.headers.get("x-moot-team", "").casefold() in ("1", "true", "yes")
            watched = told or bool(options and options.include_team)
            play = Play(
                self,
                holder,
                model=body.model,
                messages=body.messages,
                wanted=wanted_form(body.response_format),
                time_limit_s=body.time_limit_s or _time_limit_s(request),
                ident=f"chatcmpl-{uuid.uuid4().hex}",
            )
            if body.stream:
                with_usage = bool(options and options.include_usage)
                return await play.streamed(request, watched=watched, with_usage=with_usage)
            done = await unless_gone(request, play.completion())
            return _whole(done.whole(), done)

        @app.post("/v1/responses", responses=errors, openapi_extra={**_BEARER, **_body(ResponsesRequest)})
        async def responses(request: Request) -> Response:
            holder = self.gate.holder(request)
            body = await _read(ResponsesRequest, request)
            play = Play(
                self,
                holder,
                model=body.model,
                messages=body.messages,
                wanted=body.wanted,
                time_limit_s=body.time_limit_s,
                ident=f"resp_{uuid.uuid4().hex}",
            )
            done = await unless_gone(request, play.completion())
            if body.stream:
                return Stream(play.ident, _each(response_events(done)))
            return _whole(orjson.dumps(response_json(done)), done)

        @app.post("/v1/feedback", responses=errors, openapi_extra={**_BEARER, **_body(Feedback)})
        async def feedback(request: Request) -> Response:
            self.gate.holder(request)
            body = await _read(Feedback, request)
            if (body.answer is None) == (body.correct is None):
                raise Refused(400, "Send either 'answer' or 'correct'.", code="invalid_feedback", param="answer")
            try:
                learnt = await self.live.record.feedback(body.episode, answer=body.answer, correct=body.correct)
            except UsageError as error:
                raise Refused(404, str(error), code="no_such_episode", param="episode") from None
            self.metrics.feedback.labels(str(learnt["correct"]).lower()).inc()
            return _json(learnt)

    async def forget(self) -> None:
        """Once at the start and then every day: nothing older than was promised stays."""
        while True:
            before = time.time() - (self.settings.keep_days or 0) * DAY_S
            with contextlib.suppress(MootError):
                await self.live.store.run(partial(purge, experiment=self.live.record.id, before=before))
            await asyncio.sleep(DAY_S)


@dataclass(frozen=True, slots=True)
class Play:
    """One request on its way through the gate, the table and out again."""

    server: Server
    holder: Holder
    model: str
    messages: list[ChatMessage]
    wanted: Wanted | None
    time_limit_s: float | None
    ident: str
    created: int = field(default_factory=now)

    async def completion(self) -> Completion:
        talk = self.talk()
        async with self.server.gate.admitted(self.holder) as ticket:
            _, done = await self.played(talk, ticket)
            return done

    def talk(self) -> Conversation:
        """What is asked. Whatever is wrong with it is found here, before anybody waits."""
        live = self.server.live
        try:
            prompts = live.cell(self.model).team.prompts
        except UsageError as error:
            raise Refused(404, str(error), code="model_not_found", param="model") from None
        if self.wanted is not None:
            check_schema(self.wanted)
        return conversation(self.messages, self.wanted, prompts, live.experiment.spec.language)

    async def played(
        self, talk: Conversation, ticket: Ticket, heard: Callable[[Call], None] = unheard
    ) -> tuple[Asked, Completion]:
        live = self.server.live

        def noted(call: Call) -> None:
            ticket.cost_usd = (ticket.cost_usd or 0.0) + ((call.reply.cost_usd or 0.0) if call.reply else 0.0)
            heard(call)

        with span(f"chat {self.model}", {"gen_ai.request.model": self.model}) as note:
            asked = await live.play(
                talk.question, self.model, system=talk.system, deadline_s=self.time_limit_s, heard=noted
            )
            dress = None
            if self.wanted is not None and asked.verdict.answer is not None:
                asked, dress = await dressed(live, asked, self.wanted)
                ticket.cost_usd = asked.cost_usd or ticket.cost_usd
            self.server.metrics.count(asked)
            note(
                {
                    "gen_ai.usage.input_tokens": asked.usage.prompt,
                    "gen_ai.usage.output_tokens": asked.usage.completion,
                    "moot.episode": asked.id,
                    "moot.outcome": asked.verdict.outcome,
                }
            )
            return asked, completion_of(self.ident, self.created, asked, dress)

    async def streamed(self, request: Request, *, watched: bool, with_usage: bool) -> Response:
        """Who is turned away gets the status for it: the stream begins when there is a place at the table."""
        talk = self.talk()
        place = contextlib.AsyncExitStack()
        ticket = await unless_gone(request, place.enter_async_context(self.server.gate.admitted(self.holder)))
        pieces = self.stream(talk, ticket, watched=watched, with_usage=with_usage)
        return Stream(self.ident, pieces, place)

    async def stream(
        self, talk: Conversation, ticket: Ticket, *, watched: bool, with_usage: bool
    ) -> AsyncIterator[bytes]:
        """The final answer in pieces; for those who watch also what happens at the table, as it happens."""
        happened: asyncio.Queue[bytes | None] = asyncio.Queue()

        def tell(event: Mapping[str, Any]) -> None:
            if watched:
                happened.put_nowait(table_event(self.ident, self.created, self.model, event))

        async def work() -> tuple[Asked, Completion]:
            try:
                tell(seated_event(self.server.live.cell(self.model), self.model))
                asked, done = await self.played(talk, ticket, lambda call: tell(call_event(call)))
                tell(verdict_event(asked))
                return asked, done
            finally:
                happened.put_nowait(None)

        task = asyncio.create_task(work())
        try:
            yield delta_event(self.ident, self.created, self.model, {"role": "assistant", "content": ""})
            while True:
                try:
                    async with asyncio.timeout(ALIVE_S):
                        event = await happened.get()
                except TimeoutError:
                    yield b": still thinking\n\n"
                    continue
                if event is None:
                    break
                yield event
            try:
                _, done = await task
            except (Refused, MootError) as error:
                yield sse(error_json(as_refusal(error)))
            else:
                for piece in done.pieces(with_usage=with_usage):
                    yield piece
            yield b"data: [DONE]\n\n"
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task


def _time_limit_s(request: Request) -> float | None:
    given = request.headers.get("x-moot-time-limit")
    if given is None:
        return None
    try:
        limit_s = float(given)
    except ValueError:
        limit_s = 0.0
    if not 0 < limit_s <= LONGEST_S:
        words = f"X-Moot-Time-Limit: expected seconds, more than 0 and at most {LONGEST_S}"
        raise Refused(400, words, code="invalid_request", param="X-Moot-Time-Limit")
    return limit_s


async def unless_gone(request: Request, work: Awaitable[T]) -> T:
    """What comes of the work, unless the client goes away first: then the work is dropped, and its calls with it."""
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise Refused(499, "The client went away.", code="client_gone")
    finally:
        for task in (working, leaving):
            task.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _gone(request: Request) -> None:
    while True:
        message: AsgiMessage = await request.receive()
        if message["type"] == "http.disconnect":
            return


async def _each(pieces: Any) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


class Stream(StreamingResponse):
    """Events. The place at the table is given up however the stream ends, even before its first event."""

    def __init__(
        self, ident: str, pieces: AsyncIterator[bytes], place: contextlib.AsyncExitStack | None = None
    ) -> None:
        headers = {"Cache-Control": "no-cache", "X-Request-Id": ident, "X-Accel-Buffering": "no"}
        super().__init__(pieces, media_type="text/event-stream", headers=headers)
        self._place = place or contextlib.AsyncExitStack()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._place:
            await super().__call__(scope, receive, send)


def _whole(body: bytes, done: Completion) -> Response:
    return Response(body, media_type="application/json", headers={"X-Request-Id": done.id})


def _json(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(orjson.dumps(body), status_code=status, media_type="application/json", headers=dict(headers or {}))


def error_json(error: Refused) -> dict[str, Any]:
    return {"error": {"message": error.message, "type": error.kind, "param": error.param, "code": error.code}}


def as_refusal(error: Exception) -> Refused:
    if isinstance(error, Refused):
        return error
    if isinstance(error, BudgetReached):
        return Refused(503, str(error), code="budget_reached", kind="insufficient_quota")
    return Refused(503, str(error), code=type(error).__name__, kind="server_error")


async def _refused(request: Request, error: Exception) -> Response:
    refusal = as_refusal(error)
    headers = {"Retry-After": f"{refusal.retry_after_s:.0f}"} if refusal.retry_after_s else {}
    if refusal.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return _json(error_json(refusal), refusal.status, {**headers, "X-Request-Id": f"req_{uuid.uuid4().hex}"})


async def _moot_error(request: Request, error: Exception) -> Response:
    return await _refused(request, as_refusal(error))


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part != "body")
    message = f"{place}: {first['msg']}" if place else str(first["msg"])
    return await _refused(request, Refused(400, message, code="invalid_request", param=place or None))


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {404: f"Unknown request: {request.method} {request.url.path}", 405: "This path takes another method."}
    refusal = Refused(error.status_code, words.get(error.status_code, str(error.detail)), code="unknown_url")
    response = await _refused(request, refusal)
    response.headers.update(error.headers or {})
    return response
