"""What a served team was asked within some time, and what it was asked before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Select, func, select

from moot.store import queries, schema
from moot.store.statements import Row


def plays_since(connection: Connection, ident: str, cell: str, grader: str, since: float | None) -> Iterator[Row]:
    """Episodes of a cell on a plan's questions, each with its score. `since`: none that is older; None: all."""
    episodes, scores = schema.episodes, schema.scores
    columns = (schema.experiment_questions.c.case, episodes, scores.c.value, scores.c.stage)
    query = queries.scored_plays(ident, cell, grader, *columns)
    if since is not None:
        query = query.where(episodes.c.created_at >= since)
    yield from connection.execute(query).mappings()  # type: ignore[misc]


def asked_before(connection: Connection, plans: list[str], since: float | None) -> int:
    """How often the plans were asked something before."""
    if since is None:
        return 0
    episodes, cells, places = schema.episodes, schema.experiment_cells, schema.experiment_questions
    query = select(func.count()).where(
        episodes.c.cell.in_(select(cells.c.cell).where(cells.c.experiment.in_(plans))),
        episodes.c.question.in_(select(places.c.question).where(places.c.experiment.in_(plans))),
        episodes.c.created_at < since,
    )
    return int(connection.execute(query).scalar() or 0)


def failures_since(connection: Connection, name: str, since: float | None) -> list[Row]:
    """Causes of failed calls, counted; the most frequent first."""
    table = schema.failures
    times = func.count().label("times")
    query: Select[Any] = select(table.c.model, table.c.kind, times, func.max(table.c.message).label("message"))
    query = query.where(table.c.experiment == name)
    if since is not None:
        query = query.where(table.c.created_at >= since)
    query = query.group_by(table.c.model, table.c.kind).order_by(times.desc(), table.c.model, table.c.kind)
    return list(connection.execute(query).mappings())  # type: ignore[arg-type]
