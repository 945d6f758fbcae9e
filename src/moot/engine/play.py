"""Play one question: from a cell and a question to an episode. Whatever happens, the end is an outcome."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from inspect import isawaitable

from moot.decide.abstaining import untold, wants_weighing, weighed
from moot.decide.how_sure import HowSure, sureness
from moot.engine.checked_verdict import checked_verdict
from moot.engine.whose_word import whose_word
from moot.errors import CallError, MootError, UsageError
from moot.experiment.plan import Cell
from moot.models.border import storable
from moot.models.unpriced_calls import UnpricedCalls
from moot.plugins import PluginBroke, in_one_line
from moot.strategies import Strategy, with_inside
from moot.team import Grouper, Team
from moot.team.watching import Watcher
from moot.traces import CutOff, StrategyBroke, Trace, Unpriced
from moot.types import Call, Episode, Question, Verdict

OURS = ("moot.strategies.", "moot.decide.")


async def play(
    cell: Cell,
    question: Question,
    repeat: int = 0,
    *,
    grouper: Grouper | None = None,
    journal: list[Call] | None = None,
    watcher: Watcher | None = None,
) -> Episode:
    """`grouper` takes the place of the team's own: one that was told the reference, where an experiment asks for it.

    `journal` is where the calls are written as they come, for those who watch; `watcher` is told when they begin.
    """
    with UnpricedCalls() as unpriced:
        episode = await _play(cell, question, repeat, grouper=grouper, journal=journal, watcher=watcher)
    return replace(episode, verdict=with_unpriced(episode.verdict, unpriced)) if unpriced else episode


def with_unpriced(verdict: Verdict, unpriced: UnpricedCalls) -> Verdict:
    return replace(verdict, traces=(*verdict.traces, Unpriced(len(unpriced)))) if unpriced else verdict


async def _play(
    cell: Cell,
    question: Question,
    repeat: int,
    *,
    grouper: Grouper | None,
    journal: list[Call] | None,
    watcher: Watcher | None,
) -> Episode:
    team = replace(cell.team, grouper=grouper) if grouper else cell.team
    team = team.seated(repeat, cell.traits.drafts_repeat(repeat))
    if journal is not None:
        team = replace(team, journal=journal, watcher=watcher)
    started = time.perf_counter()
    sure = None
    try:
        if cell.abstain is not None or cell.rule is not None:
            rule = None if cell.rule is None else cell.rule.for_kind(question.kind)
            if rule is not None and (unlike := rule.kept_rule.why_untold(question)) is not None:
                sure = HowSure(None, unlike, None if cell.abstain is None else cell.abstain.below)
            else:
                team, sure = sureness(cell.strategy, cell.abstain, rule, team)
        if is_ours(cell):  # typed and tested; to look costs time
            verdict = await cell.strategy.play(question, team)
        else:
            verdict = await checked_play(cell.strategy, question, team)
        if sure is not None:
            asks_on = wants_weighing(verdict) and sure.asks_on(verdict)
            whose = await whose_word(cell, question, team, verdict, watched=journal is not None) if asks_on else None
            verdict = weighed(verdict, sure, cell.abstain, whose)
        elif cell.rule_unused is not None:
            verdict = untold(verdict, cell.rule_unused)
    except CallError as error:
        verdict = _failed(f"{type(error).__name__}: {error}")
    except MootError:
        raise  # the budget or the store: the run must end
    except PluginBroke as error:
        verdict = _failed(str(error))
    except asyncio.CancelledError as error:
        if (task := asyncio.current_task()) is None or task.cancelling():
            raise  # the run is being stopped; else a plug-in has cancelled itself
        verdict = _broken(_blamed(cell), type(error).__name__)
    except Exception as error:  # noqa: BLE001  one strategy's bug on one question must not lose a run of thousands
        verdict = _broken(_blamed(cell), in_one_line(error))
    calls = tuple(team.journal) if len(team.players) == 1 else _in_order(team)
    if team.traced:
        records = (_told_of_end(record, verdict, calls) for record in _traced_in_order(team))
        verdict = replace(verdict, traces=(*verdict.traces, *records))
    return Episode(cell.id, question, repeat, verdict, calls, time.perf_counter() - started)


def _failed(cause: str) -> Verdict:
    """The words of an error are whatever somebody else wrote into it."""
    return Verdict(None, "failed", cause=storable(cause))


def _broken(strategy: str, error: str) -> Verdict:
    record = StrategyBroke(strategy, storable(error))
    return replace(_failed(f"a bug in {strategy}: {error}"), traces=(record,))


def is_ours(cell: Cell) -> bool:
    return _not_ours(cell) is None


def _not_ours(cell: Cell) -> Strategy | None:
    """Somebody else's, of all that is played; None: all is ours."""
    if not cell.traits.plays:  # nearly always, and asked at every play
        return None if type(cell.strategy).__module__.startswith(OURS) else cell.strategy
    every = (cell.strategy, *(each for inside in cell.traits.plays for each in with_inside(inside)))
    return next((each for each in every if not type(each).__module__.startswith(OURS)), None)


def _blamed(cell: Cell) -> str:
    """Whose mistake it is told as: ours are typed and tested."""
    return (_not_ours(cell) or cell.strategy).name


async def checked_play(strategy: Strategy, question: Question, team: Team) -> Verdict:
    """What somebody else's strategy comes to. A prompt that is not there is its mistake, and not that of the file."""
    playing: object = strategy.play(question, team)
    if not isawaitable(playing):
        raise TypeError(f"expected async def play, found one that gives a {type(playing).__name__} at once")
    try:
        return checked_verdict(await playing, team)
    except UsageError as error:
        raise ValueError(str(error)) from error


def _told_of_end(record: Trace, verdict: Verdict, calls: tuple[Call, ...]) -> Trace:
    """A text that was cut off, with whether it is the one that was given: whoever gets it takes it for whole otherwise."""
    if not isinstance(record, CutOff) or not verdict.answer:
        return record
    place = (record.player, record.stage, record.turn)
    said = [call.reply.text for call in calls if call.reply and (call.player, call.stage, call.turn) == place]
    return replace(record, given=any(text.rstrip().endswith(verdict.answer) for text in said))


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
