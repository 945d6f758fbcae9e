"""Clients' schemas looked at beside the event loop, in processes that are ended when they take too long.

A thread would not do: it cannot be stopped, and takes the interpreter from everybody else. One client has one check at a
time, so that another's are not behind all of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from moot.serve.client_schema import oversized
from moot.types import digest

START_S = 60.0
"""For a process to be ready; its work is timed from there."""

MOST_LINE = 4 * 1024 * 1024
"""Bytes of a question to a process: a schema, and what a model wrote."""

KEPT = 256
"""Schemas whose verdict is remembered: a client sends the same one with every question."""

WORKER = (sys.executable, "-P", "-m", "moot.serve.schema_worker")
"""-P: nothing is imported from the folder that the server was started in, which may be a stranger's."""

NEEDED = ("PATH", "PYTHONPATH", "PYTHONHOME", "LANG", "LC_ALL", "SYSTEMROOT")
"""Of the environment; keys are no business of a process that reads what strangers send."""


class _TooLong(Exception):
    pass


class SchemaChecks:
    """A few processes, started when the first schema comes."""

    def __init__(self, *, most_s: float = 5.0, workers: int = 2, command: Sequence[str] = WORKER) -> None:
        self._most_s = most_s
        self._command = command
        self._free: asyncio.Queue[Process | None] = asyncio.Queue()
        for _ in range(workers):
            self._free.put_nowait(None)
        self._running: set[Process] = set()
        self._verdicts: OrderedDict[str, str | None] = OrderedDict()
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def problem_of(self, schema: Mapping[str, Any], asker: str) -> str | None:
        """Why answers cannot be held against this schema; None if they can."""
        if (problem := oversized(schema)) is not None:
            return problem
        key = digest(schema)
        if key not in self._verdicts:
            async with self._turns[asker]:
                self._verdicts[key] = await self._problem_of(schema)
        self._verdicts.move_to_end(key)
        while len(self._verdicts) > KEPT:
            self._verdicts.popitem(last=False)
        return self._verdicts.get(key)

    async def _problem_of(self, schema: Mapping[str, Any]) -> str | None:
        try:
            problem = await self._asked({"schema": schema})
        except _TooLong:
            return f"it takes longer than {self._most_s:g} s to check"
        return None if problem is None else str(problem)

    async def fits(self, schema: Mapping[str, Any], value: object, asker: str) -> bool:
        """Whether the value follows the schema, as far as that can be told in time."""
        async with self._turns[asker]:
            try:
                return await self._asked({"schema": schema, "value": value}) is True
            except (_TooLong, ValueError, RecursionError):  # the latter two: what no JSON can hold
                return False

    async def _asked(self, question: Mapping[str, Any]) -> Any:
        line = json.dumps(question).encode() + b"\n"
        if len(line) > MOST_LINE:
            raise _TooLong
        process = await self._free.get()
        try:
            if process is None or process.returncode is not None:
                process = await self._started()
            async with asyncio.timeout(self._most_s):
                answer = await self._answered(process, line)
        except BaseException as error:  # also a client that went away: whatever the process does now, nobody wants it
            self._end(process)
            process = None
            if isinstance(error, TimeoutError | ConnectionError | EOFError):
                raise _TooLong from None
            raise
        finally:
            self._free.put_nowait(process)
        return answer

    async def _started(self) -> Process:
        environment = {name: os.environ[name] for name in NEEDED if name in os.environ}
        process = await asyncio.create_subprocess_exec(
            *self._command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=environment
        )
        self._running.add(process)
        try:
            async with asyncio.timeout(START_S):
                await self._line_of(process)
        except BaseException:
            self._end(process)
            raise
        return process

    async def _answered(self, process: Process, line: bytes) -> Any:
        assert process.stdin is not None
        process.stdin.write(line)
        await process.stdin.drain()
        return json.loads(await self._line_of(process))

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
