"""The screen of `moot play`: what a person sees of a game, and the person's keyboard."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Collection

from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from moot.cli.console import Console
from moot.cli.moving_table import MovingTable
from moot.cli.typed import Typed
from moot.live.game import POINTS, Game, GameStanding, GradedQuestion, PersonDecides, Turn
from moot.stats.written_numbers import of_hundred
from moot.types import Case, Question, Score

HURRY_S = 10.0
"""The person is told when so much is left."""

BEGUN_S = 0.05
"""Whoever is asked at the same time as the person has begun by then."""

_SAVE, _RESTORE = "\x1b7", "\x1b8"
"""The place of the cursor."""


class Screen:
    """What the person sees, and the person's keyboard."""

    def __init__(self, console: Console, *, person: bool = False) -> None:
        """`person`: somebody plays too, who must not see what the others are writing."""
        self.console = console
        self.typed = Typed()
        self.table = MovingTable(console, words=not person)

    def welcome(self, game: Game, questions: int) -> None:
        cell = game.cell
        names = ", ".join(player.name for player in cell.team.players)
        chair = f"; captain: {cell.team.captain}" if cell.team.captain else ""
        played = f"; {cell.label}"
        if isinstance(cell.strategy, PersonDecides):
            played = f"; you decide by their answers{' and reasons' if cell.strategy.reasons else ''}"
        length = f"{questions} question{'s' * (questions != 1)}, {POINTS} points to win"
        self.console.print(Text(f"{names}{chair}{played}; {length}"))

    def not_real(self, models: Collection[str]) -> None:
        """Who is simulated: said before the first question, or when its first reply tells."""
        if models:
            self.console.print(Text(f"Simulated, not real: {', '.join(sorted(models))}", style="yellow"))

    def ask(self, case: Case, title: str) -> None:
        question = case.question
        self.console.print(Rule(title, align="left"))
        if case.author:
            self.console.print(Text(f"asked by {in_one_line(case.author)}", style="dim"))
        if question.context:
            self.console.print(Text(question.context, style="dim"))
        self.console.print(Text(question.text, style="bold"))
        for letter, choice in zip(question.letters, question.choices, strict=True):
            self.console.print(Text(f"  {letter}. {choice}"))

    def seat(self, game: Game) -> None:
        """The team begins to think."""
        team = game.cell.team
        self.table.seat([player.name for player in team.players], team.captain)

    async def say(self, turn: Turn) -> str | None:
        if not turn.captain and not turn.again:
            await asyncio.sleep(BEGUN_S)
        self.table.pause()
        self.typed.forget()
        if turn.captain and not turn.again:
            self._show_answers(turn)
        if turn.again:
            wanted = f"one of {', '.join(turn.question.letters)}" if turn.question.letters else "yes or no"
            self.console.print(f"expected {wanted}")
        if not turn.captain and not turn.again:
            self.table.tell_who_thinks()
        asked = "the team’s answer" if turn.captain else "your answer"
        self.console.print(_prompt(asked, turn.seconds), end="")
        clock = asyncio.ensure_future(self._clock(asked, turn.seconds)) if turn.seconds is not None else None
        try:
            line = await self.typed.line()
        finally:
            if clock is not None:
                clock.cancel()
        if line is None or not self.console.is_terminal:
            self.console.print()  # nobody has pressed Enter on this screen
        self.table.resume()
        return line

    def late(self) -> None:
        self.console.print("\ntime is up")
        self.table.resume()

    async def _clock(self, asked: str, seconds: float) -> None:
        """The seconds left, where they stand on the screen; what is being typed stays as it is.

        Where nothing on a screen can be changed any more, it is said once, when little is left.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        if not self.console.is_terminal or self.console.is_dumb_terminal:
            if seconds > HURRY_S:
                await asyncio.sleep(seconds - HURRY_S)
                self.console.print(f"\n{HURRY_S:.0f} seconds left: ", end="")
            return
        while (left := end - loop.time()) > 0:
            await asyncio.sleep(left % 1 or 1)
            with self.console.capture() as prompt:
                self.console.print(_prompt(asked, max(0.0, end - loop.time())), end="")
            self.console.file.write(f"{_SAVE}\r{prompt.get()}{_RESTORE}")  # at once: keystrokes must not fall between
            self.console.file.flush()

    def _show_answers(self, turn: Turn) -> None:
        grid = Table(show_header=False, box=None, padding=(0, 2))
        for answer in turn.answers:
            reason = Text(answer.reasoning, style="dim") if turn.reasons else Text()
            grid.add_row(Text(answer.player), Text(in_words(turn.question, answer.text or "")), reason)
        self.console.print(grid)

    def reveal(self, played: GradedQuestion, standing: GameStanding) -> None:
        self.table.pause()
        case, verdict = played.case, played.verdict
        question = case.question
        grid = Table(show_header=False, box=None, padding=(0, 2))
        for answer in verdict.answers:
            score = played.grades.get(answer.player)
            grid.add_row(
                Text(answer.player),
                Text(in_words(question, answer.text or answer.outcome)),
                _mark(score) if score else Text(),
            )
        self.console.print(grid)
        team_answer = in_words(question, verdict.answer) if verdict.answer is not None else "no answer"
        if verdict.outcome in ("failed", "refused"):
            team_answer = f"no answer ({verdict.cause or verdict.outcome})"
        self.console.print(Text.assemble("the team says: ", (team_answer, "bold"), " – ", _mark(played.score)))
        told = in_words(question, case.answer) if case.answer else "there is none"
        self.console.print(Text.assemble("the answer: ", (told, "bold")))
        if case.comment:
            self.console.print(Text.assemble("the clue: ", (case.comment, "dim")))
        if case.source:
            self.console.print(Text(f"source: {in_one_line(case.source)}", style="dim"))
        if played.grades:
            self.console.print(Text(f"who had it: {_who_had_it(played)}"))
        if case.human is not None:
            rate = f"{case.human.solved} of {case.human.asked} ({of_hundred(case.human.rate, 0)} %)"
            self.console.print(f"people: {rate} got it right")
        self.console.print(Text(str(standing), style="bold"))

    def end(self, standing: GameStanding, *, stopped: bool = False) -> None:
        self.table.pause()
        if stopped and self.console.is_terminal:
            self.console.print()  # the terminal has written ^C where somebody was typing
        self.console.print(Rule("stopped" if stopped else "the end", align="left"))
        won = f": {'the team' if standing.team > standing.audience else 'the audience'} wins" if standing.over else ""
        self.console.print(Text(f"{standing}{won}", style="bold"))
        if standing.open:
            self.console.print(f"{standing.open} could not be graded and count for nobody")
        if not standing.asked:
            return
        grid = Table("alone", "right", header_style="dim")
        for player, right in sorted(standing.alone.items(), key=lambda item: -item[1]):
            grid.add_row(Text(player), f"{right} of {standing.asked - standing.open_alone.get(player, 0)}")
        grid.add_row(Text("the team", style="bold"), f"{standing.team} of {standing.asked - standing.open}")
        self.console.print(grid)


def in_words(question: Question, answer: str) -> str:
    """An answer as it is told: of a choice its letter and what it stands for."""
    if answer not in question.letters or not question.letters:
        return answer
    return f"{answer}. {question.choices[question.letters.index(answer)]}"


def _who_had_it(played: GradedQuestion) -> str:
    right = [player for player, score in played.grades.items() if score.value == 1.0]
    had = ", ".join(right) or "nobody"
    if len(right) > 1 and len(right) == len(played.grades):
        had = "everybody"
    lost = " – and the team said something else" if right and played.score.value == 0.0 else ""
    return f"{had}{lost}"


def in_one_line(text: str) -> str:
    return "; ".join(line.strip() for line in text.splitlines() if line.strip())


def _prompt(asked: str, seconds: float | None) -> Text:
    """As wide at 9 seconds as at 60, so that it can be written over."""
    if seconds is None:
        return Text(f"{asked}: ")
    left = f"{math.ceil(seconds):2d} s"
    return Text.assemble(f"{asked} (", (left, "bold red" if seconds <= HURRY_S else ""), "): ")


def _mark(score: Score) -> Text:
    if score.value is None:
        return Text(f"not graded ({score.detail})", style="yellow")
    return Text("right", style="green") if score.value == 1.0 else Text("wrong", style="red")
