"""The connections of a served team: how long each may take, and how many there may be.

A connection that has not sent its request costs whoever opened it nothing, so a thousand of them must cost us little: each
has a moment for its headers and one for its body, and where there are too many the oldest that ask nothing make room
for the newest. One whose question is being answered is never let go.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from moot.openai_form.bounded_connection import BoundedConnection
from moot.openai_form.refusal import Refused

MOST_LINGERING = 64
"""Connections that were refused and have a moment to read why."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds that a client has."""

    headers_s: float = 15.0
    """From the first byte, or the connection, to the end of a request's headers."""
    body_s: float = 60.0
    """From there to the end of its body."""
    idle_s: float = 75.0
    """Between an answer and the next request: longer than clients keep a connection, for it is theirs to close."""
    unread_s: float = 60.0
    """With an answer that it does not read, all pauses of one answer together."""
    read_bytes_s: float = 16_384.0
    """Whoever reads as much in a second loses nothing of that."""


@dataclass(slots=True)
class Connections:
    """The connections of one server."""

    most: int = 1_000
    per_address: int = 250
    patience: Patience = field(default_factory=Patience)
    _open: dict[str, dict[GuardedConnection, None]] = field(default_factory=dict)
    """By address, the oldest first."""
    lingering: int = 0
    """Connections that were refused and are about to end."""

    @classmethod
    def within(cls, files: int, *, per_address: int) -> Connections:
        """As many as a process can have that may have so many files: it needs some to ask models, and for the store."""
        return cls(most=max(16, files // 2), per_address=per_address)

    def enter(self, connection: GuardedConnection) -> None:
        """Room for it is made among those that ask nothing; where there is none, it is refused."""
        here = self._open.setdefault(connection.address, {})
        here[connection] = None
        if len(here) > self.per_address:
            self._make_room(connection, iter(list(here)), f"{self.per_address} connections of one address")
        elif sum(map(len, self._open.values())) > self.most:
            # Of whoever has most: a client with one connection does not pay for another's hundreds.
            largest = sorted(self._open.values(), key=len, reverse=True)
            everybody = (other for connections in largest for other in list(connections))
            self._make_room(connection, everybody, f"{self.most} connections")

    def leave(self, connection: GuardedConnection) -> None:
        here = self._open.get(connection.address, {})
        here.pop(connection, None)
        if not here:
            self._open.pop(connection.address, None)

    def _make_room(self, newest: GuardedConnection, others: Iterator[GuardedConnection], bound: str) -> None:
        for other in others:
            if other is not newest and not other.asking:
                self.leave(other)
                other.transport.abort()
                return
        self.leave(newest)
        newest.refuse(Refused(429, f"The bound of {bound} is reached.", code="too_many_connections", kind="requests"))

    def protocol(self) -> type[GuardedConnection]:
        """For uvicorn, which makes its connections itself."""
        return type("ServedConnection", (GuardedConnection,), {"among": self})


class GuardedConnection(BoundedConnection):
    """One with a clock that runs whenever it is the client's turn."""

    among: Connections
    address = ""
    _clock: asyncio.TimerHandle | None = None
    """Runs while the client is to send."""
    _unread: asyncio.TimerHandle | None = None
    """Runs while the client is to read."""
    _unread_left_s = 0.0
    _paused_at, _paused_bytes = 0.0, 0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.timeout_keep_alive = self.among.patience.idle_s  # type: ignore[assignment]
        self._unread_left_s = self.among.patience.unread_s
        self.address = self.client[0] if self.client else ""
        self._expect(self.among.patience.headers_s, "headers")
        self.among.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_clock()
        self.resume_writing()
        self.among.leave(self)
        self.among.lingering -= self._refused
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if not self.asking:
            self._expect(self.among.patience.headers_s, "headers")

    def on_headers_complete(self) -> None:
        self._asked_as_the_target_says()
        self._expect(self.among.patience.body_s, "body")
        super().on_headers_complete()

    def _asked_as_the_target_says(self) -> None:
        """A target with a name of its own (`GET http://name/path`) stands over the Host header, as RFC 9112 has it.

        Else a request could name one server to whoever stands before us and another to us.
        """
        if self.url.startswith(b"/") or b"://" not in self.url:
            return
        authority = re.split(rb"[/?#]", self.url.partition(b"://")[2], maxsplit=1)[0]
        if sum(name == b"host" for name, _ in self.headers) > 1:
            return  # which is refused for that
        self.headers[:] = [*((name, value) for name, value in self.headers if name != b"host"), (b"host", authority)]

    def on_message_complete(self) -> None:
        self._stop_clock()
        if self.cycle.response_complete and not self._refused:  # it was answered before its body was all here
            self._expect(self.among.patience.idle_s, "headers")
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._unread_left_s = self.among.patience.unread_s

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._unread is None:
            self._paused_at, self._paused_bytes = self.loop.time(), self.transport.get_write_buffer_size()
            self._unread = self.loop.call_later(max(0.0, self._unread_left_s), self.transport.abort)

    def resume_writing(self) -> None:
        """A reader who takes a little now and then has its time for the whole answer, else it would hold its place for ever."""
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
            patience = self.among.patience
            read = self._paused_bytes - self.transport.get_write_buffer_size()
            left_s = self._unread_left_s - (self.loop.time() - self._paused_at) + read / patience.read_bytes_s
            self._unread_left_s = min(patience.unread_s, left_s)
        super().resume_writing()

    def _expect(self, seconds: float, part: str) -> None:
        self._stop_clock()
        self._clock = self.loop.call_later(seconds, self._too_slow, part)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _too_slow(self, part: str) -> None:
        self.refuse(Refused(408, f"The {part} of the request did not come in time.", code="request_timeout"))

    def refuse(self, refusal: Refused) -> None:
        if self._refused or self.transport.is_closing():
            return
        self._stop_clock()
        self.among.lingering += 1
        self.among.leave(self)
        super().refuse(refusal)

    def _may_linger(self) -> bool:
        return self.among.lingering <= MOST_LINGERING


def raise_file_limit() -> int:
    """As many files, and so connections, as the machine lets this process have; how many that is."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return 65_536
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    if soft == resource.RLIM_INFINITY or soft >= most:
        return most if soft == resource.RLIM_INFINITY else soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most
