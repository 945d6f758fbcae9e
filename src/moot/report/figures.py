"""The figures of an experiment, computed from its store: what `moot report --json` prints and every view shows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from sqlalchemy import Connection

from moot.data.clusters import dealing_names
from moot.errors import UsageError
from moot.grade.graders import USUAL
from moot.measures.accuracy.figures import chosen_on_figures
from moot.measures.alike_plans import told_of
from moot.measures.asked_cases import CasesOnce
from moot.measures.claims.headline_alone import headline_alone
from moot.measures.facts.figures import PLAN_SIGNS
from moot.measures.measure import Measure
from moot.measures.reserved import GRADER
from moot.measures.source import Source
from moot.measures.stored_grades import grader_of as grader_of
from moot.report.uncollected import uncollected
from moot.stats.clusters import clustered
from moot.store import queries
from moot.store.statements import Row

Figures = dict[str, Any]


def figures(
    connection: Connection,
    experiment: Row,
    *,
    hypotheses: Iterable[str] = (),
    given: Iterable[Measure] = (),
    stopped: Callable[[], bool] = lambda: False,
    without: Collection[str] = (),
    asked: CasesOnce | None = None,
) -> Figures:
    """All that is known about an experiment, in the form of the contract.

    `hypotheses`: those of the file as it is now. `given`: measures beside the registered ones. `stopped`: asked before
    each measure; once true no more are taken, and the figures say which are missing.
    `without`: measures of which nothing will be shown. `asked`: its questions, where somebody has read them.
    """
    from moot.measures.all_measures import AllMeasures  # a headline takes none of most of them

    with uncollected():
        source = Source(connection, experiment, hypotheses=hypotheses, asked=asked)
        with clustered(source.clusters, dealing_names(source.cases.items())):
            taken = AllMeasures(given).figures(source, stopped, without)
    if (kept_as := source.config.get("grader", USUAL)) != USUAL:
        taken[GRADER] = kept_as
    return taken


def headline_of(connection: Connection, experiment: Row) -> Figures:
    """Only the key `headline`, and what was chosen on these questions: all figures take many times as long."""
    with uncollected():
        source = Source(connection, experiment)
        with clustered(source.clusters, dealing_names(source.cases.items())):
            return {"headline": headline_alone(source), **chosen_on_figures(source)}


def find_experiment(connection: Connection, name: str | None = None, *, ident: str | None = None) -> Row:
    """The plan that a report is about: the one with this id, or else the last that ran (under this name), or the whole that
    it is a part of: see `alike_plans`."""
    if ident is not None:
        return queries.experiment_of(connection, ident)
    latest = queries.latest_experiment(connection, name)
    if latest is None:
        into = "nothing has been run or served in this store; to run an experiment into it: moot run FILE --store URL"
        raise UsageError(f"this store holds no run of {name!r}; run it first: moot run FILE" if name else into)
    return told_of(connection, latest)


def plan_beginning(connection: Connection, start: str, name: str | None = None) -> Row:
    """The plan (of this name) whose id begins so: as many signs of it will do as tell it from the others."""
    plans = queries.experiments_by_age(connection) if name is None else queries.experiments_named(connection, name)
    found = [plan for plan in plans if plan["id"].startswith(start)]
    if len(found) == 1:
        return found[0]
    of = f"plan of {name!r}" if name is not None else "plan"
    if found:
        raise UsageError(f"--plan: {len(found)} plans begin with {start!r}; expected more of the id")
    there = ", ".join(f"{plan['id'][:PLAN_SIGNS]} ({plan['size']:,})" for plan in plans)
    raise UsageError(f"--plan: no {of} begins with {start!r}; expected one of (with how many questions) {there}")
