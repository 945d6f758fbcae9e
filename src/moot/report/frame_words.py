"""Frames of what was said about answers, beside the play: by judges, persons and graders, by who groups, by who chooses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Table, select

from moot.errors import UsageError
from moot.experiment.selected import marks_of
from moot.measures.cells import Row
from moot.store import queries, schema
from moot.store.preferences import preferences_on
from moot.store.rows import case_of


def experiments_named(connection: Connection, name: str | None) -> list[Row]:
    """The plans under a name, or all, the newest first."""
    table = schema.experiments
    query = select(table).order_by(table.c.created_at.desc())
    experiments: list[Any] = list(
        connection.execute(query if name is None else query.where(table.c.name == name)).mappings()
    )
    if name is not None and not experiments:
        raise UsageError(f"this store holds no run of {name!r}")
    return experiments


def judgements(connection: Connection, name: str | None) -> Iterator[dict[str, Any]]:
    """Each answer as it was compared, normalised; `judge` with a mark of its model and prompt; `right` None: no usable word."""
    yield from _words_on(connection, name, schema.judgements)


def settlements(connection: Connection, name: str | None) -> Iterator[dict[str, Any]]:
    """What persons said."""
    yield from _words_on(connection, name, schema.settlements)


def grades(connection: Connection, name: str | None) -> Iterator[dict[str, Any]]:
    """What a grader that is not ours said, each answer normalised; `value` None: it left it to the judges."""
    yield from _words_on(connection, name, schema.grades)


def _words_on(connection: Connection, name: str | None, words: Table) -> Iterator[dict[str, Any]]:
    """What was said of answers to the questions of an experiment, each once a name."""
    places, cases = schema.experiment_questions, schema.cases
    yielded: set[tuple[Any, ...]] = set()
    for experiment in experiments_named(connection, name):
        query = select(words, cases.c.question_id).join(cases, cases.c.id == words.c.case)
        query = query.join(places, places.c.case == words.c.case).where(places.c.experiment == experiment["id"])
        for row in connection.execute(query.order_by(places.c.position, *words.primary_key)).mappings():
            key = (experiment["name"], *(row[column.name] for column in words.primary_key))
            if key not in yielded:
                yielded.add(key)
                right = {"right": _yes_or_no(row["right"])} if "right" in row else {}
                yield {**row, "experiment": experiment["name"], **right}


def _yes_or_no(right: int | None) -> bool | None:
    return None if right is None else bool(right)


def matches(connection: Connection, name: str | None) -> Iterator[dict[str, Any]]:
    """A row for each thing that is on record about texts that mean the same; `by` a mark of who says so."""
    yielded: set[tuple[str, str, int]] = set()
    for experiment in experiments_named(connection, name):
        ids = {row["question"]: row["question_id"] for row in queries.cases_of(connection, experiment["id"])}
        for row in queries.matches_on(connection, list(ids)):
            if (key := (experiment["name"], row["question"], row["repeat"])) in yielded:
                continue
            yielded.add(key)
            place = {"experiment": experiment["name"], "question_id": ids[row["question"]]}
            place |= {"question": row["question"], "repeat": row["repeat"]}
            for position, entry in enumerate(json.loads(row["content"])):
                content = json.dumps({key: value for key, value in entry.items() if key != "by"}, ensure_ascii=False)
                yield {**place, "position": position, "by": entry.get("by"), "content": content}


def preferences(connection: Connection, name: str | None) -> Iterator[dict[str, Any]]:
    """A row for each order in which two texts were shown to somebody, by the digests of the texts; `preferred` None: no word."""
    yielded: set[tuple[str, ...]] = set()
    for experiment in experiments_named(connection, name):
        ids = {row["question"]: row["question_id"] for row in queries.cases_of(connection, experiment["id"])}
        for row in preferences_on(connection, list(ids)):
            key = (experiment["name"], row["question"], row["first"], row["second"], row["judge"])
            if key not in yielded:
                yielded.add(key)
                yield {**row, "experiment": experiment["name"], "question_id": ids[row["question"]]}


_CELL = ("strategy", "label", "team", "captain", "player", "cohort")


def choices(connection: Connection, name: str | None) -> Iterator[dict[str, Any]]:
    """The questions that a cell was chosen on; `question_id` None: it is none of this experiment's."""
    yielded: set[tuple[str, str, str, str | None]] = set()
    for experiment in experiments_named(connection, name):
        ids = _ids_by_mark(connection, experiment["id"])
        cells = {cell["id"]: cell for cell in queries.cells_of(connection, experiment["id"])}
        for ident, questions in queries.choices_of(connection, list(cells)).items():
            for question, question_id in ((mark, own) for mark in sorted(questions) for own in ids.get(mark, (None,))):
                if (key := (experiment["name"], ident, question, question_id)) not in yielded:
                    yielded.add(key)
                    who = {column: cells[ident][column] for column in _CELL}
                    chosen = {"cell": ident, "question": question, "question_id": question_id}
                    yield {"experiment": experiment["name"], **who, **chosen}


def _ids_by_mark(connection: Connection, experiment: str) -> dict[str, list[str]]:
    """By all that a question can be known by: the ids of an experiment's questions that it is of."""
    ids: dict[str, list[str]] = {}
    for row in queries.cases_of(connection, experiment):
        question = case_of(row["content"]).question
        for mark in marks_of(question):
            ids.setdefault(mark, []).append(question.id)
    return ids
