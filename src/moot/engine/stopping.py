"""Signals that end a run: the first lets it end in order, a second drops what is under way.

However a signal comes, it often comes twice. A terminal sends Ctrl-C to all it runs, and who started this command
(`timeout`, `uv run`) hands it on; GNU `timeout` signals its child and then the whole group; of a terminal that is closed both
the kernel and the shell tell. So whatever comes within a second of the first is the first.
"""

from __future__ import annotations

import asyncio
import math
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from moot.engine import hangup
from moot.stats.counted_words import count

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

    def __bool__(self) -> bool:
        return bool(self.episodes or self.calls)

    @property
    def words(self) -> str:
        calls = f"{count(self.calls, 'call')} {'is' if self.calls == 1 else 'are'} out"
        if not self.episodes:
            return f"nothing new is asked; {calls} and stored when home; Ctrl-C again drops them"
        played = f"{count(self.episodes, 'episode')} that {'has' if self.episodes == 1 else 'have'} begun"
        ending = f"{'is' if self.episodes == 1 else 'are'} played to {'its' if self.episodes == 1 else 'their'} end"
        return f"{played} {ending}, {calls}; Ctrl-C again drops them, and then nothing is claimed of the others"


class Stoppable(Protocol):
    def interrupt(self) -> Unfinished:
        """Begin nothing new. The second time: drop what is under way."""

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
            if unfinished := self._work.interrupt():
                self._tell(unfinished)
        if patience_s < self._patience_s:  # SIGTERM on the heels of Ctrl-C is no second word, but a more urgent one
            self._patience_s = patience_s
            loop.call_later(patience_s, self._work.drop)

    def listen(self) -> None:
        """From now on, to every signal by which somebody ends a process in order."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self.heard, LONG_PATIENCE_S)
        loop.add_signal_handler(signal.SIGTERM, self.heard, PATIENCE_S)
        if hangup.heard():
            terminal = hangup.Terminal()

            def hung_up() -> None:
                terminal.leave_if_gone()
                self.heard(PATIENCE_S)

            loop.add_signal_handler(signal.SIGHUP, hung_up)
