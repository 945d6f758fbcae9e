"""Faults on order: how a simulated server fails the way real ones do, so that clients can be tried against it.

Whether a request is hit is drawn from (seed, hash of the body, how often this body was seen), so a run of faults can be
repeated, and a retry of the same body may pass. `times` and `after` count requests as they come in.

Three sorts: some answer with a status instead of a reply, some spoil the reply, some break the wire under it.
"""

from __future__ import annotations

import asyncio
import dataclasses
import email.utils
import time
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from moot.openai_form.connection import connection_of
from moot.openai_form.refusal import Refused
from moot.simulate.likeness import PLAIN, Likeness
from moot.simulate.server_config import FaultConfig
from moot.simulate.world import uniform
from moot.types import Reply

GARBAGE = "Well, one could say a lot about this [simulated"
REFUSED = "[simulated] I'm sorry, I can't help with that."

STATUSES = {"429": 429, "429-seconds": 429, "429-date": 429, "500": 500, "503": 503}
SPOILED = ("empty", "refusal", "content-filter", "garbage")


class Faults:
    """The faults of one server, and how often each has hit."""

    def __init__(self, faults: Sequence[FaultConfig], seed: int) -> None:
        self._faults = faults
        self._seed = seed
        self._hits = [0] * len(faults)

    def forget(self) -> None:
        self._hits = [0] * len(self._faults)

    def pick(self, *, model: str, number: int, body: str, seen: int) -> FaultConfig | None:
        """The first fault in the list that hits this request."""
        for place, fault in enumerate(self._faults):
            if number < fault.after or fault.model not in (None, model):
                continue
            if fault.times is not None and self._hits[place] >= fault.times:
                continue
            if fault.rate >= 1 or uniform(self._seed, "fault", place, body, seen) < fault.rate:
                self._hits[place] += 1
                return fault
        return None


def status_response(fault: FaultConfig, like: Likeness = PLAIN) -> Response:
    """A 429 or 5xx in place of a reply."""
    if not fault.kind.startswith("429"):
        overloaded = fault.kind == "503"
        words = "The engine is overloaded (simulated)." if overloaded else "The server had an error (simulated)."
        return like.response(Refused(STATUSES[fault.kind], words, kind="server_error"))
    at = email.utils.formatdate(time.time() + fault.retry_after, usegmt=True)
    retry_after = {"429-seconds": str(fault.retry_after), "429-date": at}.get(fault.kind)
    refusal = Refused(429, "Rate limit reached (simulated).", kind="requests", code="rate_limit_exceeded")
    return like.response(refusal, {"Retry-After": retry_after} if retry_after else None)


def spoiled(kind: str, reply: Reply) -> Reply:
    """The reply with something wrong with it."""
    if kind == "refusal":
        return dataclasses.replace(reply, text=REFUSED, finish="refusal")
    if kind == "content-filter":
        return dataclasses.replace(reply, text="", finish="content_filter")
    return dataclasses.replace(reply, text=GARBAGE if kind == "garbage" else "")


class Lasting(Response):
    """A response that takes its time: the request counts as worked on until its last byte."""


class BrokenWire(Lasting):
    """The body of a good reply, or some of it, sent the way a broken connection would."""

    def __init__(self, fault: FaultConfig, body: bytes, media_type: str) -> None:
        super().__init__(body, media_type=media_type)
        self._fault = fault

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection, kind = connection_of(scope), self._fault.kind
        if kind == "hang":
            await asyncio.sleep(self._fault.hang_s)
        if kind in ("hang", "reset"):
            connection.reset()
            return
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        if kind == "cut":
            await send(_piece(self.body[: len(self.body) // 2], more=True))
            connection.cut()
            return
        for place in range(len(self.body)):
            await send(_piece(self.body[place : place + 1], more=place + 1 < len(self.body)))
            await asyncio.sleep(self._fault.drip_s)


class Paced(Lasting):
    """Events of a stream with a pause after each. It holds its place in the queue until the last is sent."""

    media_type = "text/event-stream"

    def __init__(self, pieces: Iterable[bytes], pause_s: float, place: AsyncExitStack) -> None:
        super().__init__(headers={"Cache-Control": "no-cache"})
        del self.headers["content-length"]  # nobody knows it when a stream begins
        self._pieces, self._pause_s, self._place = pieces, pause_s, place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._place:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            if not self._pause_s:
                await send(_piece(b"".join(self._pieces), more=False))
                return
            for piece in self._pieces:
                await send(_piece(piece, more=True))
                await asyncio.sleep(self._pause_s)
            await send(_piece(b"", more=False))


def _piece(body: bytes | memoryview, *, more: bool) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": more}


def broken(fault: FaultConfig, body: bytes, media_type: str) -> Response:
    """A reply that does not arrive as it was written."""
    if fault.kind == "invalid-json":
        return Response(body[: len(body) * 2 // 3] + b'"}', media_type=media_type)
    return BrokenWire(fault, body, media_type)
