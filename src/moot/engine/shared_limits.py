"""One place that keeps the limits of every endpoint, for workers in many processes.

It holds the very `Limiter` that a run in one process has, so what it promises holds for all workers together: never more
calls at once, never more a minute, one pause when the endpoint asks for one. A worker's questions and news are gathered
while the last message is on its way, so there are a few messages a second and not several a call. What a worker holds is
on its account: when it dies its places are free again. Money is not kept here but in the store (`store.ledger`), which
knows of it whoever dies.
"""

from __future__ import annotations

import asyncio
import itertools
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from moot.errors import MootError
from moot.models.limit import Limiter, Limits
from moot.types import Usage

LONGEST_POLL_S = 5.0
"""After which a worker that waits for answers is told that there are none yet, and asks again."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something a worker asks or tells: what to do with its account, and with which values."""

    verb: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Granted:
    """What came of something a worker asked."""

    ticket: int
    value: Any = None
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class LimitsStanding:
    """How the endpoints are doing, for the progress line."""

    states: Mapping[str, str]


class SharedLimits:
    """The limits, with an account for each worker."""

    def __init__(self, limits: Mapping[str, Limits]) -> None:
        self.limiters = {endpoint: Limiter(endpoint_limits) for endpoint, endpoint_limits in limits.items()}
        self._accounts: dict[str, Account] = {}
        self._gone: set[str] = set()

    async def send(self, worker: str, notes: Sequence[Note]) -> None:
        self.take(worker, notes)

    def take(self, worker: str, notes: Sequence[Note]) -> None:
        account = self._account(worker)
        for note in notes:
            getattr(account, note.verb)(*note.values)

    async def collect(self, worker: str) -> list[Granted]:
        """What has been granted since; waits a while for something."""
        return await self._account(worker).collect()

    async def gone(self, worker: str) -> None:
        """Close the account of a worker that died."""
        self._gone.add(worker)
        if (account := self._accounts.pop(worker, None)) is not None:
            account.close()

    async def standing(self) -> LimitsStanding:
        return LimitsStanding({endpoint: limiter.state for endpoint, limiter in self.limiters.items()})

    def _account(self, worker: str) -> Account:
        if worker in self._gone:
            # Its questions are with others by now: whatever it still does must not go on.
            raise MootError(f"worker {worker} was given up")
        if (account := self._accounts.get(worker)) is None:
            account = self._accounts[worker] = self.opened(worker)
        return account

    def opened(self, worker: str) -> Account:
        return Account(self.limiters)


class Account:
    """What one worker holds and waits for."""

    def __init__(self, limiters: Mapping[str, Limiter]) -> None:
        self._limiters = limiters
        self._inside: Counter[str] = Counter()
        self._asked: dict[int, asyncio.Task[None]] = {}
        self._answers: list[Granted] = []
        self._some = asyncio.Event()

    async def collect(self) -> list[Granted]:
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_POLL_S):  # `wait_for` may lose that it is cancelled when something comes
                await self._some.wait()
        self._some.clear()
        taken, self._answers = self._answers, []
        return taken

    def close(self) -> None:
        for task in self._asked.values():
            task.cancel()
        for endpoint, calls in self._inside.items():
            for _ in range(calls):
                self._limiters[endpoint].leave()
        self._inside.clear()

    def enter(self, ticket: int, endpoint: str, tokens: float) -> None:
        if (started_at := self._limiters[endpoint].enter_now()) is None:
            self._ask(ticket, self._enter, endpoint, tokens)
        else:
            self._inside[endpoint] += 1
            self._grant(Granted(ticket, started_at))

    def give_up(self, ticket: int) -> None:
        """Of what was asked and not granted yet: nobody is to wait behind it. What was granted is undone by who hears of it."""
        if (task := self._asked.pop(ticket, None)) is not None:
            task.cancel()
            self._grant(Granted(ticket, error=MootError("given up")))

    def leave(self, endpoint: str) -> None:
        self._inside[endpoint] -= 1
        self._limiters[endpoint].leave()

    def leave_unused(self, endpoint: str, tokens: float) -> None:
        self._inside[endpoint] -= 1
        self._limiters[endpoint].leave_unused(tokens)

    def succeeded(self, endpoint: str, started_at: float) -> None:
        self._limiters[endpoint].succeeded(started_at)

    def refused(self, endpoint: str, started_at: float, retry_after_s: float | None) -> None:
        self._limiters[endpoint].refused(started_at, retry_after_s)

    def model_paused(self, endpoint: str, model: str, seconds: float) -> None:
        self._limiters[endpoint].model_paused(model, seconds)

    def settle_tokens(self, endpoint: str, reserved: float, usage: Usage) -> None:
        self._limiters[endpoint].settle_tokens(reserved, usage)

    async def _enter(self, endpoint: str, tokens: float) -> float:
        started_at = await self._limiters[endpoint].enter(tokens)
        self._inside[endpoint] += 1
        return started_at

    def _ask(self, ticket: int, ask: Callable[..., Awaitable[Any]], *values: Any) -> None:
        self._asked[ticket] = asyncio.create_task(self._answer(ticket, ask, *values))

    async def _answer(self, ticket: int, ask: Callable[..., Awaitable[Any]], *values: Any) -> None:
        """Nothing is begun of what is given up in the very moment in which it is asked."""
        try:
            answer = Granted(ticket, await ask(*values))
        except Exception as error:  # noqa: BLE001  the worker raises it
            answer = Granted(ticket, error=error)
        self._asked.pop(ticket, None)
        self._grant(answer)

    def _grant(self, answer: Granted) -> None:
        self._answers.append(answer)
        self._some.set()


@dataclass(frozen=True, slots=True)
class Waiting:
    """Who waits for an answer, and how to give back what is granted too late."""

    future: asyncio.Future[Any]
    undo: Note


class Line(ABC):
    """A worker's line to the gate: notes go out together, answers come back to whoever asked."""

    def __init__(self) -> None:
        self._notes: list[Note] = []
        self._tickets = itertools.count()
        self._waiting: dict[int, Waiting] = {}
        self._unwanted: dict[int, Note] = {}
        self._broken: MootError | None = None

    @abstractmethod
    def _soon(self) -> None:
        """There is something to tell, for which nobody waits."""

    @abstractmethod
    def _at_once(self) -> None:
        """Somebody waits for what is asked, or behind what is told."""

    def tell(self, verb: str, *values: Any) -> None:
        self._notes.append(Note(verb, values))
        self._soon()

    async def ask(self, verb: str, *values: Any, undo: Note) -> Any:
        """`undo` gives back what is granted after the one who asked has gone."""
        if self._broken is not None:
            raise self._broken
        ticket = next(self._tickets)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[ticket] = Waiting(future, undo)
        self._notes.append(Note(verb, (ticket, *values)))
        self._at_once()
        try:
            return await future
        except asyncio.CancelledError:
            if self._waiting.pop(ticket, None) is not None:
                self._unwanted[ticket] = undo
                self.tell("give_up", ticket)
                self._at_once()
            elif not future.cancelled() and future.exception() is None:
                self.tell(undo.verb, *undo.values)  # granted in the very moment of leaving
            raise

    def _taken(self) -> list[Note]:
        """What is to go out."""
        notes, self._notes = self._notes, []
        return notes

    def _hear(self, answer: Granted) -> None:
        if (undo := self._unwanted.pop(answer.ticket, None)) is not None:
            if answer.error is None:
                self.tell(undo.verb, *undo.values)
            return
        waiting = self._waiting.pop(answer.ticket)
        if waiting.future.done():  # cancelled, and not yet told so
            if answer.error is None:
                self.tell(waiting.undo.verb, *waiting.undo.values)
        elif answer.error is not None:
            waiting.future.set_exception(answer.error)
        else:
            waiting.future.set_result(answer.value)

    def _break(self, error: Exception) -> None:
        """The line has ended, and everybody who waits on it hears so."""
        first = str(error).partition("\n")[0]  # Ray says more, in many lines
        self._broken = error if isinstance(error, MootError) else MootError(f"the gate cannot be reached: {first}")
        waiting, self._waiting = self._waiting, {}
        for waiter in waiting.values():
            if not waiter.future.done():
                waiter.future.set_exception(self._broken)


Send = Callable[[Sequence[Note]], Awaitable[None]]
Collect = Callable[[], Awaitable[list[Granted]]]


class PolledLine(Line):
    """To a gate that is asked again and again what it has granted; what is noted while it hears goes out after that."""

    def __init__(self, send: Send, collect: Collect) -> None:
        super().__init__()
        self._send = send
        self._collect = collect
        self._some = asyncio.Event()
        self._tasks = [asyncio.create_task(self._sending()), asyncio.create_task(self._collecting())]

    def _soon(self) -> None:
        self._some.set()

    _at_once = _soon

    async def close(self) -> None:
        """What is left to tell is told first."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._notes and self._broken is None:
            with self._breaking():
                await self._send(self._notes)

    async def _sending(self) -> None:
        with self._breaking():
            while True:
                await self._some.wait()
                self._some.clear()
                await self._send(self._taken())

    async def _collecting(self) -> None:
        with self._breaking():
            while True:
                for answer in await self._collect():
                    self._hear(answer)

    @contextmanager
    def _breaking(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001  whoever waits is told
            self._break(error)


class RemoteLimiter:
    """An endpoint's limits, kept at the gate."""

    def __init__(self, endpoint: str, limits: Limits, line: Line) -> None:
        self.limits = limits
        self._endpoint = endpoint
        self._line = line

    @property
    def state(self) -> str:
        return "at the gate"

    @property
    def paused_s(self) -> float:
        return 0.0  # the gate knows

    async def enter(self, tokens: float = 0.0) -> float:
        undo = Note("leave_unused", (self._endpoint, tokens))
        started_at: float = await self._line.ask("enter", self._endpoint, tokens, undo=undo)
        return started_at

    def leave(self) -> None:
        self._line.tell("leave", self._endpoint)

    def succeeded(self, started_at: float) -> None:
        self._line.tell("succeeded", self._endpoint, started_at)

    def refused(self, started_at: float, retry_after_s: float | None) -> None:
        self._line.tell("refused", self._endpoint, started_at, retry_after_s)

    def model_paused(self, model: str, seconds: float) -> None:
        self._line.tell("model_paused", self._endpoint, model, seconds)

    def settle_tokens(self, reserved: float, usage: Usage) -> None:
        if self.limits.tpm:
            self._line.tell("settle_tokens", self._endpoint, reserved, usage)
