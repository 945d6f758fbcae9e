"""Clients' schemas looked at beside the event loop, in processes that end when they take too long.

What is counted is their own work: a machine that stands still for a while says nothing of a schema. A thread would not do: it
cannot be stopped, and takes the interpreter from everybody else. One client has one check at a time, so that another's are not
behind all of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import signal
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moot.serve.client_schema import oversized
from moot.types import digest

START_S = 60.0
"""For a process to be ready; its work is timed from there."""

MOST_LINE = 4 * 1024 * 1024
"""Bytes of a question to a process: a schema, and what a model wrote."""

KEPT = 256
"""Schemas whose verdict is remembered: a client sends the same one with every question."""

FORGOTTEN_S = 60.0
"""After which a verdict is that only says that there was none: the machine may have been busy. Until then it costs nothing."""

WORKER = (sys.executable, "-P", "-m", "moot.serve.schema_worker")
"""-P: nothing is imported from the folder that the server was started in, which may be a stranger's."""

NEEDED = ("PATH", "PYTHONPATH", "PYTHONHOME", "LANG", "LC_ALL", "SYSTEMROOT")
"""Of the environment; keys are no business of a process that reads what strangers send."""

HAS_CLOCK = hasattr(signal, "setitimer")
"""Whether a process can count its own work. Where none can, a costly schema and a slow machine look alike."""

TIME_IS_OUT = -signal.SIGPROF if hasattr(signal, "SIGPROF") else None
"""What a process ends with whose own clock has run out."""


class NotLookedAt(Exception):
    """In words: why a schema could not be looked at, for reasons that are this machine's and say nothing of the schema."""


class _NoVerdict(Exception):
    """In words: why nothing came of it."""

    ours = False
    """Whether that is this machine's doing."""


class _Slow(_NoVerdict):
    """It has not worked for as long as it may, and yet its time is over."""

    ours = True


class _Ended(_NoVerdict):
    """The process did: by what it was asked, or because somebody wanted its memory."""


class _Unstarted(_Ended):
    """It ended before it was asked anything."""

    ours = True


@dataclass(frozen=True, slots=True)
class _Verdict:
    problem: str | None
    until: float = math.inf
    ours: bool = False
    """The trouble is this machine's, and no problem of the schema."""


class SchemaChecks:
    """A few processes, started when the first schema comes."""

    def __init__(
        self,
        *,
        most_s: float = 5.0,
        most_wall_s: float = 60.0,
        forgotten_s: float = FORGOTTEN_S,
        workers: int = 2,
        command: Sequence[str] = WORKER,
    ) -> None:
        """`most_s`: of a process's own time, which it counts itself, if it can. `most_wall_s`: whatever it does meanwhile."""
        self._most_s, self._most_wall_s = most_s, most_wall_s if HAS_CLOCK else most_s
        self.forgotten_s = forgotten_s
        self._command = command
        self._free: asyncio.Queue[Process | None] = asyncio.Queue()
        for _ in range(workers):
            self._free.put_nowait(None)
        self._running: set[Process] = set()
        self._verdicts: OrderedDict[str, _Verdict] = OrderedDict()
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def problem_of(self, schema: Mapping[str, Any], asker: str) -> str | None:
        """Why answers cannot be held against this schema; None if they can. `NotLookedAt` where this machine cannot tell."""
        if (problem := oversized(schema)) is not None:
            return problem
        key = digest(schema)
        if (verdict := self._remembered(key)) is None:
            async with self._turns[asker]:
                if (verdict := self._remembered(key)) is None:  # nor has it become known while this one waited
                    verdict = self._verdicts[key] = await self._verdict_on(schema)
        self._verdicts[key] = verdict
        self._verdicts.move_to_end(key)
        while len(self._verdicts) > KEPT:
            self._verdicts.popitem(last=False)
        if verdict.ours:
            raise NotLookedAt(verdict.problem)
        return verdict.problem

    def _remembered(self, key: str) -> _Verdict | None:
        verdict = self._verdicts.get(key)
        return verdict if verdict is not None and time.monotonic() < verdict.until else None

    async def _verdict_on(self, schema: Mapping[str, Any]) -> _Verdict:
        try:
            problem = await self._asked({"schema": schema})
        except _NoVerdict as error:
            return _Verdict(str(error), time.monotonic() + self.forgotten_s, ours=error.ours)
        return _Verdict(None if problem is None else str(problem))

    async def fits(self, schema: Mapping[str, Any], value: object, asker: str) -> bool:
        """Whether the value follows the schema, as far as that can be told in time."""
        async with self._turns[asker]:
            try:
                return await self._asked({"schema": schema, "value": value}) is True
            except (_NoVerdict, ValueError, RecursionError):  # the latter two: what no JSON can hold
                return False

    async def _asked(self, question: Mapping[str, Any]) -> Any:
        line = json.dumps({**question, "most_s": self._most_s}).encode() + b"\n"
        if len(line) > MOST_LINE:
            raise _NoVerdict(f"it takes more than {MOST_LINE} bytes to write")
        try:
            return await self._answer_to(line)
        except (
            _Ended
        ):  # of two that end one after the other it is the doing of what they were asked, if the second is new
            return await self._answer_to(line, anew=True)

    async def _answer_to(self, line: bytes, *, anew: bool = False) -> Any:
        process = await self._free.get()
        if anew:  # whoever ended the one may have ended all, and nobody knows it yet
            self._end(process)
            process = None
        try:
            if process is None or process.returncode is not None:
                process = await self._started()
            async with asyncio.timeout(self._most_wall_s):
                answer = await self._answered(process, line)
        except BaseException as error:  # also a client that went away: whatever the process does now, nobody wants it
            self._end(process)
            process = None
            if isinstance(error, TimeoutError):
                words = f"it could not be checked within {self._most_wall_s:g} s"
                raise (_Slow if HAS_CLOCK else _NoVerdict)(words) from None
            raise
        finally:
            self._free.put_nowait(process)
        return answer

    async def _started(self) -> Process:
        environment = {name: os.environ[name] for name in NEEDED if name in os.environ}
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=environment
            )
        except OSError as error:  # no memory, files or processes are left
            raise _Slow(f"the process that would check it does not start: {error.strerror or error}") from None
        self._running.add(process)
        try:
            async with asyncio.timeout(START_S):
                await self._line_of(process)
        except BaseException as error:
            self._end(process)
            if isinstance(error, EOFError):
                raise _Unstarted("the process that would check it does not start") from None
            raise
        return process

    async def _answered(self, process: Process, line: bytes) -> Any:
        assert process.stdin is not None
        try:
            process.stdin.write(line)
            await process.stdin.drain()
            return json.loads(await self._line_of(process))
        except (ConnectionError, EOFError):
            if await process.wait() == TIME_IS_OUT:
                raise _NoVerdict(f"it takes longer than {self._most_s:g} s to check") from None
            raise _Ended("the process that checks it ends without a word") from None

    @staticmethod
    async def _line_of(process: Process) -> bytes:
        assert process.stdout is not None
        line = await process.stdout.readline()
        if not line.endswith(b"\n"):
            raise EOFError
        return line

    def _end(self, process: Process | None) -> None:
        if process is not None:
            self._running.discard(process)
            with contextlib.suppress(ProcessLookupError):
                process.kill()

    async def close(self) -> None:
        for process in list(self._running):
            self._end(process)
            await process.wait()
