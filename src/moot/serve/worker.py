"""One worker of a server: a process with an event loop of its own, that answers on the same address as the others."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import uvicorn
from starlette.applications import Starlette

from moot.errors import MootError
from moot.experiment.spec import ExperimentFile
from moot.live.edited_team import EditedTeam
from moot.live.offer import ServedOffer
from moot.live.team import LiveTeam
from moot.serve.app import ServeSettings, create_app
from moot.serve.connections import Connections, raise_file_limit
from moot.serve.figures_of_workers import WorkerFigure
from moot.serve.gate_wire import KEEPS, PLACES_SHORT, Wire
from moot.serve.log_words import log_libraries_without_words
from moot.serve.one_of_workers import OneOfWorkers
from moot.serve.team_server import TeamServer
from moot.serve.tracing import traced
from moot.serve.worker_line import SharedAdmission, SharedTeams, WorkerLine

WORKERS_IGNORE = (signal.SIGINT, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else ()))
"""What a terminal tells a whole group: a worker is told to end by who started it, and by nobody else."""


@dataclass(frozen=True, slots=True)
class WorkerOrders:
    """All that a worker needs to know. They go to it through a pipe: no list of processes shows the keys."""

    file: ExperimentFile
    settings: ServeSettings
    offer: ServedOffer | None
    store_url: str | None
    reuse: bool
    per_address: int
    page_token: str | None
    ticket_secret: bytes
    party: str | None
    """What the workers are to others who make calls for their store; None where one may ask what another does."""
    first: bool = False
    """Of all: the one that forgets what is older than was promised, and tells what is odd about the file."""


def work(orders: WorkerOrders, listening: socket.socket, line: socket.socket) -> None:
    """Until a signal, or until who started it is gone."""
    for number in WORKERS_IGNORE:
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):  # it was started with them blocked; those it starts must not be
        signal.pthread_sigmask(signal.SIG_UNBLOCK, WORKERS_IGNORE)
    log_libraries_without_words()
    try:
        with asyncio.Runner(loop_factory=uvicorn.Config("").get_loop_factory()) as runner:
            runner.run(_Worker(orders).run(listening, line))
    except MootError as error:
        print(f"moot: worker {os.getpid()}: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


def _tell(warning: str) -> None:
    print(f"moot: {warning}", file=sys.stderr)


class _WorkerServer(TeamServer):
    """Told to end by who started it: what a terminal tells a whole group that one passes on in its time."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        signal.signal(signal.SIGTERM, self.handle_exit)
        yield


class _Worker:
    """What others may want of it are its methods without a line before their names."""

    def __init__(self, orders: WorkerOrders) -> None:
        self._orders = orders
        self._live = LiveTeam(
            orders.file,
            store_url=orders.store_url,
            reuse=orders.reuse,
            serving=True,
            wrap=traced,
            warn=_tell if orders.first else lambda warning: None,
        )
        self._live.offer, self._live.party = orders.offer, orders.party
        self._application: Starlette | None = None
        self._server: _WorkerServer | None = None
        self._opened = False
        """Before that it has answered nobody, and so nothing is to be written, added up or known."""
        self._abandoned = False

    async def run(self, listening: socket.socket, line_end: socket.socket) -> None:
        orders, live = self._orders, self._live
        settings = orders.settings if orders.first else replace(orders.settings, keep_days=None)
        line = WorkerLine(await Wire.on(line_end), lost=self._left_alone)
        admission = SharedAdmission(settings.keys, settings.admin_keys, settings.limits, line)
        line.answering = {
            "write": self.write,
            KEEPS: self.keeps,
            "figures": self.figures,
            "make_team": self.make_team,
            PLACES_SHORT: admission.places_short,
        }
        try:
            live.limiters = line.limiters
            live.edited = SharedTeams(live, line)
            together = OneOfWorkers(line, admission, orders.page_token, orders.ticket_secret)
            self._application = create_app(live, settings, together)
            await live.open()
            live.record.others_written = line.others_written
            self._opened = True
            await live.edited.catch_up()
            connections = Connections.within(raise_file_limit(), per_address=orders.per_address)
            self._server = _WorkerServer(self._application, connections, on_open=lambda: line.tell("ready"))
            self._server.should_exit = self._abandoned
            await self._server.serve(sockets=[listening])
        finally:
            await live.close()
            await line.close()

    async def write(self, forgetting: str | None) -> None:
        """What it has answered, but for an episode that is to be forgotten."""
        if not self._opened:
            return
        if forgetting is not None:
            self._live.record.forgotten.add(forgetting)
        await self._live.record.flush()

    async def keeps(self) -> bool:
        if not self._opened:
            return True
        self._live.record.notice()
        return self._live.record.error is None

    async def figures(self) -> Sequence[WorkerFigure]:
        if self._application is None:
            return ()
        figures: Sequence[WorkerFigure] = self._application.state.figures()
        return figures

    async def make_team(self, edited: EditedTeam, maker: str) -> None:
        if not self._opened:
            return  # it is told of all that were made, when it is
        assert isinstance(self._live.edited, SharedTeams)
        await self._live.edited.make_here(edited, maker)

    def _left_alone(self) -> None:
        """Without who started it nobody keeps its limits: it must not go on."""
        self._abandoned = True
        if self._server is not None:
            self._server.should_exit = True
