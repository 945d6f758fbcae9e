"""What was said before anything was known: hypotheses and the primary figure, with the time they were written down.

A run writes down what its file declares before its first call. Whatever is declared once calls are there under this name, or
answers to these questions under another, is kept as well, and marked: it may have been thought of because of what was seen.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, select

from moot.store import schema
from moot.store.same_options import same_options
from moot.store.statements import Row, insert_new

DeclarationKind = Literal["hypothesis", "primary"]


@dataclass(frozen=True, slots=True)
class Declared:
    kind: DeclarationKind
    text: str
    declared_at: float
    frozen: bool
    """Written down before the first call."""


def declare(
    connection: Connection,
    name: str,
    config: dict[str, Any],
    cells: Sequence[str],
    questions: Iterable[str] | None = None,
) -> None:
    """Write down what is new in a file that is about to run; what stands already keeps its time.

    `questions`: all that it will ask, by their digests; None: nobody knows yet.
    """
    if not (texts := _said_in(config)):
        return
    frozen = int(not _begun(connection, name, cells, questions))
    rows: list[Row] = [
        {"experiment": name, "kind": kind, "text": text, "declared_at": time.time(), "frozen": frozen}
        for kind, text in texts
    ]
    insert_new(schema.declarations, tuple(rows[0]), connection.dialect.name).execute(connection, rows)


def foreseen_declarations(
    connection: Connection, name: str, config: dict[str, Any], cells: Sequence[str], questions: Iterable[str] | None
) -> list[Declared]:
    """What would stand under this name, were this file run now; nothing is written."""
    stand = declared(connection, name)
    known = {(word.kind, word.text) for word in stand}
    if not (new := [said for said in _said_in(config) if said not in known]):
        return stand
    frozen = not _begun(connection, name, cells, questions)
    return [*stand, *(Declared(kind, text, time.time(), frozen) for kind, text in new)]


def _said_in(config: dict[str, Any]) -> list[tuple[DeclarationKind, str]]:
    texts: list[tuple[DeclarationKind, str]] = [("hypothesis", text) for text in config.get("hypotheses", ())]
    if primary := config.get("primary"):
        texts.append(("primary", primary))
    return list(dict.fromkeys(texts))


def declared(connection: Connection, name: str) -> list[Declared]:
    """All that was ever declared under this name, the oldest first."""
    table = schema.declarations
    query = select(table).where(table.c.experiment == name).order_by(table.c.declared_at, table.c.kind, table.c.text)
    return [Declared(row.kind, row.text, row.declared_at, bool(row.frozen)) for row in connection.execute(query)]


def _begun(connection: Connection, name: str, cells: Sequence[str], questions: Iterable[str] | None) -> bool:
    """Whether a call was made under this name, or a cell of it has answered one of these questions under another."""
    calls, episodes = schema.calls, schema.episodes
    if connection.execute(select(calls.c.key).where(calls.c.experiment == name).limit(1)).first() is not None:
        return True
    played: set[str] = set()
    for cell in same_options(connection, cells):
        query = select(episodes.c.question).where(episodes.c.cell == cell)
        played.update(connection.execute(query).scalars())
    return bool(played) and (questions is None or any(question in played for question in questions))
