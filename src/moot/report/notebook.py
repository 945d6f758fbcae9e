"""A store and a report as Python objects, for scripts and notebooks.

    store = moot.open_store("sqlite:///cup.db")
    store.frame("episodes")
    moot.report("cup.yaml").save("report.html")

Everything is read when it is asked for, in a thread of its own, so that it works where an event loop is running already.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from sqlalchemy import Connection

from moot.errors import UsageError
from moot.measures.section import Section
from moot.report.figures import Figures, figures, find_experiment
from moot.report.frames import experiments_columns, stored_columns
from moot.report.latex import run_latex
from moot.report.notebook_html import report_html
from moot.report.sections import all_sections
from moot.report.tables import FrameLibrary, frame_maker
from moot.report.wanted_plan import WantedPlan
from moot.store import from_here, store_at
from moot.store.examined import opened_to_read
from moot.store.store import Store

if TYPE_CHECKING:
    from polars import DataFrame

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class OpenStore:
    """A store that is read. It is opened for each question and holds no connection in between."""

    url: str
    beside: Path | None = None

    @overload
    def frame(self, kind: str, experiment: str | None = None, *, as_: Literal["polars"] = "polars") -> DataFrame: ...

    @overload
    def frame(self, kind: str, experiment: str | None = None, *, as_: FrameLibrary) -> Any: ...

    def frame(self, kind: str, experiment: str | None = None, *, as_: FrameLibrary = "polars") -> Any:
        """A frame of Polars, or of pandas, of the ``episodes``, ``calls``, ``scores``, ``traces``, ``verdicts``, ``drafts``,
        ``cells``, ``questions``, ``judgements``, ``settlements``, ``grades``, ``matches``, ``choices`` or ``preferences``: of
        one experiment, or of all. See `moot.report.frames.stored_columns`."""
        make = frame_maker(as_)
        return make(self._read(partial(stored_columns, kind=kind, experiment=experiment)))

    @overload
    def experiments(self, *, as_: Literal["polars"] = "polars") -> DataFrame: ...

    @overload
    def experiments(self, *, as_: FrameLibrary) -> Any: ...

    def experiments(self, *, as_: FrameLibrary = "polars") -> Any:
        """What the store holds: a row for each plan, with its name and its number of questions."""
        make = frame_maker(as_)
        return make(self._read(experiments_columns))

    def report(self, experiment: str | None = None, *, hypotheses: Sequence[str] = ()) -> Report:
        """The figures of an experiment: the one of this name, or the last that ran."""

        return self._reported(WantedPlan(experiment), hypotheses)

    def _reported(self, wanted: WantedPlan, hypotheses: Sequence[str]) -> Report:
        def read(connection: Connection) -> tuple[Figures, str]:
            found = wanted.found(connection)
            return found.noted(figures(connection, found.plan, hypotheses=hypotheses)), found.plan["id"]

        taken, plan_id = self._read(read)
        return Report(self, taken, wanted.name, plan_id)

    def _read(self, work: Callable[[Connection], T]) -> T:
        async def reading() -> T:
            async with opened_to_read(self._store()) as store:
                return await store.read(work)

        with ThreadPoolExecutor(1, thread_name_prefix="moot-read") as thread:
            return thread.submit(lambda: asyncio.run(reading())).result()

    def _store(self) -> Store:
        store = store_at(self.url, beside=self.beside)
        return store.needed(f"there is no store at {store.name} yet; run the experiment first: moot run FILE")


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """All that is known about a run: `figures` as `moot report --json` prints them, `sections` as every view shows them."""

    store: OpenStore
    figures: Figures
    experiment: str | None = None
    plan_id: str | None = None
    """Of the plan that is told of: a store may hold several under one name."""

    @property
    def sections(self) -> list[Section]:
        return all_sections(self.figures)

    @property
    def headline(self) -> str:
        """The verdict in words."""
        return str((self.figures.get("headline") or {}).get("sentence") or "Nothing has been played yet.")

    def save(self, path: str | Path) -> Path:
        """The page that people open, as one HTML file."""
        from moot.report.page.run import read_run, write_page

        target = Path(path)
        if target.suffix not in (".html", ".htm"):
            raise UsageError(f"{target}: expected a name that ends in .html")

        def write(connection: Connection) -> None:
            page = read_run(connection, find_experiment(connection, self.experiment, ident=self.plan_id), self.figures)
            write_page(target, page.figures, page.sections, page.questions)

        self.store._read(write)
        return target

    def __repr__(self) -> str:
        return f"Report({self.figures['experiment']!r}: {self.headline})"

    def latex(self, section: str = "accuracy") -> str:
        """One of its tables for a paper, by the section's id, with figures and intervals."""
        tables = run_latex(self.figures)
        if section not in tables:
            raise UsageError(f"there is no section {section!r} here; expected one of {', '.join(tables)}")
        return tables[section]

    def _repr_html_(self) -> str:
        """What a notebook shows: the verdict, what to know before believing it, and every section as a table."""
        title = str(self.figures["experiment"])
        return report_html(self.figures, self.sections, title=title, headline=self.headline)


def open_store(url: str) -> OpenStore:
    """A store by its URL (``sqlite:///cup.db``, ``postgresql://…``) or by the path of its file; it must be there."""
    opened = OpenStore(from_here(url if "://" in url else f"sqlite:///{url}"))
    opened._read(experiments_columns)  # what is wrong with it is said now
    return opened


def report(source: str | Path, output: str | Path | None = None, *, experiment: str | None = None) -> Report:
    """The report of an experiment file, or of a store by its URL; with `output`, also written as a page.

    Of a file it is the run of the plan that the file makes now, or else, and then it says so (`not_of_file`), the last under its
    name. Of a store the name of the experiment may be given, and is else that of the last that ran.
    """
    text = str(source)
    stored = "://" in text or text.endswith((".db", ".sqlite"))
    whole_report = open_store(text).report(experiment) if stored else _of_file(Path(source))
    if output is not None:
        whole_report.save(output)
    return whole_report


def _of_file(path: Path) -> Report:
    from moot.experiment.spec import read_experiment

    file = read_experiment(path, with_questions=False)
    opened = OpenStore(file.store_url, beside=path.parent)
    return opened._reported(WantedPlan(file.spec.kept_as, file), file.spec.hypotheses)
