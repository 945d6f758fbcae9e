"""Workers and what they have in common in one process, with the lines between them that processes have."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from moot.serve.admission import Admission, KeyLimits
from moot.serve.gate_wire import PLACES_SHORT, Wire
from moot.serve.worker_gate import WorkerGate
from moot.serve.worker_line import Answering, SharedAdmission, WorkerLine

KEYS = {"ann": "a", "bob": "b"}


class Server:
    """Some workers in one process, each at its own end of a line."""

    def __init__(self, **bounds: Any) -> None:
        self.gate = WorkerGate({}, Admission(KEYS, **bounds))
        self._limits = bounds.get("limits", KeyLimits())
        self._serving: dict[WorkerLine, asyncio.Task[None]] = {}
        self.lost: list[str] = []

    async def worker(self, name: str, answering: Answering | None = None) -> tuple[WorkerLine, SharedAdmission]:
        ours, theirs = socket.socketpair()
        serving = asyncio.create_task(self.gate.serve(name, await Wire.on(ours)))
        line = WorkerLine(await Wire.on(theirs), lost=lambda: self.lost.append(name))
        self._serving[line] = serving
        admission = SharedAdmission(KEYS, {}, self._limits, line)
        line.answering = {PLACES_SHORT: admission.places_short, **(answering or {})}
        return line, admission

    async def close(self) -> None:
        for line, serving in self._serving.items():
            await line.close()
            serving.cancel()
        await asyncio.gather(*self._serving.values(), return_exceptions=True)

    def kill(self, line: WorkerLine) -> None:
        """Its process ends without a word."""
        line._wire.close()

    def end(self, line: WorkerLine) -> None:
        """The process that keeps what they have in common ends."""
        self._serving[line].cancel()


@asynccontextmanager
async def workers_of(**bounds: Any) -> AsyncIterator[Server]:
    server = Server(**bounds)
    try:
        yield server
    finally:
        await server.close()
