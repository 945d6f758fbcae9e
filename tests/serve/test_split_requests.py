"""Requests in whatever pieces the wire makes of them: a legal one is answered wherever it is cut, and a too large one is not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

import pytest
from test_connections import server_of_simulated_models, server_of_teams

from moot.openai_form.bounded_connection import MOST_HEADER_BYTES

Server = Callable[[], AbstractAsyncContextManager[tuple[str, int]]]

END = b"\r\n\r\n"
LONG = 3 * MOST_HEADER_BYTES
"""Bytes that come in one piece with what ends the headers: more than headers may have."""
ASKED = b"GET / HTTP/1.1\r\nHost: 127.0.0.1" + END
BEHIND = {
    "a body": b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d" % LONG + END + b"a" * LONG + ASKED,
    "a chunk": b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked"
    + END
    + b"%x\r\n" % LONG
    + b"a" * LONG
    + b"\r\n0\r\nX-Trailer: a"
    + END
    + ASKED,
    "requests": b"GET / HTTP/1.1\r\nHost: 127.0.0.1"
    + END
    + (ASKED[:-4] + b"\r\nX-Long: " + b"a" * 40_000 + END) * 5
    + ASKED,
}
"""What stands behind the first end of headers, and is answered."""
BOTH = pytest.mark.parametrize("served_by", [server_of_teams, server_of_simulated_models])


async def answers(served_by: Server, pieces: Sequence[bytes], count: int) -> list[bytes]:
    """The first lines of so many answers. Each piece is read by the server before the next is there."""
    async with served_by() as place, asyncio.timeout(60):
        reader, writer = await asyncio.open_connection(*place, limit=2**20)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.02)
        told = []
        for _ in range(count):
            head = await reader.readuntil(END)
            told.append(head.splitlines()[0])
            if b" 200 " not in told[-1]:
                break
            json.loads(await reader.readuntil(b"]"))
        writer.transport.abort()
        return told


def each_end(sent: bytes) -> list[int]:
    """Where each end of headers, or of trailers, begins."""
    return [at for at in range(len(sent)) if sent.startswith(END, at)]


@BOTH
@pytest.mark.parametrize("name", BEHIND)
@pytest.mark.parametrize("cut", range(5))
async def test_headers_cut_within_their_end_are_answered(name: str, cut: int, served_by: Server) -> None:
    sent = BEHIND[name]
    count = sent.count(b" HTTP/1.1")
    for end in each_end(sent):
        told = await answers(served_by, [sent[: end + cut], sent[end + cut :]], count)
        assert told == [b"HTTP/1.1 200 OK"] * count, (end, told)


@BOTH
async def test_an_end_that_comes_byte_by_byte_is_one(served_by: Server) -> None:
    sent = BEHIND["a body"]
    end = sent.index(END)
    pieces = [sent[:end], *(END[at : at + 1] for at in range(3)), sent[end + 3 :]]
    assert await answers(served_by, pieces, 2) == [b"HTTP/1.1 200 OK"] * 2


@BOTH
async def test_headers_at_the_bound_are_answered_in_any_pieces(served_by: Server) -> None:
    """And those past it refused, also where their end comes with them."""

    def asked(size: int) -> bytes:
        beginning = ASKED[:-4] + b"\r\nX-Long: "
        return beginning + b"a" * (size - len(beginning) - len(END)) + END

    body = b"a" * LONG
    for size, status in ((MOST_HEADER_BYTES, b"200"), (MOST_HEADER_BYTES + 1, b"431"), (2 * MOST_HEADER_BYTES, b"431")):
        head = asked(size).replace(b"GET", b"PUT").replace(b"X-Long: ", b"Content-Length: %d\r\nX-Long: " % LONG)
        head = head.replace(b"a" * len(b"Content-Length: %d\r\n" % LONG), b"", 1)
        assert len(head) == size
        for cut in (0, 10, size // 2, size - 4, size - 1, size):
            told = await answers(served_by, [head[:cut], head[cut:] + body], 1)
            assert b" " + status + b" " in told[0], (size, cut)
