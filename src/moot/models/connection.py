"""Connections to endpoints, on which what is not the reply that was asked for is bounded too.

Before a reply a server may send interim ones (`100 Continue`, `103 Early Hints`), and aiohttp passes over them, however many
come: without end they keep the event loop from everybody else, and no time limit is ever looked at. After a reply it may
send another that nobody asked for, which would be kept for as long as the connection waits for its next use.
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
        self._interim = 0
        self._before_head = 0
        self._has_head = False

    def set_response_params(self, **params: Any) -> None:
        """The next reply is waited for."""
        self._interim = self._before_head = 0
        self._has_head = False
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._has_head:
            self._before_head += len(data)
            if self._before_head > HEAD_BYTES:
                self._break_off(f"more than {HEAD_BYTES // 1024} KiB came before the head of a reply was whole")

    def feed_data(self, data: Any, size: int = 0) -> None:
        """Called with each reply whose head is whole."""
        if self._has_head:
            self._break_off("a reply came that nobody asked for")
            return
        code = data[0].code
        if 100 <= code < 200 and code != _SWITCHING:
            self._interim += 1
            if self._interim > MOST_INTERIM:
                self._break_off(f"more than {MOST_INTERIM} interim replies (status {code}) came before a reply")
                return
        else:
            self._has_head = True
        super().feed_data(data, size)

    def _break_off(self, reason: str) -> None:
        """Nothing more is read. What was received of a reply that is whole stays."""
        if self.exception() is None:
            self.set_exception(ReplyBroken(reason))
        if self.transport is not None:
            self.transport.abort()
