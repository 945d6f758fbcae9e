"""A server on loopback that sends whatever bytes a test wants to be sent: not even HTTP keeps it in order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

GOOD = '{"reasoning": "It is well known.", "answer": "A"}'

Sent = bytes | AsyncIterator[bytes]


@dataclass
class Hostile:
    base_url: str = ""
    seen: list[Any] = field(default_factory=list)
    """The bodies of the requests, as they came."""
    sent_bytes: int = 0

    @property
    def forms(self) -> list[str]:
        """How each request asked for its form."""
        return [body.get("response_format", {"type": "off"})["type"] for body in self.seen]


def completion(content: Any = GOOD, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    return {"id": "1", "object": "chat.completion", "model": "m-1", "choices": [choice], "usage": usage, **more}


def http(body: bytes | str | dict[str, Any] | list[Any], status: int = 200, **headers: str | bytes) -> bytes:
    """One whole response. Names of headers with _ for -."""
    raw = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    lines = {"Content-Type": "application/json", "Content-Length": str(len(raw)), "Connection": "close"}
    head = b"HTTP/1.1 %d Whatever\r\n" % status
    for name, value in {**lines, **{name.replace("_", "-"): value for name, value in headers.items()}}.items():
        head += name.encode() + b": " + (value if isinstance(value, bytes) else value.encode()) + b"\r\n"
    return head + b"\r\n" + raw


def until_closed(*parts: bytes, **headers: str) -> bytes:
    """A response without a length: it ends where the connection does."""
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
    for name, value in headers.items():
        head += f"{name.replace('_', '-')}: {value}\r\n".encode()
    return head + b"\r\n" + b"".join(parts)


@asynccontextmanager
async def hostile(answer: Callable[[Any, int], Sent]) -> AsyncIterator[Hostile]:
    """`answer` is given the body of a request and its number, from 1 on."""
    server = Hostile()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                (
                    int(line.split(b":")[1])
                    for line in head.split(b"\r\n")
                    if line.lower().startswith(b"content-length")
                ),
                0,
            )
            raw = await reader.readexactly(length)
            server.seen.append(json.loads(raw) if raw else None)
            sent = answer(server.seen[-1], len(server.seen))
            if isinstance(sent, bytes):
                writer.write(sent)
                server.sent_bytes += len(sent)
            else:
                async for piece in sent:
                    writer.write(piece)
                    server.sent_bytes += len(piece)
                    await writer.drain()
            await writer.drain()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    listener = await asyncio.start_server(handle, "127.0.0.1", 0)
    server.base_url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"
    try:
        yield server
    finally:
        listener.close()
