"""What runs have left behind: episodes that were begun and not played to their end.

Episodes belong to cells and questions, and the next plan takes them over, under this name or another. So whoever asks what
is missing of a plan asks every run of the store that may have left it so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, or_, select

from moot.store import queries, schema
from moot.store.rows import config_of, facts_of


def left_by(connection: Connection) -> set[str]:
    """The plans of which a run has dropped episodes, was killed, or is at work and has some under way."""
    runs = schema.runs
    perhaps = select(runs).where(or_(runs.c.state == "running", runs.c.facts.contains('"dropped"')))
    ended = (queries.with_its_end(dict(run)) for run in connection.execute(perhaps).mappings())
    return {run["experiment"] for run in ended if run["state"] == "running" or facts_of(run).get("dropped")}


def cells_shared(connection: Connection, plans: Collection[str], cells: Collection[str]) -> dict[str, set[str]]:
    """By plan, which of these cells it has; nothing of a plan that has none."""
    places, wanted = schema.experiment_cells, set(cells)
    shared: dict[str, set[str]] = {}
    for part in queries.chunks(sorted(plans)):
        query = select(places.c.experiment, places.c.cell).where(places.c.experiment.in_(part))
        for plan, cell in connection.execute(query):
            if cell in wanted:
                shared.setdefault(plan, set()).add(cell)
    return shared


class BegunPlan(NamedTuple):
    """A plan that was begun: its file, and what it asks."""

    config: Mapping[str, Any]
    questions: frozenset[str]


def plan_of(connection: Connection, ident: str) -> BegunPlan:
    places = schema.experiment_questions
    asked = connection.execute(select(places.c.question).where(places.c.experiment == ident)).scalars()
    return BegunPlan(config_of(queries.experiment_of(connection, ident)), frozenset(asked))
