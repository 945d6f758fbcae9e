"""An endpoint that streams what a test tells it to, piece by piece, and keeps what it was sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

WAIT, BREAK, FILTER = object(), object(), object()
"""In a script: until the test says so; that the line breaks; and that a content filter ends it."""

Script = Callable[[dict[str, Any], int], list[Any]]
"""From a body, and how often the model was asked before, to what is said."""


@dataclass
class Endpoint:
    script: Script
    url: str = ""
    usage: bool = True
    holds_all: bool = False
    """It waits too where it was not asked for a stream, as of who is not watched."""
    refuses: tuple[str, ...] = ()
    """Keys of a body that are answered with a 400."""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    go: asyncio.Event = field(default_factory=asyncio.Event)

    async def chat(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        before = sum(each["model"] == body["model"] for each in self.bodies)
        self.bodies.append(body)
        for key in self.refuses:
            if key in body:
                return web.json_response({"error": {"message": f"{key} is not supported"}}, status=400)
        said = self.script(body, before)
        if not body.get("stream"):
            if self.holds_all and WAIT in said:
                await self.go.wait()
            words = "".join(each for each in said if isinstance(each, str))
            choice = {"index": 0, "message": {"role": "assistant", "content": words}, "finish_reason": "stop"}
            usage = {"usage": {"prompt_tokens": 10, "completion_tokens": 5}}
            return web.json_response({"model": body["model"], "choices": [choice], **usage})
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for each in said:
            if each is WAIT:
                await self.go.wait()
            elif each is BREAK:
                assert request.transport is not None
                await asyncio.sleep(0.05)
                request.transport.abort()
                return response
            elif isinstance(each, dict):  # an event as it is, and the end
                await response.write(b"data: " + json.dumps(each).encode() + b"\n\n")
                await response.write(b"data: [DONE]\n\n")
                return response
            elif each is FILTER:
                await self._event(response, [{"index": 0, "delta": {}, "finish_reason": "content_filter"}])
                await response.write(b"data: [DONE]\n\n")
                return response
            else:
                await self._event(response, [{"index": 0, "delta": {"content": each}, "finish_reason": None}])
        await self._event(response, [{"index": 0, "delta": {}, "finish_reason": "stop"}])
        if self.usage and body.get("stream_options", {}).get("include_usage"):
            await self._event(response, [], usage={"prompt_tokens": 10, "completion_tokens": 5})
        await response.write(b"data: [DONE]\n\n")
        return response

    async def _event(self, response: web.StreamResponse, choices: list[Any], **more: Any) -> None:
        await response.write(b"data: " + json.dumps({"choices": choices, **more}).encode() + b"\n\n")


@asynccontextmanager
async def streaming(script: Script, **options: Any) -> AsyncIterator[Endpoint]:
    endpoint = Endpoint(script, **options)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", endpoint.chat)
    async with TestServer(app) as server:
        endpoint.url = f"http://127.0.0.1:{server.port}/v1"
        yield endpoint
        endpoint.go.set()


def team_of(endpoint: Endpoint, strategy: Any = "talkative", **model: Any) -> dict[str, Any]:
    spec = {"provider": "endpoint", "base_url": endpoint.url, "retries": {"attempts": 3}, **model}
    names = ("ann", "bob")
    return {
        "name": "streaming",
        "models": {name: {**spec, "model": name} for name in names},
        "players": {name: {"model": name} for name in names},
        "teams": {"two": {"players": list(names), "captain": "ann"}},
        "strategies": [strategy],
    }
