"""A store in memory that is filled by hand, row by row: what is asked of it is known without asking it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Table, create_engine, insert

from moot.store import schema
from moot.store.migrating import migrate

_LEFT_OUT: Mapping[str, Mapping[str, Any]] = {
    "experiments": {"config": "{}", "size": 0, "created_at": 0.0},
    "cells": {"strategy": "solo", "label": "solo", "spec": "{}", "options": "{}", "traits": "{}"},
    "episodes": {
        "repeat": 0,
        "outcome": "answered",
        "verdict": "{}",
        "transcript": "[]",
        "seconds": 1.0,
        "created_at": 0.0,
    },
    "scores": {"repeat": 0, "grader": "match", "value": 1.0, "stage": "exact"},
    "runs": {"started_at": 0.0, "state": "done", "facts": "{}"},
    "failures": {"key": "k", "model": "tom", "kind": "TimedOut", "message": "late", "created_at": 0.0},
    "calls": {
        "experiment": "cup",
        "model": "tom",
        "shape": "{}",
        "text": "fine",
        "finish": "stop",
        "latency_s": 1.0,
        "created_at": 0.0,
    },
    "preferences": {"judge_name": "kim", "said_at": 0.0},
    "judgements": {"right": 1},
    "grades": {"value": 1.0, "stage": "theirs"},
    "losses": {"created_at": 0.0},
    "reservations": {"created_at": 0.0},
    "holders": {"party": "ours", "process": json.dumps({"host": "elsewhere", "pid": 1, "run": "x"}), "claiming": 1},
}


def fill(connection: Connection, table: Table, *rows: Mapping[str, Any]) -> None:
    """Rows of which only what matters is said."""
    for row in rows:
        connection.execute(insert(table).values(**{**_LEFT_OUT.get(table.name, {}), **row}))


def plan(
    connection: Connection, ident: str, *, cells: str = "", questions: str = "", config: Any = None, **row: Any
) -> None:
    """An experiment under the name that its id begins with; cells and questions go by letters, and `q` is asked as case `Q`."""
    name, written = ident.partition("-")[0], json.dumps(config or {})
    fill(connection, schema.experiments, {"id": ident, "name": name, "config": written, **row})
    places = [{"experiment": ident, "position": place, "cell": cell} for place, cell in enumerate(cells)]
    fill(connection, schema.experiment_cells, *places)
    fill(
        connection,
        schema.experiment_questions,
        *(
            {"experiment": ident, "position": place, "question": letter, "case": letter.upper()}
            for place, letter in enumerate(questions)
        ),
    )


@contextmanager
def small_store() -> Iterator[Connection]:
    with create_engine("sqlite://").begin() as connection:
        migrate(connection)
        yield connection
