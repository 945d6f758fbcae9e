"""Stores written when only the words of a score told that a grader of somebody else's had failed: `NAME: what went wrong`.

Used once, when such a store is first opened. A grader may begin its own words so, and a judge may bear its name, so the words
alone prove nothing. But whatever a grader said that could be used was kept, under the answer: where there is such a word it had
not failed. Nor had it where the stage of a score is a word of its own. What cannot be told counts as not failed: a failure that
was mended since, for another experiment, is one of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, RowMapping, and_, func, select, update

from moot.grade.graders import STAGES_OF_OTHERS, USUAL, failure_told
from moot.grade.identity import VERSION
from moot.grade.normalise import normalise
from moot.store.schema import episodes, experiment_questions, grades, scores

_UNGRADED = "ungraded"


def tell_failures(connection: Connection) -> None:
    for scores_name in connection.execute(select(scores.c.grader).distinct()).scalars().all():
        kept_as = scores_name.partition("+")[0]
        if kept_as != USUAL:
            _tell(connection, scores_name, kept_as)


def _tell(connection: Connection, scores_name: str, kept_as: str) -> None:
    start = failure_told(kept_as.partition(VERSION)[0], "")
    usable = select(grades.c.case, grades.c.answer).where(grades.c.grader == kept_as)
    heard = {(case, answer) for case, answer in connection.execute(usable)}
    for row in list(_told_so(connection, scores_name, start)):
        left_open = row["value"] is None and row["stage"] == _UNGRADED
        if (left_open or row["stage"] in STAGES_OF_OTHERS) and (row["case"], normalise(row["answer"])) not in heard:
            # What others said who graded the answer in its place is on the lines below.
            failure = row["detail"].removeprefix(start).partition("\n")[0]
            place = (scores.c[column.name] == row[column.name] for column in scores.primary_key)
            connection.execute(update(scores).where(*place).values(failure=failure))


def _told_so(connection: Connection, scores_name: str, start: str) -> Iterator[RowMapping]:
    """Scores of answers whose words begin so."""
    places: Any = select(experiment_questions.c.case, experiment_questions.c.question).distinct().subquery()
    of_play = and_(
        episodes.c.cell == scores.c.cell,
        episodes.c.question == places.c.question,
        episodes.c.repeat == scores.c.repeat,
    )
    graded = (*scores.primary_key, scores.c.value, scores.c.stage, scores.c.detail)  # later steps may add columns
    query = select(*graded, episodes.c.answer).join(places, places.c.case == scores.c.case).join(episodes, of_play)
    query = query.where(scores.c.grader == scores_name, func.substr(scores.c.detail, 1, len(start)) == start)
    yield from connection.execute(query.where(episodes.c.answer.is_not(None))).mappings()
