"""Faults on order: how a simulated server fails the way real ones do, so that clients can be tried against it.

Whether a request is hit is drawn from (seed, hash of the body, how often this body was seen), so a run of faults can be
repeated, and a retry of the same body may pass. `times` and `after` count requests as they come in.

Three sorts: some answer with a status instead of a reply, some spoil the reply, some break the wire under it.
"""

from __future__ import annotations

import asyncio
import dataclasses
import email.utils
import json
import socket
import struct
import time
from collections.abc import Sequence

from aiohttp import web

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


def error_response(
    status: int, message: str, *, kind: str, code: str | None = None, param: str | None = None, retry_after: str = ""
) -> web.Response:
    """An error in the OpenAI form."""
    body = json.dumps({"error": {"message": message, "type": kind, "param": param, "code": code}})
    headers = {"Retry-After": retry_after} if retry_after else None
    return web.Response(text=body, status=status, headers=headers, content_type="application/json")


def status_response(fault: FaultConfig) -> web.Response:
    """A 429 or 5xx in place of a reply."""
    if fault.kind.startswith("429"):
        at = email.utils.formatdate(time.time() + fault.retry_after, usegmt=True)
        retry_after = {"429-seconds": str(fault.retry_after), "429-date": at}.get(fault.kind, "")
        return error_response(
            429,
            "Rate limit reached (simulated).",
            kind="requests",
            code="rate_limit_exceeded",
            retry_after=retry_after,
        )
    words = "The server had an error (simulated)." if fault.kind == "500" else "The engine is overloaded (simulated)."
    return error_response(STATUSES[fault.kind], words, kind="server_error")


def spoiled(kind: str, reply: Reply) -> Reply:
    """The reply with something wrong with it."""
    if kind == "refusal":
        return dataclasses.replace(reply, text=REFUSED, finish="refusal")
    if kind == "content-filter":
        return dataclasses.replace(reply, text="", finish="content_filter")
    return dataclasses.replace(reply, text=GARBAGE if kind == "garbage" else "")


async def break_wire(fault: FaultConfig, request: web.Request, body: bytes, content_type: str) -> web.StreamResponse:
    """Send the body of a good reply, or some of it, the way a broken connection would."""
    if fault.kind == "reset":
        return _reset(request)
    if fault.kind == "hang":
        await asyncio.sleep(fault.hang_s)
        return _reset(request)
    if fault.kind == "invalid-json":
        broken = body[: len(body) * 2 // 3] + b'"}'
        return web.Response(body=broken, content_type=content_type)
    response = web.StreamResponse(headers={"Content-Type": content_type})
    response.content_length = len(body)
    await response.prepare(request)
    if fault.kind == "cut":
        await response.write(body[: len(body) // 2])
        if request.transport is not None:
            request.transport.close()
        return response
    for place in range(len(body)):
        await response.write(body[place : place + 1])
        await asyncio.sleep(fault.drip_s)
    return response


def _reset(request: web.Request) -> web.Response:
    """Close with RST instead of FIN: a linger of 0 seconds throws away what is unsent and says so to the peer."""
    transport = request.transport
    if transport is not None:
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    return web.Response(status=500)
