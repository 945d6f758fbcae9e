"""The bounds of a reply that comes in, byte for byte, without a server."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from moot.errors import ConnectionFailed, ReplyBroken, ReplyTooLarge
from moot.models.intake import ERROR_BYTES, MIB, MOST_MEMBERS, SMALL_BYTES, WIRE_BYTES_A_VALUE, Intake, Room

BODY = bytes(range(256)) * 700


class Response:
    """What an HTTP client hands over: chunks, as they come."""

    def __init__(self, raw: bytes, encoding: str | None = None, *, size: int = 0, length: int | None = None) -> None:
        size = size or len(raw) or 1
        self._chunks = [raw[start : start + size] for start in range(0, len(raw), size)]
        self.headers = {} if encoding is None else {"Content-Encoding": encoding}
        self.content_length = length
        self.content = self

    async def iter_any(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk

    async def read(self) -> bytes:
        return b"".join(self._chunks)


def raw_deflate(body: bytes) -> bytes:
    packing = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packing.compress(body) + packing.flush()


@pytest.mark.parametrize("size", [1, 1_000, 0])
@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        (None, bytes),
        ("identity", bytes),
        (" GZip ", gzip.compress),
        ("x-gzip", lambda body: gzip.compress(body[:900]) + gzip.compress(body[900:])),
        ("gzip", lambda body: gzip.compress(body) + b"\0\0\0"),
        ("deflate", zlib.compress),
        ("deflate", raw_deflate),
    ],
)
async def test_what_was_packed_comes_out(encoding: str | None, pack: Callable[[bytes], bytes], size: int) -> None:
    body = BODY[: 2_000 if size == 1 else None]
    assert await Intake(len(body)).whole(Response(pack(body), encoding, size=size)) == body
    with pytest.raises(ReplyTooLarge):
        await Intake(len(body) - 1).whole(Response(pack(body), encoding, size=size))


async def test_a_length_that_is_told_is_believed_where_it_is_too_much() -> None:
    small = b"x" * 10
    assert await Intake(5).whole(Response(small, length=SMALL_BYTES)) == small, "a small reply is counted nowhere"
    with pytest.raises(ReplyTooLarge):
        await Intake(SMALL_BYTES).whole(Response(small, length=SMALL_BYTES + 1))
    assert await Intake(SMALL_BYTES + 1).whole(Response(small, length=SMALL_BYTES + 1)) == small
    packed = gzip.compress(BODY)
    assert await Intake().whole(Response(packed, "gzip", length=len(packed))) == BODY


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_a_packed_reply_that_is_cut_has_not_come(encoding: str) -> None:
    packed = gzip.compress(BODY) if encoding == "gzip" else zlib.compress(BODY)
    for raw in (packed[:-1], packed[:20], b""):
        with pytest.raises(ConnectionFailed, match="cut"):
            await Intake().whole(Response(raw, encoding))
    assert len(await Intake().beginning(Response(b"not packed", "gzip"))) == 0, "what there is of an error has to do"
    with pytest.raises(ReplyBroken, match="cannot be unpacked"):
        await Intake().whole(Response(b"\x08" + b"\xff" * 20, encoding))
    with pytest.raises(ReplyBroken, match="'br'"):
        await Intake().whole(Response(packed, "br"))


async def test_of_an_error_no_more_is_read_than_words_need() -> None:
    assert len(await Intake().beginning(Response(b"x" * ERROR_BYTES))) == ERROR_BYTES
    assert len(await Intake().beginning(Response(b"x" * (ERROR_BYTES + 5), size=ERROR_BYTES))) == ERROR_BYTES


async def test_so_many_members_and_no_more() -> None:
    member = gzip.compress(b"abc")
    assert await Intake().whole(Response(member * MOST_MEMBERS, "gzip")) == b"abc" * MOST_MEMBERS
    with pytest.raises(ReplyBroken, match=f"more than {MOST_MEMBERS} parts"):
        await Intake().whole(Response(member * (MOST_MEMBERS + 1), "gzip"))


@pytest.mark.parametrize("sign", [b",", b"[", b"{"])
def test_so_many_values_and_no_more(sign: bytes) -> None:
    intake = Intake(100 * WIRE_BYTES_A_VALUE)
    padding = b" " * MIB
    intake.check_values(sign * 100 + padding)
    intake.check_values(sign * 99 + padding)
    with pytest.raises(ReplyTooLarge, match="more than 100 values"):
        intake.check_values(sign * 101 + padding)
    intake.check_values((sign * 101).ljust(MIB))


async def test_the_eldest_goes_on_and_the_others_wait_for_room() -> None:
    room = Room(4 * SMALL_BYTES)
    intake = Intake(MIB, room)
    eldest, younger = intake.holding(), intake.holding()
    small: Any = intake.holding()

    async def at_once(step: Any) -> None:
        await asyncio.wait_for(step, 60)

    with eldest:
        with younger:
            await at_once(eldest.hold(SMALL_BYTES))
            assert room.used == 0, "what is small is counted nowhere"
            await at_once(eldest.hold(SMALL_BYTES + 1))
            assert (eldest.held, room.used) == (2 * SMALL_BYTES, 2 * SMALL_BYTES)
            await at_once(eldest.hold(2 * SMALL_BYTES))
            assert room.used == 2 * SMALL_BYTES
            await at_once(younger.hold(2 * SMALL_BYTES))
            assert room.used == room.most, "it may be full"
            waiting = asyncio.create_task(younger.hold(2 * SMALL_BYTES + 1))
            await at_once(eldest.hold(4 * SMALL_BYTES))
            assert room.used == 6 * SMALL_BYTES
            await at_once(small.hold(SMALL_BYTES))
            assert not waiting.done()
            eldest.__exit__()
            await at_once(waiting)
            assert room.used == 3 * SMALL_BYTES
            with pytest.raises(ReplyTooLarge, match="more than 1 MiB"):
                await younger.hold(MIB + 1)
        assert room.used == 0
    assert room.used == 0, "what was given back is not given back again"
