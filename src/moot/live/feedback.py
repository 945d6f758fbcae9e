"""Served traffic as questions for the next experiment: those of which somebody has said what was right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, select

from moot.data.case import read_case
from moot.errors import FileError
from moot.grade.normalise import normalise
from moot.store import queries, schema
from moot.store.rows import case_of
from moot.types import Case


def learnt_questions(connection: Connection, experiment: str) -> Iterator[Mapping[str, Any]]:
    """In the form of a question file. A question whose answers were only ever called wrong has no reference yet."""
    for row in queries.cases_of(connection, experiment):
        case = case_of(row["content"])
        answer = case.answer if case.known else _confirmed(connection, experiment, row["question"], case)
        if case.known or answer is not None:
            yield _written(case, answer)


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


def _confirmed(connection: Connection, experiment: str, question: str, case: Case) -> str | None:
    """The words of an answer that a person called right."""
    settled = queries.settlements_on(connection, [case.digest])
    right = {answer for (_, answer), word in settled.items() if word}
    cells = select(schema.experiment_cells.c.cell).where(schema.experiment_cells.c.experiment == experiment)
    episodes = schema.episodes
    query = select(episodes.c.answer).where(
        episodes.c.question == question, episodes.c.cell.in_(cells), episodes.c.answer.is_not(None)
    )
    answers = connection.execute(query.order_by(episodes.c.created_at)).scalars()
    return next((answer for answer in answers if normalise(answer) in right), None)


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
