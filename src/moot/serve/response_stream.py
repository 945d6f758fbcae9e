"""A stream in the form of the Responses API: the answer while it is written, where that may be; else when it is there."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Iterable

from starlette.requests import Request
from starlette.responses import Response

from moot.openai_form.completions import Completion
from moot.serve.happenings import Happenings, UntoldWords
from moot.serve.playing import (
    STILL_THINKING,
    ServedRequest,
    Stream,
    ended,
    refusal_of,
    sent_of,
    told_in_time,
    unless_gone,
)
from moot.serve.responses import ResponseEvents
from moot.serve.telling import Telling, at_table


async def streamed_response(play: ServedRequest, request: Request, *, watched: bool = False) -> Response:
    """Who gets no answer gets the status for it, unless something was sent: a part of one, or what happened at the table."""
    happenings = Happenings()
    tellings: list[Telling] = []

    async def work() -> Completion:
        try:
            async with play.place() as talk:
                tellings.append(play.telling(talk, happenings, watched=watched))
                return await play.told(talk, tellings[0])
        finally:
            happenings.end()

    task = asyncio.create_task(work())
    ending = contextlib.AsyncExitStack()
    ending.push_async_callback(ended, task)
    events = ResponseEvents(play.wish.echoed)
    try:
        first = await unless_gone(request, happenings.next())
        if first is None:
            return Stream(play.head.id, _each(events.whole(await task)))
    except BaseException:
        await ending.aclose()
        raise

    async def pieces() -> AsyncGenerator[bytes]:
        begun = False
        async for told in told_in_time(happenings, first):
            if told is None:
                yield STILL_THINKING
            elif (event := at_table(told)) is not None:
                for piece in events.table(play.head, event):
                    yield piece
            elif isinstance(told, UntoldWords):
                for piece in () if begun else events.begun(play.head):
                    yield piece
                begun = True
                yield events.words(told.text)
        try:
            done = await task
            sent = sent_of(tellings[0].early, done)
        except Exception as error:  # noqa: BLE001  the status is out already: whatever it was, this is how it is said
            yield events.failed(play.head, refusal_of(error))
        else:
            for piece in events.rest(done, sent) if begun else events.whole(done):
                yield piece

    return Stream(play.head.id, pieces(), ending)


async def _each(pieces: Iterable[bytes]) -> AsyncGenerator[bytes]:
    for piece in pieces:
        yield piece
