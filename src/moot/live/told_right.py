"""What turned out to be right of a served team's answer, and every grade that hangs on it.

It comes late, when a ticket is closed: by then the file may have been changed, or a new rule be served. So it is taken on
what was asked of any version of the file, and written into every plan of the name in which the question stands.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, select, update

from moot.data.tables.listed_names import cut
from moot.engine.grading import settle
from moot.errors import UsageError
from moot.grade.grading import GradedBy, Grading, scored, scores_name
from moot.grade.normalise import answer_key
from moot.grade.persons import persons_word, words_by_case
from moot.live.served_rows import cases_in, cells_in, find_episode, plans_named
from moot.store import queries, schema
from moot.store.rows import case_of, case_row, config_of, score_row
from moot.store.statements import Row
from moot.traces import hangs_on_cut_words
from moot.types import Case


class NoAnswerGiven(UsageError):
    """The team gave none, since it abstained or failed: what would have been right can be told all the same."""


class SaidOtherwise(UsageError):
    """What was told to be right says the opposite of this answer, whoever calls it right or wrong."""


def take_feedback(
    connection: Connection,
    name: str,
    grading: Grading,
    episode: str,
    *,
    answer: str | None,
    correct: bool | None,
    asker: str | None,
) -> dict[str, Any]:
    """The answer itself, or whether the team's was right. `asker`: only on its questions."""
    row = find_episode(connection, name, episode, asker)
    case = case_of(row["content"])
    if answer is not None:
        case = replace(case, answer=answer, known=True)
        _know(connection, name, grading, case)
    elif row["answer"] is None:
        raise NoAnswerGiven(
            f"episode {episode} has no answer that could be right or wrong; send the right one as 'answer'"
        )
    elif (grade := grading.score(case, row["answer"], (), correct).value) is not None and (grade == 1.0) != correct:
        raise SaidOtherwise(_said_otherwise(case, right=grade == 1.0))
    else:
        for each in cases_in(connection, plans_named(name), [case.question.digest])[case.question.digest]:
            queries.add(connection, schema.scores, list(_scores(connection, name, grading, each, [row])))
            settle(connection, each, answer_key(each.question, row["answer"]), bool(correct))
    graded = select(schema.scores.c.value, schema.scores.c.stage).where(*_place(row, case, grading))
    score = connection.execute(graded).one()
    return {
        "episode": episode,
        "correct": None if score.value is None else score.value == 1.0,
        "stage": score.stage,
    }


def was_told(connection: Connection, grading: Grading, row: Row, case: Case) -> dict[str, Any] | None:
    """What was said of an episode's answer before; None: nothing. `row`, `case`: as `find_episode` finds them."""
    words = words_by_case(queries.settlements_on(connection, [case.digest])).get(case.digest, {})
    word = persons_word(case, row["answer"], words)
    if word is None and not case.known:
        return None
    score = connection.execute(select(schema.scores.c.value).where(*_place(row, case, grading))).scalar()
    if word is None or not grading.open_to_judgement(case, row["answer"]):
        word = None if score is None else score == 1.0
    return {"answer": case.answer if case.known else None, "correct": word}


def _said_otherwise(case: Case, *, right: bool) -> str:
    this_is = "this is that answer" if right else "this is another one"
    return (
        f"{cut(case.answer or '')!r} was told to be right, and {this_is}; send the right one as 'answer' to change that"
    )


def _place(row: Row, case: Case, grading: Grading) -> tuple[ColumnElement[bool], ...]:
    """Where the grade of an episode stands."""
    scores = schema.scores.c
    return (
        scores.cell == row["cell"],
        scores.case == case.digest,
        scores.repeat == row["repeat"],
        scores.grader == grading.name,
    )


def _know(connection: Connection, name: str, grading: Grading, case: Case) -> None:
    """The reference of a question, and by it the grades of all answers to it."""
    places, question, plans = schema.experiment_questions, case.question.digest, plans_named(name)
    here = (places.c.experiment.in_(plans), places.c.question == question)
    queries.put(connection, schema.cases, [case_row(case)])
    connection.execute(update(places).where(*here).values(case=case.digest))
    cells = {cell for (cell,) in connection.execute(cells_in(plans))}
    episodes = queries.episodes_on(connection, sorted(cells), [question])
    queries.put(connection, schema.scores, list(_scores(connection, name, grading, case, episodes)))


def _scores(connection: Connection, name: str, grading: Grading, case: Case, episodes: Iterable[Row]) -> Iterable[Row]:
    """What the grader says at once. Other judges may have been named when the file was another: a report of that plan looks
    for the grades under their names."""
    judges = {grading.name: len(grading.judges)}
    for plan in queries.experiments_named(connection, name):
        by = GradedBy.of(config_of(plan))
        if by.grader == grading.kept_as:
            judges[scores_name(*by)] = len(by.judges)
    for row in episodes:
        for grader, count in judges.items():
            hangs = hangs_on_cut_words(row["verdict"])
            score = scored(grading.asked, case, row["answer"], (), None, judges=count, hangs=hangs)
            yield score_row(row["cell"], case.digest, row["repeat"], grader, score)
