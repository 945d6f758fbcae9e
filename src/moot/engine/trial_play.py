"""Strategies of others played once before anything is paid for, with scripted players on a question of each kind.

A template that is asked for and not there, or that is not given a name it uses, would else be found in play, after the
drafts before it were paid. Both are an author's mistake whatever models reply, and are refused here. What else a strategy
raises may hang on the scripted replies: it is told, and played. Nothing is stored, counted or charged.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count, islice

from moot.engine.play import checked_play, is_ours
from moot.errors import MootError, UsageError
from moot.experiment.plan import Cell, Plan
from moot.models.closest import closest
from moot.models.scripted import Script, ScriptedModel
from moot.plugins import in_one_line
from moot.prompts import NameNotGiven, NoSuchPrompt, own_templates
from moot.simulate.schema_instance import Impossible, instance
from moot.simulate.telltale_team import lesson_of
from moot.strategies import prompts_brought, with_inside
from moot.team import Player, SameWords, Team
from moot.team.attendance import Remembered
from moot.team.reading import Announced
from moot.types import Question, Reply, Request

TRIAL = "trial"
"""The id of the questions, so that whoever keeps a record of its own takes none of this for play."""

LOOKED_AT = 200
"""Of the questions, to find one of each kind: a set may have millions."""

MOST_CALLS = 500
"""Of one trial: players who never agree could be asked for ever."""

PATIENCE_S = 5.0
"""For one trial, which takes a few milliseconds unless a strategy waits for something of its own."""

_CITIES = ("Babylon", "Nineveh", "Uruk", "Ebla", "Mari", "Susa")


async def try_out(plan: Plan) -> tuple[str, ...]:
    """What is worth knowing of the strategies that are not moot's own; or a `UsageError` that names what is missing."""
    theirs = {cell.label: cell for cell in reversed(plan.cells) if not is_ours(cell)}
    questions = _one_of_each_kind(plan) if theirs else []
    told = [words for cell in theirs.values() for question in questions for words in await _tried(cell, question)]
    return tuple(dict.fromkeys(told))


def _one_of_each_kind(plan: Plan) -> list[Question]:
    """The first of each; where nobody has asked anything yet, an open one."""
    by_kind: dict[str, Question] = {}
    for case in islice(plan.dataset or (), LOOKED_AT):
        by_kind.setdefault(case.question.kind, replace(case.question, id=TRIAL))
    return list(by_kind.values()) or [Question(TRIAL, "Which city was it?", language=plan.spec.language)]


async def _tried(cell: Cell, question: Question) -> list[str]:
    """Once with players who all say something else, and once with such as agree: these are the branches that most have."""
    told = []
    for seat in (_Table(question, apart=True), _Table(question, apart=False)):
        try:
            await asyncio.wait_for(checked_play(cell.strategy, question, seat.seated(cell)), PATIENCE_S)
        except (MootError, TimeoutError):
            continue  # raised on purpose, or by the bounds of a trial
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) is None or task.cancelling():
                raise  # the run is being stopped; else the strategy has cancelled itself
            told.append(_odd(cell, question, "it cancelled itself"))
        except Exception as error:
            if isinstance(error.__cause__, NameNotGiven | NoSuchPrompt):
                raise UsageError(_refusal(cell, error.__cause__)) from error
            told.append(_odd(cell, question, in_one_line(error)))
    return told


def _refusal(cell: Cell, mistake: NameNotGiven | NoSuchPrompt) -> str:
    whose = f"strategy {cell.strategy.name!r}: {mistake}"
    if isinstance(mistake, NameNotGiven):
        return f"{whose}; expected each of these inputs to be given"
    brought = map(prompts_brought, with_inside(cell.strategy))
    own = sorted({name for each in brought for name in own_templates(each, cell.team.prompts.language)})
    if not own:
        return f"{whose}; expected a template of that name in the folder prompts beside the strategy"
    return f"{whose}; expected one of its own, which are {', '.join(own)}{closest(mistake.name, own)}"


def _odd(cell: Cell, question: Question, problem: str) -> str:
    return (
        f"{cell.label}: tried on a question ({question.kind}) with scripted players it failed, so it may fail in the run:"
        f" {problem}"
    )


@dataclass(frozen=True, slots=True)
class _Table:
    """Scripted models in every place of a line-up where a model would be asked."""

    question: Question
    apart: bool
    """Whether each player says something else."""

    def seated(self, cell: Cell) -> Team:
        team, calls = cell.team, count()

        def scripted(player: Player, seat: int) -> Player:
            return replace(player, model=_TrialModel(player.model.name, self._answer(seat), calls))

        trial = replace(
            team,
            players=tuple(scripted(player, seat) for seat, player in enumerate(team.players)),
            officers={name: scripted(officer, 0) for name, officer in team.officers.items()},
            grouper=SameWords(),
            reader=Announced(),
            attendance=Remembered(),
            retriever=None if team.retriever is None else _nothing_special,
        )
        return replace(trial, lessons=lesson_of(trial) if cell.traits.learns else ()).seated()

    def _answer(self, seat: int) -> str:
        kinds: Mapping[str, Iterable[str]] = {"choice": self.question.letters, "yes-no": ("yes", "no")}
        answers = tuple(kinds.get(self.question.kind, _CITIES)) or _CITIES
        return answers[seat % len(answers) if self.apart else 0]


def _nothing_special(question: Question) -> str:
    return "It is said that the city was never named."


class _TrialOver(MootError):
    """As many calls as a trial may make."""


class _TrialModel(ScriptedModel):
    """Says its answer in whatever form is asked for."""

    def __init__(self, name: str, answer: str, calls: Iterator[int]) -> None:
        super().__init__(name, self._says)
        self._answer = answer
        self._calls = calls
        """One count for the whole table."""

    async def generate(self, request: Request) -> Reply:
        await asyncio.sleep(0)  # so that a trial can be ended from outside
        if next(self._calls) >= MOST_CALLS:
            raise _TrialOver("a trial has an end")
        return await super().generate(request)

    def _says(self, request: Request) -> Script:
        plain = f"Because it is so.\nAnswer: {self._answer}"
        if request.schema is None:
            return plain
        reasons = "Because it is so."
        values = {"reasoning": reasons, "message": reasons, "answer": self._answer, "solution": self._answer}
        try:
            return json.dumps(instance(request.schema, values, lambda place: 0.25))
        except Impossible:
            return plain
