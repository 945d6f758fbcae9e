"""An experiment run from Python, and its results: what `moot run` and `moot report` do, as one call.

    results = moot.run("cup.yaml")
    results.figures["accuracy"]
    results.frame("episodes")

`run` is for scripts and notebooks, `arun` for programs that have an event loop. Both take a path, a mapping with the
file's keys, or an `Experiment`, and objects where a file has names.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import shutil
import signal
import sys
import tempfile
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

from sqlalchemy import Connection

from moot import ballots as voting_rules
from moot.cli.progress import watch
from moot.engine.failed_by import times_by_words
from moot.engine.run_tally import State
from moot.engine.runner import Runner
from moot.engine.stopping import ONE_SIGNAL_S
from moot.engine.trial_play import try_out
from moot.errors import UsageError
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.spec import Experiment, ExperimentKeys
from moot.grade import graders as known_graders
from moot.measures import MEASURES
from moot.measures import needs as needs_of
from moot.measures.all_measures import NOT_TAKEN, checked_needs
from moot.measures.measure import Measure
from moot.measures.section import Section
from moot.plugins import blaming, problem_with_object, refusing
from moot.report.figures import Figures, figures, find_experiment
from moot.report.names import shortened
from moot.report.notebook import OpenStore
from moot.report.notebook_html import report_html
from moot.report.nothing_played import all_failed, nothing_words
from moot.report.sections import all_sections
from moot.report.tables import FrameLibrary
from moot.store import from_here
from moot.store.store import Store

if TYPE_CHECKING:
    from polars import DataFrame

    from moot.ballots import Rule
    from moot.grade.match import Grader
    from moot.models.model import Model
    from moot.strategies import Strategy

ExperimentSource = str | Path | ExperimentKeys | Mapping[str, Any] | Experiment
"""Where an experiment stands: in a file, in a mapping with the file's keys, or in an object."""


class RunOptions(TypedDict, total=False):
    """What may be said beside the experiment itself."""

    store: str | Path | None
    """Where the run is kept: a URL, or the path of an SQLite file. Left out: where the experiment says."""
    limit: int | None
    """Only the first so many questions."""
    budget_usd: float | None
    """A hard cap on money, in place of the experiment's own."""
    strategies: Sequence[Strategy]
    """Played beside those of the experiment."""
    models: Mapping[str, Model] | None
    """Beside those of the experiment, or in place of those of the same name."""
    measures: Sequence[Measure]
    """Taken beside the registered ones."""
    graders: Sequence[Grader]
    """Known by their names; the first of them grades where the experiment names no grader."""
    ballots: Sequence[Rule]
    """Rules of voting, known by their names from then on."""
    quiet: bool
    """False: progress on stderr. Left out: True."""


@dataclass(frozen=True, slots=True, repr=False)
class Results:
    """A finished run and all that is known about it. Figures are those of the moment when the run ended."""

    experiment: Experiment
    store: OpenStore
    state: State
    """``done``; ``failed``: some episodes did; ``budget``: the money was up; ``interrupted``. What was played is kept."""
    figures: Figures
    """As `moot report --json` prints them. After Ctrl-C while they were taken: those taken by then, and under
    ``not_taken`` the measures that are missing."""
    failures: Mapping[str, int]
    """Why episodes failed, and how many for each reason."""
    stopped_by: str | None
    """What ended the run, or the taking of its figures, before its end, in words."""
    measures: tuple[Measure, ...]
    """Those given as objects."""
    plan_id: str
    grades_reused: int = 0
    """How many grades of a grader that is not ours were taken from the store, where it had graded the same before."""
    warnings: tuple[str, ...] = ()
    """What was worth knowing before the first call, although nothing was wrong, and how often a grader of your own failed:
    each was given as a `UserWarning` too."""
    _folder: _Folder | None = field(default=None, compare=False)
    """Holds the store where nobody asked for one: it goes when the results do."""

    @property
    def sections(self) -> list[Section]:
        """As every view shows them."""
        return all_sections(self.figures, self.measures)

    @property
    def headline(self) -> str:
        """The verdict in words."""
        if "headline" not in self.figures and NOT_TAKEN in self.figures:
            return f"Not known: {_missing(self.figures)}."
        if plays := all_failed(self.figures) if "accuracy" in self.figures else 0:
            return nothing_words(plays)
        return str((self.figures.get("headline") or {}).get("sentence") or "Nothing has been played yet.")

    @overload
    def frame(self, kind: str, *, as_: Literal["polars"] = "polars") -> DataFrame: ...

    @overload
    def frame(self, kind: str, *, as_: FrameLibrary) -> Any: ...

    def frame(self, kind: str, *, as_: FrameLibrary = "polars") -> Any:
        """A frame of this experiment: ``episodes``, ``calls``, ``scores``, ``traces``, ... as `OpenStore.frame` has."""
        return self.store.frame(kind, self.experiment.kept_as, as_=as_)

    def save(self, path: str | Path) -> Path:
        """The report as one HTML file that opens offline."""
        from moot.report.page.run import read_run, write_page

        target = Path(path)
        if target.suffix not in (".html", ".htm"):
            raise UsageError(f"{target}: expected a name that ends in .html")

        def write(connection: Connection) -> None:
            page = read_run(connection, find_experiment(connection, ident=self.plan_id), self.figures)
            write_page(target, page.figures, all_sections(shortened(self.figures), self.measures), page.questions)

        self.store._read(write)
        return target

    def __repr__(self) -> str:
        return f"Results({self.experiment.kept_as!r}, {self.state}: {self.headline})"

    def _repr_html_(self) -> str:
        """What a notebook shows: the verdict, what to know before believing it, and every section as a table."""
        title = str(self.experiment.kept_as)
        return report_html(self.figures, self.sections, title=title, headline=self.headline, notes=self.warnings)


class _Folder:
    """A folder that is there as long as somebody holds this."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="moot-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def run(source: ExperimentSource, **options: Unpack[RunOptions]) -> Results:
    """Run an experiment and read its figures; in a notebook too, where an event loop is running already.

    What is wrong with the experiment is raised before anything is called, and an endpoint that turns every call away from the
    first on (the key, or the path) as `moot.errors.EndpointClosed`, with what was played by then kept in the store. A reached
    budget, failed episodes and Ctrl-C are no exceptions: `Results.state` says which it was, and whatever was played is kept.
    """
    job = _Job(source, options)
    _warn(job.plan)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        if threading.current_thread() is threading.main_thread():
            return _told(asyncio.run(job.play(takes_signals=True)), job)
    with ThreadPoolExecutor(1, thread_name_prefix="moot-run") as thread:
        context = copy_context()
        playing: Future[Results] = thread.submit(context.run, asyncio.run, job.play())
        while True:
            try:
                return _told(playing.result(), job)
            except KeyboardInterrupt:
                job.interrupt()


async def arun(source: ExperimentSource, **options: Unpack[RunOptions]) -> Results:
    """The same where an event loop is running. Cancelled, it keeps what was played and is cancelled."""
    job = _Job(source, options)
    _warn(job.plan)
    return _told(await job.play(), job)


def _warn(plan: Plan) -> None:
    """Said where `run` or `arun` is called, before anything is asked."""
    for warning in plan.warnings:
        warnings.warn(warning, UserWarning, stacklevel=3)


def _told(results: Results, job: _Job) -> Results:
    """What went wrong with a grader or was found out of a strategy, said where `run` or `arun` is called."""
    for problem in results.warnings[len(job.plan.warnings) + len(job.tried) :]:
        warnings.warn(problem, UserWarning, stacklevel=3)
    return results


class _Job:
    """One run: checked when it is made, played once."""

    def __init__(self, source: ExperimentSource, options: RunOptions) -> None:
        if unknown := options.keys() - RunOptions.__annotations__.keys():
            arguments = ", ".join(RunOptions.__annotations__)
            raise TypeError(f"run() has no argument {sorted(unknown)[0]!r}; expected {arguments}")
        _check(options)
        self.measures = _checked_measures(options.get("measures", ()))
        limit = options.get("limit")
        self.quiet = options.get("quiet", True)
        self.experiment = _experiment(source, options)
        self.folder, self.plan = self._planned(source, options.get("store"), limit)
        self.tried: tuple[str, ...] = ()
        """What was found out of its strategies before anything was called, once it is played; said at that moment."""
        self._runner: Runner | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._no_more_figures = threading.Event()
        self._takes_figures = False
        self._heard_at = -math.inf

    def _planned(
        self, source: ExperimentSource, store: str | Path | None, limit: int | None
    ) -> tuple[_Folder | None, Plan]:
        file = self.experiment.as_file
        if self.experiment.questions is None:
            raise file.error(("questions",), "Field required; expected {file: ...}, {builtin: ...} or a list")
        folder, url = None, None
        if store is not None:
            url = from_here(str(store) if "://" in str(store) else f"sqlite:///{store}")
        elif not isinstance(source, str | Path) and self.experiment.store is None and not file.is_written:
            folder = _Folder()
            url = f"sqlite:///{folder.path / 'moot.db'}"
        return folder, build(file, limit=limit, store_url=url)

    def interrupt(self) -> None:
        """From any thread. What is being played ends; else the figures end with the measure that is being taken."""
        if time.monotonic() - self._heard_at < ONE_SIGNAL_S:
            return
        self._heard_at = time.monotonic()
        if self._takes_figures:
            self._no_more_figures.set()
        elif self._loop is not None and self._runner is not None:
            self._loop.call_soon_threadsafe(self._runner.interrupt)

    async def play(self, *, takes_signals: bool = False) -> Results:
        plan = self.plan
        self.tried = await try_out(plan)
        for warning in self.tried:
            warnings.warn(warning, UserWarning, stacklevel=2)
        store = plan.store()
        runner = Runner(plan, store, needs=needs_of(self.measures))
        self._runner, self._loop = runner, asyncio.get_running_loop()
        with _on_signals(self.interrupt) if takes_signals else contextlib.nullcontext():
            await store.open()
            try:
                async with watch(runner.tally, title=plan.name, quiet=self.quiet):
                    state = await runner.run()
                figures_taken = await self._taken(store)
            finally:
                await store.close()
        stopped_by = None if runner.stopped_by is None else str(runner.stopped_by)
        if NOT_TAKEN in figures_taken:
            state, stopped_by = "interrupted", _missing(figures_taken)
        return Results(
            experiment=self.experiment,
            store=OpenStore(plan.store_url, beside=plan.file.path.parent),
            state=state,
            figures=figures_taken,
            failures=times_by_words(runner.tally.causes),
            stopped_by=stopped_by,
            measures=self.measures,
            plan_id=plan.id,
            grades_reused=plan.grading.reused,
            warnings=(*plan.warnings, *self.tried, *plan.grading.broken, *runner.warnings),
            _folder=self.folder,
        )

    async def _taken(self, store: Store) -> Figures:
        self._takes_figures = True
        try:
            return await store.read(self._figures)
        except asyncio.CancelledError:
            self._no_more_figures.set()  # whoever waits for the store to be closed waits for the thread
            raise

    def _figures(self, connection: Connection) -> Figures:
        experiment = find_experiment(connection, ident=self.plan.id)
        return figures(
            connection,
            experiment,
            hypotheses=self.experiment.hypotheses,
            given=self.measures,
            stopped=self._no_more_figures.is_set,
        )


def _missing(figures_taken: Figures) -> str:
    return f"interrupted while figures were taken; missing are those of {', '.join(figures_taken[NOT_TAKEN])}"


@contextlib.contextmanager
def _on_signals(interrupt: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C ends a run cleanly, as it does on the command line."""
    loop = asyncio.get_running_loop()
    if sys.platform == "win32":
        yield
        return
    loop.add_signal_handler(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)


_LISTS = {"strategies": "strategies", "measures": "measures", "graders": "graders", "ballots": "rules"}


def _check(options: RunOptions) -> None:
    """Values of arguments, which nobody but a type checker has looked at."""
    given: Mapping[str, Any] = options
    limit, budget_usd = given.get("limit"), given.get("budget_usd")
    if limit is not None and (type(limit) is not int or limit < 1):
        raise UsageError(f"limit: expected a whole number from 1 on, found {limit!r:.40}")
    if budget_usd is not None and (type(budget_usd) not in (int, float) or not budget_usd > 0):
        raise UsageError(f"budget_usd: expected a number above 0, found {budget_usd!r:.40}")
    for name, several in _LISTS.items():
        if not isinstance(given.get(name, ()), list | tuple):
            raise UsageError(f"{name}: expected a list of {several}, found {type(given[name]).__name__}")
    if not isinstance(given.get("models") or {}, Mapping):
        raise UsageError(f"models: expected a mapping of models by their names, found {type(given['models']).__name__}")


def _checked_measures(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Measures given as objects, each of a name of its own. One that is installed too is taken as it is given."""
    names: set[str] = set()
    for measure in measures:
        methods = ("figures", "sections")
        if (problem := problem_with_object(measure, "measure", values=("name", "needs"), methods=methods)) is not None:
            raise UsageError(problem)
        with refusing(), blaming("measure", measure.name, "needs"):
            checked_needs(measure)
        if measure.name in names:
            raise UsageError(f"measure {measure.name!r} is given twice; expected another name")
        if (other := MEASURES.other_of_its_name(measure)) is not None:
            raise UsageError(f"measure {measure.name!r} is {other} already; expected another name")
        names.add(measure.name)
    return tuple(measures)


def _experiment(source: ExperimentSource, options: RunOptions) -> Experiment:
    for rule in options.get("ballots", ()):
        voting_rules.register(rule)
    graders = tuple(options.get("graders", ()))
    for grader in graders:
        known_graders.register(grader)
    strategies, models = options.get("strategies", ()), options.get("models") or {}
    if isinstance(source, Mapping) and models and not source.get("models"):
        source, models = {**source, "models": models}, {}
    experiment = _read(source)
    if strategies or models:
        experiment = experiment.extended(strategies=strategies, models=models)
    update: dict[str, Any] = {}
    if graders and "grader" not in experiment.model_fields_set:
        update["grader"] = graders[0].name
    if (budget_usd := options.get("budget_usd")) is not None:
        update["budget_usd"] = float(budget_usd)
    return experiment.model_copy(update=update) if update else experiment


def _read(source: ExperimentSource) -> Experiment:
    if isinstance(source, Experiment):
        return source
    if isinstance(source, str | Path):
        return Experiment.from_file(source)
    if isinstance(source, Mapping):
        return Experiment(**source)
    raise UsageError(f"expected a path, a mapping or a moot.Experiment, found {type(source).__name__}")
