"""Clients that hang up, at whatever moment: that is no trouble of the server's, and its log is not theirs to fill."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import struct
from pathlib import Path
from typing import Any

import pytest
from served import Served, serving
from test_connections import place

from moot.models.model import Model, Wrapper
from moot.serve.app import ServeSettings
from moot.types import Reply, Request

SAID = "asked by somebody who leaves"
MESSAGES = [{"role": "user", "content": SAID}]
PATHS = ("/v1/chat/completions", "/v1/responses", "/v1/feedback", "/v1/moot/episodes/asked-1/blind", "/v1/nothing")


class Slow(Wrapper):
    """Long answers, after a while."""

    async def generate(self, request: Request) -> Reply:
        await asyncio.sleep(0.2)
        return Reply(json.dumps({"reasoning": "r", "answer": "long " * 100_000}), cost_usd=0.0)


def slow(name: str, model: Model) -> Model:
    return Slow(model)


def asked(path: str, body: Any, **headers: str) -> bytes:
    data = json.dumps(body).encode()
    given = {"Host": "localhost", "Content-Type": "application/json", "Content-Length": str(len(data)), **headers}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in given.items())
    return f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode() + data


async def leave(served: Served, sent: bytes, *, after_s: float = 0.0, read: int = 0, reset: bool) -> None:
    reader, writer = await asyncio.open_connection(*place(served), limit=1024)
    writer.write(sent)
    await writer.drain()
    if read:
        async with asyncio.timeout(60):
            await reader.readexactly(read)
    await asyncio.sleep(after_s)
    if reset:
        connection = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
    else:
        writer.close()
    await asyncio.sleep(0.05)


def lines_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [f"{record.name}: {record.getMessage()} {record.exc_text or ''}" for record in caplog.records]


@pytest.mark.parametrize("reset", [True, False])
async def test_amid_the_request(tmp_path: Path, reset: bool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    async with serving(tmp_path, settings=ServeSettings(edit_teams=True)) as served:
        for path in PATHS:
            whole = asked(path, {"model": "three/vote", "messages": MESSAGES, "more": "x" * 5_000})
            head, _, body = whole.partition(b"\r\n\r\n")
            chunked = head.replace(f"Content-Length: {len(body)}".encode(), b"Transfer-Encoding: chunked")
            for sent in (
                whole[: len(head) + 4],
                whole[:-2_000],
                chunked + b'\r\n\r\n5\r\n{"a":\r\n',
                chunked + b"\r\n\r\n0\r\nX-Trailer",
                head + b"\r\nExpect: 100-continue\r\n\r\n",
            ):
                await leave(served, sent, after_s=0.02, reset=reset)
        assert (await served.chat("Which river?"))[0] == 200, "others are answered"
    assert lines_of(caplog) == []


@pytest.mark.parametrize("reset", [True, False])
@pytest.mark.parametrize("model", ["three/talkative", "solo@ann"])
async def test_amid_the_answer(model: str, reset: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    form = {"type": "json_schema", "name": "n", "schema": {"type": "object"}}
    chat = {"model": model, "messages": MESSAGES, "moot": {"kind": "text"} if model == "solo@ann" else {}}
    requests = [
        asked("/v1/chat/completions", chat),
        asked("/v1/chat/completions", {**chat, "stream": True}),
        asked("/v1/chat/completions", {**chat, "stream": True}, X_Moot_Team="1"),
        asked("/v1/chat/completions", {**chat, "response_format": {"type": "json_schema", "json_schema": form}}),
        asked("/v1/responses", {"model": model, "input": SAID, "stream": True}),
        asked("/v1/responses", {"model": model, "input": SAID, "stream": True}, X_Moot_Team="1"),
    ]
    async with serving(tmp_path, wrap=slow) as served:
        for sent in requests:
            await leave(served, sent, reset=reset)
            await leave(served, sent, after_s=0.1, reset=reset)
            await leave(served, sent * 3, after_s=0.1, reset=reset)
            await leave(served, sent, read=15, reset=reset)
            await leave(served, sent, read=2_000, reset=reset)
        async with asyncio.timeout(60):
            while (await served.session.get(f"{served.url}/healthz")).status != 200:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
    assert [line for line in lines_of(caplog) if "Traceback" in line or SAID in line or "ASGI" in line] == []
    assert lines_of(caplog) == []


async def test_amid_what_is_no_request(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nor does whoever sends no HTTP write into the log, be it a letter for a terminal or a line a time."""
    caplog.set_level(logging.WARNING)
    host = b"Host: localhost\r\n"
    async with serving(tmp_path) as served:
        for sent in (
            b"\x16\x03\x01\n\x1b[31mevil\r\n\r\n",
            b"GET /\xff\xfe HTTP/1.1\r\n" + host + b"\r\n",
            b"GET http://[::1/ HTTP/1.1\r\n" + host + b"\r\n",
            b"GET / HTTP/1.1\r\nX-\x00\x1b[31m: evil\r\n" + host + b"\r\n",
            b"POST / HTTP/1.1\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\n",
            b"GET /%00%0a%1b[31mevil HTTP/1.1\r\n" + host + b"\r\n",
            b"EVIL\x1b / HTTP/1.1\r\n" + host + b"\r\n",
            b"CONNECT evil:1 HTTP/1.1\r\n" + host + b"\r\n",
            b"GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: evil\x1b\r\n" + host + b"\r\n",
        ):
            await leave(served, sent, after_s=0.05, reset=False)
    assert lines_of(caplog) == []
