"""`moot play`: the quiz as a game in the terminal. The rules are in `live.game`, the screen in `play_screen`."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from moot.cli.console import Console
from moot.cli.exit import INTERRUPTED
from moot.cli.play_screen import Screen
from moot.cli.safe_text import say
from moot.data import builtin, builtin_names, load
from moot.data.few_blank import few_blank
from moot.engine.cashbook import Cashbook
from moot.engine.chain import chain, limiters
from moot.engine.stopping import land
from moot.engine.trial_play import try_out
from moot.errors import UsageError
from moot.experiment.build import build
from moot.experiment.embedded_team import embedded_team
from moot.experiment.learning import refused_alone
from moot.experiment.part_of_file import with_other_play
from moot.experiment.plan import Plan
from moot.experiment.spec import ExperimentFile, Questions, QuestionsSpec, read_experiment
from moot.live.game import CLOCK_S, PERSON, Game, PersonModel, table
from moot.live.simulated_replies import simulated_by_file
from moot.models.closest import closest
from moot.models.flights import Flights
from moot.pasted import pasted
from moot.prompts import LANGUAGES
from moot.store.calls import ExperimentCalls
from moot.store.sqlite import SqliteStore
from moot.strategies import Strategy, label, registered, traits_of
from moot.strategies import strategy as strategy_named
from moot.types import Case

_WANT_TEXT = "want a long answer, which no game can grade"


def play_command(
    package: str | None,
    *,
    team: Path | None,
    captain: str | None,
    seat: str | None,
    strategy: str | None,
    limit: int | None,
    clock: bool,
) -> int:
    if seat not in (None, PERSON):
        raise UsageError(f"--seat: expected {PERSON}, found {seat!r}")
    file, questions = _own_questions(team) if package is None else _of_package(_package(package), team)
    played = _strategy(file, strategy)
    # Built with the plainest strategy: whatever a strategy wants of a team is asked of the line-up of this game.
    experiment = build(with_other_play(file, questions=questions, strategies=["solo"]), limit=limit)
    if not list(_playable(experiment)):
        raise UsageError(f"all of these questions {_WANT_TEXT}; moot ask --kind text asks a team for one")
    clock_s = CLOCK_S if clock else None
    seated = seat == PERSON
    _check_chairs(played, asked_for=strategy is not None, led=captain == PERSON, seated=seated)
    return asyncio.run(_play(experiment, played, captain=captain, seated=seated, clock_s=clock_s))


def _own_questions(team: Path | None) -> tuple[ExperimentFile, Questions]:
    """Those of the team's own file, as its `questions` say."""
    if team is None:
        sets = ", ".join(builtin_names())
        raise UsageError(f"expected a file of questions, a built-in set ({sets}), or --team FILE that has questions")
    file = read_experiment(team, with_questions=False)
    if file.spec.questions is None:
        raise UsageError(f"{team} has no questions of its own: name a file of questions or a built-in set")
    return file, file.spec.questions


def _of_package(path: Path, team: Path | None) -> tuple[ExperimentFile, Questions]:
    """A table that the team's file describes is read as it says there: its columns, its form of answers."""
    if team is None:
        questions_alone = _alone(path)
        return _embedded_team(path, skip_blank=questions_alone.skip_blank), questions_alone
    file = read_experiment(team, with_questions=False)
    questions = file.spec.questions
    for described in questions if isinstance(questions, list) else [questions] if questions else []:
        if described.file is not None and file.beside(described.file).resolve() == path.resolve():
            return file, described.model_copy(update={"sample": None})
    return file, _alone(path)


def _alone(path: Path) -> QuestionsSpec:
    return QuestionsSpec(file=str(path), skip_blank=bool(few_blank(path)))


def _package(package: str) -> Path:
    if package in builtin_names():
        return builtin(package)
    path = Path(package).expanduser().absolute()
    if path.is_file() and path.suffix.lower() in (".yaml", ".yml"):
        raise UsageError(f"a team file goes after --team: moot play --team {pasted(package)}")
    if not path.is_file():
        names = builtin_names()
        hint = closest(package, names)
        raise UsageError(f"{package!r} is no file of questions and no built-in set; those are {', '.join(names)}{hint}")
    return path


def _embedded_team(path: Path, *, skip_blank: bool) -> ExperimentFile:
    """It speaks the language of the package."""
    language = next(iter(load(path, skip_blank=skip_blank))).question.language
    return embedded_team(language if language in LANGUAGES else "en")


def _strategy(file: ExperimentFile, wanted: str | None) -> Strategy:
    """The one asked for, with the file's options if it has some; else the file's first for a team; else the vote."""
    entries: dict[str, Mapping[str, Any]] = {}
    for entry in file.spec.strategies:
        name, options = (entry, {}) if isinstance(entry, str) else next(iter(entry.items()))
        entries.setdefault(name, options)
    if wanted is not None:
        return _decides_alone(_built(wanted, entries.get(wanted)))
    listed = (_built(name, options) for name, options in entries.items())
    first = next((strategy for strategy in listed if not traits_of(strategy).alone), None)
    return _built("vote", None) if first is None else _decides_alone(first)


def _built(name: str, options: Mapping[str, Any] | None) -> Strategy:
    try:
        return strategy_named(name, options)
    except (TypeError, ValueError) as error:
        raise UsageError(f"strategy {name!r}: {error}") from None


def _decides_alone(played: Strategy) -> Strategy:
    """Without graded drafts of other questions, which a game does not have."""
    if traits_of(played).learns:
        raise UsageError(refused_alone(played.name))
    return played


def _check_chairs(played: Strategy, *, asked_for: bool, led: bool, seated: bool) -> None:
    """A person can draft, and can decide having read the others' drafts: nothing else that a strategy asks of its players."""
    named = label(played)
    if led and asked_for and not _led_from_drafts(played):
        raise UsageError(
            f"--captain me: who has the last word in {named} does not decide from drafts alone, so no {named} would be"
            f" played; expected --strategy {_those(_led_from_drafts)} with it, or {named} under one of its players"
        )
    if seated and not led and not _drafts_only(played):
        raise UsageError(
            f"--seat me: {named} asks its players for more than an answer, and a person can give no more here; expected"
            f" --strategy {_those(_drafts_only)} with it, or {named} without a seat"
        )


def _those(wanted: Callable[[Strategy], bool]) -> str:
    found = (strategy_named(name, None) for name in sorted(registered()))
    *most, last = [each.name for each in found if wanted(each) and not traits_of(each).alone]
    return f"{', '.join(most)} or {last}" if most else last


def _drafts_only(played: Strategy) -> bool:
    """Whether its players, but for a captain, are asked for one draft in one call and for nothing else."""
    traits = traits_of(played)
    asked_once = traits.calls is not None and traits.calls.per_player == 1 and traits.asks != "everybody"
    return traits.drafts == "single-call" and asked_once and not traits.learns


def _led_from_drafts(played: Strategy) -> bool:
    """Whether a captain decides, having read what the others drafted: what a person in the chair does."""
    traits = traits_of(played)
    leads = traits.captain == "leads" and traits.hears in ("answers", "reasons")
    asked_always = not traits.groups and not traits.offices  # not only where the answers differ enough
    return leads and asked_always and _drafts_only(played)


async def _play(
    experiment: Plan, strategy: Strategy, *, captain: str | None, seated: bool, clock_s: float | None
) -> int:
    store = await (experiment.store() if experiment.spec.store is not None else SqliteStore(None)).open()
    books = Cashbook(experiment, store)
    flights = Flights()
    try:
        purse = await books.purse(experiment.name, experiment.spec.budget_usd)
        calls = ExperimentCalls(store, experiment.name)
        limits = limiters(experiment.models)
        playing = experiment.with_models(chain(experiment.models, limits, calls, purse, flights=flights))
        person = seated or captain == PERSON
        screen = Screen(Console(), person=person)
        model = PersonModel(screen, clock_s) if person else None
        team = next(iter(playing.teams.values()))
        cell = table(team, strategy, model=model, captain=captain, seat=seated)
        only = replace(experiment, cells=(cell,))
        for warning in (*only.strategy_warnings, *await try_out(only)):
            say(f"moot: {warning}", file=sys.stderr)
        return await _until_stopped(Game(cell, playing.grading, model, screen.table), experiment, screen)
    finally:
        await land(flights, sys.exception())
        for built in experiment.models.values():
            await built.model.close()
        await books.close()
        await store.close()


async def _until_stopped(game: Game, experiment: Plan, screen: Screen) -> int:
    """Play to the end, or to Ctrl-C: the score is said in any case."""
    playing = asyncio.ensure_future(_rounds(game, experiment, screen))
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, playing.cancel)
    try:
        failed = await playing
    except asyncio.CancelledError:
        screen.end(game.standing, stopped=True)
        return INTERRUPTED
    except BaseException:
        screen.end(game.standing, stopped=True)
        raise
    finally:
        loop.remove_signal_handler(signal.SIGINT)
    screen.end(game.standing)
    if failed:
        say(f"moot: {failed} of {game.standing.asked} questions failed: no model could be reached", file=sys.stderr)
    return 1 if failed else 0


async def _rounds(game: Game, experiment: Plan, screen: Screen) -> int:
    """How many questions failed."""
    dataset = experiment.dataset
    assert dataset is not None, "a game is built with its package"
    for note in dataset.notes:
        say(f"moot: {note}", file=sys.stderr)
    for skipped in dataset.skipped:
        say(f"moot: question {skipped.number} is left out: {skipped.reason}", file=sys.stderr)
    playable = list(_playable(experiment))
    for number in sorted(set(range(1, len(dataset) + 1)) - {number for number, _ in playable}):
        say(f"moot: question {number} is left out: such questions {_WANT_TEXT}", file=sys.stderr)
    failed = 0
    screen.welcome(game, len(playable))
    told = simulated_by_file(experiment.spec)
    screen.not_real(told)
    for place, (_, case) in enumerate(playable, start=1):
        screen.ask(case, f"question {place} of {len(playable)} · {game.standing}")
        screen.seat(game)
        played = await game.play(case)
        failed += played.verdict.outcome == "failed"
        screen.reveal(played, game.standing)
        screen.not_real(game.simulated - told)
        told |= game.simulated
        if game.standing.over:
            break
    return failed


def _playable(experiment: Plan) -> Iterator[tuple[int, Case]]:
    """The questions of a game by their numbers, without those that nobody could win a point with."""
    for number, case in enumerate(experiment.dataset or (), start=1):
        if not case.question.is_long:
            yield number, case
