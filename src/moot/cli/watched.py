"""The table in a terminal: who says what as it comes in, groups in colour, minds that change, and the verdicts."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rich.console import Group, RenderableType
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from moot.cli.clamped import Clamped
from moot.decide.abstaining import AnswerChance
from moot.engine.play import play
from moot.experiment.plan import Cell, titles
from moot.foreign_json import read_json
from moot.grade.normalise import spelled
from moot.live.journal import Journal
from moot.measures.numbers import money
from moot.models.cut_out import was_cut
from moot.stats.counted_words import count
from moot.store.calls import ExperimentCalls
from moot.store.rows import note_json, verdict_json
from moot.team.final_line import spoken_whole
from moot.team.together import together
from moot.team.watching import doing_at
from moot.traces import Grouped, of_kind
from moot.types import Call, Episode, Question

COLOURS = ("cyan", "yellow", "green", "magenta", "blue", "red")
"""Of groups. Each has a number too, for those who cannot tell them apart; a letter would look like a choice."""

NUMBERS = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"

WIDEST_NAME = 24
"""Of a column: what is longer is told without its options, or in several lines, and leaves room to the answers."""

_SETTLED = ("answer", "solution")
_REASONS = ("reasoning", "message", "text")


@dataclass
class PlayerSoFar:
    """What a player has said so far."""

    answers: list[str] = field(default_factory=list)
    because: str = ""
    stage: str = ""
    seconds: float | None = None
    """The longest of its replies; None: of none it is known."""
    trouble: str = ""

    @property
    def changed(self) -> str | None:
        """What it said before, if that was something else."""
        if was_cut(self.answers[-1] if self.answers else None):
            return None  # it may have said the same
        last = self.answers[-1].casefold() if self.answers else ""
        earlier = [answer for answer in self.answers if answer.casefold() != last and not was_cut(answer)]
        return earlier[-1] if earlier else None


def chance_of(episode: Episode) -> AnswerChance:
    return AnswerChance.of(episode.verdict, long_answer=episode.question.is_long)


class Watched:
    """The episodes of one question as they come in."""

    def __init__(
        self,
        cells: tuple[Cell, ...],
        calls: ExperimentCalls | None = None,
        teams: Collection[str] = (),
        is_loading: Callable[[], bool] = lambda: False,
    ) -> None:
        """`teams`: all that the file has, be it that only one of them plays. `is_loading`: whether a model still is."""
        self.cells = cells
        self.titles = titles(cells, teams)
        self._shown = _short_titles(cells, self.titles)
        self.episodes: dict[str, Episode] = {}
        names = dict.fromkeys(player.name for cell in cells for player in cell.team.players)
        self.minds: dict[str, PlayerSoFar] = {name: PlayerSoFar() for name in names}
        self._calls = calls
        self._is_loading = is_loading
        self._language, self._long = "en", False
        self._started = time.monotonic()
        self._seconds: float | None = None
        self._spinner = Spinner("dots", style="dim")

    async def play(self, question: Question, repeat: int = 0) -> None:
        self._started, self._language, self._long = time.monotonic(), question.language, question.is_long

        async def one(cell: Cell) -> None:
            episode = self.episodes[cell.id] = await play(cell, question, repeat, journal=Journal(self.heard))
            self._read_by_others(episode)

        await together(one(cell) for cell in self.cells)
        self._seconds = time.monotonic() - self._started

    @property
    def anybody_heard(self) -> bool:
        return any(mind.answers for mind in self.minds.values())

    def heard(self, call: Call) -> None:
        mind = self.minds.get(call.player)
        if mind is None:
            return  # a grouping model or a judge: it has no seat
        problem = None if call.problem == "repaired" else call.problem
        declined = "declined" if call.reply is not None and call.reply.refused else None
        mind.trouble = call.error or declined or problem or ""
        if call.reply is None or declined or problem is not None:
            return
        if (took := call.reply.known_latency_s) is not None:
            mind.seconds = took if mind.seconds is None else max(mind.seconds, took)
        if self._long and call.request.schema is None:
            if doing_at(call.stage) == "reading" and mind.answers:
                return  # what it writes for the team is no answer of its own, and stands as the team's
            mind.answers.append(spoken_whole(call.reply.text.strip()))
            mind.stage = call.stage
            return
        reply = _object(call.reply.text)
        if (answer := _first(reply, _SETTLED)) is not None:
            mind.answers.append(answer)
            mind.stage, mind.trouble = call.stage, ""
        mind.because = _first(reply, _REASONS) or mind.because

    def _read_by_others(self, episode: Episode) -> None:
        """Whoever replied in free words has said what the strategy read out of them."""
        for answer in episode.verdict.answers:
            mind = self.minds.get(answer.player)
            if mind is not None and not mind.answers and answer.text is not None:
                mind.answers.append(answer.text)
                mind.because = mind.because or answer.reasoning

    def view(self) -> RenderableType:
        table = Table(show_header=True, header_style="dim", expand=True)
        table.add_column("who", max_width=WIDEST_NAME, overflow="fold")
        table.add_column("", no_wrap=True)
        table.add_column("answer")
        table.add_column("because")
        table.add_column("seconds", justify="right")
        groups = self._groups()
        captains = {cell.captain for cell in self.cells}
        for name, mind in self.minds.items():
            who = Text(name)
            if name in captains:
                who.append(" captain", "dim")
            if not mind.answers:
                waiting = (
                    Clamped(Text(mind.trouble, "red"))
                    if mind.trouble
                    else self._spinner
                    if self._open(name)
                    else Text("–")
                )
                table.add_row(who, "", waiting, "", "")
                continue
            group = groups.get(name)
            style = "" if group is None else COLOURS[group % len(COLOURS)]
            answer = Text(mind.answers[-1], f"bold {style}".rstrip())
            if mind.changed is not None and not self._long:
                answer.append(f" (was {mind.changed})", "not bold dim")
            badge = Text() if group is None else Text(NUMBERS[group % len(NUMBERS)], style)
            seconds = "" if mind.seconds is None else f"{mind.seconds:.1f}"
            table.add_row(who, badge, Clamped(answer), Clamped(Text(mind.because)), seconds)
        decided = [cell for cell in self.cells if cell.player is None]
        if decided:
            table.add_section()
        for cell in decided:
            self._verdict(table, cell)
        return Group(table, *self._how_sure(), self._bill())

    def _how_sure(self) -> Iterator[Text]:
        """A line for each answer that no two agreed on, or of which it is known how likely it is right. Why one is not given is
        told in its place."""
        for cell in self.cells:
            episode = self.episodes.get(cell.id)
            if episode is None or episode.verdict.answer is None:
                continue
            for words in filter(None, (episode.verdict.note, chance_of(episode).words())):
                yield Text(words if len(self.cells) == 1 else f"{self._shown[cell.id]}: {words}")

    def _verdict(self, table: Table, cell: Cell) -> None:
        episode = self.episodes.get(cell.id)
        if episode is None:
            table.add_row(Text(self._shown[cell.id], "bold"), "", self._spinner, "", "")
            return
        verdict = episode.verdict
        answer = Text(verdict.answer, "bold") if verdict.answer is not None else Text(verdict.outcome, "red")
        because = Text(verdict.cause if verdict.outcome != "answered" and verdict.cause else verdict.reasoning)
        seconds = f"{episode.seconds:.1f}"
        table.add_row(Text(self._shown[cell.id], "bold"), "", Clamped(answer), Clamped(because), seconds)

    def _open(self, name: str) -> bool:
        """Whether somebody may still hear from this player."""
        seats = (cell for cell in self.cells if name in [player.name for player in cell.team.players])
        return any(cell.id not in self.episodes for cell in seats)

    def _groups(self) -> dict[str, int]:
        """A number for each different answer, in the order of the seats. Of long answers only where a strategy has told which
        mean the same."""
        if self._long:
            return self._told_groups()
        numbers: dict[tuple[str, str], int] = {}
        groups = {}
        for name, mind in self.minds.items():
            if mind.answers:
                said = mind.answers[-1]
                alone = name if was_cut(said) else ""  # it may equal any other, or none
                groups[name] = numbers.setdefault((alone, spelled(said, self._language)), len(numbers))
        return groups

    def _told_groups(self) -> dict[str, int]:
        told = [of_kind(episode.verdict.traces, Grouped) for episode in self.episodes.values()]
        last = next((records[-1].groups for records in told if records), ())
        members = [[name for name in self.minds if name in group] for group in last]
        ordered = sorted(filter(None, members), key=lambda group: list(self.minds).index(group[0]))
        alone = {
            name for name, mind in self.minds.items() if len(mind.answers) == 1
        }  # else it is about an earlier text
        return {name: number for number, group in enumerate(ordered) for name in group if name in alone}

    def _bill(self) -> Text:
        seconds = self._seconds if self._seconds is not None else time.monotonic() - self._started
        parts = [f"{seconds:.1f} s"]
        if self._seconds is None and self._is_loading():
            parts.append("loading the model")
        elif self._calls is not None:
            cost = _paid_usd(self._calls)
            parts += [self._counted(self._calls), "cost unknown" if cost is None else money(cost)]
        return Text(" · ".join(parts), "dim")

    def _counted(self, calls: ExperimentCalls) -> str:
        """How many calls there are behind what is shown, each once, and how many of them nobody had to make."""
        total, stored = self._distinct(calls), self._from_store(calls)
        from_store = "" if not stored else ", all from the store" if stored == total else f", {stored} from the store"
        return f"{count(total, 'call')}{from_store}"

    def _distinct(self, calls: ExperimentCalls) -> int:
        """Strategies share drafts: a call that two of them use is one. While it is played, those that were made."""
        keys = {
            call.reply.key
            for episode in self.episodes.values()
            for call in episode.calls
            if call.reply is not None and not call.reply.unrecorded
        }
        return max(calls.made, len(keys))

    def _from_store(self, calls: ExperimentCalls) -> int:
        return self._distinct(calls) - calls.made

    def json(self, question: str, calls: ExperimentCalls) -> Mapping[str, Any]:
        return {
            "question": question,
            "verdicts": [
                {
                    "title": self.titles[cell.id],
                    **verdict_json(self.episodes[cell.id].verdict),
                    **note_json(self.episodes[cell.id].verdict),
                    **chance_of(self.episodes[cell.id]).json(),
                }
                for cell in self.cells
            ],
            "calls": self._distinct(calls),
            "from_store": self._from_store(calls),
            "cost_usd": _paid_usd(calls),
        }


def _paid_usd(calls: ExperimentCalls) -> float | None:
    """Unknown, too, where one that has no price brought no reply."""
    return None if calls.unpriced else calls.cost_usd


def _short_titles(cells: Collection[Cell], whole: Mapping[str, str]) -> dict[str, str]:
    """By cell: without options where its name is long, and still that of one cell."""
    short = {cell.id: whole[cell.id].replace(cell.label, cell.strategy.name, 1) for cell in cells}
    often = Counter(short.values())
    return {
        cell: title if len(title) <= WIDEST_NAME or often[short[cell]] > 1 else short[cell]
        for cell, title in whole.items()
    }


def _object(text: str) -> Mapping[str, Any]:
    try:
        data = read_json(text)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def _first(reply: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((str(reply[name]) for name in names if isinstance(reply.get(name), str | int | float)), None)
