"""Signals that end a run: the first lets it end in order, a second drops what is under way.

However a signal comes, it often comes twice. A terminal sends Ctrl-C to all it runs, and who started this command
(`timeout`, `uv run`) hands it on; GNU `timeout` signals its child and then the whole group; of a terminal that is closed both
the kernel and the shell tell. So whatever comes within a second of the first is the first.

What is kept must not be chosen by its speed. Whatever has begun is played to its end, through all its stages: it is what
takes longest, and that is more often wrong, so that without it the rest would be too good. Whatever has not begun is put
back; of the window that is most, which stands in queues of our own. Does that choose? Episodes begin in the order of the
file, at each endpoint. Whether the next has begun is settled by what came before it; its own answers, which nobody has heard,
have no part in it. So what is kept is what somebody would have who decides before each episode whether to go on. That holds only
because an episode has begun as soon as *any* call that it wants has left, in whosever name. A team whose drafts are the
players' own calls, or another process's, need not ask anybody itself: put back while they are out, it would be kept where
they are quick. What was put back makes no `dropped`, and what had begun and was dropped does.

Calls beside the play (judges, who groups, who matches) belong to no episode: those that have left come home and are stored,
nothing new is asked, and the next run finds them.
"""

from __future__ import annotations

import asyncio
import math
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from moot.engine import hangup
from moot.errors import BudgetReached
from moot.models.flights import Flights
from moot.stats.counted_words import count

T = TypeVar("T")

ONE_SIGNAL_S = 1.0
LONG_PATIENCE_S = 300.0
"""How long a run that was interrupted goes on with what is under way, whatever a server does."""
PATIENCE_S = 20.0
"""The same for one that is told to end: whoever sent the signal kills it soon."""
ENDING_S = 10.0
"""How long a run that dropped everything has to put its books in order: a store that another program holds may take longer."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What something that was told to end still waits for."""

    episodes: int = 0
    """Begun, and played to their end."""
    calls: int = 0
    """Out, and stored when they are home."""
    dropped: int = 0
    """Episodes that are not waited for: a server wants a pause that is longer than the patience."""

    def __bool__(self) -> bool:
        return bool(self.episodes or self.calls or self.dropped)

    @property
    def words(self) -> str:
        if not self.dropped:
            return self._waited_for
        longer = (
            f"{count(self.dropped, 'episode')} dropped, as the next attempt is further off than a run that ends waits"
        )
        return f"{longer}; {self._waited_for}" if self.episodes or self.calls else longer

    @property
    def _waited_for(self) -> str:
        calls = f"{count(self.calls, 'call')} {'is' if self.calls == 1 else 'are'} out"
        if not self.episodes:
            return f"nothing new is asked; {calls} and stored when home; Ctrl-C again drops them"
        played = f"{count(self.episodes, 'episode')} that {'has' if self.episodes == 1 else 'have'} begun"
        ending = f"{'is' if self.episodes == 1 else 'are'} played to {'its' if self.episodes == 1 else 'their'} end"
        return f"{played} {ending}, {calls}; Ctrl-C again drops them, and then nothing is claimed of the others"


class Stoppable(Protocol):
    def interrupt(self, patience_s: float = LONG_PATIENCE_S) -> Unfinished:
        """Begin nothing new. The second time: drop what is under way. What cannot end within the patience is dropped at once."""

    def drop(self) -> None: ...


class Stopping:
    """All signals that end a run, by one clock."""

    def __init__(
        self, work: Stoppable, tell: Callable[[Unfinished], None], leave: Callable[[], None] | None = None
    ) -> None:
        """`leave`: ends the process, where it was told to end twice and has not."""
        self._work = work
        self._tell = tell
        self._leave = leave
        self._heard_at = -math.inf
        self._times = 0
        self._patience_s = math.inf

    def heard(self, patience_s: float) -> None:
        loop = asyncio.get_running_loop()
        since_s = loop.time() - self._heard_at
        if self._times >= 2:
            if since_s >= ENDING_S and self._leave is not None:
                self._leave()
        elif since_s >= ONE_SIGNAL_S:
            self._heard_at = loop.time()
            self._times += 1
            if unfinished := self._work.interrupt(patience_s):
                self._tell(unfinished)
        if patience_s < self._patience_s:  # SIGTERM on the heels of Ctrl-C is no second word, but a more urgent one
            self._patience_s = patience_s
            loop.call_later(patience_s, self._work.drop)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """To every signal by which somebody ends a process in order."""
        loop, terminal = asyncio.get_running_loop(), hangup.Terminal()
        patience_s = {signal.SIGINT: LONG_PATIENCE_S, signal.SIGTERM: PATIENCE_S}
        if hangup.heard():
            patience_s[signal.SIGHUP] = PATIENCE_S

        def hear(number: signal.Signals) -> None:
            terminal.leave_if_gone()
            self.heard(patience_s[number])

        before = {number: signal.getsignal(number) for number in patience_s}
        for number in patience_s:
            loop.add_signal_handler(number, hear, number)
        try:
            yield
        finally:
            for number, handler in before.items():
                loop.remove_signal_handler(number)
                signal.signal(number, signal.SIG_DFL if handler is None else handler)


async def ended(task: asyncio.Task[T], flights: Flights) -> T | BaseException:
    """What came of a task that asks for calls. Once the flights are closed it goes on until they are home, and no longer."""
    home = asyncio.create_task(flights.all_home())
    try:
        await asyncio.wait((task, home), return_when=asyncio.FIRST_COMPLETED)
    finally:
        task.cancel()
        home.cancel()
        came, _ = await asyncio.gather(task, home, return_exceptions=True)
    return came


async def land(flights: Flights, ended_by: BaseException | None) -> None:
    """Before models and stores are closed. A reached budget lets the calls come home that are paid for; all else drops them."""
    await flights.land(LONG_PATIENCE_S if isinstance(ended_by, BudgetReached) else 0.0)


class CallsOnly(Generic[T]):
    """Work that is nothing but calls, such as grading what is stored: told to end, it stores those that have left."""

    def __init__(self, work: Coroutine[Any, Any, T], flights: Flights) -> None:
        self._task = asyncio.create_task(work)
        self._flights = flights

    def interrupt(self, patience_s: float = LONG_PATIENCE_S) -> Unfinished:
        if self._flights.closed:
            self.drop()
            return Unfinished()
        self._flights.close()
        return Unfinished(calls=self._flights.out)

    def drop(self) -> None:
        self._task.cancel()

    async def result(self) -> T:
        """`CancelledError`: it was told to end."""
        came = await ended(self._task, self._flights)
        if isinstance(came, BudgetReached):
            await land(self._flights, came)
        if isinstance(came, BaseException):
            raise came
        return came
