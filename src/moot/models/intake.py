"""How much of a reply is taken in: bytes as they are received and as they are unpacked, for a call and for all in flight.

A body may be without end, or a few kilobytes that unpack to gigabytes. So it is unpacked here, in steps, and counted as it
comes. A small reply waits for nobody and is counted nowhere. Where large ones together hold more than there is room for,
they wait for each other, but for the eldest, which always goes on: nothing is lost that was paid for, and no two calls
wait for one another.
"""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

from moot.errors import ConnectionFailed, ReplyBroken, ReplyTooLarge
from moot.models.turns import TURN_S

MIB = 2**20
REPLY_BYTES = 32 * MIB
IN_FLIGHT_BYTES = 256 * MIB
SMALL_BYTES = 64 * 1024
"""Up to here a reply takes no room; beyond it, room is taken in steps of this size."""

STREAM_TIMES = 8
"""A stream says the same things around every word: so many times as long as a reply it may be on the wire."""

WIRE_BYTES_A_VALUE = 16
"""A reply may hold one value for so many bytes of its bound: a million empty objects are small only on the wire."""

ERROR_BYTES = 256 * 1024
"""Of the body of an error more is not read: its status says what it is."""

ACCEPTED = "gzip, deflate"
KNOWN_ENCODINGS = frozenset(
    ("aws-chunked", "br", "compress", "dcb", "dcz", "lz4", "snappy", "x-compress", "xz", "zstd")
)
"""Others than that."""
MOST_MEMBERS = 16
_STEP = 64 * 1024


class Room:
    """What replies hold together while they come in."""

    def __init__(self, most: int = IN_FLIGHT_BYTES) -> None:
        self.most = most
        self.used = 0
        self._holders: dict[Holding, None] = {}  # the eldest first
        self._freed: asyncio.Event | None = None

    async def take(self, holding: Holding, more: int) -> None:
        self._holders.setdefault(holding)
        while self.used + more > self.most and next(iter(self._holders)) is not holding:
            self._freed = self._freed or asyncio.Event()
            await self._freed.wait()
        self.used += more

    def give_back(self, holding: Holding) -> None:
        if self._holders.pop(holding, self) is not self:
            self.used -= holding.held
            if self._freed is not None:
                self._freed.set()
                self._freed = None


class Holding:
    """What one call holds."""

    __slots__ = ("held", "intake")

    def __init__(self, intake: Intake) -> None:
        self.intake = intake
        self.held = 0

    async def hold(self, size: int) -> None:
        """So many bytes in all; `ReplyTooLarge` where that is more than one reply may have."""
        if size <= SMALL_BYTES or size <= self.held:
            return
        if size > self.intake.most:
            raise too_large(self.intake.most)
        more = -(-size // SMALL_BYTES) * SMALL_BYTES - self.held
        await self.intake.room.take(self, more)
        self.held += more

    def __enter__(self) -> Holding:
        return self

    def __exit__(self, *_: object) -> None:
        if self.held:
            self.intake.room.give_back(self)


EVERYWHERE = Room()
"""The room of models that were given no other."""


class Intake:
    """The bounds of one model."""

    def __init__(self, most: int = REPLY_BYTES, room: Room | None = None) -> None:
        self.most = most
        self.room = room or EVERYWHERE

    @property
    def most_values(self) -> int:
        return self.most // WIRE_BYTES_A_VALUE

    def holding(self) -> Holding:
        return Holding(self)

    async def whole(self, response: Any) -> bytes | bytearray:
        """The body of a response, unpacked."""
        length = response.content_length
        if length is not None and length <= SMALL_BYTES and not response.headers.get("Content-Encoding"):
            raw: bytes = await response.read()
            return raw
        if length is not None and length > self.most:
            raise too_large(self.most)
        body = bytearray()
        with self.holding() as holding:
            async for piece in self.pieces(response, self.most):
                await holding.hold(len(body) + len(piece))
                body += piece
        return body

    async def beginning(self, response: Any) -> bytes | bytearray:
        """So much of an error's body as words may need."""
        body = bytearray()
        try:
            async for piece in self.pieces(response, ERROR_BYTES):
                body += piece
        except (ReplyTooLarge, ReplyBroken):
            pass  # what there is of it has to do
        return body

    async def pieces(self, response: Any, most: int) -> AsyncIterator[bytes]:
        """The body as it comes, unpacked; no more than so many bytes, whichever way they are counted."""
        unpacker = Unpacker.of(response.headers.get("Content-Encoding"))
        received = unpacked = 0
        over_at = time.perf_counter() + TURN_S
        async for chunk in response.content.iter_any():
            received += len(chunk)
            if received > most:
                raise too_large(most)
            for piece in (chunk,) if unpacker is None else unpacker.unpacked(chunk):
                unpacked += len(piece)
                if unpacked > most:
                    raise too_large(most)
                yield piece
                if time.perf_counter() > over_at:
                    await asyncio.sleep(0)
                    over_at = time.perf_counter() + TURN_S
        if unpacker is not None and not unpacker.whole:
            raise ConnectionFailed("the reply was cut before its end", sent=True)

    def check_lines(self, lines: int) -> None:
        """Of a stream. A word of it is counted as 64 bytes at least, and has four lines at most."""
        if lines > self.most_values:
            raise ReplyTooLarge(f"a stream of more than {self.most_values:,} lines; max_reply_mb bounds it")

    def check_values(self, raw: bytes | bytearray) -> None:
        """Before it is read as JSON: every value becomes an object of many bytes."""
        if len(raw) > MIB and raw.count(b",") + raw.count(b"[") + raw.count(b"{") > self.most_values:
            raise ReplyTooLarge(f"a reply of more than {self.most_values:,} values; max_reply_mb bounds it")


class Unpacker:
    """gzip or deflate, in steps: what comes out of one is never large."""

    def __init__(self, window: int | None) -> None:
        self._window = window
        self._inflate: Any = None if window is None else zlib.decompressobj(window)
        self._members = 1

    @classmethod
    def of(cls, encoding: str | None) -> Unpacker | None:
        kind = (encoding or "").strip().casefold()
        if kind in ("", "identity"):
            return None
        if kind in ("gzip", "x-gzip"):
            return cls(16 + zlib.MAX_WBITS)
        if kind == "deflate":
            return cls(None)
        # Only what is known by name is repeated: a server may send back there what it was shown.
        named = f" as {kind!r}" if kind in KNOWN_ENCODINGS else " in some other way"
        raise ReplyBroken(f"the reply is packed{named}, which was not asked for")

    @property
    def whole(self) -> bool:
        return self._inflate is not None and bool(self._inflate.eof)

    def unpacked(self, chunk: bytes) -> Iterator[bytes]:
        if self._inflate is None:  # with the frame that the standard wants, or without, as some send it
            self._window = zlib.MAX_WBITS if chunk[0] & 0x0F == 8 else -zlib.MAX_WBITS
            self._inflate = zlib.decompressobj(self._window)
        left = chunk
        while left:
            if self._inflate.eof:
                left = self._next_member(left)
                continue
            try:
                piece = self._inflate.decompress(left, _STEP)
            except zlib.error as error:
                raise ReplyBroken(f"the reply cannot be unpacked: {error}") from None
            left = self._inflate.unused_data if self._inflate.eof else self._inflate.unconsumed_tail
            if piece:
                yield piece

    def _next_member(self, left: bytes) -> bytes:
        if not left.lstrip(b"\0"):
            return b""  # padding
        self._members += 1
        if self._members > MOST_MEMBERS:
            raise ReplyBroken(f"the reply is packed in more than {MOST_MEMBERS} parts")
        self._inflate = zlib.decompressobj(self._window or zlib.MAX_WBITS)
        return left


def too_large(most: int) -> ReplyTooLarge:
    return ReplyTooLarge(f"a reply of more than {most / MIB:g} MiB; max_reply_mb in the file bounds it")
