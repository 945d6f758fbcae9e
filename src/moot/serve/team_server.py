"""The server of one process: uvicorn, with our bounds on connections, and our ends."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from moot.engine import hangup
from moot.engine.garbage import spare_collector
from moot.later import load_now
from moot.live.team import LiveTeam
from moot.serve.connections import Connections


class TeamServer(uvicorn.Server):
    """A server with bounds on its connections, that keeps the collector of garbage out of its requests."""

    def __init__(
        self,
        app: ASGIApp,
        connections: Connections,
        *,
        live: LiveTeam | None = None,
        on_open: Callable[[], None] = lambda: None,
        stop_s: int = 10,
    ) -> None:
        """`live`: opened before the application starts, whose failures uvicorn tells as a traceback. `on_open`: called when it
        is; a server whose store cannot be written says nothing of serving before."""
        config = uvicorn.Config(
            app,
            http=connections.protocol(),
            ws="none",
            log_level="warning",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=stop_s,
        )
        super().__init__(config)
        self._live = live
        self._on_open = on_open

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Those of uvicorn, and a terminal that is closed."""
        with super().capture_signals():
            if threading.current_thread() is threading.main_thread():
                with hangup.as_the_end(self.handle_exit):
                    yield
            else:
                yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        load_now()
        if self._live is not None:
            await self._live.open()
        self._on_open()
        await super().startup(sockets)
        spare_collector()
