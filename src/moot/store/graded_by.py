"""By whom a store has grades of an experiment: those of several judges stand side by side."""

from __future__ import annotations

from sqlalchemy import Connection, and_, func, select

from moot.store import schema


def scores_by_grader(connection: Connection, ident: str) -> dict[str, int]:
    """How many answers of an experiment have a score, by the name of whoever gave it."""
    places, cells, scores = schema.experiment_questions, schema.experiment_cells, schema.scores
    query = (
        select(scores.c.grader, func.count().label("answers"))
        .join(places, and_(places.c.case == scores.c.case, places.c.experiment == ident))
        .join(cells, and_(cells.c.cell == scores.c.cell, cells.c.experiment == ident))
        .group_by(scores.c.grader)
    )
    return {row.grader: row.answers for row in connection.execute(query)}


def other_graders(connection: Connection, ident: str, grader: str) -> list[str]:
    """Whoever else has scores of an experiment's answers to its questions, by name; the usual case is told by a look at
    its cells alone."""
    cells, scores = schema.experiment_cells, schema.scores
    of_plan = select(cells.c.cell).where(cells.c.experiment == ident)
    others = select(scores.c.grader).where(scores.c.cell.in_(of_plan), scores.c.grader != grader).limit(1)
    if connection.execute(others).first() is None:
        return []
    return sorted(name for name in scores_by_grader(connection, ident) if name != grader)


def count_ungraded(connection: Connection, ident: str, grader: str) -> int:
    """Answers of an experiment that have no grade under this name, be it for want of a judge; judges who differ gave theirs."""
    places, cells, scores = schema.experiment_questions, schema.experiment_cells, schema.scores
    query = (
        select(func.count())
        .select_from(scores)
        .join(places, and_(places.c.case == scores.c.case, places.c.experiment == ident))
        .join(cells, and_(cells.c.cell == scores.c.cell, cells.c.experiment == ident))
        .where(scores.c.grader == grader, scores.c.value.is_(None), scores.c.stage != "disputed")
    )
    return int(connection.execute(query).scalar_one())
