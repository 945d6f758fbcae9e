"""One request on its way: through the gate, to the table and out again, whole or as a stream."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Message as AsgiMessage
from starlette.types import Receive, Scope, Send

from moot.errors import MootError, UsageError
from moot.live.answered_question import AnsweredQuestion
from moot.live.team import LiveTeam, unheard
from moot.openai_form.completions import DONE, Completion, Head, sse
from moot.openai_form.refusal import Refused, error_json
from moot.openai_form.requests import ChatMessage, WantedJson
from moot.serve.admission import Admission, Holder
from moot.serve.chat import PIECE, TOO_LATE_STATUS, Conversation, completion_of, conversation, table_event
from moot.serve.client_form import check_schema, dressed
from moot.serve.discretion import public_record
from moot.serve.events import call_event, seated_event, verdict_event
from moot.serve.metrics import Metrics
from moot.serve.refusal import as_refusal
from moot.serve.schema_checks import SchemaChecks
from moot.serve.tracing import span
from moot.types import Call

_log = logging.getLogger(__name__)

ALIVE_S = 15.0
"""A stream with nothing to say sends a comment this often, so that nobody in between closes it."""

NO_PLACE = "no_place_in_time"

T = TypeVar("T")


class Host(Protocol):
    """What a request needs of the server it came to."""

    live: LiveTeam
    gate: Admission
    metrics: Metrics
    schemas: SchemaChecks


@dataclass(frozen=True, slots=True)
class ServedRequest:
    """One request on its way through the gate, the table and out again."""

    server: Host
    holder: Holder
    head: Head
    messages: list[ChatMessage]
    wanted: WantedJson | None
    time_limit_s: float | None
    arrived_at: float
    """By the event loop's clock. From here on the time limit runs, whatever is waited for."""

    @property
    def model(self) -> str:
        return self.head.model

    @property
    def characters(self) -> int:
        """How much is asked."""
        return sum(len(message.text) for message in self.messages)

    @property
    def waited_s(self) -> float:
        return asyncio.get_running_loop().time() - self.arrived_at

    @contextlib.asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """A place at the table, and room in the day's money. Who gets none in time is told so, and nobody was asked."""
        ends_at = None if self.time_limit_s is None else self.arrived_at + self.time_limit_s
        async with contextlib.AsyncExitStack() as held:
            waiting = asyncio.timeout_at(ends_at)
            try:
                async with waiting:
                    await held.enter_async_context(self.server.gate.admitted(self.holder, self.model, self.characters))
            except TimeoutError:
                if not waiting.expired():
                    raise
                raise self.no_place() from None
            yield

    def no_place(self) -> Refused:
        words = f"no place within {self.time_limit_s:g} s"
        _log.warning("%s: %s; nobody was asked", self.model, words)
        return Refused(TOO_LATE_STATUS, f"{words.capitalize()}; nobody was asked.", code=NO_PLACE, kind="server_error")

    async def completion(self) -> Completion:
        async with self.place():
            _, done = await self.played(await self.talk())
            return done

    async def talk(self) -> Conversation:
        """What is asked. Whatever is wrong with it is found here: past the limits of the key, before anybody is paid."""
        live = self.server.live
        live.record.check()
        try:
            prompts = live.cell(self.model).team.prompts
        except UsageError as error:
            raise Refused(404, str(error), code="model_not_found", param="model") from None
        if self.wanted is not None:
            await check_schema(self.wanted, self.server.schemas, self.holder.name)
        return conversation(self.messages, self.wanted, prompts, live.experiment.spec.language, self.holder.asker)

    async def played(
        self, talk: Conversation, heard: Callable[[Call], None] = unheard
    ) -> tuple[AnsweredQuestion, Completion]:
        live = self.server.live
        waited_s = self.waited_s
        if self.time_limit_s is not None and waited_s >= self.time_limit_s:
            raise self.no_place()
        live.pays(self.holder.name)
        with span(f"chat {self.model}", {"gen_ai.request.model": self.model}) as note:
            asked = await live.play(
                talk.question,
                self.model,
                system=talk.system,
                deadline_s=self.time_limit_s,
                waited_s=waited_s,
                heard=heard,
                asker=self.holder.asker,
            )
            dress = None
            if self.wanted is not None and asked.verdict.answer is not None:
                asked, dress = await dressed(asked, self.wanted, self.server.schemas, self.holder.name)
            self.server.metrics.count(asked)
            self.server.gate.expected.learn(self.characters, asked, live.experiment.models)
            note(
                {
                    "gen_ai.usage.input_tokens": asked.usage.prompt,
                    "gen_ai.usage.output_tokens": asked.usage.completion,
                    "moot.episode": asked.id,
                    "moot.outcome": asked.verdict.outcome,
                }
            )
            return asked, completion_of(self.head, asked, dress, self.wanted)

    async def streamed(self, request: Request, *, watched: bool, with_usage: bool) -> Response:
        """Who is turned away gets the status for it: the stream begins when there is a place at the table."""
        place = contextlib.AsyncExitStack()

        async def seated() -> Conversation:
            await place.enter_async_context(self.place())
            return await self.talk()

        try:
            talk = await unless_gone(request, seated())
        except BaseException:
            await place.aclose()
            raise
        pieces = self.stream(talk, watched=watched, with_usage=with_usage)
        return Stream(self.head.id, pieces, place)

    async def stream(self, talk: Conversation, *, watched: bool, with_usage: bool) -> AsyncIterator[bytes]:
        """The final answer in pieces; for those who watch also what happens at the table, as it happens."""
        happened: asyncio.Queue[bytes | None] = asyncio.Queue()

        def tell(event: Mapping[str, Any]) -> None:
            if watched:
                happened.put_nowait(table_event(self.head, public_record(event)))

        async def work() -> tuple[AnsweredQuestion, Completion]:
            try:
                tell(seated_event(self.server.live.cell(self.model), self.model))
                asked, done = await self.played(talk, lambda call: tell(call_event(call)))
                tell(verdict_event(asked))
                return asked, done
            finally:
                happened.put_nowait(None)

        task = asyncio.create_task(work())
        try:
            yield self.head.delta({"role": "assistant", "content": ""})
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
            except Exception as error:  # noqa: BLE001  the status is out already: whatever it was, this is how it is said
                if not isinstance(error, Refused | MootError):
                    _log.error("a question broke the server", exc_info=error)
                yield sse(error_json(as_refusal(error)))
                yield DONE
            else:
                for piece in done.pieces(chars=PIECE, with_usage=with_usage, begun=True):
                    yield piece
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task


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
