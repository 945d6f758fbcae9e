"""Connections to endpoints, on which what is not the reply that was asked for is bounded too.

Before a reply a server may send interim ones (`100 Continue`, `103 Early Hints`), and aiohttp passes over them, however many
come: without end they keep the event loop from everybody else, and no time limit is ever looked at. After a reply it may
send another that nobody asked for, which would be kept for as long as the connection waits for its next use. And within a
reply it may send what only frames its chunks, which no bound on the reply ever sees.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler

from moot.errors import ReplyBroken

MOST_INTERIM = 32
"""Interim replies before the one that was asked for; an honest server sends one or two."""

HEAD_BYTES = 256 * 1024
"""What may come before the head of the reply is whole."""

FRAME_BYTES = 512 * 1024
FRAME_TIMES = 2
"""Around the chunks of a body there may be so much, its head and what is not looked at yet included, and so many times the body
beside: 100 KB in chunks of one byte pass, extensions without end do not."""

_SWITCHING = 101


class BoundedConnector(aiohttp.TCPConnector):
    """TCP connections whose heads are bounded."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # aiohttp has no public way to say of what kind its connections are.
        kind: type[ResponseHandler] = BoundedHeads
        self._factory = partial(kind, loop=self._loop)


class BoundedHeads(ResponseHandler):
    """One connection: a few interim replies, one reply, and then nothing until the next is asked for."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self.interim = 0
        """Interim replies since the last one was asked for."""
        self._received = 0
        self._body: aiohttp.StreamReader | None = None
        """Of the reply that was asked for, from its head on."""
        self._broken_off: ReplyBroken | None = None
        """Why nothing is taken in any more."""

    def set_response_params(self, **params: Any) -> None:
        """The next reply is waited for."""
        self.interim = self._received = 0
        self._body = None
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        if self._broken_off is not None:
            return
        super().data_received(data)
        self._received += len(data)
        if self._body is None:
            if self._received > HEAD_BYTES:
                self._break_off(f"more than {HEAD_BYTES // 1024} KiB came before the head of a reply was whole")
            return
        frame = self._received - self._body.total_bytes
        if frame > FRAME_BYTES + FRAME_TIMES * self._body.total_bytes and not self._body.is_eof():
            self._break_off(f"{frame:,} bytes came around the {self._body.total_bytes:,} of a reply")
            self._end_body()

    def connection_lost(self, exc: BaseException | None) -> None:
        super().connection_lost(exc)
        self._end_body()  # in our words, and not as one that the server cut

    def _end_body(self) -> None:
        if self._broken_off is not None and self._body is not None and not self._body.is_eof():
            self._body.set_exception(self._broken_off)

    def feed_data(self, data: Any, size: int = 0) -> None:
        """Called with each reply whose head is whole; one read may hold thousands."""
        if self._broken_off is not None:
            return
        if self._body is not None:
            self._break_off("a reply came that nobody asked for")
            return
        code = data[0].code
        if 100 <= code < 200 and code != _SWITCHING:
            self.interim += 1
            if self.interim > MOST_INTERIM:
                self._break_off(f"more than {MOST_INTERIM} interim replies (status {code}) came before a reply")
                return
        else:
            self._body = data[1]
        super().feed_data(data, size)

    def _break_off(self, reason: str) -> None:
        """Nothing more is read. What was received of a reply that is whole stays."""
        self._broken_off = ReplyBroken(reason)
        if self.exception() is None:
            self.set_exception(self._broken_off)
        if self.transport is not None:
            self.transport.abort()
