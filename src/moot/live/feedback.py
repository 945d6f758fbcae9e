"""Served traffic as questions for the next experiment: those of which somebody has said what was right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Select, select

from moot.data.case import read_case
from moot.errors import FileError
from moot.grade.normalise import answer_key
from moot.live.served_rows import cases_in, cells_in, plan_alone, plans_named
from moot.store import queries, schema
from moot.store.rows import config_of
from moot.store.statements import Row
from moot.types import Case


def learnt_questions(connection: Connection, experiment: Row) -> Iterator[Mapping[str, Any]]:
    """In the form of a question file. A question whose answers were only ever called wrong has no reference yet.

    Of a served team all that was asked under its name, whichever version of the file it was: feedback comes days later.
    """
    served = config_of(experiment).get("served")
    plans = plans_named(experiment["name"]) if served else plan_alone(experiment["id"])
    places = schema.experiment_questions
    placed = select(places.c.question).join(schema.experiments, schema.experiments.c.id == places.c.experiment)
    in_order = placed.where(places.c.experiment.in_(plans)).order_by(schema.experiments.c.created_at, places.c.position)
    questions = list(dict.fromkeys(connection.execute(in_order).scalars()))
    by_question = cases_in(connection, plans, questions)
    for question in questions:
        cases = by_question[question]
        answer = cases[0].answer if cases[0].known else _confirmed(connection, plans, question, cases)
        if cases[0].known or answer is not None:
            yield _written(cases[0], answer)


def loadable(questions: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Those that a question file can hold, each with an id of its own: one that cannot be read would spoil the whole file,
    and an early server took blank references and NUL."""
    taken: set[str] = set()
    for question in questions:
        number, ident = 1, question["id"]
        while ident in taken:  # the same words, asked in another language
            number += 1
            ident = f"{question['id']}-{number}"
        try:
            read_case({**question, "id": ident}, file="", line=0)
        except FileError:
            continue
        taken.add(ident)
        yield {**question, "id": ident}


def _confirmed(connection: Connection, plans: Select[Any], question: str, cases: Iterable[Case]) -> str | None:
    """The words of an answer that a person called right."""
    several = list(cases)
    settled = queries.settlements_on(connection, [case.digest for case in several])
    right = {answer for (_, answer), word in settled.items() if word}
    episodes = schema.episodes
    query = select(episodes.c.answer).where(
        episodes.c.question == question, episodes.c.cell.in_(cells_in(plans)), episodes.c.answer.is_not(None)
    )
    answers = connection.execute(query.order_by(episodes.c.created_at)).scalars()
    return next((answer for answer in answers if answer_key(several[0].question, answer) in right), None)


def _written(case: Case, answer: str | None) -> dict[str, Any]:
    question = case.question
    written: dict[str, Any] = {
        "id": question.id,
        "text": question.text,
        "answer": answer,
        "language": question.language,
    }
    if question.choices:
        written["choices"] = list(question.choices)
    elif question.kind != "open":
        written["kind"] = question.kind
    if question.context is not None:
        written["context"] = question.context
    return written
