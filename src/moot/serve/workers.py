"""A server of several processes: one that keeps what they have in common and starts anew whoever dies, and the workers.

All of them take connections from one socket, so nobody stands between a client and its answer.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess

import uvicorn

from moot.engine import hangup
from moot.engine.stopping import ONE_SIGNAL_S
from moot.errors import MootError
from moot.live.team import LiveTeam
from moot.serve.app import admission_of
from moot.serve.gate_wire import Wire
from moot.serve.log_words import where_it_broke
from moot.serve.worker import WORKERS_IGNORE, WorkerOrders, work
from moot.serve.worker_gate import WorkerGate
from moot.serve.worker_line import limits_of
from moot.store.bookkeeping import day_of
from moot.store.ledger import paid_on

_log = logging.getLogger(__name__)

STOP_S = 20.0
"""After which a worker that was told to end is ended: its questions have ten seconds, its store the rest."""
STALLED_S = 60.0
"""A worker that says nothing for so long holds places that others wait for: another takes its own."""
YOUNG_S = 5.0
"""A worker that dies before is started anew after a pause, and if that happens to it time and again the server ends."""
MOST_EARLY_ENDS = 5


def serve_with_workers(
    number: int, live: LiveTeam, orders: WorkerOrders, listening: socket.socket, *, on_open: Callable[[], None]
) -> None:
    """Until a signal. `live`: never opened here but for its books of money."""
    workers = Workers(number, live, orders, listening, on_open)
    with asyncio.Runner(loop_factory=uvicorn.Config("").get_loop_factory()) as runner:
        runner.run(workers.run())
    if workers.ended_by is not None:  # as who ends by a signal does
        signal.signal(
            workers.ended_by, signal.SIG_DFL if workers.ended_by != signal.SIGINT else signal.default_int_handler
        )
        signal.raise_signal(workers.ended_by)


class Workers:
    """All workers of one server."""

    def __init__(
        self,
        number: int,
        live: LiveTeam,
        orders: WorkerOrders,
        listening: socket.socket,
        on_open: Callable[[], None],
    ) -> None:
        self._number, self._live, self._orders, self._listening = number, live, orders, listening
        self._on_open = on_open
        self._gate = WorkerGate(limits_of(live.experiment.models), admission_of(orders.settings))
        self._processes: dict[str, BaseProcess] = {}
        self._stopping = asyncio.Event()
        self._opened = False
        self._ended_at = 0.0
        self.ended_by: signal.Signals | None = None

    async def run(self) -> None:
        self._hear_signals()
        metered = self._orders.settings.limits.usd_per_day is not None
        if metered:
            await self._live.store.open()
            self._gate.admission.paid_today = self._paid_today
        try:
            slots = [asyncio.create_task(self._keep_one(slot)) for slot in range(self._number)]
            opening = asyncio.create_task(self._open())
            try:
                await asyncio.gather(*slots)  # which end where they are told to before all could be asked
            finally:
                self._stopping.set()
                opening.cancel()
                await asyncio.gather(*slots, opening, return_exceptions=True)
        finally:
            if metered:
                await self._live.store.close()

    def _hear_signals(self) -> None:
        loop = asyncio.get_running_loop()
        ending = [signal.SIGINT, signal.SIGTERM]
        if hangup.heard():
            ending.append(signal.SIGHUP)
        for number in ending:
            loop.add_signal_handler(number, self._end, number)

    def _end(self, number: signal.Signals) -> None:
        """Told once more, nobody is waited for; what comes at once with the first is the same word."""
        now = time.monotonic()
        if not self._stopping.is_set():
            self.ended_by, self._ended_at = number, now
            self._stopping.set()
        elif now > self._ended_at + ONE_SIGNAL_S:
            for process in self._processes.values():
                process.kill()

    async def _open(self) -> None:
        await self._gate.all_ready(self._number)
        self._opened = True
        self._on_open()

    async def _paid_today(self, name: str) -> tuple[str, float]:
        day = day_of(time.time())
        return day, await self._live.store.run(partial(paid_on, payer=self._live.payer(name), day=day))

    async def _keep_one(self, slot: int) -> None:
        """A worker, and another when it dies."""
        early = 0
        for life in range(sys.maxsize):
            started = time.monotonic()
            name = f"worker {slot + 1}" if life == 0 else f"worker {slot + 1} ({life + 1})"
            code = await self._live_through(name, replace(self._orders, first=slot == 0))
            if self._stopping.is_set():
                return
            early = early + 1 if time.monotonic() - started < YOUNG_S else 0
            if not self._opened or early >= MOST_EARLY_ENDS:  # what it died of it has said itself
                raise MootError(f"{name} could not serve: it ended with exit code {code}")
            _log.warning("%s ended (exit code %s); another takes its place", name, code)
            with suppress(TimeoutError):
                async with asyncio.timeout(0.1 * 2**early):
                    await self._stopping.wait()
            if self._stopping.is_set():
                return

    async def _live_through(self, name: str, orders: WorkerOrders) -> int | None:
        """From the start of a process to its end: its exit code."""
        ours, theirs = socket.socketpair()
        process = multiprocessing.get_context("spawn").Process(
            target=work, args=(orders, self._listening, theirs), name=name, daemon=True
        )
        await asyncio.to_thread(_start_deaf, process)
        self._processes[name] = process
        theirs.close()
        serving = asyncio.create_task(self._gate.serve(name, await Wire.on(ours)))
        ended = asyncio.create_task(asyncio.to_thread(process.join))
        stopping = asyncio.create_task(self._stopping.wait())
        watching = asyncio.create_task(self._watch(name, process))
        try:
            await asyncio.wait({ended, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not ended.done():
                process.terminate()
                await asyncio.wait({ended}, timeout=STOP_S)
                if not ended.done():
                    process.kill()
            await ended
            return process.exitcode
        finally:
            stopping.cancel()
            watching.cancel()
            serving.cancel()
            (heard,) = await asyncio.gather(serving, return_exceptions=True)
            if isinstance(heard, Exception):
                _log.error("%s was not understood\n%s", name, where_it_broke(heard))
            del self._processes[name]

    async def _watch(self, name: str, process: BaseProcess) -> None:
        while await self._gate.answers(name, STALLED_S):  # noqa: ASYNC110  another process is looked at
            await asyncio.sleep(STALLED_S / 4)
        _log.error("%s has said nothing for %.0f s", name, STALLED_S)
        process.kill()


def _start_deaf(process: BaseProcess) -> None:
    """In a thread of its own, whose mask it inherits: deaf from its first moment to what a terminal tells a whole group, which
    would break off whatever it is about to import. Who starts it hears of it, and tells it in its time."""
    if hasattr(signal, "pthread_sigmask"):
        resource_tracker.ensure_running()  # which is started once, and opens the ears of the thread that it is started in
        heard_before = signal.pthread_sigmask(signal.SIG_BLOCK, WORKERS_IGNORE)
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, heard_before)
    else:
        process.start()
