"""A store as tables with readable columns, for whoever would rather ask it themselves."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

from sqlalchemy import Connection, select

from moot.errors import UsageError
from moot.measures.askings import unusual_finishes
from moot.measures.cells import Row, stored_cell
from moot.measures.episodes import call_keys, drafts_of
from moot.measures.source import Source
from moot.measures.stored_grades import grader_of
from moot.report.frame_words import choices, experiments_named, grades, judgements, matches, preferences, settlements
from moot.report.tables import TableColumns
from moot.store import queries, schema
from moot.store.rows import config_of, known_latency_s, verdict_of

FrameKind = Literal[
    "episodes",
    "calls",
    "scores",
    "traces",
    "verdicts",
    "drafts",
    "cells",
    "questions",
    "judgements",
    "settlements",
    "grades",
    "matches",
    "choices",
    "preferences",
]
RAW: tuple[FrameKind, ...] = get_args(FrameKind)
"""What a report is computed from, and can be computed from again elsewhere."""

_CELL = ("strategy", "label", "team", "captain", "player")
_PLACE = ("experiment", *_CELL, "cohort", "cell", "question_id", "repeat")
"""Where an episode stands: `cell` tells cells apart that are alike in all but an option."""
_CALL = (
    "experiment",
    "model",
    "version",
    "finish",
    "text",
    "prompt_tokens",
    "completion_tokens",
    "reasoning_tokens",
    "cached_tokens",
    "latency_s",
    "cost_usd",
    "created_at",
    "key",
    "shape",
    "thoughts",
    "logprobs",
)


def stored_columns(connection: Connection, kind: str, experiment: str | None = None) -> TableColumns:
    """What the store holds, as one table: of one experiment by name, or of all.

    ``episodes``: how each play ended, by the grader that the report goes by. ``calls``: every call with its prompt.
    ``scores``: every grader's word. ``traces``: every record of what happened on the way to a verdict. ``verdicts``: each
    verdict whole, with its transcript. ``drafts``: what players said alone, and what it is worth. ``cells``: who played
    what, with options and traits. ``questions``: each with its reference. ``judgements``: what each judge said of an
    answer. ``settlements``: what persons said of one, which stands over every judge. ``grades``: what a grader of your
    own said of one. ``matches``: which answers to a question mean the same. ``choices``: the questions that a cell, such
    as a team of proposers, was chosen on. ``preferences``: which of two long answers a judge or a person prefers.
    """
    makers: dict[str, Callable[[Connection, str | None], Iterator[dict[str, Any]]]] = {
        "episodes": _episodes,
        "calls": _calls,
        "scores": _scores,
        "traces": _traces,
        "verdicts": _verdicts,
        "drafts": _drafts,
        "cells": _cells,
        "questions": _questions,
        "judgements": judgements,
        "settlements": settlements,
        "grades": grades,
        "matches": matches,
        "choices": choices,
        "preferences": preferences,
    }
    if kind not in makers:
        raise UsageError(f"a store has no frame {kind!r}; expected {', '.join(makers)}")
    return _table(list(makers[kind](connection, experiment)), _COLUMNS[kind])


_COLUMNS: Mapping[str, Sequence[str]] = {
    "episodes": (
        *(*_PLACE, "outcome", "answer"),
        *("value", "stage", "turns", "calls", "seconds"),
    ),
    "calls": _CALL,
    "scores": (*_PLACE, "grader", "value", "stage", "detail", "failure"),
    "traces": (*_PLACE, "position", "kind", "content"),
    "verdicts": (*_PLACE, "outcome", "answer", "verdict", "transcript", "seconds", "created_at"),
    "drafts": (*_PLACE, "by", "text", "reasoning", "outcome", "cause", "value", "stage"),
    "cells": ("experiment", *_CELL, "cohort", "cell", "options", "traits", "spec"),
    "questions": ("experiment", "position", "question_id", "question_set", "cluster", "question", "case", "content"),
    "judgements": (
        "experiment",
        "question_id",
        "case",
        "answer",
        "judge",
        "right",
        "detail",
        "judge_name",
        "call_key",
        "tries",
        "points",
    ),
    "settlements": ("experiment", "question_id", "case", "answer", "right", "settled_at", "turned"),
    "grades": ("experiment", "question_id", "case", "answer", "grader", "value", "stage", "detail"),
    "matches": ("experiment", "question_id", "question", "repeat", "position", "by", "content"),
    "choices": ("experiment", *_CELL, "cohort", "cell", "question", "question_id"),
    "preferences": (
        *("experiment", "question_id", "question", "first", "second"),
        *("judge", "preferred", "reason", "judge_name", "call_key", "tries", "said_at"),
    ),
}


def experiments_columns(connection: Connection) -> TableColumns:
    """Every plan in the store, the oldest first; several under one name differ in questions or cells."""
    table = schema.experiments
    query = select(table.c.name, table.c.size, table.c.created_at, table.c.id).order_by(table.c.created_at)
    rows = [
        {"experiment": row.name, "questions": row.size, "created_at": row.created_at, "id": row.id}
        for row in connection.execute(query)
    ]
    return _table(rows, ("experiment", "questions", "created_at", "id"))


class _Play(NamedTuple):
    """One row of `queries.results`, and where it stands."""

    experiment: Row
    cell: Row
    question_id: str
    row: Row

    def place(self) -> dict[str, Any]:
        named = {key: self.cell[key] for key in (*_CELL, "cohort")}
        where = {"cell": self.cell["id"], "question_id": self.question_id, "repeat": self.row["repeat"]}
        return {"experiment": self.experiment["name"], **named, **where}


def _plays(connection: Connection, name: str | None) -> Iterator[_Play]:
    """Each once a name: plans under one name share what they have played."""
    yielded: set[tuple[str, str, str, int]] = set()
    for experiment in experiments_named(connection, name):
        grader = grader_of(config_of(experiment))
        ids = {row["question"]: row["question_id"] for row in queries.cases_of(connection, experiment["id"])}
        for cell in queries.cells_of(connection, experiment["id"]):
            for row in queries.results(connection, experiment["id"], cell["id"], grader):
                key = (experiment["name"], cell["id"], row["question"], row["repeat"])
                if key not in yielded:
                    yielded.add(key)
                    yield _Play(experiment, cell, ids[row["question"]], row)


def _episodes(connection: Connection, name: str | None) -> Iterator[dict[str, Any]]:
    _, never_made = unusual_finishes(connection)
    for play in _plays(connection, name):
        row = play.row
        yield {
            **play.place(),
            **{key: row[key] for key in ("outcome", "answer", "value", "stage", "seconds")},
            "turns": json.loads(row["verdict"]).get("turns", 1),
            "calls": len(call_keys(json.loads(row["transcript"]), never_made)),
        }


def _traces(connection: Connection, name: str | None) -> Iterator[dict[str, Any]]:
    """A row for each record, in the order in which it was left; its fields as they are stored, as JSON."""
    for play in _plays(connection, name):
        for position, record in enumerate(json.loads(play.row["verdict"]).get("traces", ())):
            content = {key: value for key, value in record.items() if key != "kind"}
            yield {**play.place(), "position": position, "kind": record["kind"], "content": _json(content)}


def _verdicts(connection: Connection, name: str | None) -> Iterator[dict[str, Any]]:
    """Whole, as JSON; the transcript has a step for each call: player, stage, turn, key, error, problem."""
    for play in _plays(connection, name):
        kept = ("outcome", "answer", "verdict", "transcript", "seconds", "created_at")
        yield {**play.place(), **{key: play.row[key] for key in kept}}


def _drafts(connection: Connection, name: str | None) -> Iterator[dict[str, Any]]:
    """What players said alone, where a strategy promises that they did; `value` None: ungraded."""
    source: Source | None = None
    for play in _plays(connection, name):
        if source is None or source.ident != play.experiment["id"]:
            source = Source(connection, play.experiment)
        cell, case = stored_cell(play.cell), source.cases[play.row["question"]]
        for draft in drafts_of(cell, verdict_of(play.row["verdict"])):
            score = source.grades.score(case, draft.text)
            yield {
                **play.place(),
                "by": draft.player,
                **{key: getattr(draft, key) for key in ("text", "reasoning", "outcome", "cause")},
                "value": score.value,
                "stage": score.stage,
            }


def _cells(connection: Connection, name: str | None) -> Iterator[dict[str, Any]]:
    yielded: set[tuple[str, str]] = set()
    for experiment in experiments_named(connection, name):
        for cell in queries.cells_of(connection, experiment["id"]):
            if (key := (experiment["name"], cell["id"])) not in yielded:
                yielded.add(key)
                kept = {column: cell[column] for column in (*_CELL, "cohort", "options", "traits", "spec")}
                yield {"experiment": experiment["name"], "cell": cell["id"], **kept}


def _questions(connection: Connection, name: str | None) -> Iterator[dict[str, Any]]:
    """Each with its reference as JSON; of several plans under one name the newest says where a question stands."""
    places, cases = schema.experiment_questions, schema.cases
    yielded: set[tuple[str, str]] = set()
    for experiment in experiments_named(connection, name):
        query = select(places, cases.c.question_id, cases.c.content).join(cases, cases.c.id == places.c.case)
        query = query.where(places.c.experiment == experiment["id"]).order_by(places.c.position)
        for row in connection.execute(query).mappings():
            if (key := (experiment["name"], row["case"])) not in yielded:
                yielded.add(key)
                yield {**row, "experiment": experiment["name"]}


def _json(content: object) -> str:
    return json.dumps(content, ensure_ascii=False)


def _calls(connection: Connection, name: str | None) -> Iterator[dict[str, Any]]:
    """Each call once, under the name of the experiment that paid for it; `shape` holds all that was asked, as JSON."""
    table = schema.calls
    columns = (table.c[column] for column in (*_CALL, "recorded"))
    query = select(*columns).order_by(table.c.created_at, table.c.key)
    result = connection.execute(query if name is None else query.where(table.c.experiment == name))
    for row in result.mappings():
        call = dict(row)
        yield call | {"latency_s": known_latency_s(call["latency_s"], call.pop("recorded"))}


def _scores(connection: Connection, name: str | None) -> Iterator[dict[str, Any]]:
    """Every grader's word, also those of graders that a report no longer goes by."""
    scores, cases = schema.scores, schema.cases
    for experiment in dict.fromkeys(plan["name"] for plan in experiments_named(connection, name)):
        plan_ids = [plan["id"] for plan in experiments_named(connection, experiment)]
        named = {cell["id"]: cell for plan in plan_ids for cell in queries.cells_of(connection, plan)}
        places = select(schema.experiment_cells.c.cell).where(schema.experiment_cells.c.experiment.in_(plan_ids))
        asked = select(schema.experiment_questions.c.case).where(schema.experiment_questions.c.experiment.in_(plan_ids))
        query = (
            select(cases.c.question_id, scores)
            .join(cases, cases.c.id == scores.c.case)
            .where(scores.c.cell.in_(places), scores.c.case.in_(asked))
            .order_by(cases.c.question_id, scores.c.cell, scores.c.repeat, scores.c.grader)
        )
        for row in connection.execute(query).mappings():
            given = {**{key: named[row["cell"]][key] for key in (*_CELL, "cohort")}, **row, "experiment": experiment}
            yield {key: given[key] for key in _COLUMNS["scores"]}


def _table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> TableColumns:
    return {column: [_known(row[column]) for row in rows] for column in columns}


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
