"""The endpoint of the chaos run: it fails in every way that HTTP and JSON allow, and keeps its own books.

A reply depends on the call alone; whether an attempt at it fails, and how, on the call and on how often it was asked. So a run
that is killed again and again meets other failures than a calm one, and must come to the same figures. No call fails more
than `FAILS_AT_MOST` times in a row, fewer than a client tries. Everything that is begun is on the bill, answered or not; what
is turned away at once (429, 5xx) is not.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import re
import sys
import time
from collections import Counter
from contextlib import suppress
from typing import Any

from aiohttp import web

PRICE = {"prompt": 10.0, "completion": 100.0}
"""Dollars a million tokens."""
MAX_TOKENS = 80
FAILS_AT_MOST = 3
HANGS_S = 6.0
STATUSES = {"408": 408, "429": 429, "429-wait": 429, "500": 500, "502": 502, "503": 503, "529": 529}
SPOILT = (
    "html",
    "no-json",
    "half-json",
    "error-in-200",
    "finish-error",
    "no-choice",
    "empty-body",
    "gzip-cut",
    "not-gzip",
)
WIRE = ("reset", "cut", "hang", "drip")
RARE = {"429-wait": 0.02, "hang": 0.1}
"""These hold everything up: the rarer, the shorter the run."""
FAULTS = (*STATUSES, *SPOILT, *WIRE)


def call_name(model: str, messages: Any) -> str:
    """What is asked of whom: the same here and in a store."""
    return hashlib.sha256(json.dumps([model, messages], sort_keys=True).encode()).hexdigest()[:24]


def drawn(*parts: Any) -> float:
    """A number from 0 to 1 that depends on these alone."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:7], "big") / 2**56


def fault_of(call: str, attempt: int, share: float) -> str | None:
    if attempt > FAILS_AT_MOST or drawn("hit", call, attempt) >= share:
        return None
    weights = [RARE.get(kind, 1.0) for kind in FAULTS]
    place = drawn("kind", call, attempt) * sum(weights)
    for kind, weight in zip(FAULTS, weights, strict=True):
        place -= weight
        if place < 0:
            return kind
    return FAULTS[-1]


def said(call: str, messages: list[dict[str, str]]) -> tuple[str, str]:
    """The words and the finish reason: mostly right, sometimes wrong, filtered, or not in the form until it is asked again."""
    asked_again = any(message["role"] == "assistant" for message in messages)
    chance = 1.0 if asked_again else drawn("said", call)
    number = re.search(r"number (\d+)", messages[0]["content"])
    person = f"Person {number[1]}" if number else "nobody"
    if chance < 0.01:
        return "", "content_filter"
    if chance < 0.03:
        return "I would rather speak of something else", "stop"
    right = drawn("right", call) < 0.6
    return json.dumps({"reasoning": "So I have read.", "answer": person if right else f"not {person}"}), "stop"


class Provider:
    def __init__(self, share: float, latency_s: float) -> None:
        self.share, self.latency_s = share, latency_s
        self.bill_usd, self.in_flight, self.requests = 0.0, 0, 0
        self.asked: dict[str, list[float]] = {}
        self.faults: Counter[str] = Counter()

    async def books(self, request: web.Request) -> web.Response:
        told: dict[str, Any] = {"bill_usd": self.bill_usd, "requests": self.requests, "in_flight": self.in_flight}
        if "all" in request.query:
            told |= {"asked": self.asked, "faults": dict(self.faults)}
        return web.json_response(told)

    async def complete(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body = json.loads(raw)
        call = call_name(body["model"], body["messages"])
        attempts = self.asked.setdefault(call, [])
        attempts.append(time.time())
        self.requests += 1
        fault = fault_of(call, len(attempts), self.share)
        self.faults[fault or "none"] += 1
        if fault in STATUSES:
            headers = {"Retry-After": "1"} if fault == "429-wait" else None
            return web.json_response({"error": {"message": "not now"}}, status=STATUSES[fault], headers=headers)
        text, finish = said(call, body["messages"])
        usage = {"prompt_tokens": len(raw) // 4, "completion_tokens": 10 + int(60 * drawn("tokens", call))}
        self.bill_usd += sum(usage[f"{kind}_tokens"] * PRICE[kind] for kind in PRICE) / 1e6
        self.in_flight += 1
        try:
            await asyncio.sleep(self.latency_s * (0.5 + drawn("latency", call, len(attempts))))
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
            return await self.sent(request, fault, {"model": body["model"], "choices": [choice], "usage": usage})
        finally:
            self.in_flight -= 1

    async def sent(self, request: web.Request, fault: str | None, reply: dict[str, Any]) -> web.StreamResponse:
        if fault in WIRE:
            return await over_a_bad_wire(request, fault, json.dumps(reply).encode())
        if fault is None:
            return web.json_response(reply)
        return spoilt(fault, reply)


def spoilt(fault: str, reply: dict[str, Any]) -> web.Response:
    whole, kind = json.dumps(reply), "application/json"
    if fault == "error-in-200":
        return web.json_response({"error": {"code": 502, "message": "the provider is gone"}})
    if fault == "finish-error":
        return web.json_response({**reply, "choices": [{**reply["choices"][0], "finish_reason": "error"}]})
    if fault == "no-choice":
        return web.json_response({**reply, "choices": []})
    if fault in ("gzip-cut", "not-gzip"):
        packed = gzip.compress(whole.encode())[:-20] if fault == "gzip-cut" else whole.encode()
        return web.Response(body=packed, content_type=kind, headers={"Content-Encoding": "gzip"})
    texts = {"html": "<html><body>502 Bad Gateway</body></html>", "no-json": "NaN and so on", "empty-body": ""}
    return web.Response(text=texts.get(fault, whole[: len(whole) // 2]), content_type=kind)


async def over_a_bad_wire(request: web.Request, fault: str, body: bytes) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(body))})
    if fault == "hang":
        await asyncio.sleep(HANGS_S)
    if fault in ("hang", "reset"):
        if request.transport is not None:  # else the client has gone first
            request.transport.abort()
        return response
    await response.prepare(request)
    if fault == "cut":
        await response.write(body[: len(body) // 2])
        if request.transport is not None:
            request.transport.close()
        return response
    with suppress(ConnectionError):  # a client that was killed does not wait for the end
        for place in range(0, len(body), 16):
            await response.write(body[place : place + 16])
            await asyncio.sleep(0.002)
    return response


async def serve(share: float, latency_s: float) -> None:
    provider = Provider(share, latency_s)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", provider.complete)
    app.router.add_get("/books", provider.books)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=False)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1]), float(sys.argv[2])))
