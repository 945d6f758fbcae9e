"""From a store to a page: what is read of each run, and where it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from moot.measures.measure import Measure
from moot.measures.section import Section
from moot.report.figures import Figures, figures, grader_of
from moot.report.names import shortened
from moot.report.page.document import page_html
from moot.report.page.questions import QuestionData, read_questions
from moot.report.page.run_page import RunPage
from moot.report.sections import all_sections
from moot.store import queries
from moot.store.rows import config_of
from moot.store.statements import Row
from moot.types import Case
from moot.whole_files import written_whole


def read_run(
    connection: Connection,
    experiment: Row,
    shown: Figures | None = None,
    given: Iterable[Measure] = (),
    hiding: Callable[[Any], Any] | None = None,
) -> RunPage:
    """Read a run; `shown` are its figures, where somebody has computed them already.

    `given`: measures beside the registered ones. `hiding`: takes out of JSON what whoever gets the page is not to read.
    """
    beside = tuple(given)
    all_figures = figures(connection, experiment, given=beside) if shown is None else shown
    questions = read_questions(connection, experiment, _grade(connection, experiment), hiding, _about(all_figures))
    all_figures = all_figures if hiding is None else hiding(all_figures)
    shortly = shortened(all_figures)
    return RunPage(shortly, all_sections(shortly, beside), questions)


def write_report(
    connection: Connection,
    experiment: Row,
    path: Path,
    *,
    beside: RunPage | None = None,
    given: Iterable[Measure] = (),
) -> None:
    """Write the report of a run, or of this one and another side by side."""
    first = read_run(connection, experiment, given=given)
    write_page(path, first.figures, first.sections, first.questions, beside=beside)


def write_page(
    path: Path,
    shown: Mapping[str, Any],
    sections: Sequence[Section],
    questions: QuestionData,
    *,
    beside: RunPage | None = None,
    between: Sequence[Section] = (),
) -> None:
    """Whoever has the old page open never sees half of the new one."""
    page = page_html(shown, sections, questions, beside=beside, between=between)
    with written_whole(path) as draft:
        draft.write_text(page, encoding="utf-8")


def _about(shown: Figures) -> str | None:
    """Whom the verdict is about: where texts were compared and nothing else is graded, who is preferred."""
    headline = shown.get("headline") or {}
    told = headline if headline.get("value") is not None else headline.get("preferred") or headline
    of: str | None = told.get("of")
    return of


def _grade(connection: Connection, experiment: Row) -> Callable[[Case, str | None], float | None] | None:
    """Only captains who were never played alone need their drafts graded here."""
    cells: Sequence[Any] = queries.cells_of(connection, experiment["id"])
    alone = {cell["player"] for cell in cells if cell["player"]}
    if all(cell["captain"] is None or cell["captain"] in alone for cell in cells):
        return None
    from moot.measures.source import Source

    return Source(connection, experiment, grader_of(config_of(experiment))).grade
