"""One request on its way: through the gate, to the table and out again, whole or as a stream."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Message as AsgiMessage
from starlette.types import Receive, Scope, Send

from moot.errors import MootError, UsageError
from moot.experiment.plan import Cell
from moot.live.answered_question import AnsweredQuestion
from moot.live.team import LiveTeam, unheard
from moot.models.turns import each_in_turn
from moot.openai_form.completions import DONE, Completion, Head, sse
from moot.openai_form.refusal import Refused, late_error_json
from moot.openai_form.requests import WantedJson
from moot.serve.admission import Admission, Holder
from moot.serve.asked_for import AskedOfTeam
from moot.serve.chat import TOO_LATE_STATUS, Conversation, completion_of, conversation, piece_chars, refuse_unplayable
from moot.serve.client_form import check_schema, dressed
from moot.serve.early_answer import EarlyAnswer, PlainSpeakers
from moot.serve.events import seated_event, verdict_event
from moot.serve.expected_cost import most_usd_of_question
from moot.serve.happenings import Happenings, UntoldWords
from moot.serve.log_words import where_it_broke
from moot.serve.metrics import Metrics
from moot.serve.refusal import as_refusal
from moot.serve.schema_checks import SchemaChecks
from moot.serve.telling import Telling
from moot.serve.tracing import span
from moot.team.watching import Watcher
from moot.traces import Deadline, of_kind
from moot.types import Call

_log = logging.getLogger(__name__)

ALIVE_S = 15.0
"""A stream with nothing to say sends a comment this often, so that nobody in between closes it."""

STILL_THINKING = b": still thinking\n\n"

NO_PLACE = "no_place_in_time"
NOT_CHECKED = "schema_not_checked_in_time"
NOT_WRITTEN = "schema_not_in_time"
"""Codes of what the client's time limit has ended."""

T = TypeVar("T")


class Host(Protocol):
    """What a request needs of the server it came to."""

    live: LiveTeam
    gate: Admission
    metrics: Metrics
    schemas: SchemaChecks
    speakers: PlainSpeakers


@dataclass(frozen=True, slots=True)
class ServedRequest:
    """One request on its way through the gate, the table and out again."""

    server: Host
    holder: Holder
    head: Head
    wish: AskedOfTeam
    time_limit_s: float | None
    arrived_at: float
    """By the event loop's clock. From here on the time limit runs, whatever is waited for."""

    @property
    def model(self) -> str:
        return self.head.model

    @property
    def wanted(self) -> WantedJson | None:
        return self.wish.wanted

    @property
    def characters(self) -> int:
        """How much is asked."""
        options = self.wish.options
        shown = (*(options.choices or ()), options.context or "")
        form = 0 if self.wanted is None else self.wanted.characters
        return sum(len(message.text) for message in self.wish.messages) + sum(map(len, shown)) + form

    @property
    def most_usd(self) -> float | None:
        """What a team can cost that its asker has put together: how many play is the asker's to say, and so the day must have
        room for all of it. None: a team of the file's, or nobody counts."""
        live = self.server.live
        if self.holder.limits.usd_per_day is None or (cell := live.edited.named(self.model)) is None:
            return None
        return most_usd_of_question(cell, self.characters, live.experiment.models)

    @property
    def waited_s(self) -> float:
        return asyncio.get_running_loop().time() - self.arrived_at

    @contextlib.asynccontextmanager
    async def place(self) -> AsyncIterator[Conversation]:
        """A place at the table, and room in the day's money; and what is asked there. Who gets none in time is told so, and
        nobody was asked. What would be refused at the table waits for no place: it is refused at once, and is counted."""
        gate = self.server.gate
        try:
            talk = self._talk()
        except (Refused, MootError):
            await gate.count(self.holder)
            raise
        async with contextlib.AsyncExitStack() as held:
            async with self.in_time(self.no_place):
                admitted = gate.admitted(self.holder, self.model, self.characters, self.most_usd)
                await held.enter_async_context(admitted)
            self._still_offered()
            if self.wanted is not None:
                async with self.in_time(self.not_checked):
                    await check_schema(self.wanted, self.server.schemas, self.holder.name)
            yield talk

    @contextlib.asynccontextmanager
    async def in_time(self, late: Callable[[], Refused]) -> AsyncIterator[None]:
        """Whatever is waited for, it is over when the client's time is. `late`: what the client is told then."""
        limit = asyncio.timeout_at(None if self.time_limit_s is None else self.arrived_at + self.time_limit_s)
        try:
            async with limit:
                yield
        except TimeoutError:
            if not limit.expired():
                raise
            raise late() from None

    @property
    def time_is_over(self) -> bool:
        return self.time_limit_s is not None and self.waited_s >= self.time_limit_s

    def no_place(self) -> Refused:
        return self._nobody_asked(f"no place within {self.time_limit_s:g} s", NO_PLACE)

    def not_checked(self) -> Refused:
        return self._nobody_asked(f"your schema could not be checked within {self.time_limit_s:g} s", NOT_CHECKED)

    def _nobody_asked(self, words: str, code: str) -> Refused:
        name = (self.model or "")[:100]  # perhaps of no team, and in lines
        _log.warning("%s: %s; nobody was asked", name if name.isprintable() else ascii(name), words)
        told = f"{words[0].upper()}{words[1:]}; nobody was asked."
        return Refused(TOO_LATE_STATUS, told, code=code, kind="server_error")

    async def completion(self) -> Completion:
        async with self.place() as talk:
            return await self.played(talk)

    def _still_offered(self) -> Cell:
        """Who is asked: `Refused` where there is none of that name, or what they say could not be kept."""
        live = self.server.live
        live.record.check()
        try:
            return live.cell(self.model)
        except UsageError as error:
            raise no_such_model(error) from None

    def _talk(self) -> Conversation:
        """What is asked. What is wrong with it is found here, but for what takes work to find, such as a schema."""
        live = self.server.live
        cell = self._still_offered()
        language, measured = live.experiment.spec.language, live.measured
        asker = self.holder.asker
        talk = conversation(self.wish, cell.team.prompts, language, kind=live.kind, measured=measured, asker=asker)
        refuse_unplayable(self.model, live.cells, cell, talk)
        return talk

    async def played(
        self,
        talk: Conversation,
        heard: Callable[[Call], None] = unheard,
        watcher: Watcher | None = None,
        over: Callable[[AnsweredQuestion], None] = lambda asked: None,
    ) -> Completion:
        """`over`: told of the end, also where it is none that the client gets an answer by."""
        live = self.server.live
        if self.time_is_over:
            raise self.no_place()
        live.pays(self.holder.name)

        def noted(call: Call) -> None:
            self.server.speakers.learn(call)
            heard(call)

        with span(f"chat {self.model}", {"gen_ai.request.model": self.model}) as note:
            asked = await live.play(
                talk.question,
                self.model,
                system=talk.instruction,
                deadline_s=self.time_limit_s,
                waited_s=self.waited_s,
                heard=noted,
                watcher=watcher,
                asker=self.holder.asker,
            )
            dress = None
            try:
                if self.wanted is not None and asked.verdict.answer is not None:
                    asked, dress = await self.in_form(asked, self.wanted, talk.system)
            except Refused as refusal:
                if refusal.code == NOT_WRITTEN:
                    self.account_for(out_of_time(asked, self.time_limit_s or 0.0), note)
                raise
            self.account_for(asked, note)
            over(asked)
            return completion_of(self.head, asked, self.wish, dress)

    async def in_form(self, asked: AnsweredQuestion, wanted: WantedJson, system: str) -> tuple[AnsweredQuestion, str]:
        """The answer as the client wants it written, if there is time for that: where none is left nobody is asked for it."""

        def not_written() -> Refused:
            within = f"within {self.time_limit_s:g} s"
            _log.warning("%s: an answer could not be written in the client's form %s", self.model, within)
            words = f"The team's answer is {asked.verdict.answer!r}, but nobody could write it down in your schema {within}."
            return Refused(TOO_LATE_STATUS, words, code=NOT_WRITTEN, kind="server_error")

        if self.time_is_over or of_kind(asked.verdict.traces, Deadline):
            raise not_written()
        async with self.in_time(not_written):
            return await dressed(asked, wanted, self.server.schemas, self.holder.name, system)

    def account_for(self, asked: AnsweredQuestion, note: Callable[[dict[str, Any]], None]) -> None:
        """In the figures, in what the next questions are expected to cost, and in the trace."""
        self.server.metrics.count(asked)
        self.server.gate.expected.learn(self.characters, asked, self.server.live.experiment.models)
        note(
            {
                "gen_ai.usage.input_tokens": asked.usage.prompt,
                "gen_ai.usage.output_tokens": asked.usage.completion,
                "moot.episode": asked.id,
                "moot.outcome": asked.verdict.outcome,
            }
        )

    async def streamed(self, request: Request, *, watched: bool, with_usage: bool) -> Response:
        """Who is turned away gets the status for it: the stream begins when there is a place at the table."""
        place = contextlib.AsyncExitStack()

        async def seated() -> Conversation:
            return await place.enter_async_context(self.place())

        try:
            talk = await unless_gone(request, seated())
        except BaseException:
            await place.aclose()
            raise
        pieces = self.stream(talk, watched=watched, with_usage=with_usage)
        return Stream(self.head.id, pieces, place)

    async def stream(self, talk: Conversation, *, watched: bool, with_usage: bool) -> AsyncGenerator[bytes]:
        """The final answer in pieces; for those who watch also what happens at the table, as it happens."""
        happenings = Happenings()
        telling = self.telling(talk, happenings, watched=watched)

        async def work() -> Completion:
            try:
                return await self.told(talk, telling)
            finally:
                happenings.end()

        task = asyncio.create_task(work())
        try:
            yield self.head.delta({"role": "assistant", "content": ""})
            async for told in told_in_time(happenings):
                yield STILL_THINKING if told is None else telling.in_bytes(told)
            try:
                done = await task
                sent = sent_of(telling.early, done)
            except Exception as error:  # noqa: BLE001  the status is out already: whatever it was, this is how it is said
                yield sse(late_error_json(refusal_of(error)))
                yield DONE
            else:
                chars = piece_chars(len(done.text) - sent)
                for piece in done.pieces(chars=chars, with_usage=with_usage, begun=True, told=sent):
                    yield piece
        finally:
            await ended(task)

    async def told(self, talk: Conversation, telling: Telling) -> Completion:
        """The question played through, with somebody to be told of it."""
        telling.tell(seated_event(self.server.live.cell(self.model), self.model))
        return await self.played(talk, telling.heard, telling, lambda asked: telling.tell(verdict_event(asked)))

    def telling(self, talk: Conversation, happenings: Happenings, *, watched: bool = False) -> Telling:
        """Who tells the client what happens. The answer is given while it is written only where nothing can change it: one alone
        writes it, no form is put on it, nobody weighs whether to give it, and no time runs out on it."""
        cell = self.server.live.cell(self.model)
        stage = cell.traits.final_stage
        sure = self.wanted is None and self.time_limit_s is None and cell.abstain is None and cell.rule is None
        early = None
        if stage is not None and sure and talk.question.is_long:
            early = EarlyAnswer(stage, self.wish.bounds, partial(happenings.say, None))
        return Telling(self.head, happenings, self.server.speakers, watched, early)


async def told_in_time(
    happenings: Happenings, first: Mapping[str, Any] | UntoldWords | None = None
) -> AsyncIterator[Mapping[str, Any] | UntoldWords | None]:
    """One thing after the other, to the end. None: nothing for a while, so that a sign of life is due."""
    if first is not None:
        yield first
    while True:
        try:
            async with asyncio.timeout(ALIVE_S):
                told = await happenings.next()
        except TimeoutError:
            yield None
            continue
        if told is None:
            return
        yield told


def sent_of(early: EarlyAnswer | None, done: Completion) -> int:
    """How much of the answer the client has; `Refused` where that is not its beginning."""
    if early is None:
        return 0
    early.check(done.text, other=done.refused or done.tool is not None)
    return early.size


def refusal_of(error: Exception) -> Refused:
    if not isinstance(error, Refused | MootError):
        _log.error("a question broke the server\n%s", where_it_broke(error))
    return as_refusal(error)


async def ended(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError, Exception):
        await task


def no_such_model(error: UsageError) -> Refused:
    return Refused(404, str(error), code="model_not_found", param="model")


def out_of_time(asked: AnsweredQuestion, seconds: float) -> AnsweredQuestion:
    """A question that was broken off when the team had answered: what it cost is not what such a question costs."""
    verdict = asked.verdict
    if of_kind(verdict.traces, Deadline):
        return asked
    marked = replace(verdict, traces=(*verdict.traces, Deadline(seconds)))
    return replace(asked, episode=replace(asked.episode, verdict=marked))


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


class Stream(StreamingResponse):
    """Events. The place at the table is given up however the stream ends, even before its first event. A client that reads as
    fast as they are written is never waited for: others have their turn in between."""

    def __init__(
        self, ident: str, pieces: AsyncGenerator[bytes], place: contextlib.AsyncExitStack | None = None
    ) -> None:
        headers = {"Cache-Control": "no-cache", "X-Request-Id": ident, "X-Accel-Buffering": "no"}
        super().__init__(each_in_turn(pieces), media_type="text/event-stream", headers=headers)
        self._place = place or contextlib.AsyncExitStack()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._place:
            await super().__call__(scope, receive, send)
