"""Endpoints that send without end what takes longer to go through than to send: everybody else has their turn."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
from hostile_server import completion, hostile, http

from moot.errors import CallError, ReplyBroken, ReplyTooLarge, TimedOut
from moot.models.endpoint import EndpointModel, Network
from moot.models.intake import MIB, WIRE_BYTES_A_VALUE, Intake
from moot.types import Message, Request

PLAIN = Request((Message("user", "Which?"),))
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
AT_ONCE = 6
ONE_READ = 256 * 1024
"""What an event loop may read at once."""

MOST_TURN = 0.75
"""Of the time that one read full of events takes, what a call may take of a turn."""

STREAMED = {
    "events of nothing": b"data: {}\n\n",
    "events without a choice": b'data: {"choices":[]}\n\n',
    "letters": b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n',
    "newlines": b"\n",
    "comments": b":\n",
}
FRAMED = {
    "chunks of one byte": (CHUNKED, b"1\r\n \r\n"),
    "chunks with extensions": (CHUNKED, b"1;a=b\r\n \r\n"),
    "an extension without end": (CHUNKED + b"1;", b"a=b;"),
}


async def without_end(head: bytes, piece: bytes, most: int = 64 * MIB) -> AsyncIterator[bytes]:
    """It has an end, so that a client without a bound fails and does not hang."""
    yield head
    large = piece * (ONE_READ // len(piece))
    for _ in range(most // len(large)):
        yield large


def asking(base_url: str, most: int = MIB, *, stream: bool) -> EndpointModel:
    network = Network(timeout_s=60)
    return EndpointModel("ann", base_url=base_url, model="m", network=network, stream=stream, intake=Intake(most))


ROUNDS = 3


async def longest_turn_s(model: EndpointModel, calls: int) -> tuple[float, list[Any]]:
    """How much of the processor others had to wait for at most, which a busy machine makes no longer; and what came. In the best
    of some rounds: what is imported at the first call, or collected now and then, is no flood's doing."""
    rounds = [await _longest_turn_of_one_round_s(model, calls) for _ in range(ROUNDS)]
    return min(longest for longest, _ in rounds), [each for _, ended in rounds for each in ended]


async def _longest_turn_of_one_round_s(model: EndpointModel, calls: int) -> tuple[float, list[Any]]:
    longest = 0.0

    async def others() -> None:
        nonlocal longest
        before = time.thread_time()
        while True:
            await asyncio.sleep(0)
            now = time.thread_time()
            longest, before = max(longest, now - before), now

    beside = asyncio.create_task(others())
    ended = await asyncio.gather(*(model.generate(PLAIN) for _ in range(calls)), return_exceptions=True)
    beside.cancel()
    with suppress(asyncio.CancelledError):
        await beside
    return longest, ended


def events_of_one_read_s() -> float:
    """What it takes to go through as many events as one read may bring, without a pause: the measure of this machine."""
    started = time.thread_time()
    for line in (STREAMED["events of nothing"] * (ONE_READ // 10)).split(b"\n"):
        if line.startswith(b"data:"):
            json.loads(line[5:].strip())
    return time.thread_time() - started


@pytest.mark.parametrize("flood", STREAMED)
async def test_six_streams_without_end_keep_the_loop_from_nobody(flood: str) -> None:
    async with hostile(lambda *_: without_end(HEAD + b"\r\n", STREAMED[flood])) as server:
        model = asking(server.base_url, MIB // 2, stream=True)
        longest, ended = await longest_turn_s(model, AT_ONCE)
        await model.close()
    assert {type(error) for error in ended} <= {ReplyTooLarge, ReplyBroken}, "whichever bound is met first"
    assert longest < AT_ONCE * MOST_TURN * events_of_one_read_s(), f"{longest:.3f} s of one turn"
    assert server.sent_bytes < ROUNDS * AT_ONCE * 16 * MIB, "it is broken off, and not read to its end"


@pytest.mark.parametrize("flood", FRAMED)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_bodies_that_are_mostly_frames_are_broken_off(flood: str, stream: bool) -> None:
    head, piece = FRAMED[flood]
    async with hostile(lambda *_: without_end(head, piece)) as server:
        model = asking(server.base_url, 32 * MIB, stream=stream)
        longest, ended = await longest_turn_s(model, 1)
        await model.close()
    assert {type(error) for error in ended} == {ReplyBroken}, ended
    assert "bytes came around the" in str(ended[0])
    assert longest < MOST_TURN * events_of_one_read_s(), f"{longest:.3f} s of one turn"
    assert server.sent_bytes < ROUNDS * 16 * MIB


async def test_honest_replies_in_small_parts_are_read() -> None:
    """A character in each chunk, four lines for each word, a comment between them."""
    text = "word " * 4_000
    body = json.dumps(completion(text)).encode()
    chunked = CHUNKED + b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
    words = b"".join(
        b": alive\nevent: message\ndata: %s\n\n" % json.dumps({"choices": [{"delta": {"content": "word "}}]}).encode()
        for _ in range(4_000)
    )
    ending = b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
    sent = {True: http(words + ending), False: chunked}
    async with hostile(lambda body, _: sent[bool(body.get("stream"))]) as server:
        for stream in (False, True):
            model = asking(server.base_url, stream=stream)
            assert (await model.generate(PLAIN)).text == text
            await model.close()
    assert 4 * len("word " * 4_000) // 5 < MIB // WIRE_BYTES_A_VALUE


async def test_a_server_that_never_pauses_has_the_time_of_a_call_and_no_more() -> None:
    """There is always more to read, so that nobody waits for anything."""

    def answer(*_: object) -> AsyncIterator[bytes]:
        return without_end(HEAD + b"\r\n", STREAMED["letters"], 4_096 * MIB)

    async with hostile(answer) as server:
        network = Network(timeout_s=0.5)
        intake = Intake(1_024 * MIB)
        model = EndpointModel("ann", base_url=server.base_url, model="m", network=network, stream=True, intake=intake)
        with pytest.raises(TimedOut):
            await model.generate(PLAIN)
        await model.close()
    assert server.sent_bytes < 512 * MIB, "by its time, and not by its size"


async def test_a_stream_of_lines_ends_by_its_bound_and_is_not_paid_for_twice() -> None:
    """More lines around each word than any server sends."""
    async with hostile(lambda *_: without_end(HEAD + b"\r\n", STREAMED["letters"] + b"\n\n")) as server:
        model = asking(server.base_url, stream=True)
        with pytest.raises(CallError, match=f"more than {MIB // WIRE_BYTES_A_VALUE:,} lines; max_reply_mb bounds it"):
            await model.generate(PLAIN)
        await model.close()


@pytest.mark.parametrize("flood", ["events of nothing", "events without a choice", "newlines", "comments"])
async def test_what_brings_no_word_is_the_endpoints_failure_before_it_costs_anything(flood: str) -> None:
    """By the bounds that hold where nobody sets others: two million lines took many seconds of the processor."""
    async with hostile(lambda *_: without_end(HEAD + b"\r\n", STREAMED[flood])) as server:
        model = EndpointModel("ann", base_url=server.base_url, model="m", network=Network(timeout_s=60), stream=True)
        started = time.process_time()
        with pytest.raises(ReplyBroken, match="brought no word"):
            await model.generate(PLAIN)
        took_s = time.process_time() - started
        await model.close()
    assert took_s < 20 * events_of_one_read_s(), f"{took_s:.2f} s"
    assert server.sent_bytes < 16 * MIB


@pytest.mark.parametrize(
    "beat", [b": ping\n\n", b'data: {"choices":[{"delta":{"content":""}}]}\n\n'], ids=["comments", "events"]
)
async def test_a_heartbeat_keeps_a_slow_model_alive(beat: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """More beats in all than may come at once."""
    monkeypatch.setattr("moot.models.idle_lines.AT_ONCE", 40)

    async def slowly(*_: object) -> AsyncIterator[bytes]:
        yield HEAD + b"\r\n"
        for _ in range(60):
            yield beat
            await asyncio.sleep(0.005)
        yield b'data: {"choices":[{"delta":{"content":"late"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

    async with hostile(slowly) as server:
        model = asking(server.base_url, stream=True)
        assert (await model.generate(PLAIN)).text == "late"
        await model.close()
