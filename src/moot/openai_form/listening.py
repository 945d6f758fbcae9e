"""An application that listens in the event loop that is already running, and stops within a moment.

`uvicorn.Server` is made to be a whole process: it takes the signals, and looks every tenth of a second whether it should
end. A server that stands beside its clients in one process, as in tests, wants neither.
"""

from __future__ import annotations

import asyncio

import uvicorn
from starlette.types import ASGIApp
from uvicorn.server import ServerState

from moot.errors import UsageError
from moot.openai_form.connection import Connection

KEPT_ALIVE_S = 75
"""Longer than clients keep an idle connection: it is theirs to close."""

STOP_S = 0.2
"""What is being answered may take so long to end when the server stops."""


class Listening:
    """One port, and the connections to it."""

    def __init__(self, app: ASGIApp) -> None:
        self._config = uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            timeout_keep_alive=KEPT_ALIVE_S,
        )
        self._config.load()
        self._state = ServerState()
        self._server: asyncio.Server | None = None

    @property
    def open_connections(self) -> int:
        return len(self._state.connections)

    async def start(self, host: str, port: int) -> str:
        """The address that it listens on."""
        loop = asyncio.get_running_loop()

        def connection() -> Connection:
            return Connection(self._config, self._state, {}, _loop=loop)

        try:
            self._server = await loop.create_server(connection, host, port, backlog=1024)
        except OSError as error:
            raise UsageError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
        named = f"[{host}]" if ":" in host else host
        return f"http://{named}:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        if self._server is None:
            return
        self._server.close()
        for connection in list(self._state.connections):
            connection.shutdown()
        if self._state.tasks:
            await asyncio.wait(self._state.tasks, timeout=STOP_S)
        for connection in list(self._state.connections):
            connection.transport.abort()  # which ends the work for it too
        if self._state.tasks:
            await asyncio.wait(self._state.tasks, timeout=STOP_S)
        self._server = None
