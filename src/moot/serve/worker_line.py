"""One worker's line to what all have in common (`worker_gate`), and what is asked there in place of books of its own."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from moot.engine.shared_limits import Line, Note, RemoteLimiter
from moot.errors import MootError, StoreError
from moot.experiment.providers import BuiltModel
from moot.live.edited_team import EditedTeam, EditedTeams
from moot.live.team import LiveTeam
from moot.models.limit import Limits
from moot.serve.admission import Admission, Holder, KeyLimits
from moot.serve.expected_cost import CostLesson, ExpectedCosts
from moot.serve.gate_wire import LEAVE_PLACE, DoneByWorker, Grants, MadeTeams, Notes, WantedOfWorker, Wire
from moot.serve.log_words import where_it_broke

_log = logging.getLogger(__name__)

Answering = Mapping[str, Callable[..., Awaitable[Any]]]
"""What others may want of this worker."""

NEWS_S = 0.002
"""What is only told waits so long for something that is asked: a message costs more than a note."""

NOTHING_TO_UNDO = Note("nothing", ())


class WorkerLine(Line):
    """Asks the gate, and answers what the others want to know."""

    def __init__(self, wire: Wire, lost: Callable[[], None]) -> None:
        """`lost`: called when the process at the other end is gone."""
        super().__init__()
        self._wire, self._lost = wire, lost
        self.answering: Answering = {}
        self._sending: asyncio.Handle | None = None
        self._news: asyncio.TimerHandle | None = None
        self._tasks = {asyncio.create_task(self._listen())}

    async def ask(self, verb: str, *values: Any, undo: Note = NOTHING_TO_UNDO) -> Any:
        return await super().ask(verb, *values, undo=undo)

    async def of_others(self, verb: str, *values: Any) -> list[Any]:
        """What each of the other workers says to it."""
        said: list[Any] = await self.ask("of_others", verb, values)
        return said

    async def others_written(self, forgetting: str | None) -> None:
        """What others have answered is in the store, where this one reads it."""
        try:
            await self.of_others("write", forgetting)
        except MootError as error:
            raise StoreError(str(error)) from None

    def limiters(self, models: Mapping[str, BuiltModel]) -> dict[str, RemoteLimiter]:
        """In place of those that a process has for itself."""
        bounds = limits_of(models)
        return {endpoint: RemoteLimiter(endpoint, limits, self) for endpoint, limits in bounds.items()}

    async def close(self) -> None:
        """What is left to tell is told first."""
        self._send_notes()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._wire.close()

    def _soon(self) -> None:
        if self._news is None and self._sending is None:
            self._news = asyncio.get_running_loop().call_later(NEWS_S, self._send_notes)

    def _at_once(self) -> None:
        """With whatever else is noted in this turn of the loop."""
        if self._sending is None:
            self._sending = asyncio.get_running_loop().call_soon(self._send_notes)

    def _send_notes(self) -> None:
        for handle in (self._news, self._sending):
            if handle is not None:
                handle.cancel()
        self._news = self._sending = None
        if (notes := self._taken()) and self._broken is None:
            self._wire.send(Notes(notes))

    async def _listen(self) -> None:
        try:
            await self._wire.heard(self._take)
        except Exception as error:  # noqa: BLE001  the line ends all the same
            _log.error("what all workers have in common was not understood\n%s", where_it_broke(error))
        self._break(MootError("who keeps the limits of all workers has ended"))
        self._lost()

    def _take(self, message: Grants | WantedOfWorker) -> None:
        if isinstance(message, Grants):
            for answer in message.granted:
                self._hear(answer)
        else:
            answering = asyncio.create_task(self._answer(message))
            self._tasks.add(answering)
            answering.add_done_callback(self._tasks.discard)

    async def _answer(self, wanted: WantedOfWorker) -> None:
        try:
            done = DoneByWorker(wanted.number, await self.answering[wanted.verb](*wanted.values))
        except Exception as error:  # noqa: BLE001  whoever wants it is told
            done = DoneByWorker(wanted.number, error=str(error) if isinstance(error, MootError) else repr(error))
        self._wire.send(done)


def limits_of(models: Mapping[str, BuiltModel]) -> dict[str, Limits]:
    """Of each endpoint, however many models share it."""
    bounds: dict[str, Limits] = {}
    for built in models.values():
        if built.endpoint:
            limits = built.limits
            bounds.setdefault(built.endpoint, Limits(limits.concurrent, limits.rpm, limits.tpm))
    return bounds


class SharedAdmission(Admission):
    """Keys are known here; who is let in is decided for all workers in one place.

    Where keys have no limits all that is decided are places at the table: one that is free again is kept for who comes next, as
    long as nobody waits for a place, at whichever worker.
    """

    def __init__(self, keys: Mapping[str, str], admins: Mapping[str, str], limits: KeyLimits, line: WorkerLine) -> None:
        super().__init__(keys, admins=admins)
        self._line = line
        self._numbers = itertools.count()
        self._may_keep_places = limits == KeyLimits()
        self._places_short = False
        self._kept: list[int] = []
        self.expected = _ToldCosts(line, matter=limits.usd_per_day is not None)

    async def places_short(self, short: bool) -> None:
        """Somebody waits for one, for however long; or nobody does any more."""
        self._places_short = short
        while short and self._kept:
            self._line.tell(LEAVE_PLACE, self._kept.pop())

    async def check(self, holder: Holder) -> None:
        await self._line.ask("check", holder.name)

    async def count(self, holder: Holder) -> None:
        if not self._may_keep_places:  # else nobody counts
            await self._line.ask("count", holder.name)

    @asynccontextmanager
    async def admitted(
        self, holder: Holder, team: str, characters: int, most_usd: float | None = None
    ) -> AsyncIterator[None]:
        if self._kept:
            place = self._kept.pop()
        else:
            place = next(self._numbers)
            undo = Note(LEAVE_PLACE, (place,))
            with self._waits():
                await self._line.ask("admit", place, holder.name, team, characters, most_usd, undo=undo)
        self.under_way += 1
        try:
            yield
        finally:
            self.under_way -= 1
            if self._may_keep_places and not self._places_short:
                self._kept.append(place)
            else:
                self._line.tell(LEAVE_PLACE, place)


class _ToldCosts(ExpectedCosts):
    """Learnt where all are let in, which costs matter to only if money is limited."""

    def __init__(self, line: WorkerLine, *, matter: bool) -> None:
        super().__init__()
        self._line, self._matter = line, matter

    def take(self, lesson: CostLesson) -> None:
        if self._matter:
            self._line.tell("learn_cost", lesson)


class SharedTeams(EditedTeams):
    """Whatever team is put together here is known to the other workers before anybody hears its name."""

    def __init__(self, live: LiveTeam, line: WorkerLine) -> None:
        super().__init__(live)
        self._line = line

    async def make(self, edited: EditedTeam, maker: str = "") -> str:
        name, known = edited.name, self.named(edited.name) is not None and not self.hidden_from(edited.name, maker)
        if known:
            return name
        await super().make(edited, maker)
        await self._line.ask("team_made", edited, maker)
        return name

    async def make_here(self, edited: EditedTeam, maker: str) -> None:
        """One that another worker has put together."""
        await super().make(edited, maker)

    async def catch_up(self) -> None:
        """What was put together before this worker was there."""
        known: MadeTeams = await self._line.ask("teams")
        for edited, maker in known.latest:
            await self.make_here(edited, maker)
        self.made = Counter(known.number)
