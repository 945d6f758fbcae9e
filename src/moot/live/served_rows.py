"""The rows behind a served team: where its questions stand, the cases they are graded by, and an episode by its id."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, case, func, select, update

from moot.errors import UsageError
from moot.store import queries, schema
from moot.store.rows import case_of, case_row
from moot.store.statements import Row
from moot.store.store import bounded_value
from moot.types import NOTHING, Case, Question

EPISODE_ID = re.compile("ep_[0-9a-f]{40}")
LATEST_REPEAT = 2**31 - 1
"""Played questions are told apart by a number drawn for each, and every database can hold one of this size. An id with a
larger one is of no episode, and no database is asked for it."""


def cleaned_rows(rows: Iterable[Row]) -> list[Row]:
    return [{name: bounded_value(value) for name, value in row.items()} for row in rows]


def placed_cases(
    connection: Connection,
    experiment: str,
    questions: Sequence[Question],
    askers: Mapping[str, str | None],
    told: Mapping[str, Mapping[str, Any]] = NOTHING,
) -> dict[str, Case]:
    """The case of each question; one that was never asked before gets a place among the others, and beside it what is `told`.

    A case that is there stands: it may be better known than a new one would be.
    """
    # Several servers may write into one store: they take turns here. (SQLite has let us in alone already.)
    whole = schema.experiments.c.id == experiment
    connection.execute(select(schema.experiments.c.id).where(whole).with_for_update())
    wanted = {question.digest: question for question in questions}
    cases = _cases(connection, experiment, list(wanted))
    unknown = {key: question for key, question in wanted.items() if key not in cases}
    new = [Case(question, None, meta=told.get(key, {}), known=False) for key, question in unknown.items()]
    if new:
        places = schema.experiment_questions
        last = connection.execute(select(func.max(places.c.position)).where(places.c.experiment == experiment)).scalar()
        rows = [
            {
                "experiment": experiment,
                "position": position,
                "question": case.question.digest,
                "case": case.digest,
                "asker": askers.get(case.question.digest),
            }
            for position, case in enumerate(new, start=0 if last is None else last + 1)
        ]
        queries.add(connection, schema.cases, [case_row(case) for case in new])
        queries.add(connection, places, rows)
        longer = schema.experiments.c.size + len(new)
        connection.execute(update(schema.experiments).where(whole).values(size=longer))
        # A case of these words may have been kept before, from another experiment: that one stands.
        cases.update(_cases(connection, experiment, [case.question.digest for case in new]))
    return cases


def _cases(connection: Connection, experiment: str, questions: Sequence[str]) -> dict[str, Case]:
    places, cases = schema.experiment_questions, schema.cases
    case_by_question: dict[str, Case] = {}
    for part in queries.chunks(questions):
        query = select(places.c.question, cases.c.content).join(cases, cases.c.id == places.c.case)
        query = query.where(places.c.experiment == experiment, places.c.question.in_(part))
        case_by_question.update((question, case_of(content)) for question, content in connection.execute(query))
    return case_by_question


def find_episode(
    connection: Connection, experiment: str, episode: str, asker: str | None = None, longest: int | None = None
) -> Any:
    """An episode by the id that the client was given, with its case. `asker`: only one of its own.

    `longest`: of one with more characters nothing is read, and its texts are None.
    """
    number, question = episode.removeprefix("ep_")[:8], episode.removeprefix("ep_")[8:]
    if not EPISODE_ID.fullmatch(episode) or (repeat := int(number, 16)) > LATEST_REPEAT:
        raise UsageError(f"there is no episode {episode!r}")
    places, episodes = schema.experiment_questions, schema.episodes
    cells = select(schema.experiment_cells.c.cell).where(schema.experiment_cells.c.experiment == experiment)
    this = (episodes.c.cell.in_(cells), episodes.c.question == question, episodes.c.repeat == repeat)
    own = () if asker is None else (places.c.asker == asker,)
    texts = (episodes.c.answer, episodes.c.verdict, episodes.c.transcript, schema.cases.c.content)
    size = sum((func.length(func.coalesce(text, "")) for text in texts[1:]), func.length(func.coalesce(texts[0], "")))
    read = [text if longest is None else case((size <= longest, text)).label(text.name) for text in texts]
    rest = [column for column in episodes.c if column.name not in ("answer", "verdict", "transcript")]
    row = (
        connection.execute(
            select(*rest, *read)
            .join(places, places.c.question == episodes.c.question)
            .join(schema.cases, schema.cases.c.id == places.c.case)
            .where(places.c.experiment == experiment, *this, *own)
        )
        .mappings()
        .first()
    )
    if row is None:
        raise UsageError(f"there is no episode {episode!r}")
    return row
