"""Replies without end, and small ones that unpack to gigabytes: what is taken in is bounded, and so is the memory it takes."""

from __future__ import annotations

import asyncio
import gzip
import json
import sqlite3
import sys
import zlib
from collections.abc import AsyncIterator, Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from hostile_server import completion, hostile, http, until_closed

from moot.errors import ReplyBroken, ReplyTooLarge
from moot.models.endpoint import EndpointModel, Network
from moot.models.intake import MIB, SMALL_BYTES, Intake, Room
from moot.types import Message, Request

PLAIN = Request((Message("user", "Which?"),))
CHUNKED = b"HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
HEAD = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"


@cache
def zeros(window: int, times: int = 1_200) -> bytes:
    """A JSON text of so many MiB, packed a thousand times smaller."""
    packing = zlib.compressobj(9, zlib.DEFLATED, window)
    packed = packing.compress(b'{"choices": [{"message": {"content": "')
    packed += b"".join(packing.compress(bytes(MIB)) for _ in range(times))
    return packed + packing.flush()


async def without_end(head: bytes, piece: bytes, most: int = 4_096 * MIB) -> AsyncIterator[bytes]:
    yield head
    sent = 0
    while sent < most:
        yield piece
        sent += len(piece)


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


GZIP, DEFLATE = partial(zeros, 31), partial(zeros, -15)
"""Packed when they are wanted: that takes seconds."""
VALUES = b'{"choices": [' + b'{"a":1},' * (7 * MIB // 8) + b"0]}"
WORD = b'data: {"choices": [{"delta": {"content": "' + b"x" * 4_000 + b'"}}]}\n\n'
EMPTY_WORD = b'data: {"choices": [{"delta": {"content": ""}}]}\n\n' * 64
BIG = b"x" * 65_536
ATTACKS: dict[str, Callable[[], Any]] = {
    "gzip": lambda: until_closed(GZIP(), Content_Encoding="gzip"),
    "deflate": lambda: until_closed(DEFLATE(), Content_Encoding="deflate"),
    "gzip in an error": lambda: http(GZIP(), 500, Content_Encoding="gzip"),
    "a body": lambda: without_end(HEAD + b'\r\n{"choices": [{"message": {"content": "', BIG),
    "a body by its length": lambda: without_end(HEAD + b"Content-Length: 99999999999\r\n\r\n", BIG),
    "an error": lambda: without_end(b"HTTP/1.1 500 Oh\r\nConnection: close\r\n\r\n", BIG),
    "chunks of one byte": lambda: without_end(CHUNKED, chunk(b"x") * 5_000),
    "one header": lambda: without_end(HEAD + b"X-Endless: ", BIG),
    "headers": lambda: without_end(HEAD, b"".join(b"X-%d: %s\r\n" % (n, b"y" * 4_000) for n in range(16))),
    "trailers": lambda: without_end(CHUNKED + b"0\r\n", b"X-Y: " + b"y" * 4_000 + b"\r\n"),
    "a chunk's extension": lambda: without_end(CHUNKED + b"1;", BIG),
    "values": lambda: http(VALUES),
    "nesting": lambda: http(b"[" * (4 * MIB)),
}
STREAMED: dict[str, Callable[[], Any]] = {
    "a line": lambda: without_end(HEAD + b"\r\ndata: ", BIG),
    "words": lambda: without_end(HEAD + b"\r\n", WORD * 16),
    "empty words": lambda: without_end(HEAD + b"\r\n", EMPTY_WORD),
    "comments": lambda: without_end(HEAD + b"\r\n", b": still here\n" * 4_000),
    "gzip": lambda: until_closed(GZIP(), Content_Encoding="gzip"),
    "letters": lambda: without_end(HEAD + b"\r\n", b'data: {"choices": [{"delta": {"content": "x"}}]}\n' * 64),
}

RUN = """
import resource, sys
from moot.cli.app import app
from moot.cli.exit import run_app
code = run_app(app, ["run", *sys.argv[1:], "--quiet"])
print("PEAK", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, "CODE", code)
"""


async def peak_mib(folder: Path, base_url: str, whole: list[str], streamed: list[str]) -> float:
    """What `moot run` takes at most, in a process of its own."""
    folder.mkdir()  # noqa: ASYNC240
    common = {"provider": "endpoint", "base_url": base_url, "max_reply_mb": 8, "timeout_s": 6}
    common["retries"] = {"attempts": 1}
    models = {f"w{n}": {**common, "model": f"whole {name}"} for n, name in enumerate(whole)}
    models |= {f"s{n}": {**common, "model": f"stream {name}", "stream": True} for n, name in enumerate(streamed)}
    (folder / "questions.jsonl").write_text('{"id": "q1", "text": "Which?", "answer": "A"}\n')
    config = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models, "replies_in_flight_mb": 16}
    (folder / "cup.yaml").write_text(yaml.safe_dump(config))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        RUN,
        str(folder / "cup.yaml"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert b"PEAK" in out, err.decode()[-2_000:]
    return int(out.split(b"PEAK")[1].split()[0]) / 1_024


async def test_a_bomb_takes_no_more_than_it_may(tmp_path: Path) -> None:
    def answer(body: Any, number: int) -> Any:
        way, _, attack = body["model"].partition(" ")
        return http(completion()) if attack == "none" else (STREAMED if way == "stream" else ATTACKS)[attack]()

    async with hostile(answer) as server:
        quiet = await peak_mib(tmp_path / "quiet", server.base_url, ["none"], ["none"])
        attacked = await peak_mib(tmp_path / "attacked", server.base_url, list(ATTACKS), list(STREAMED))
    assert attacked - quiet < 96, f"{attacked:.0f} MiB under attack, {quiet:.0f} MiB at rest"
    connection = sqlite3.connect(tmp_path / "attacked" / "cup.db")
    rows = connection.execute("SELECT outcome, count(*) FROM episodes GROUP BY outcome").fetchall()
    kinds = dict(connection.execute("SELECT model, kind FROM failures").fetchall())
    connection.close()
    assert rows == [("failed", len(ATTACKS) + len(STREAMED))]
    for attack in ("gzip", "deflate", "a body by its length"):
        # All of them at once: where the machine is slow the time is up before the bytes are.
        assert kinds[f"w{list(ATTACKS).index(attack)}"] in ("ReplyTooLarge", "TimedOut")
    assert set(kinds.values()) <= {"ReplyTooLarge", "ReplyBroken", "ServerFailed", "ConnectionFailed", "TimedOut"}
    assert server.sent_bytes < 1_500 * MIB, "what is too large is not waited for"


async def until(met: Callable[[], bool]) -> None:
    while not met():  # noqa: ASYNC110  nobody tells
        await asyncio.sleep(0.001)


def asking(base_url: str, **options: Any) -> EndpointModel:
    return EndpointModel("ann", base_url=base_url, model="m", network=Network(timeout_s=30), **options)


async def test_packed_replies_are_read() -> None:
    raw = json.dumps(completion("fine")).encode()
    framed, bare = zlib.compress(raw), zlib.compressobj(9, zlib.DEFLATED, -15)
    unframed = bare.compress(raw) + bare.flush()
    large = json.dumps(completion("x" * 300_000)).encode()
    ways = [
        (gzip.compress(raw), "gzip", 4),
        (gzip.compress(raw[:50]) + gzip.compress(raw[50:]) + bytes(20), "x-gzip", 4),
        (framed, "deflate", 4),
        (unframed, "Deflate", 4),
        (raw, "identity", 4),
        (gzip.compress(large), "gzip", 300_000),
        (large, "", 300_000),
    ]
    async with hostile(lambda body, n: until_closed(ways[n - 1][0], Content_Encoding=ways[n - 1][1])) as server:
        model = asking(server.base_url)
        for _, _, length in ways:
            assert len((await model.generate(PLAIN)).text) == length
        await model.close()


async def test_many_small_members_are_no_reply() -> None:
    """Each costs a copy of all that follows it."""
    body = gzip.compress(b"") * 5_000
    async with hostile(lambda *_: until_closed(body, Content_Encoding="gzip")) as server:
        model = asking(server.base_url)
        with pytest.raises(ReplyBroken, match="more than 16 parts"):
            await model.generate(PLAIN)
        await model.close()


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_the_bound_of_a_call_is_where_the_file_says(stream: bool) -> None:
    fits, larger = json.dumps(completion("x" * 900_000)), json.dumps(completion("x" * 1_100_000))
    async with hostile(lambda body, number: http(fits if number == 1 else larger)) as server:
        model = asking(server.base_url, intake=Intake(MIB), stream=stream)
        assert len((await model.generate(PLAIN)).text) == 900_000
        with pytest.raises(ReplyTooLarge, match="more than 1 MiB") as caught:
            await model.generate(PLAIN)
        assert caught.value.maybe_billed
        await model.close()


async def test_large_replies_wait_for_each_other_and_all_come_in() -> None:
    """Twelve that do not fit together, and small ones that wait for none of them."""
    room = Room(2 * MIB)
    large = json.dumps(completion("x" * 900_000)).encode()
    most = 0

    async def slowly() -> AsyncIterator[bytes]:
        nonlocal most
        yield HEAD + b"\r\n"
        for start in range(0, len(large), 65_536):
            yield large[start : start + 65_536]
            await asyncio.sleep(0.001)
            most = max(most, room.used)

    async with hostile(lambda body, n: slowly() if body["model"] == "m" else http(completion("small"))) as server:
        models = [asking(server.base_url, intake=Intake(MIB, room)) for _ in range(12)]
        small = EndpointModel("bob", base_url=server.base_url, model="small", intake=Intake(MIB, room))
        replies = asyncio.gather(*(model.generate(PLAIN) for model in models))
        await until(lambda: room.used >= MIB)
        assert (await small.generate(PLAIN)).text == "small"
        assert {len(reply.text) for reply in await replies} == {900_000}
        for model in (*models, small):
            await model.close()
    assert most <= 3 * MIB, "the eldest goes on whatever the others hold"
    assert room.used == 0


async def test_a_call_that_is_given_up_gives_its_room_back() -> None:
    room = Room(MIB)

    async def stuck() -> AsyncIterator[bytes]:
        yield HEAD + b"\r\n" + b" " * 500_000
        await asyncio.sleep(30)

    async with hostile(lambda *_: stuck()) as server:
        model = asking(server.base_url, intake=Intake(MIB, room))
        call = asyncio.create_task(model.generate(PLAIN))
        await until(lambda: room.used >= SMALL_BYTES)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        assert room.used == 0
        await model.close()
