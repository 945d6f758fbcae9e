"""Play one question: from a cell and a question to an episode. Whatever happens, the end is an outcome."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from inspect import isawaitable

from moot.decide.abstaining import sureness, weighed
from moot.engine.checked_verdict import checked_verdict
from moot.errors import CallError, MootError, UsageError
from moot.experiment.plan import Cell
from moot.models.border import storable
from moot.plugins import PluginBroke, in_one_line
from moot.strategies import Strategy
from moot.team import Grouper, Team
from moot.traces import Trace
from moot.types import Call, Episode, Question, Verdict

OURS = ("moot.strategies.", "moot.decide.")


async def play(
    cell: Cell,
    question: Question,
    repeat: int = 0,
    *,
    grouper: Grouper | None = None,
    journal: list[Call] | None = None,
) -> Episode:
    """`grouper` takes the place of the team's own: one that was told the reference, where an experiment asks for it.

    `journal` is where the calls are written as they come, for those who watch.
    """
    team = replace(cell.team, grouper=grouper) if grouper else cell.team
    team = team.seated(repeat, cell.traits.drafts_repeat(repeat))
    if journal is not None:
        team = replace(team, journal=journal)
    started = time.perf_counter()
    sure = None
    try:
        if cell.abstain is not None or cell.rule is not None:
            team, sure = sureness(cell.strategy, cell.abstain, cell.rule, team)
        if is_ours(cell.strategy):  # typed and tested; to look costs time
            verdict = await cell.strategy.play(question, team)
        else:
            verdict = await checked_play(cell.strategy, question, team)
        if sure is not None:
            verdict = weighed(verdict, sure, cell.abstain)
    except CallError as error:
        verdict = _failed(f"{type(error).__name__}: {error}")
    except MootError:
        raise  # the budget or the store: the run must end
    except PluginBroke as error:
        verdict = _failed(str(error))
    except asyncio.CancelledError as error:
        if (task := asyncio.current_task()) is None or task.cancelling():
            raise  # the run is being stopped; else a plug-in has cancelled itself
        verdict = _failed(f"{_bug_in(cell.strategy.name)}{type(error).__name__}")
    except Exception as error:  # noqa: BLE001  one strategy's bug on one question must not lose a run of thousands
        verdict = _failed(_bug_in(cell.strategy.name) + in_one_line(error))
    calls = tuple(team.journal) if len(team.players) == 1 else _in_order(team)
    if team.traced:
        verdict = replace(verdict, traces=(*verdict.traces, *_traced_in_order(team)))
    return Episode(cell.id, question, repeat, verdict, calls, time.perf_counter() - started)


def _failed(cause: str) -> Verdict:
    """The words of an error are whatever somebody else wrote into it."""
    return Verdict(None, "failed", cause=storable(cause))


def is_ours(strategy: Strategy) -> bool:
    return type(strategy).__module__.startswith(OURS)


async def checked_play(strategy: Strategy, question: Question, team: Team) -> Verdict:
    """What somebody else's strategy comes to. A prompt that is not there is its mistake, and not that of the file."""
    playing: object = strategy.play(question, team)
    if not isawaitable(playing):
        raise TypeError(f"expected async def play, found one that gives a {type(playing).__name__} at once")
    try:
        return checked_verdict(await playing, team)
    except UsageError as error:
        raise ValueError(str(error)) from error


def is_bug(strategy: str, cause: str | None) -> bool:
    """Whether a failure is told as this strategy's own, and as nobody else's whom it asked."""
    return cause is not None and cause.startswith(_bug_in(strategy))


def _bug_in(strategy: str) -> str:
    return f"a bug in {strategy}: "


def _in_order(team: Team) -> tuple[Call, ...]:
    """By turn and seat, not by who happened to answer first: the same run gives the same transcript."""
    seats = {player.name: seat for seat, player in enumerate(team.players)}
    return tuple(sorted(team.journal, key=lambda call: (call.turn, seats.get(call.player, len(seats)))))


def _traced_in_order(team: Team) -> tuple[Trace, ...]:
    seats = {player.name: seat for seat, player in enumerate(team.players)}
    return tuple(
        sorted(
            team.traced,
            key=lambda record: (record.turn, seats.get(record.player, len(seats)), record.player),
        )
    )
