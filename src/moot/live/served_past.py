"""What a served team was asked: the latest of it, to be shown; the oldest of it, to be forgotten."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, delete, func, select, tuple_, update

from moot.store import queries, schema


def latest_episodes(
    connection: Connection, experiment: str, most: int, asker: str | None = None
) -> list[dict[str, Any]]:
    """What was asked last: for a page that shows past questions. `asker`: only what this one asked."""
    places, episodes, cases, cells = schema.experiment_questions, schema.episodes, schema.cases, schema.cells
    query = (
        select(
            episodes.c.question,
            episodes.c.repeat,
            episodes.c.outcome,
            episodes.c.answer,
            episodes.c.seconds,
            episodes.c.created_at,
            cases.c.content,
            episodes.c.cell,
            cells.c.label,
        )
        .join(places, places.c.question == episodes.c.question)
        .join(cases, cases.c.id == places.c.case)
        .join(cells, cells.c.id == episodes.c.cell)
        .where(places.c.experiment == experiment)
        .order_by(episodes.c.created_at.desc())
        .limit(most)
    )
    if asker is not None:
        query = query.where(places.c.asker == asker)
    return [dict(row) for row in connection.execute(query).mappings()]


def purge(connection: Connection, experiment: str, before: float) -> dict[str, int]:
    """Forget what a served team was asked before this moment: episodes, their grades, questions, and the calls."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(
            "PRAGMA secure_delete = ON"
        )  # else the words stay in the file until they are overwritten
    name = queries.experiment_of(connection, experiment)["name"]
    cells = select(schema.experiment_cells.c.cell).where(schema.experiment_cells.c.experiment == experiment)
    episodes, scores, places = schema.episodes, schema.scores, schema.experiment_questions
    mine = places.c.experiment == experiment
    old = (episodes.c.cell.in_(cells), episodes.c.created_at < before)
    graded = select(episodes.c.cell, places.c.case, episodes.c.repeat).join(
        places, places.c.question == episodes.c.question
    )
    grades = tuple_(scores.c.cell, scores.c.case, scores.c.repeat)
    connection.execute(delete(scores).where(grades.in_(graded.where(mine, *old))))
    forgotten = connection.execute(delete(episodes).where(*old)).rowcount
    still = select(episodes.c.question).where(episodes.c.cell.in_(cells))
    gone = connection.execute(select(places.c.case).where(mine, places.c.question.not_in(still))).scalars().all()
    connection.execute(delete(places).where(mine, places.c.question.not_in(still)))
    elsewhere = select(places.c.case)
    for part in queries.chunks(gone):
        unused = (schema.cases.c.id.in_(part), schema.cases.c.id.not_in(elsewhere))
        connection.execute(delete(schema.settlements).where(schema.settlements.c.case.in_(part)))
        connection.execute(delete(schema.judgements).where(schema.judgements.c.case.in_(part)))
        connection.execute(delete(schema.cases).where(*unused))
    paid = (schema.calls, schema.failures)
    calls, _ = (
        connection.execute(delete(table).where(table.c.experiment == name, table.c.created_at < before)).rowcount
        for table in paid
    )
    size = select(func.count()).where(mine).scalar_subquery()
    connection.execute(update(schema.experiments).where(schema.experiments.c.id == experiment).values(size=size))
    return {"episodes": forgotten, "questions": len(gone), "calls": calls}
