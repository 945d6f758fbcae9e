"""A connection with an end to all that a client may send beside the bodies of its requests, which have a bound of their own.

uvicorn keeps whatever comes: headers, trailers, which it puts among the headers, and requests in line behind one that is being
answered. Whoever reaches the port could so fill the memory before anybody asks for a key.
"""

from __future__ import annotations

import asyncio

from httptools import HttpParserError, HttpParserUpgrade
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from moot.openai_form.refusal import Refused, error_json, json_bytes

MOST_HEADER_BYTES = 65_536
"""Of a request's headers. As many may come without a byte of the body among them: trailers, and what stands around chunks."""
MOST_IN_LINE = 16
"""Requests behind one that is being answered. Hardly a client sends a second one before it has its answer."""
MOST_AFTER_ANSWER = 1_048_576
"""Bytes of a request that was answered before it was all here: of an honest body it is the rest."""

LINGER_S = 1.0
"""Who is refused may still be sending: closed at once, it would never read why."""
MOST_WHILE_LINGERING = 1_048_576
"""Bytes that are taken of it meanwhile, to be let fall. Past them it may read on, and nothing is read of it."""


class _WhileSomebodyReads:
    """What an answer is written to, until a write has failed: of each further one asyncio warns until the connection is told that
    it is lost, and an answer may be hundreds."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self.close, self.is_closing = transport.close, transport.is_closing

    def write(self, data: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(data)


class BoundedConnection(HttpToolsProtocol):
    """uvicorn's own, which refuses whoever sends without an end."""

    _in_headers = True
    _header_bytes = 0
    _bytes_beside_body = 0
    """Since the last byte of a body."""
    _bytes_after_answer = 0
    _refused = False
    _bytes_since_refused = 0
    _on_turn: RequestResponseCycle | None = None
    """The request that is being answered, or was: behind it there may be others, of which uvicorn's `cycle` is the last."""
    _ending: asyncio.TimerHandle | None = None

    @property
    def asking(self) -> bool:
        """Whether a whole request is here, and its answer not all out yet."""
        turn = self._on_turn
        return turn is not None and not turn.more_body and not turn.response_complete

    @property
    def _answered_early(self) -> bool:
        """Whether there is an answer to the request that is being received."""
        return not self._in_headers and self.cycle.response_complete

    def connection_lost(self, exc: Exception | None) -> None:
        if self._ending is not None:
            self._ending.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """In pieces of which each ends at the bound at the latest: where headers end is told by the parser alone. A body may
        come with their end, and that may itself have come in pieces."""
        if self._refused:
            self._let_fall(data)
            return
        while data and not self._refused and not self.transport.is_closing():
            room = MOST_HEADER_BYTES - self._header_bytes if self._in_headers else MOST_HEADER_BYTES
            if room == 0:
                words = f"The headers are larger than {MOST_HEADER_BYTES} bytes."
                self.refuse(Refused(431, words, code="headers_too_large"))
                return
            self._take(data[:room])
            data = data[room:]

    def _let_fall(self, data: bytes) -> None:
        """Of whoever is refused. To read all that it can send in that moment would be work for nothing."""
        self._bytes_since_refused += len(data)
        if self._bytes_since_refused > MOST_WHILE_LINGERING and not self.transport.is_closing():
            self.transport.pause_reading()

    def _take(self, piece: bytes) -> None:
        """As uvicorn does it, but without a line in the log for all that is no HTTP: whoever likes could fill it."""
        if self._in_headers:
            self._header_bytes += len(piece)
        else:
            self._bytes_beside_body += len(piece)
            self._bytes_after_answer += len(piece) if self._answered_early else 0
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(piece)
        except HttpParserError:
            self.send_400_response("Invalid HTTP request received.")
            return
        except HttpParserUpgrade:
            pass  # the request is answered as if it did not ask for it
        if not self._in_headers and (
            self._bytes_beside_body > MOST_HEADER_BYTES or self._bytes_after_answer > MOST_AFTER_ANSWER
        ):
            words = f"The trailers, or what stands around a chunk, are larger than {MOST_HEADER_BYTES} bytes."
            self.refuse(Refused(431, words, code="headers_too_large"))

    def on_header(self, name: bytes, value: bytes) -> None:
        """Trailers are let fall: nobody reads them, and among the headers they would come behind the door that looks at those."""
        if self._in_headers:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if self._refused:
            return
        in_line = self._on_turn is not None and not self._on_turn.response_complete
        super().on_headers_complete()
        self.cycle.transport = _WhileSomebodyReads(self.transport)  # type: ignore[assignment]
        self._in_headers, self._header_bytes = False, 0
        self._bytes_beside_body = self._bytes_after_answer = 0
        if not in_line:
            self._on_turn = self.cycle
        if len(self.pipeline) > MOST_IN_LINE:
            words = f"More than {MOST_IN_LINE} requests were sent behind one that is being answered."
            self.refuse(Refused(429, words, code="too_many_requests", kind="requests"))

    def on_body(self, body: bytes) -> None:
        self._bytes_beside_body = 0
        if not self._refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_headers = True
        if not self._refused:
            super().on_message_complete()

    def on_response_complete(self) -> None:
        if not self.transport.is_closing() and self.pipeline:
            self._on_turn = self.pipeline[-1][0]
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        self.refuse(Refused(400, msg, code="invalid_http"))

    def refuse(self, refusal: Refused) -> None:
        """The usual error form, and the end; without a word where an answer has begun already, or is out."""
        if self._refused or self.transport.is_closing():
            return
        self._refused = True
        turn = self._on_turn
        answering = turn is not None and turn.response_started and not turn.response_complete
        for cycle in (turn, self.cycle):
            if cycle is not None:
                cycle.disconnected = True
                cycle.message_event.set()
        if answering or not self._may_linger():
            self.transport.abort()
            return
        if not self._answered_early:
            body = json_bytes(error_json(refusal))
            head = b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(body)
            self.transport.write(STATUS_LINE[refusal.status] + head + body)
        self.transport.write_eof()
        self._ending = self.loop.call_later(LINGER_S, self.transport.abort)

    def _may_linger(self) -> bool:
        """Whether there is a moment for it to read why."""
        return True
