"""Servers that send what is not the reply: interim replies without end, heads without end, replies that nobody asked for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from hostile_server import completion, hostile, http

from moot.errors import ReplyBroken
from moot.models.connection import HEAD_BYTES, MOST_INTERIM, BoundedHeads
from moot.models.endpoint import EndpointModel, Network
from moot.types import Message, Request

PLAIN = Request((Message("user", "Which?"),))
CONTINUE = b"HTTP/1.1 100 C\r\n\r\n"
HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"


def asking(base_url: str) -> EndpointModel:
    return EndpointModel("ann", base_url=base_url, model="m", network=Network(timeout_s=60))


async def over_and_over(piece: bytes, most: int = 256 * 2**20) -> AsyncIterator[bytes]:
    """As much as a server could send while nobody looks; an end, so that a client without a bound fails and does not hang."""
    for _ in range(most // len(piece)):
        yield piece


@pytest.mark.parametrize(
    ("piece", "reason"),
    [
        pytest.param(CONTINUE * 60_000, "interim replies", id="continue"),
        pytest.param(HINTS * 20_000, "interim replies", id="early hints"),
        pytest.param(b"\r\n" * 100_000, "before the head", id="blank lines"),
    ],
)
async def test_what_comes_before_a_reply_without_end_is_a_broken_reply(piece: bytes, reason: str) -> None:
    async with hostile(lambda *_: over_and_over(piece)) as server:
        model = asking(server.base_url)
        with pytest.raises(ReplyBroken, match=reason):
            await model.generate(PLAIN)
        await model.close()
    assert server.sent_bytes < 64 * 2**20, "it is broken off, and not read to its end"


async def test_a_server_of_interim_replies_keeps_the_loop_from_nobody() -> None:
    """One at a time, as they would come from far away."""
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async with hostile(lambda *_: over_and_over(CONTINUE)) as server:
        model, beside = asking(server.base_url), asyncio.create_task(others())
        with pytest.raises(ReplyBroken):
            await model.generate(PLAIN)
        beside.cancel()
        await model.close()
    assert turns > 1


@pytest.mark.parametrize("cut", ["in one read", "one by one"])
async def test_a_reply_behind_too_many_interim_ones_is_none(cut: str) -> None:
    """However the network cuts them: a reader sees many at once, or each alone."""
    ending = http(completion("too late"))

    async def answer() -> AsyncIterator[bytes]:
        for _ in range(MOST_INTERIM + 1):
            yield CONTINUE
            await asyncio.sleep(0)
        yield ending

    sent: bytes = CONTINUE * 1_000 + ending
    async with hostile(lambda *_: sent if cut == "in one read" else answer()) as server:
        model = asking(server.base_url)
        with pytest.raises(ReplyBroken, match=f"more than {MOST_INTERIM} interim replies"):
            await model.generate(PLAIN)
        await model.close()


async def test_what_follows_a_broken_connection_is_not_taken_in() -> None:
    """One read may hold thousands of messages: after the one that was too many nothing is looked at or kept."""
    handler = BoundedHeads(asyncio.get_running_loop())
    handler.set_response_params(read_bufsize=2**16)
    handler.data_received(CONTINUE * 1_000 + http(completion("too late")))
    assert isinstance(handler.exception(), ReplyBroken)
    assert handler.interim == MOST_INTERIM + 1
    handler.data_received(http(completion("later still")))
    for _ in range(MOST_INTERIM):
        assert (await handler.read())[0].code == 100
    with pytest.raises(ReplyBroken):
        await handler.read()


async def test_a_few_interim_replies_are_passed_over() -> None:
    def answer(*_: object) -> bytes:
        return CONTINUE + HINTS * (MOST_INTERIM - 1) + http(completion("fine"))

    async with hostile(answer) as server:
        model = asking(server.base_url)
        assert (await model.generate(PLAIN)).text == "fine"
        await model.close()


async def test_a_long_head_and_a_large_body_in_one_read_are_a_reply() -> None:
    """The body does not count as what comes before it."""
    padding = {f"X_{number}": "y" * 4_000 for number in range(20)}
    text = "x" * (2 * HEAD_BYTES)
    async with hostile(lambda *_: http(completion(text), **padding)) as server:
        model = asking(server.base_url)
        assert (await model.generate(PLAIN)).text == text
        await model.close()


async def test_replies_that_nobody_asked_for_end_the_connection_and_answer_nothing() -> None:
    """They come on a connection that waits for its next use."""
    asked_for, other = (json.dumps(completion(text)).encode() for text in ("asked for", "not asked for"))
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
    idle, closed = asyncio.Event(), asyncio.Event()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(65_536)
        writer.write(head % len(asked_for) + asked_for)
        await idle.wait()
        try:
            async for piece in over_and_over((CONTINUE + head % len(other) + other) * 100):
                writer.write(piece)
                await writer.drain()
        except ConnectionError:
            closed.set()
        writer.close()

    listener = await asyncio.start_server(handle, "127.0.0.1", 0)
    model = asking(f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1")
    assert (await model.generate(PLAIN)).text == "asked for"
    idle.set()
    async with asyncio.timeout(60):
        await closed.wait()
    assert (await model.generate(PLAIN)).text == "asked for"
    await model.close()
    listener.close()
