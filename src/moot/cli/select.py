"""`moot select`: which proposers should a summariser read? On a label matrix, or on what an experiment has stored."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from moot.cli.interrupts import asked_in_order, ends_on_ctrl_c, run_or_interrupted
from moot.cli.report import open_existing, tell_whose
from moot.cli.safe_text import say
from moot.cli.selection_shown import ShownAs, show_selection
from moot.cli.team_to_take import FILE
from moot.engine.alone_plays import LabelOrigin
from moot.engine.chain import chain, limiters, purse_of
from moot.engine.grading import StoredGrading
from moot.engine.selection import only_summariser, own_models, summariser_named, summariser_of
from moot.engine.stopping import land
from moot.engine.stored_labels import StoredLabels, stored_labels
from moot.errors import UsageError
from moot.experiment.build import build
from moot.experiment.spec import ExperimentFile, read_experiment
from moot.foreign_json import read_json
from moot.grade.grading import Grading
from moot.measures.claims.cut_short import without_claims
from moot.measures.selection.figures import method_rows, single_rows
from moot.measures.selection.missing import missing_alone, whatever_is_missing
from moot.measures.selection.sections import HowChosen
from moot.measures.source import Source
from moot.models.flights import Flights
from moot.models.model import Model
from moot.report.figures import grader_of
from moot.select.aggregate import aggregators, inferred, missing_tree, too_many
from moot.select.files import ResponseKind, read_labels
from moot.select.labels import LabelMatrix, default_m
from moot.select.oracle import BY_VOTE
from moot.select.own_order import in_own_order
from moot.select.registry import Selector, registered, selector
from moot.select.trial import OracleMaker, Trial, aggregated, by_vote, trials, unable
from moot.stats.counted_words import count
from moot.store.calls import ExperimentCalls
from moot.store.examined import opened_to_read
from moot.store.rows import config_of
from moot.store.store import Store
from moot.strategies import traits_of
from moot.strategies.option_meanings import meanings_named
from moot.team import Team

EXPERIMENTS = (".yaml", ".yml")


class SelectionAsked:
    """What was asked for, checked."""

    def __init__(
        self,
        k: str,
        method: str,
        options: Sequence[str],
        calls: int | None,
        m: int | None,
        splits: int,
        seed: int,
        against: str | None,
    ) -> None:
        self.all = method == "all"
        self.names = list(registered()) if self.all else [part.strip() for part in method.split(",") if part.strip()]
        self.options: dict[str, dict[str, Any]] = {}
        for text in options:
            method_of, key, value = _option(text)
            if method_of is None and len(self.names) != 1:
                raise UsageError(
                    f"--option {text}: with several methods expected METHOD.NAME=VALUE, such as greedy.{key}=…"
                )
            if method_of is not None and method_of not in self.names:
                raise UsageError(f"--option {text}: {method_of!r} is none of the methods asked for")
            self.options.setdefault(method_of or self.names[0], {})[key] = value
        self.calls, self.m, self.splits, self.seed = calls, m, splits, seed
        self.command: tuple[str, ...] = ()
        """How the same choice is asked for again, but for its size and its method."""
        self.ks = _sizes(k)
        if against is not None and against not in self.names:
            raise UsageError(f"--against {against}: expected one of the methods asked for: {', '.join(self.names)}")
        self.against = against
        for name in self.names:
            self._selector(name)

    def fit(self, pool: int) -> None:
        """No team is larger than there are proposers: where more are asked for, all of them are taken, and that is said."""
        if max(self.ks) > pool:
            wanted = ", ".join(str(k) for k in self.ks if k > pool)
            say(
                f"moot: there are {count(pool, 'proposer')}, where teams of {wanted} are asked for: k {pool}",
                file=sys.stderr,
            )
        self.ks = list(dict.fromkeys(min(k, pool) for k in self.ks))

    def selectors(self) -> list[Selector]:
        return [self._selector(name) for name in self.names]

    def _selector(self, name: str) -> Selector:
        options = self.options.get(name, {})
        made = selector(name, options)
        if self.calls is None or "calls" not in [option.name for option in fields(made)]:  # type: ignore[arg-type]
            return made
        return selector(name, {"calls": self.calls, **options})


def select_command(
    path: Path,
    *,
    k: str,
    method: str,
    m: int | None,
    seed: int,
    splits: int,
    where: Sequence[str],
    options: Sequence[str],
    calls: int | None,
    against: str | None,
    label_kind: str | None,
    summariser: str | None,
    without_own_model: bool,
    store: str | None,
    as_json: bool,
    everything: bool,
) -> int:
    if as_json and everything:
        raise UsageError("--json has every row: expected it without --all")
    shown: ShownAs = "json" if as_json else "all" if everything else "ending"
    asked = SelectionAsked(k, method, options, calls, m, splits, seed, against)
    asked.command = _again(path, asked, where, label_kind, summariser, without_own_model, store)
    if path.suffix.lower() in EXPERIMENTS:
        if label_kind is not None:
            raise UsageError("--labels goes with a label matrix: of the questions of an experiment their kind is known")
        wanted = SelectionWanted(tuple(where), summariser, without_own_model)
        return run_or_interrupted(_on_experiment(path, asked, wanted, store, shown))
    if summariser or store or without_own_model:
        options_named = "--summariser, --without-own-model and --store"
        raise UsageError(f"{options_named} go with an experiment file: a label matrix holds no responses")
    labels = in_own_order(read_labels(path, where, _label_kind(label_kind)))
    if not labels.shared and label_kind is None:
        say(f"moot: {FREE}", file=sys.stderr)
    with ends_on_ctrl_c():
        rows = asyncio.run(_rows(labels, asked, by_vote))
    _show(rows, labels, asked, BY_VOTE, shown)
    return 0


def _again(
    path: Path,
    asked: SelectionAsked,
    where: Sequence[str],
    label_kind: str | None,
    summariser: str | None,
    without_own_model: bool,
    store: str | None,
) -> tuple[str, ...]:
    given: dict[str, Any] = {"--m": asked.m, "--seed": asked.seed or None, "--calls": asked.calls}
    given |= {"--labels": label_kind, "--summariser": summariser, "--store": store}
    words = [str(path), *(f"--where={part}" for part in where)]
    for name, value in given.items():
        words += [] if value is None else [name, str(value)]
    return (*words, *(["--without-own-model"] if without_own_model else []))


FREE = (
    "the labels are taken for free answers, which mean something only within their question;"
    " --labels choices if they are names of choices"
)


def _label_kind(text: str | None) -> ResponseKind | None:
    if text not in (None, "choices", "free"):
        raise UsageError(f"--labels {text}: expected choices or free")
    return text  # type: ignore[return-value]  # checked above


@dataclass(frozen=True, slots=True)
class SelectionWanted:
    """Which part of an experiment is looked at."""

    where: tuple[str, ...]
    summariser: str | None
    without_own_model: bool


async def _on_experiment(
    path: Path, asked: SelectionAsked, wanted: SelectionWanted, url: str | None, shown: ShownAs
) -> int:
    file = read_experiment(path, with_questions=False)
    opened, wanted_plan = open_existing(path, url)
    async with opened_to_read(opened):
        found = await opened.read(wanted_plan.found)
        tell_whose(found)
        experiment = found.plan
        grader = grader_of(config_of(experiment))
        named = summariser_named(file, wanted.summariser)
        if wanted.without_own_model and named is None:
            raise UsageError("--without-own-model: there is no summariser; name one with --summariser")
        read = partial(
            stored_labels,
            experiment=experiment,
            grader=grader,
            where=wanted.where,
            without=own_models(file, named[0]) if named is not None and wanted.without_own_model else (),
            reads=traits_of(named[1]).drafts if named is not None else None,
        )
        with ends_on_ctrl_c():
            stored = await opened.read(read)
            missing = await opened.read(
                lambda connection: missing_alone(Source(connection, experiment), stored.plays, stored.cases)
            )
        stored = replace(stored, labels=in_own_order(stored.labels), origin=replace(stored.origin, **missing))
        if stored.ungraded:
            words = "in no figure, and the bounds say what they could change; a choice takes them as not right"
            say(f"moot: {count(stored.ungraded, 'answer is', 'answers are')} ungraded: {words}", file=sys.stderr)
        if named is None:
            with ends_on_ctrl_c():
                rows = await _rows(stored.labels, asked, by_vote, stored)
            _show(rows, stored.labels, asked, BY_VOTE, shown, stored.origin)
            return 0
        model, played = named
        async with _chained(file, model, opened, judged=stored.open) as seated:
            (table,) = seated.teams.values()
            by = StoredGrading(opened, seated.grading)
            summariser = summariser_of(stored, played, seated.model(model), table, by)
            rows = await asked_in_order(_rows(stored.labels, asked, summariser.maker(), stored), seated.flights)
        words = f"the ensemble's word is that of {model}{_repeated(traits_of(played).repeats)}"
        _show(rows, stored.labels, asked, words, shown, stored.origin, _summarised(played.name, model))
        for cause, times in summariser.failures.most_common(5):
            say(f"moot: the summariser failed {times} times and counts as not right: {cause}", file=sys.stderr)
        for cause, times in summariser.ungraded.most_common(5):
            say(f"moot: {times} words of the summariser are ungraded and left out: {cause}", file=sys.stderr)
        return 1 if summariser.failures or summariser.ungraded else 0


def _summarised(strategy: str, model: str) -> dict[str, dict[str, Any]]:
    """The strategy that plays what is chosen, as a file has it."""
    meanings = meanings_named(strategy)
    options: dict[str, Any] = {name: model for name, meaning in meanings.items() if meaning.role == "summariser"}
    return {strategy: options | {name: FILE for name, meaning in meanings.items() if meaning.selection == "accuracies"}}


def _repeated(times: int) -> str:
    """Why a share need not be a whole number of questions."""
    if times == 1:
        return ""
    return f", asked {times} times about a test question, which counts by the share of these words that are right"


@dataclass(frozen=True, slots=True)
class Seated:
    """The summariser and the judges as a run would call them, with an empty table where its words are read."""

    models: Mapping[str, Model]
    teams: Mapping[str, Team]
    grading: Grading
    flights: Flights

    def model(self, name: str) -> Model:
        return self.models[name]


@asynccontextmanager
async def _chained(file: ExperimentFile, name: str, store: Store, *, judged: bool) -> AsyncIterator[Seated]:
    """Cached, retried, limited, paid for from the experiment's budget."""
    only = build(only_summariser(file, name, judged=judged))
    calls = ExperimentCalls(store, only.name)
    purse = await purse_of(store, only.name, file.spec.budget_usd, only.models)
    flights = Flights()
    models = chain(only.models, limiters(only.models), calls, purse, flights=flights)
    try:
        seated = only.with_models(models)
        yield Seated(models, seated.teams, seated.grading, flights)
    finally:
        await land(flights, sys.exception())
        await store.flush()
        for built in only.models.values():
            await built.model.close()


async def _rows(
    labels: LabelMatrix,
    asked: SelectionAsked,
    maker: OracleMaker,
    stored: StoredLabels | None = None,
) -> list[dict[str, Any]]:
    asked.fit(len(labels.proposers))
    plan = {"m": asked.m, "splits": asked.splits, "seed": asked.seed}
    team_trials: list[Trial] = []
    methods = asked.selectors()
    for k in asked.ks:
        team_trials += [trial async for trial in trials(labels, methods, k, summarisers=maker, **plan)]  # type: ignore[arg-type]
    with ends_on_ctrl_c():  # whoever was to be asked has been
        rows = _figures(labels, asked, team_trials, stored)
    if stored is None:
        return rows
    rows = [without_claims(row) for row in rows] if stored.origin.claims_nothing else rows
    return [{**row, **stored.origin.json(row["kind"])} for row in rows]


def _figures(
    labels: LabelMatrix, asked: SelectionAsked, team_trials: Sequence[Trial], stored: StoredLabels | None
) -> list[dict[str, Any]]:
    plan = {"m": asked.m, "splits": asked.splits, "seed": asked.seed}
    wordings = None if stored is None else stored.wordings
    rows = method_rows(labels, team_trials, wordings=wordings, against=asked.against)
    missing = {} if stored is None else stored.origin.missing.questions
    rows = whatever_is_missing(rows, labels, team_trials, missing, against=asked.against)
    for remark in _odd_splits(labels, asked, team_trials):
        say(f"moot: {remark}", file=sys.stderr)
    if asked.all:
        usable = aggregators(labels)
        without = unable(labels, usable, **plan)  # type: ignore[arg-type]
        for words in filter(None, (too_many(labels), missing_tree(labels), *without.values())):
            say(f"moot: {words}", file=sys.stderr)
        beside = aggregated(labels, [each for each in usable if each.name not in without], **plan)  # type: ignore[arg-type]
        rows += method_rows(labels, [*beside, *_crowd(labels, beside)], "aggregator")
        rows += single_rows(labels, None if stored is None else stored.plays)
    return rows


def _odd_splits(labels: LabelMatrix, asked: SelectionAsked, team_trials: Sequence[Trial]) -> Iterator[str]:
    """Clusters are not divided, so few of them leave little choice of what to choose on."""
    wanted = default_m(labels.size) if asked.m is None else asked.m
    chosen_on = {trial.split: labels.size - len(trial.tested) for trial in team_trials}
    units = len(set(labels.units()))
    if odd := sorted({size for size in chosen_on.values() if abs(size - wanted) > max(1.0, wanted / 10)}):
        sizes = " or ".join(map(str, odd))
        yield f"clusters are not divided: {sizes} questions are chosen on, where {wanted} were asked for"
    if units < labels.size and asked.splits > units:
        yield f"{asked.splits} splits of {units} clusters: some are the same, and the deviation says little"


def _crowd(labels: LabelMatrix, beside: Sequence[Trial]) -> list[Trial]:
    """Those of crowd-kit, where it is installed: inferred once from all labels, scored on the same test questions."""
    try:
        predictions = inferred(labels)
    except UsageError as error:
        say(f"moot: {error}", file=sys.stderr)
        return []
    splits = {trial.split: trial.tested for trial in beside}
    everybody = tuple(range(len(labels.proposers)))
    right_counts = labels.right_in(everybody)
    return [
        Trial(name, None, split, everybody, 0, (), None, labels.grades(codes)[at], at, right_counts[at])
        for name, codes in predictions.items()
        for split, at in splits.items()
    ]


def _show(
    rows: list[dict[str, Any]],
    labels: LabelMatrix,
    asked: SelectionAsked,
    oracle: str,
    shown: ShownAs,
    origin: LabelOrigin | None = None,
    summarised: Mapping[str, Mapping[str, Any]] | None = None,
) -> None:
    units = len(set(labels.units()))
    how = HowChosen(
        oracle,
        default_m(labels.size) if asked.m is None else asked.m,
        asked.splits,
        labels.size,
        clusters=units if units < labels.size else None,
        notes=() if origin is None else origin.notes,
    )
    show_selection(rows, labels, how, command=asked.command, options=asked.options, summarised=summarised, shown=shown)


def _sizes(text: str) -> list[int]:
    try:
        sizes = [int(size) for size in text.split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 1:
        raise UsageError(f"--k {text}: expected a whole number from 1 on, or several: 3,5,7")
    return list(dict.fromkeys(sizes))


def _option(text: str) -> tuple[str | None, str, Any]:
    """Method, name, value of ``tau=0.5`` or ``conditioned-diversity.tau=0.5``."""
    left, equals, value = text.partition("=")
    method, dot, key = left.rpartition(".")
    if not equals or not key:
        raise UsageError(f"--option {text}: expected NAME=VALUE or METHOD.NAME=VALUE, such as tau=0.5")
    try:
        return method if dot else None, key, read_json(value)
    except ValueError:
        return method if dot else None, key, value
