"""Statements for every table: inserts, compiled once for each and given to the driver as they are, and lists of keys in parts.

A run writes three rows a call; going through the whole of SQLAlchemy for each would cost more than SQLite itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Table

Row = Mapping[str, Any]

LEISURE_S = 600
IN_ONE_QUERY = 500
"""Parameters in one `IN (...)`: every database takes this many."""


def at_one_moment(connection: Connection) -> None:
    """The first words of a transaction all of whose queries see the same: in PostgreSQL each by itself would see what was written
    since the one before it. Elsewhere they do anyhow."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")


def at_leisure(connection: Connection) -> None:
    """For work that computes between its statements: a server that ends transactions which stand still waits longer."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SET LOCAL idle_in_transaction_session_timeout = '{LEISURE_S}s'")


def chunks(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """As many at a time as one `IN (...)` takes."""
    for start in range(0, len(items), IN_ONE_QUERY):
        yield items[start : start + IN_ONE_QUERY]


@dataclass(frozen=True, slots=True)
class Insert:
    """SQL text, of which columns it is, and how a row becomes its parameters."""

    sql: str
    columns: tuple[str, ...]
    parameters: Callable[[Row], tuple[Any, ...]]

    def execute(self, connection: Connection, rows: Sequence[Row]) -> None:
        connection.exec_driver_sql(self.sql, self.values(rows))

    def values(self, rows: Sequence[Row]) -> list[tuple[Any, ...]]:
        return list(map(self.parameters, rows))


@cache
def insert_new(table: Table, columns: tuple[str, ...], dialect: str) -> Insert:
    """Insert; a row whose key is there already is left as it is."""
    return _compiled(_insert(table, columns, dialect).on_conflict_do_nothing(), dialect)


@cache
def insert_or_replace(table: Table, columns: tuple[str, ...], dialect: str) -> Insert:
    """Insert; a row whose key is there already is overwritten."""
    statement = _insert(table, columns, dialect)
    keys = [column.name for column in table.primary_key]
    changed = {name: statement.excluded[name] for name in columns if name not in keys}
    if not changed:
        return _compiled(statement.on_conflict_do_nothing(), dialect)
    return _compiled(statement.on_conflict_do_update(index_elements=keys, set_=changed), dialect)


def _insert(table: Table, columns: tuple[str, ...], dialect: str) -> Any:
    return _words_of(dialect).insert(table).values(dict.fromkeys(columns))


def _words_of(dialect: str) -> Any:
    """The one that is meant: who has a file waits for none of the other's modules."""
    return import_module(f"sqlalchemy.dialects.{'postgresql' if dialect == 'postgresql' else 'sqlite'}")


def _compiled(statement: Any, dialect: str) -> Insert:
    paramstyle = "numeric_dollar" if dialect == "postgresql" else "qmark"
    compiled = statement.compile(dialect=_words_of(dialect).dialect(paramstyle=paramstyle))
    columns = tuple(compiled.positiontup)
    return Insert(str(compiled), columns, _of_one(*columns) if len(columns) == 1 else itemgetter(*columns))


def _of_one(column: str) -> Callable[[Row], tuple[Any, ...]]:
    """An `itemgetter` of one name gives its value bare."""
    return lambda row: (row[column],)
