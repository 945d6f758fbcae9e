"""What judges and persons prefer of two long answers, as it is kept: one row for each order in which they were shown."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, delete, select

from moot.store import schema
from moot.store.queries import chunks
from moot.store.rows import case_of
from moot.store.statements import Row
from moot.types import Question


def preferences_on(connection: Connection, questions: Sequence[str]) -> list[Row]:
    """Everything that was said of answers to these, by whomever, the earliest first."""
    table = schema.preferences
    order = (table.c.question, table.c.said_at, table.c.judge, table.c.first, table.c.second)
    rows: list[Row] = []
    for part in chunks(questions):
        query = select(table).where(table.c.question.in_(part)).order_by(*order)
        rows += [dict(row) for row in connection.execute(query).mappings()]
    return rows


def cells_on(connection: Connection, questions: Sequence[str]) -> list[Row]:
    """Who has played any of these."""
    episodes, found = schema.episodes, dict[str, Row]()
    for part in chunks(questions):
        played = select(episodes.c.cell).where(episodes.c.question.in_(part))
        query = select(schema.cells).where(schema.cells.c.id.in_(played)).order_by(schema.cells.c.id)
        found |= {row["id"]: dict(row) for row in connection.execute(query).mappings()}
    return list(found.values())


def answers_on(connection: Connection, cells: Sequence[str], questions: Sequence[str]) -> list[Row]:
    """What these cells answered, without all else that is kept of a play."""
    table = schema.episodes
    wanted = (table.c.cell, table.c.question, table.c.repeat, table.c.answer)
    rows: list[Row] = []
    for part in chunks(questions):
        query = select(*wanted).where(table.c.question.in_(part), table.c.cell.in_(cells))
        ordered = query.order_by(table.c.question, table.c.cell, table.c.repeat)
        rows += [dict(row) for row in connection.execute(ordered).mappings()]
    return rows


def questions_stored(connection: Connection, questions: Sequence[str]) -> dict[str, Question]:
    """By digest: what was asked."""
    places, cases = schema.experiment_questions, schema.cases
    found: dict[str, Question] = {}
    for part in chunks(questions):
        query = select(places.c.question, cases.c.content).join(cases, cases.c.id == places.c.case)
        rows = connection.execute(query.where(places.c.question.in_(part)))
        found.update((question, case_of(content).question) for question, content in rows)
    return found


def forget_preferences(connection: Connection, question: str, texts: Collection[str]) -> int:
    """What was said of answers to a question that nobody holds any more; `texts`: the digests of those that are still held."""
    table = schema.preferences
    gone = 0
    for row in preferences_on(connection, [question]):
        if row["first"] not in texts or row["second"] not in texts:
            place = [column == row[column.name] for column in table.primary_key.columns]
            gone += connection.execute(delete(table).where(*place)).rowcount
    return gone
