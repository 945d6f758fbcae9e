"""A team behind an OpenAI-compatible API: any program that can talk to a model can talk to a team.

Every answer is an episode: played by the same code as in an experiment, kept in the same store. A client that goes away
stops its calls; a client in a hurry gets the vote of those who have replied.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import Field, field_validator
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from moot.errors import UsageError
from moot.live.edited_team import CannotBeMade
from moot.live.left_in_files import AGAIN_S, LONGEST_AGAIN_S
from moot.live.logged_errors import in_log
from moot.live.served_past import purge
from moot.live.team import LiveTeam
from moot.live.told_right import NoAnswerGiven, SaidOtherwise
from moot.models.border import text_problem
from moot.openai_form.body import BodyLimit
from moot.openai_form.completions import Completion, Head, model_json, models_json
from moot.openai_form.refusal import Refused, json_bytes, json_response
from moot.openai_form.requests import Flag, KnownKeys, read_body
from moot.serve.admission import Admission, Holder, KeyLimits
from moot.serve.asked_for import TeamForQuestion
from moot.serve.chat import ChatRequest
from moot.serve.doors import Door, Doors
from moot.serve.early_answer import PlainSpeakers
from moot.serve.figures_of_workers import added_up
from moot.serve.history import history_routes
from moot.serve.metrics import Metrics
from moot.serve.one_of_workers import OneOfWorkers
from moot.serve.openapi import TEAM_HEADER, TIME_HEADER, DescribedRoute, described, time_limit_s
from moot.serve.persons_words import EpisodeId, routes_of_persons
from moot.serve.playing import ServedRequest, no_such_model, unless_gone
from moot.serve.refusal import NOT_KEEPING, TEAM_REFUSALS, WORKER_SILENT
from moot.serve.reports import Reports
from moot.serve.response_stream import streamed_response
from moot.serve.responses import ResponsesRequest, response_json
from moot.serve.schema_checks import SchemaChecks
from moot.store.examined import examined

_log = logging.getLogger(__name__)

DAY_S = 86_400.0
LARGE = 65_536
"""Bytes of a body: what is smaller is read sooner than a worker could ask whether it may be."""
R = TypeVar("R", ChatRequest, ResponsesRequest)


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """How a team is served."""

    keys: Mapping[str, str] = field(default_factory=dict)
    """Secrets by name; without any, whoever can reach the port may ask."""
    admin_keys: Mapping[str, str] = field(default_factory=dict)
    """Secrets of those who see the questions of all."""
    limits: KeyLimits = field(default_factory=KeyLimits)
    at_once: int = 64
    waiting: int = 256
    body_bytes: int = 1_048_576
    keep_days: float | None = None
    reports: Path | None = None
    """A folder of reports that the page links to."""
    hosts: Sequence[str] = ()
    """Names that the server answers to, beside those of this machine."""
    origins: Sequence[str] = ()
    """Where pages come from that may use the server, beside its own."""
    any_address: bool = False
    """Whether it listens on every address that the machine has."""
    edit_teams: bool = True
    """Whether who asks may put a team together from the file's models."""


class Feedback(KnownKeys):
    """What turned out to be right: the answer itself, or whether the team's was."""

    episode: EpisodeId
    answer: Annotated[str, Field(min_length=1, max_length=10_000)] | None = None
    correct: Flag | None = None

    @field_validator("answer")
    @classmethod
    def _can_be_compared(cls, answer: str | None) -> str | None:
        """A reference that nobody sees, or that no question file can hold, would make the team wrong for nothing."""
        if answer is not None and (problem := text_problem(answer)):
            raise ValueError(problem)
        return answer


def create_app(
    live: LiveTeam, settings: ServeSettings | None = None, together: OneOfWorkers | None = None
) -> Starlette:
    """The application. It opens the team when it starts and closes it when it ends. `together`: where it is one of several."""
    settings = settings or ServeSettings()
    server = Server(live, settings, together)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await live.open()
        if together is None:  # else it is known where all are let in
            await server.recall_spending()
        await live.record.files.look()
        beside = [asyncio.create_task(server.forget())] if settings.keep_days is not None else []
        try:
            yield
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            await server.schemas.close()
            await live.close()

    reports = Reports(settings.reports, secrets.token_bytes(32) if together is None else together.ticket_secret)
    routes = [
        *server.routes(),
        *history_routes(server.gate, live, reports, server.page_token, edit_teams=settings.edit_teams),
        *routes_of_persons(server.gate, live),
    ]
    description = json_bytes(described(routes))

    async def openapi(request: Request) -> Response:
        return Response(description, media_type="application/json")

    application = Starlette(
        routes=[*routes, Route("/openapi.json", openapi)],
        middleware=[
            Middleware(BodyLimit, most=settings.body_bytes, count=server.count_request),
            Middleware(Doors, door=server.door),
        ],
        exception_handlers=TEAM_REFUSALS,
        lifespan=lifespan,
    )
    application.state.figures = lambda: server.metrics.figures
    return application


def admission_of(settings: ServeSettings) -> Admission:
    return Admission(
        settings.keys,
        admins=settings.admin_keys,
        limits=settings.limits,
        at_once=settings.at_once,
        waiting=settings.waiting,
    )


def page_token_of(settings: ServeSettings) -> str | None:
    """What the page shows in place of a key, where there are none."""
    return None if settings.keys or settings.admin_keys else secrets.token_urlsafe(32)


class Server:
    """What the routes share: the team, the gate, the figures."""

    def __init__(self, live: LiveTeam, settings: ServeSettings, together: OneOfWorkers | None = None) -> None:
        self.live = live
        self.settings = settings
        self.together = together
        self.gate = admission_of(settings) if together is None else together.admission
        self.metrics = Metrics(self.gate)
        self.schemas = SchemaChecks()
        self.speakers = PlainSpeakers()
        self.page_token = page_token_of(settings) if together is None else together.page_token
        self.door = Door(
            hosts=settings.hosts, origins=settings.origins, any_address=settings.any_address, token=self.page_token
        )
        self._started = int(time.time())
        live.on_cost, live.on_supposed = self.metrics.count_call, self.metrics.cost.inc
        live.metered = settings.limits.usd_per_day is not None

    async def recall_spending(self) -> None:
        """What each key has spent today, also before a restart; and from now on what it spends."""
        for name in self.gate.names:
            day, usd = await self.live.paid_today(name)
            self.gate.charge(name, day, usd)
        self.live.on_paid = self.gate.charge
        self.gate.paid_today = self.live.paid_today

    def count_request(self, path: str, status: int) -> None:
        self.metrics.requests.labels(path, str(status)).inc()

    def routes(self) -> list[BaseRoute]:
        """The first is the one that is asked for most: they are looked through in this order."""
        headers = [TEAM_HEADER, TIME_HEADER]
        streams = ["application/json", "text/event-stream"]
        return [
            DescribedRoute(
                "/v1/chat/completions",
                self.chat,
                method="POST",
                body=ChatRequest,
                parameters=headers,
                answers=streams,
                asks_team=True,
            ),
            DescribedRoute(
                "/v1/responses",
                self.responses,
                method="POST",
                body=ResponsesRequest,
                parameters=headers,
                answers=streams,
                asks_team=True,
            ),
            DescribedRoute("/v1/feedback", self.feedback, method="POST", body=Feedback),
            DescribedRoute("/v1/models", self.models),
            DescribedRoute("/v1/models/{model:path}", self.one_model),
            DescribedRoute("/metrics", self.figures, answers=["text/plain"]),
            DescribedRoute("/healthz", self.healthz, key=False),
        ]

    async def healthz(self, request: Request) -> Response:
        """Whether it answers, and keeps what it answers."""
        self.live.record.notice()
        others = "ok" if self.together is None else await self.together.others_health()
        if self.live.record.error is not None or others == "not keeping":
            return json_response({"status": "not keeping", "error": NOT_KEEPING}, status=503)
        if others == "not answering":
            return json_response({"status": others, "error": WORKER_SILENT}, status=503)
        return json_response({"status": "ok", "error": None})

    async def figures(self, request: Request) -> Response:
        """Figures for Prometheus."""
        if self.gate.holder(request).sees is not None:
            words = "These are figures over all keys: they need the key of an admin (--admin-key-env)."
            raise Refused(403, words, code="admin_key_needed")
        others = () if self.together is None else await self.together.figures_of_others()
        return Response(added_up([self.metrics.figures, *others]), media_type="text/plain; version=0.0.4")

    async def models(self, request: Request) -> Response:
        """The teams and how they decide."""
        self.gate.holder(request)
        return json_response(models_json(self.live.cells, owner="moot", created=self._started))

    async def one_model(self, request: Request) -> Response:
        """One of them, by any name that it answers to."""
        name = request.path_params["model"]
        self._find(name, self.gate.holder(request))
        return json_response(model_json(name, owner="moot", created=self._started))

    def _find(self, name: str, holder: Holder) -> None:
        """`Refused` where there is none of that name for this key: what another has put together is as if it were not there."""
        live = self.live
        hidden = holder.sees is not None and live.edited.hidden_from(name, holder.name)
        try:
            live.cell_of_file(name) if hidden else live.cell(name)
        except UsageError as error:
            raise no_such_model(error) from None

    async def chat(self, request: Request) -> Response:
        """Ask a team."""
        arrived_at = asyncio.get_running_loop().time()
        holder = self.gate.holder(request)
        body = await self._read(ChatRequest, request, holder)
        play = await self._play(request, holder, body, "chatcmpl-", arrived_at)
        if body.stream:
            return await play.streamed(request, watched=_watched(request, body), with_usage=body.with_usage)
        done = await unless_gone(request, play.completion())
        return _whole(done.whole(), done)

    async def responses(self, request: Request) -> Response:
        """Ask a team, in the form of the Responses API."""
        arrived_at = asyncio.get_running_loop().time()
        holder = self.gate.holder(request)
        body = await self._read(ResponsesRequest, request, holder)
        play = await self._play(request, holder, body, "resp_", arrived_at)
        if body.stream:
            return await streamed_response(play, request, watched=_watched(request, body))
        done = await unless_gone(request, play.completion())
        return _whole(json_bytes(response_json(done, play.wish.echoed)), done)

    async def _read(self, form: type[R], request: Request, holder: Holder) -> R:
        """What is asked. A large body is work: not for who would not be let in."""
        raw = await request.body()
        if len(raw) > LARGE:
            await self.gate.check(holder)
        return read_body(form, raw)

    async def _play(
        self,
        request: Request,
        holder: Holder,
        body: ChatRequest | ResponsesRequest,
        prefix: str,
        arrived_at: float,
    ) -> ServedRequest:
        wish = body.asked_for
        model = body.model or self.live.usual
        if wish.options.team is not None:
            model = await self._edited(wish.options.team, holder)
        elif self.live.edited.named(model) is not None:
            self._find(model, holder)
        return ServedRequest(
            self,
            holder,
            Head(f"{prefix}{uuid.uuid4().hex}", model),
            wish,
            time_limit_s=body.time_limit_s or time_limit_s(request),
            arrived_at=arrived_at,
        )

    async def _edited(self, team: TeamForQuestion, holder: Holder) -> str:
        """The name of a team that is put together for a question."""
        if not self.settings.edit_teams:
            words = "moot.team: this server asks the teams that it offers alone; expected the name of one as model."
            raise Refused(400, words, code="teams_not_edited", param="moot.team")
        await self.gate.check(holder)  # a team is work, and a plan in the store: not for who would not be let in
        try:
            return await self.live.edited.make(team.edited, holder.name)
        except CannotBeMade as error:
            words = f"moot.team: {error}" if error.key is None else f"moot.team.{error}"
            raise Refused(400, words, code="invalid_team", param="moot.team") from None

    async def feedback(self, request: Request) -> Response:
        """Tell what turned out to be right."""
        sees = self.gate.holder(request).sees
        body = read_body(Feedback, await request.body())
        if (body.answer is None) == (body.correct is None):
            raise Refused(400, "Send either 'answer' or 'correct'.", code="invalid_feedback", param="answer")
        try:
            async with examined(self.live.store):
                learnt = await self.live.record.feedback(
                    body.episode, answer=body.answer, correct=body.correct, asker=sees
                )
        except NoAnswerGiven as error:
            raise Refused(409, str(error), code="no_answer_given", param="correct") from None
        except SaidOtherwise as error:
            raise Refused(409, str(error), code="said_otherwise", param="correct") from None
        except UsageError as error:
            raise Refused(404, str(error), code="no_such_episode", param="episode") from None
        self.metrics.feedback.labels(str(learnt["correct"]).lower()).inc()
        return json_response(learnt)

    async def forget(self) -> None:
        """Once at the start and then every day: nothing older than was promised stays."""
        files, failures = self.live.record.files, 0
        files.scrub_soon()  # an earlier version left no note where it was ended in the middle of it
        while True:
            now = time.time()
            before = now - (self.settings.keep_days or 0) * DAY_S
            try:
                removed = await self.live.store.run(partial(purge, name=self.live.record.name, before=before, now=now))
            except Exception as error:  # noqa: BLE001  whatever it is, it is tried again: what was promised is not kept
                if not failures:
                    words = "what is older than %s days could not be forgotten; it is tried again: %s"
                    _log.warning(words, self.settings.keep_days, in_log(error))
                failures += 1
                await asyncio.sleep(min(LONGEST_AGAIN_S, AGAIN_S * 2.0 ** min(failures - 1, 30)))
                continue
            failures = 0
            if any(removed.values()):
                files.scrub_soon()
            await asyncio.sleep(DAY_S)


def _watched(request: Request, body: ChatRequest | ResponsesRequest) -> bool:
    """Whether the client wants to know what happens at the table."""
    asked = request.headers.get("x-moot-team", "").casefold() in ("1", "true", "yes")
    return asked or bool(body.stream_options and body.stream_options.include_team)


def _whole(body: bytes, done: Completion) -> Response:
    return Response(body, media_type="application/json", headers={"X-Request-Id": done.head.id})
