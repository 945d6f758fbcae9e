"""The table of `moot play` while models think: who is doing what, for how long, and the last words that were written.

At a terminal it is drawn in its place again and again. Where there is none, or lines are too short for it, what happens is said
in plain lines. It is gone when the person is to type, and when the answer is told: what stays on the screen is the game.
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from moot.cli.console import Console
from moot.live.game import PERSON
from moot.models.overheard import Listener, Tell
from moot.team.watching import BegunCall, Doing, doing_at
from moot.types import Call

NARROWEST = 80
"""Columns under which nothing moves."""
EVERY_S = 0.125
_NAME, _STATE = 22, 38
"""Columns for a name, and for what somebody does."""

_BEGUN: Mapping[Doing, str] = {"reading": "reading what the others wrote", "dressing": "writing it down"}
_OVER: Mapping[Doing, str] = {
    "answering": "has an answer",
    "drafting": "has an answer",
    "explaining": "has explained",
    "reading": "has decided",
    "reviewing": "has reviewed",
    "ranking": "has ranked",
    "arguing": "has argued",
    "voting": "has voted",
}
_MARKS = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_PLAIN_MARKS = "|/-\\"
_FIELD = re.compile(r'"(?:reasoning|answer|solution|final_solution)"\s*:\s*"((?:[^"\\]|\\.)*)')
_KEPT = 400
"""Characters of a reply in which its last words are looked for; of one in a form, all are kept."""


@dataclass(slots=True)
class SeatShown:
    """One player, as the table shows it."""

    name: str
    captain: bool = False
    doing: Doing | None = None
    """None: not asked yet."""
    since: float = 0.0
    attempt: int = 0
    words: str = ""
    over: bool = False
    problem: str = ""
    """Why nothing came of it, as a state: no reply, or none that can be used."""

    @property
    def asked(self) -> bool:
        """Somebody waits for it."""
        return self.doing is not None and not self.over

    @property
    def state(self) -> str:
        if self.doing is None:
            return "waits"
        if self.problem:
            return self.problem
        if self.over:
            return _OVER.get(self.doing, "is done")
        begun = _BEGUN.get(self.doing, self.doing)
        return f"{begun} once more" if self.attempt else begun


def _why_nothing(call: Call) -> str:
    if call.reply is not None and call.reply.refused:
        return "declined"
    return "" if call.usable else "did not reply" if call.reply is None else "gave no usable reply"


@dataclass(frozen=True, slots=True)
class SeatListener:
    """Hears one call, for its seat. What it hears may be replaced by another reply."""

    seat: SeatShown
    is_bound: bool = False

    def voice(self) -> Tell:
        self.seat.words = ""

        def tell(words: str) -> None:
            text = self.seat.words + words
            self.seat.words = text if text.lstrip().startswith("{") else text[-_KEPT:]

        return tell


class MovingTable:
    """Everybody at the table, from a question to its answer. `words`: whether what is being written may be seen."""

    def __init__(self, console: Console, *, words: bool = True) -> None:
        self.console = console
        self.words = words
        self.moves = console.is_terminal and not console.is_dumb_terminal and console.width >= NARROWEST
        self._seats: dict[str, SeatShown] = {}
        self._graded = False
        self._live: Live | None = None
        self._drawing: asyncio.Task[None] | None = None
        self._quiet = False

    def seat(self, players: Sequence[str], captain: str | None) -> None:
        """A question is asked: nobody has said anything."""
        self._seats = {name: SeatShown(name, captain=name == captain) for name in players}
        self._graded = False
        self.resume()

    def begins(self, call: BegunCall) -> Listener | None:
        seat = self._seats.get(call.player)
        if seat is None:
            return None
        if not self.moves and not self._quiet and call.doing in _BEGUN and not call.attempt:
            self.console.print(Text(f"  {seat.name} is {_BEGUN[call.doing]}", style="dim"))
        seat.doing, seat.attempt, seat.since = call.doing, call.attempt, time.monotonic()
        seat.words, seat.over, seat.problem = "", False, ""
        if self._live is not None:
            # Not when it is drawn next: a model that is loaded now may hold the program up for seconds until then.
            self._live.update(self._drawn(), refresh=True)
        return SeatListener(seat) if self.words and self.moves else None

    def heard(self, call: Call) -> None:
        seat = self._seats.get(call.player)
        if seat is None:
            return
        before = seat.over and seat.doing == doing_at(call.stage) and not seat.problem
        seat.doing, seat.over, seat.words = doing_at(call.stage), True, ""
        # What does not fit the form is no answer yet: it is asked for again, of a person too.
        seat.problem = _why_nothing(call)
        if not self.moves and not self._quiet and not before and not seat.problem:
            # Not said while a person types: it would tear the line apart.
            self.console.print(Text(f"  {seat.name} {seat.state}", style="dim"))

    def decided(self) -> None:
        """The team has given its word, which is graded now."""
        self._graded = True

    def tell_who_thinks(self) -> None:
        """In a line that stays, for a person who is to type meanwhile. Where nothing moves it is said when somebody is done."""
        thinking: dict[str, list[str]] = {}
        for seat in self._seats.values():
            if self.moves and seat.asked and seat.name != PERSON:
                thinking.setdefault(seat.state, []).append(seat.name)
        for state, names in thinking.items():
            self.console.print(Text(f"  {', '.join(names)} {state}", style="dim"))

    def pause(self) -> None:
        """Nothing is written any more: the person types, or the answer is told."""
        self._quiet = True
        if self._drawing is not None:
            self._drawing.cancel()
            self._drawing = None
        if self._live is not None:
            self._live.stop()
            self._live = None

    def resume(self) -> None:
        self._quiet = False
        if self.moves and self._live is None and self._seats:
            errors_too = sys.stderr.isatty()  # where they go to a file, they stay there
            self._live = Live(
                self._drawn(),
                console=self.console,
                transient=True,
                auto_refresh=False,
                redirect_stdout=False,
                redirect_stderr=errors_too,
            )
            self._live.start()
            self._drawing = asyncio.ensure_future(self._draw(self._live))

    async def _draw(self, live: Live) -> None:
        with suppress(asyncio.CancelledError):
            while True:
                live.update(self._drawn(), refresh=True)
                await asyncio.sleep(EVERY_S)

    def _drawn(self) -> RenderableType:
        now = time.monotonic()
        grid = Table(show_header=False, box=None, padding=(0, 1), width=self.console.width)
        grid.add_column(width=1)
        grid.add_column(max_width=_NAME, no_wrap=True, overflow="ellipsis")
        grid.add_column(max_width=_STATE, no_wrap=True, overflow="ellipsis")
        grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        seats = list(self._seats.values())
        names = [f"{seat.name} (captain)" if seat.captain else seat.name for seat in seats]
        states = [f"{seat.state}, {now - seat.since:.0f} s" if seat.asked else seat.state for seat in seats]
        taken = min(_NAME, max(map(cell_len, names))) + min(_STATE, max(map(cell_len, states)))
        room = max(10, self.console.width - taken - 9)  # beside the mark and what is between the columns
        for seat, name, state in zip(seats, names, states, strict=True):
            said = Text(last_words(seat.words, room) if seat.asked else "", style="dim")
            grid.add_row(
                self._mark(seat, now),
                Text(name, style="bold" if seat.asked else ""),
                Text(state, style="" if seat.asked else "dim"),
                said,
            )
        if self._graded:
            grid.add_row("", "", Text("the answer is being graded", style="dim"), "")
        return grid

    def _mark(self, seat: SeatShown, now: float) -> Text:
        if seat.doing is None:
            return Text(" ")
        plain = self.console.options.ascii_only
        if seat.problem:
            return Text("x" if plain else "✗", style="red")
        if seat.over:
            return Text("+" if plain else "✓", style="green")
        marks = _PLAIN_MARKS if plain else _MARKS
        return Text(marks[int(now / EVERY_S) % len(marks)], style="cyan")


def last_words(text: str, room: int) -> str:
    """The end of what was written, in one line: of a reply in a form, of the field that is being filled in."""
    if text.lstrip().startswith("{"):
        fields = _FIELD.findall(text)
        text = re.sub(r"\\(?:u[0-9a-fA-F]{4}|(.))", _unescaped, fields[-1]) if fields else ""
    line = " ".join(text.split())
    return line if len(line) <= room else f"…{line[1 - room :]}"


def _unescaped(match: re.Match[str]) -> str:
    if match[1] is None:
        return chr(int(match[0][2:], 16))
    return " " if match[1] in "ntrbf" else match[1]
