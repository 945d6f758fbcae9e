"""A connection that its application can reach: to break it on order, and to hear at once that the client is gone.

uvicorn hides both. A handler learns of a client who left only by waiting for a message beside its work, which costs
two tasks a request; here the connection ends the work itself.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from starlette.types import Scope

from moot.openai_form.bounded_connection import BoundedConnection

EXTENSION = "moot.connection"


class Connection(BoundedConnection):
    """One with a handle on it in the scope of each request."""

    work: asyncio.Task[Any] | None = None
    """Whoever answers the request under way: cancelled when nobody is there to be answered."""
    lost = False

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {EXTENSION: self}  # type: ignore[dict-item]

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.lost = True
        if self.work is not None:
            self.work.cancel()

    @contextmanager
    def working(self) -> Iterator[None]:
        """While a request is worked on. The work ends quietly where the client is gone."""
        self.work = asyncio.current_task()
        try:
            yield
        except asyncio.CancelledError:
            if not self.lost:
                raise
        finally:
            self.work = None

    def cut(self) -> None:
        """Close after what was sent, however much is missing."""
        self.cycle.disconnected = True  # uvicorn is not to complain of a reply that was never finished
        self.transport.close()

    def reset(self) -> None:
        """Close with RST instead of FIN: a linger of 0 seconds throws away what is unsent and says so to the peer."""
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.cycle.disconnected = True
        self.transport.abort()


def connection_of(scope: Scope) -> Connection:
    connection = scope["extensions"][EXTENSION]
    assert isinstance(connection, Connection)
    return connection
