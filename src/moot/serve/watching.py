"""A page of a running experiment. The run is another process, and knows nothing of it: the store is all that is read.

Figures are taken when somebody looks, and no oftener than the store bears: after taking them for a second nothing is read for
nine. Doors, policy and connections are those of a served team.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import Connection
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from moot.errors import MootError, UsageError
from moot.openai_form.body import BodyLimit
from moot.openai_form.refusal import json_response
from moot.report.so_far import so_far
from moot.report.wanted_plan import WantedPlan
from moot.report.whose_figures import whose_words
from moot.serve.connections import Connections, raise_file_limit
from moot.serve.doors import Door, Doors
from moot.serve.page_files import page_file, page_with_token
from moot.serve.refusal import TEAM_REFUSALS
from moot.serve.serving import listen
from moot.serve.team_server import TeamServer
from moot.store import queries
from moot.store.examined import examined
from moot.store.opened_file import OpenedFile
from moot.store.sqlite import SqliteStore
from moot.store.store import Store

FILES = ("watch.css", "watch.js")
HOST = "127.0.0.1"
LONGER = 9.0
"""The store is left alone for so many times as long as it was read."""
PACE_S = 300.0
"""The pace of a run is that of so many seconds."""
BODY_BYTES = 1024


class Watching:
    """How one experiment stands, as often as it may be asked."""

    def __init__(self, store: Store, wanted: WantedPlan, every_s: float) -> None:
        self.store = store
        self._wanted, self._every_s = wanted, every_s
        self._opened = False
        self._file: OpenedFile | None = None
        self._one_at_a_time = asyncio.Lock()
        self._figures: dict[str, Any] = {}
        self._next_at = 0.0
        self._played: deque[tuple[float, int]] = deque()

    async def figures(self) -> dict[str, Any]:
        """Those of a moment ago, unless it is time for others."""
        async with self._one_at_a_time:
            if time.monotonic() >= self._next_at:
                began = time.monotonic()
                self._figures = await self._taken()
                took = time.monotonic() - began
                self._next_at = time.monotonic() + max(self._every_s, LONGER * took)
            return {**self._figures, "again_s": max(0.2, self._next_at - time.monotonic())}

    async def _taken(self) -> dict[str, Any]:
        try:
            if not self._opened:
                await self.store.open()
                self._opened = True
                self._file = OpenedFile.at(str(self.store.path)) if isinstance(self.store, SqliteStore) else None
            if self._file is not None:
                self._file.check()  # a file that was removed is read as before for as long as it is open
            async with examined(self.store):
                taken = await self.store.read(self._read)
        except UsageError as error:  # there is no store, or no such experiment in it yet
            return {"state": "not started", "words": "not started", "notes": [str(error)], "over": False}
        except MootError as error:
            return {"state": "unreadable", "words": "cannot be read", "notes": [str(error)], "over": False}
        return {**taken, "per_minute": self._pace(taken["episodes"])}

    def _read(self, connection: Connection) -> dict[str, Any]:
        if queries.latest_experiment(connection, self._wanted.name) is None:
            raise UsageError(f"the store holds no run of {self._wanted.name!r} yet")
        found = self._wanted.last_begun(connection)
        taken = so_far(connection, found.plan, time.time())
        noted = found.noted(taken)
        return {**noted, "notes": [*whose_words(noted), *taken["notes"]]}

    def _pace(self, played: int) -> float | None:
        """Episodes a minute, since it is watched; None: not known yet, or nothing came."""
        now = time.monotonic()
        self._played.append((now, played))
        while self._played[0][0] < now - PACE_S:
            self._played.popleft()
        since, before = self._played[0]
        return 60 * (played - before) / (now - since) if played > before and now - since >= 1 else None

    async def close(self) -> None:
        if self._opened:
            await self.store.close()


def watch_app(watching: Watching) -> Starlette:
    token = secrets.token_urlsafe(32)
    door = Door(hosts=(HOST,), token=token)

    async def page(request: Request) -> Response:
        return page_with_token("watch.html", token)

    async def file(request: Request) -> Response:
        return page_file(request.path_params["name"], FILES)

    async def figures(request: Request) -> Response:
        return json_response(await watching.figures())

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await watching.close()

    return Starlette(
        routes=[Route("/", page), Route("/page/{name}", file), Route("/v1/moot/watch", figures)],
        middleware=[Middleware(BodyLimit, most=BODY_BYTES), Middleware(Doors, door=door)],
        exception_handlers=TEAM_REFUSALS,
        lifespan=lifespan,
    )


def serve_watch(watching: Watching, port: int, title: str) -> None:
    """Until SIGINT, SIGTERM or SIGHUP; on this machine only."""
    listening = listen(HOST, port)
    print(f"watching {title}: http://{HOST}:{listening.getsockname()[1]}/", flush=True)
    print("Ctrl-C ends the watching; the run goes on", flush=True)
    connections = Connections(most=max(16, raise_file_limit() // 2))
    TeamServer(watch_app(watching), connections, stop_s=2).run(sockets=[listening])
