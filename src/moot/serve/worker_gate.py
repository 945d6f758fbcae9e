"""What the workers of one server have in common, in the process that started them.

Whatever is promised of the server holds for its workers together: limits of endpoints, those of keys, places at the table. It is
the very code of a server without workers, with an account for each of them; what a worker that dies had taken is free again.
Money is in the store's books, as ever.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any

from moot.engine.shared_limits import Account, Granted, SharedLimits
from moot.errors import MootError
from moot.live.edited_team import MOST_REMEMBERED, EditedTeam
from moot.models.limit import Limits
from moot.serve.admission import Admission
from moot.serve.expected_cost import CostLesson
from moot.serve.gate_wire import KEEPS, PLACES_SHORT, DoneByWorker, Grants, MadeTeams, Notes, WantedOfWorker, Wire

ANSWER_S = 10.0
"""For this long a worker is waited for that others want something of; and to say that it is well, for so long:"""
WELL_S = 3.0
AMPLE_S = 1.0
"""Places are not short any more when nobody has waited for one for so long: where they are just enough, word goes round once a
second and not with every question."""


class SaysNothing(MootError):
    """A worker that is there, and does not answer."""


_ENDED = object()
"""What a worker says that has ended: nothing that it knew is left."""


class WorkerGate(SharedLimits):
    """The limits, the places, and the lines to all workers."""

    def __init__(self, limits: Mapping[str, Limits], admission: Admission) -> None:
        super().__init__(limits)
        self.admission = admission
        self._lines: dict[str, WorkerEnd] = {}
        self._teams: deque[tuple[EditedTeam, str]] = deque(maxlen=MOST_REMEMBERED)
        self._made: Counter[str] = Counter()
        self._ready = 0
        self._another_ready = asyncio.Event()
        self._wait_for_place = 0
        self._places_short = False
        self._becoming_ample: asyncio.TimerHandle | None = None

    def opened(self, worker: str) -> Account:
        return ServingAccount(self, worker, self._lines[worker].grant)

    async def serve(self, worker: str, wire: Wire) -> None:
        """Hear one worker, until its line ends."""
        end = self._lines[worker] = WorkerEnd(worker, wire)
        if self._places_short:
            end.tell(PLACES_SHORT, True)

        def hear(message: Notes | DoneByWorker) -> None:
            if isinstance(message, Notes):
                self.take(worker, message.notes)
            else:
                end.hear(message)

        try:
            await wire.heard(hear)
        finally:
            del self._lines[worker]
            end.lost()
            wire.close()
            await self.gone(worker)

    async def all_ready(self, number: int) -> None:
        """So many workers can be asked."""
        while self._ready < number:
            await self._another_ready.wait()
            self._another_ready.clear()

    def one_ready(self) -> None:
        self._ready += 1
        self._another_ready.set()

    @contextmanager
    def waits_for_place(self) -> Iterator[None]:
        """Workers keep places that nobody sits at for who comes next, but none as long as somebody waits here: a place may be
        free again long after they heard of it."""
        self._wait_for_place += 1
        if self._becoming_ample is not None:
            self._becoming_ample.cancel()
            self._becoming_ample = None
        self._tell_of_places(short=True)
        try:
            yield
        finally:
            self._wait_for_place -= 1
            if not self._wait_for_place:
                tell = partial(self._tell_of_places, short=False)
                self._becoming_ample = asyncio.get_running_loop().call_later(AMPLE_S, tell)

    def _tell_of_places(self, *, short: bool) -> None:
        if short is not self._places_short:
            self._places_short = short
            for end in self._lines.values():
                end.tell(PLACES_SHORT, short)

    async def team_made(self, edited: EditedTeam, maker: str, by: str) -> None:
        if edited.name not in {known.name for known, _ in self._teams}:
            self._made[maker] += 1
        self._teams.append((edited, maker))
        await self.of_all("make_team", edited, maker, but=by)

    async def teams(self) -> MadeTeams:
        return MadeTeams(tuple(self._teams), dict(self._made))

    async def answers(self, worker: str, within_s: float) -> bool:
        """Whether it hears what is wanted of it; one that has ended need not."""
        if (end := self._lines.get(worker)) is None:
            return True
        try:
            await end.want(KEEPS, within_s=within_s)
        except MootError as error:
            return not isinstance(error, SaysNothing)
        return True

    async def of_all(self, verb: str, *values: Any, but: str | None = None) -> list[Any]:
        """What each worker says to it, but for those that end meanwhile. `MootError` where one says nothing."""
        ends = [end for worker, end in self._lines.items() if worker != but]
        said = await asyncio.gather(*(end.want(verb, *values) for end in ends))
        return [each for each in said if each is not _ENDED]


class WorkerEnd:
    """What is wanted of one worker."""

    def __init__(self, worker: str, wire: Wire) -> None:
        self._worker, self._wire = worker, wire
        self._numbers = itertools.count()
        self._wanted: dict[int, asyncio.Future[Any]] = {}

    async def want(self, verb: str, *values: Any, within_s: float | None = None) -> Any:
        number = next(self._numbers)
        answer = self._wanted[number] = asyncio.get_running_loop().create_future()
        self._wire.send(WantedOfWorker(number, verb, values))
        try:
            async with asyncio.timeout(within_s or (WELL_S if verb == KEEPS else ANSWER_S)):
                return await answer
        except TimeoutError:
            raise SaysNothing(f"{self._worker} says nothing") from None
        finally:
            del self._wanted[number]

    def grant(self, granted: Sequence[Granted]) -> None:
        self._wire.send(Grants(granted))

    def tell(self, verb: str, *values: Any) -> None:
        """Nobody waits for what comes of it."""
        self._wire.send(WantedOfWorker(next(self._numbers), verb, values))

    def hear(self, done: DoneByWorker) -> None:
        if (answer := self._wanted.get(done.number)) is None or answer.done():
            return
        if done.error is not None:
            answer.set_exception(MootError(f"{self._worker}: {done.error}"))
        else:
            answer.set_result(done.value)

    def lost(self) -> None:
        for answer in self._wanted.values():
            if not answer.done():
                answer.set_result(_ENDED)


class ServingAccount(Account):
    """What one worker holds and waits for: calls at endpoints, and places for questions."""

    def __init__(self, gate: WorkerGate, worker: str, send: Callable[[Sequence[Granted]], None]) -> None:
        super().__init__(gate.limiters)
        self._gate, self._worker, self._send = gate, worker, send
        self._places: dict[int, AbstractAsyncContextManager[None]] = {}
        self._leaving: set[asyncio.Task[bool | None]] = set()

    def admit(self, ticket: int, place: int, holder: str, team: str, characters: int, most_usd: float | None) -> None:
        self._ask(ticket, self._admit, place, holder, team, characters, most_usd)

    async def _admit(self, place: int, holder: str, team: str, characters: int, most_usd: float | None) -> None:
        admission = self._gate.admission
        admitted = admission.admitted(admission.named(holder), team, characters, most_usd)
        with self._gate.waits_for_place() if admission.is_full else nullcontext():
            await admitted.__aenter__()
        self._places[place] = admitted

    def leave_place(self, place: int) -> None:
        if (admitted := self._places.pop(place, None)) is not None:
            leaving = asyncio.create_task(admitted.__aexit__(None, None, None))
            self._leaving.add(leaving)
            leaving.add_done_callback(self._leaving.discard)

    def check(self, ticket: int, holder: str) -> None:
        self._ask(ticket, self._check, holder)

    async def _check(self, holder: str) -> None:
        self._gate.admission.named(holder).check()

    def count(self, ticket: int, holder: str) -> None:
        self._ask(ticket, self._count, holder)

    async def _count(self, holder: str) -> None:
        await self._gate.admission.count(self._gate.admission.named(holder))

    def learn_cost(self, lesson: CostLesson) -> None:
        self._gate.admission.expected.take(lesson)

    def ready(self) -> None:
        self._gate.one_ready()

    def team_made(self, ticket: int, edited: EditedTeam, maker: str) -> None:
        self._ask(ticket, self._gate.team_made, edited, maker, self._worker)

    def teams(self, ticket: int) -> None:
        self._ask(ticket, self._gate.teams)

    def of_others(self, ticket: int, verb: str, values: Sequence[Any]) -> None:
        self._ask(ticket, partial(self._gate.of_all, but=self._worker), verb, *values)

    def _grant(self, answer: Granted) -> None:
        """With whatever else is granted in this turn of the loop."""
        if not self._answers:
            asyncio.get_running_loop().call_soon(self._send_answers)
        self._answers.append(answer)

    def _send_answers(self) -> None:
        answers, self._answers = self._answers, []
        self._send(answers)

    def nothing(self) -> None:
        """To be undone, of what only asks."""

    def close(self) -> None:
        for place in list(self._places):
            self.leave_place(place)
        super().close()
