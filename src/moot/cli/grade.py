"""`moot grade`: grade what is stored once more, by other judges or by a person; no player is called."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from rich.rule import Rule
from rich.text import Text
from sqlalchemy import Connection

from moot.cli.console import Console
from moot.cli.interrupts import asked_in_order, run_or_interrupted
from moot.cli.report import open_existing, tell_whose
from moot.cli.safe_text import say
from moot.cli.typed import Typed
from moot.engine.chain import chain, limiters, purse_of
from moot.engine.grading import (
    BatchEffect,
    Graded,
    OpenAnswer,
    batch_effects,
    declare_judges,
    forget_grades,
    grade_stored,
    open_answers,
    settle,
)
from moot.engine.preferences import Compared, compare_stored, left_to_compare_stored
from moot.engine.stopping import land
from moot.errors import UsageError
from moot.experiment.build import build
from moot.experiment.part_of_file import without_players
from moot.experiment.spec import ExperimentFile, JudgeSpec, read_experiment
from moot.experiment.spec_parts import JUDGES_OF_SHORT_ANSWERS
from moot.grade.grading import Grading
from moot.grade.prefer import Comparing
from moot.measures import needs
from moot.measures.facts.figures import PLAN_SIGNS
from moot.measures.numbers import plain
from moot.models.closest import closest
from moot.models.flights import Flights
from moot.report.figures import figures
from moot.report.next_commands import NextCommands
from moot.report.remarks import FEEDBACK, LONG_ANSWERS
from moot.report.terminal import print_report
from moot.stats.agreement import agreement
from moot.stats.counted_words import count
from moot.store import queries
from moot.store.calls import ExperimentCalls
from moot.store.examined import opened_to_read
from moot.store.rows import config_of
from moot.store.statements import Row
from moot.store.store import Store
from moot.types import Case

WORDS = {"y": True, "yes": True, "д": True, "да": True, "n": False, "no": False, "н": False, "нет": False}
BY_OTHERS = ("judge", "person", "ungraded", "disputed")
"""Stages of what the grader left open; all that it decided by itself is counted together."""


def grade_command(
    path: Path,
    *,
    judges: Sequence[str],
    batch: int | None,
    settling: bool,
    store: str | None,
    anew: bool = False,
    served: bool = False,
) -> int:
    file = read_experiment(path, with_questions=False)
    named = file.spec.judge or _NOBODY
    wanted = _checked(file, list(judges)) or named.models
    if batch is not None and not wanted:
        raise UsageError(f"--batch: there is no judge; expected --judge MODEL, or the key judge in {path}")
    if set(wanted) == set(named.models):
        wanted = named.models  # the order of two judges is part of the name of their scores
    asked = named.batch if batch is None else batch
    judging = JudgeSpec.model_construct(models=wanted, batch=asked, pairwise=named.pairwise, players=named.players)
    return run_or_interrupted(_grade(file, judging, named, settling=settling, url=store, anew=anew, served=served))


_NOBODY = JudgeSpec.model_construct(models=[])


def _checked(file: ExperimentFile, judges: list[str]) -> list[str]:
    for name in judges:
        if name not in file.spec.models:
            models = list(file.spec.models)
            raise UsageError(
                f"--judge: {name!r} is no model of {file.path}; expected one of {', '.join(models)}{closest(name, models)}"
            )
    declared = file.spec.judge or _NOBODY
    panel = bool(declared.pairwise or file.spec.rubric) or judges == declared.models
    if len(set(judges)) < len(judges) or (len(judges) > JUDGES_OF_SHORT_ANSWERS and not panel):
        raise UsageError("--judge: expected one model, or two different ones")
    return judges


async def _grade(
    file: ExperimentFile,
    judging: JudgeSpec,
    named: JudgeSpec,
    *,
    settling: bool,
    url: str | None,
    anew: bool,
    served: bool,
) -> int:
    """`served`: what the team was asked when served, and not the file's runs."""
    store, wanted = open_existing(file.path, url, served=served)
    async with opened_to_read(store):
        found = await store.run(wanted.found)
        plans = await store.run(partial(_every_version, plan=found.plan))
        if len(plans) == 1:
            tell_whose(found)
        only = build(without_players(file, judge=judging if judging.models else None, reads=False))
        declare = partial(declare_judges, judges=named.models, batch=named.batch, grader=only.grading.kept_as)
        for plan in plans:
            await store.run(partial(declare, experiment=plan["id"]))
        calls = ExperimentCalls(store, file.spec.kept_as)
        purse = await purse_of(store, file.spec.kept_as, file.spec.budget_usd, only.models)
        flights = Flights()
        models = chain(only.models, limiters(only.models), calls, purse, flights=flights)
        seated = only.with_models(models)
        grading, source = seated.grading, NextCommands.of(file.path, url, served=served).graded
        comparing = None if seated.comparing is None else replace(seated.comparing, baseline=file.spec.baseline)
        graded = Graded()
        try:
            for plan in plans:
                if anew:
                    await _forget(store, grading, plan["id"])
                if len(plans) > 1:
                    say(f"plan {plan['id'][:PLAN_SIGNS]}:")
                graded += await _grade_plan(store, grading, comparing, plan, flights)
        finally:
            await land(flights, sys.exception())
            for built in only.models.values():
                await built.model.close()
        if settling:
            await _settle(store, await _left_open(store, grading, plans))
        elif (graded.ungraded or graded.disputed) and (left := len(await _left_open(store, grading, plans))):
            words = f"{count(left, 'different answer')} for a person to decide, including drafts"
            say(f"moot: {words}: moot grade {source} --settle", file=sys.stderr)
        await _show(store, found.plan, grading, judging, file, source, versions=len(plans))
        return 1 if graded.failed and not settling else 0


def _every_version(connection: Connection, plan: Row) -> list[Row]:
    """Of what a team was asked when served, all that is kept under its name: its report is of all of them. Of a run, that one."""
    if not config_of(plan).get("served"):
        return [plan]
    return [each for each in queries.experiments_named(connection, plan["name"]) if each["size"]] or [plan]


async def _grade_plan(
    store: Store, grading: Grading, comparing: Comparing | None, plan: Row, flights: Flights
) -> Graded:
    graded = await asked_in_order(grade_stored(store, grading, plan["id"], needs()), flights)
    if comparing is not None:
        try:
            _say_compared(await asked_in_order(compare_stored(store, comparing, plan["id"]), flights))
        except asyncio.CancelledError:
            left = await left_to_compare_stored(store, comparing, plan["id"])
            if left.missing:
                say(f"moot: {left.words}; the same command goes on", file=sys.stderr)
            raise
    _say(graded, grading)
    _say_effects(await batch_effects(store, grading, plan["id"]), grading)
    return graded


async def _forget(store: Store, grading: Grading, experiment: str) -> None:
    if grading.asked is None:
        raise UsageError(
            f"--anew: nothing is kept of what {grading.kept_as} says; expected a grader of your own in the file"
        )
    forgotten = await store.run(partial(forget_grades, grading=grading, experiment=experiment))
    say(f"moot: {forgotten} grades of {grading.kept_as} are asked for again", file=sys.stderr)


def _say(graded: Graded, grading: Grading) -> None:
    stages = graded.stages
    parts = [
        f"{sum(stages.values()) - sum(stages[stage] for stage in BY_OTHERS)} by {grading.grader.name}",
        f"{stages['judge']} by judge",
        f"{stages['person']} by a person",
        f"{graded.ungraded} ungraded",
        f"{graded.disputed} disputed",
    ]
    without = f"; {count(graded.without_answer, 'play')} without an answer" if graded.without_answer else ""
    say(f"{grading.name}: {count(graded.scores, 'answer')}: {', '.join(parts)}{without}")
    if grading.reused:
        say(f"moot: {grading.reused_told}; --anew asks for them again", file=sys.stderr)
    for told in grading.broken:
        say(f"moot: {told}", file=sys.stderr)
    for cause, times in graded.causes.most_common(5):
        say(f"moot: ungraded, {times} ×: {cause}", file=sys.stderr)
    if graded.unsaid:
        say(f"moot: {count(graded.unsaid, 'answer')} without a grade, as {FEEDBACK}", file=sys.stderr)
    if graded.long_answers:
        say(f"moot: {count(graded.long_answers, 'long answer')} without a grade: {LONG_ANSWERS}", file=sys.stderr)
    if len(grading.judges) == 2:
        first, second = (judging.name for judging in grading.judges)
        if graded.judged or not graded.points:
            say(f"{first} and {second}: {_agreement_told(graded.judged)}")
        if graded.points:
            apart = sum(abs(one - other) for one, other in graded.points) / len(graded.points)
            answers = count(len(graded.points), "long answer")
            say(f"{first} and {second}: {plain(apart)} percentage points apart on the mean of {answers}")


def _say_compared(compared: Compared | None) -> None:
    if compared is None:
        return
    without = f", {compared.without} without a verdict" if compared.without else ""
    say(f"long answers, two by two: {count(compared.words, 'preference')}{without}")
    for cause, times in compared.causes.most_common(5):
        say(f"moot: no preference, {times} ×: {cause}", file=sys.stderr)


async def _left_open(store: Store, grading: Grading, plans: Sequence[Row]) -> list[OpenAnswer]:
    """What a person can grade, drafts among it: an answer in several plans once."""
    found: dict[tuple[str, str], OpenAnswer] = {}
    for plan in plans:
        for item in await open_answers(store, grading, plan["id"], needs()):
            found.setdefault((item.case.digest, item.answer), item)
    return list(found.values())


def _say_effects(effects: Sequence[BatchEffect], grading: Grading) -> None:
    """How far a judge's words agree with those it gave when it saw another number of answers in a call."""
    for effect in effects:
        ways = f"{_together(grading.batch)} and {_together(effect.batch)}"
        say(f"{effect.judge}, {ways}: {_agreement_told(effect.pairs)}")


def _together(batch: int | None) -> str:
    if batch is None:
        return "in the batches of an earlier version"
    return "one by one" if batch == 1 else f"up to {batch} together"


def _agreement_told(pairs: Sequence[tuple[bool, bool]]) -> str:
    between = agreement(pairs)
    share = "–" if between.share is None else f"{plain(between.share)} %"
    kappa = "undefined" if between.kappa is None else f"{between.kappa:.3f}"
    return f"n = {between.n}, agreement {share}, Cohen's kappa {kappa}"


async def _settle(store: Store, queue: Sequence[OpenAnswer]) -> None:
    console, typed = Console(), Typed()
    done = skipped = 0
    for position, item in enumerate(queue):
        _present(item, console, left=len(queue) - position)
        word = await _word(typed, console)
        if word == "quit":
            break
        if word == "skip":
            skipped += 1
            continue
        await store.run(partial(settle, case=item.case, answer=item.answer, right=word == "right"))
        done += 1
    console.print(f"{done} settled, {len(queue) - done} left{f' ({skipped} skipped)' if skipped else ''}")


def _present(item: OpenAnswer, console: Console, *, left: int) -> None:
    case = item.case
    console.print(Rule(f"{left} left", align="left"))
    console.print(Text(case.question.text))
    console.print(Text.assemble(("reference  ", "cyan"), _reference(case)))
    for name, variants in (("accepted   ", case.accepted), ("rejected   ", case.rejected)):
        if variants:
            console.print(Text.assemble((name, "cyan"), "; ".join(variants)))
    if case.comment:
        console.print(Text.assemble(("comment    ", "cyan"), case.comment))
    times = f"  ({item.episodes} times)" if item.episodes > 1 else ""
    if case.question.is_long:
        console.print(Text.assemble(("answer", "cyan"), times, "\n", (item.wording, "bold")))
    else:
        console.print(Text.assemble(("answer     ", "cyan"), (item.wording, "bold"), times))
    for judgement in item.judgements:
        console.print(Text.assemble(("judge      ", "cyan"), str(judgement)))


def _reference(case: Case) -> str:
    if case.answer is not None:
        return case.answer
    return "none: the question cannot be answered" if case.known else "none"


async def _word(typed: Typed, console: Console) -> str:
    """right, wrong, skip or quit. The end of the input is a quit."""
    while True:
        console.print("right? y / n / s(kip) / q(uit): ", end="")
        line = await typed.line()
        if not console.is_terminal:
            console.print()
        if line is None or line.strip().casefold() in ("q", "quit"):
            return "quit"
        word = line.strip().casefold()
        if word in ("s", "skip"):
            return "skip"
        if word in WORDS:
            return "right" if WORDS[word] else "wrong"
        console.print("expected y, n, s or q")


async def _show(
    store: Store,
    experiment: Row,
    grading: Grading,
    judging: JudgeSpec,
    file: ExperimentFile,
    source: str,
    *,
    versions: int,
) -> None:
    """Scores of the file's own judges are what a report shows; those of others are shown here, of one plan."""
    if judging == (file.spec.judge or _NOBODY) or not judging.models:
        say(f"moot report {source} shows the figures")
        return
    declared = {"models": judging.models, "batch": judging.batch}
    config = {**config_of(experiment), "judge": declared, "grader": grading.kept_as}
    run_figures = await store.read(partial(figures, experiment={**experiment, "config": json.dumps(config)}))
    part = f"plan {experiment['id'][:PLAN_SIGNS]} alone, " if versions > 1 else ""
    say(f"\n{part}as graded by {grading.name} (moot report follows the key judge of {file.path}):")
    print_report(run_figures, Console())
