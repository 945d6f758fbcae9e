"""Reading much of a store at once: along its tables, in the order in which they were written.

A look-up by key goes through the whole file for every row, which is nothing for hundreds of rows and most of the time of
a report on hundreds of thousands. A run writes question by question, so whoever reads question by question finds nearly
everything next to where the last look ended; the rest is looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Select, func, select

from moot.store import schema
from moot.store.columns import CheckedColumn

RawRows = Iterable[Sequence[Any]]

AHEAD = 20_000
"""Rows that are read past and kept, since their turn may come: some dozens of megabytes."""
AT_ONCE = 500
FEW = 4
"""A table is read as a whole only if at least one in so many of its rows is wanted."""

Mark = tuple[float | None, str | None, str | None]
"""Value, stage and detail of a score."""
UNMARKED: Mark = (None, None, None)
MANY_REPEATS = 1_000
"""No run has so many. A served team draws the numbers of its repeats, and they are as large as they come."""


def pays(connection: Connection, wanted: int) -> bool:
    """Whether to read all episodes rather than look so many of them up.

    Only SQLite hands its rows over one by one; from a server everything would come at once.
    """
    if connection.dialect.name != "sqlite":
        return False
    there = connection.execute(select(func.count()).select_from(schema.episodes)).scalar_one()
    return wanted * FEW >= int(there)


def written_episodes(connection: Connection, cells: Sequence[str], columns: Sequence[str]) -> Iterator[Sequence[Any]]:
    """The episodes of these cells, in the order in which they stand in the file."""
    return _streamed(connection, _episodes_of(cells, columns))


def episode_columns(
    connection: Connection, cells: Sequence[str], columns: Sequence[str]
) -> Iterator[Sequence[Sequence[Any]]]:
    """The same, many at once, column by column."""
    return _columns(connection, _episodes_of(cells, columns))


def _episodes_of(cells: Sequence[str], columns: Sequence[str]) -> Select[Any]:
    table = schema.episodes
    # An expression, so that no index is used: by index the rows would come cell by cell, each from another place.
    in_cells = func.coalesce(table.c.cell, "").in_(cells)
    return select(*(table.c[name] for name in columns)).where(in_cells)


def written_calls(connection: Connection, experiment: str, columns: Sequence[str]) -> Iterator[Sequence[Any]]:
    """The calls that an experiment of this name has paid, in the order in which they were made."""
    return _streamed(connection, _paid_by(experiment, columns))


def call_columns(connection: Connection, experiment: str, columns: Sequence[str]) -> Iterator[Sequence[Sequence[Any]]]:
    """The same, many at once, column by column."""
    return _columns(connection, _paid_by(experiment, columns))


def _paid_by(experiment: str, columns: Sequence[str]) -> Select[Any]:
    table = schema.calls
    return select(*(table.c[name] for name in columns)).where(table.c.experiment == experiment)


def _streamed(connection: Connection, query: Select[Any]) -> Iterator[Sequence[Any]]:
    for columns in _columns(connection, query):
        yield from zip(*columns, strict=True)


def _columns(connection: Connection, query: Select[Any]) -> Iterator[Sequence[Sequence[Any]]]:
    """Rows as SQLite hands them over: what the type of a column would do with each value is done with many at once."""
    result = connection.execute(query)
    types = [column.type for column in query.selected_columns]
    checks = [each.check for each in types if isinstance(each, CheckedColumn)]
    raw = result.cursor if connection.dialect.name == "sqlite" and len(checks) == len(types) else None
    try:
        while rows := result.fetchmany(AT_ONCE) if raw is None else raw.fetchmany(AT_ONCE):
            columns = list(zip(*rows, strict=True))
            if raw is not None:
                for check, values in zip(checks, columns, strict=True):
                    check(values)
            yield columns
    finally:
        result.close()


def asked_cases(connection: Connection, experiment: str) -> Iterator[Sequence[Any]]:
    """The questions of an experiment, in their order: the question, its case, its set, its cluster, and what the case is."""
    places, cases = schema.experiment_questions, schema.cases
    placed = (places.c.question, places.c.case, places.c.question_set, places.c.cluster)
    query = select(*placed, cases.c.content).join(cases, places.c.case == cases.c.id)
    return _streamed(connection, query.where(places.c.experiment == experiment).order_by(places.c.position))


def most_repeats(connection: Connection, cells: Sequence[str]) -> int:
    """How often a question was played at most: a strategy may have repeats of its own."""
    table = schema.episodes
    last_repeat = connection.execute(select(func.max(table.c.repeat)).where(table.c.cell.in_(cells))).scalar()
    return 1 + int(last_repeat or 0)


def most_plays(connection: Connection, cells: Sequence[str]) -> int:
    """How often one of these cells has played the same question, however its repeats are numbered."""
    table = schema.episodes
    query = select(func.count().label("plays")).where(table.c.cell.in_(cells)).group_by(table.c.cell, table.c.question)
    return int(connection.execute(select(func.max(query.subquery().c.plays))).scalar() or 1)


def plays_by_question(connection: Connection, cells: Sequence[str]) -> dict[str, int]:
    """How many episodes of these cells a question has."""
    table = schema.episodes
    query = select(table.c.question, func.count()).where(table.c.cell.in_(cells)).group_by(table.c.question)
    return {row[0]: row[1] for row in connection.execute(query).all()}


class Along:
    """Rows by the key in their first column, from a stream that is expected in about the order they are asked for.

    What was read past is kept for a while. Whatever does not come soon, or was there long ago, is looked up by key: so
    the order decides how long it takes and never what is found.
    """

    def __init__(
        self, stream: RawRows, look_up: Callable[[Sequence[Any]], RawRows], times: Mapping[Any, int] | None = None
    ) -> None:
        self._stream = iter(stream)
        self._look_up = look_up
        self._times = times
        """How many rows a key has; without it one each."""
        self._kept: dict[Any, list[Sequence[Any]]] = {}
        self._size = 0

    def take(self, keys: Sequence[Any]) -> dict[Any, list[Sequence[Any]]]:
        """The rows of these keys. A key without any is left out."""
        wanted = [key for key in keys if self._count(key)]
        missing = self._missing(wanted)
        while missing and self._size < AHEAD and self._read():
            missing = self._missing(missing)
        if len(missing) == len(wanted) and self._size >= AHEAD:
            self._forget()
        for key in missing:
            self._size -= len(self._kept.pop(key, ()))  # not all of them
        rows_by_key = {key: self._kept.pop(key) for key in wanted if key in self._kept}
        self._size -= sum(map(len, rows_by_key.values()))
        for row in self._look_up(missing) if missing else ():
            rows_by_key.setdefault(row[0], []).append(row)
        return rows_by_key

    def close(self) -> None:
        """Let go of the stream, wherever it is: half a query read holds on to the connection."""
        if isinstance(self._stream, Generator):
            self._stream.close()

    def _forget(self) -> None:
        """Much was read past and nobody has asked for it."""
        self._kept.clear()
        self._size = 0

    def _count(self, key: Any) -> int:
        return 1 if self._times is None else self._times.get(key, 0)

    def _missing(self, keys: Sequence[Any]) -> list[Any]:
        kept = self._kept
        if self._times is None:
            return [key for key in keys if key not in kept]
        return [key for key in keys if len(kept.get(key, ())) < self._count(key)]

    def _read(self) -> bool:
        """Some more of the stream; False at its end."""
        rows = list(islice(self._stream, AT_ONCE))
        for row in rows:
            self._kept.setdefault(row[0], []).append(row)
        self._size += len(rows)
        return bool(rows)


class _Sparse(dict[int, Mark]):
    """Marks by place, for places of which hardly any is taken."""

    def __missing__(self, place: int) -> Mark:
        return UNMARKED


class Marks:
    """The scores of many episodes by cell, case and repeat, with no more than a number for each."""

    def __init__(
        self, connection: Connection, cells: Sequence[str], cases: Iterable[str], grader: str, repeats: int
    ) -> None:
        self._places = {case: number * repeats for number, case in enumerate(dict.fromkeys(cases))}
        self._repeats = repeats
        self._marks: dict[str, list[Mark] | _Sparse] = {
            cell: [UNMARKED] * (len(self._places) * repeats) if repeats <= MANY_REPEATS else _Sparse() for cell in cells
        }
        distinct_marks: dict[Mark, Mark] = {}
        table = schema.scores
        fields = (table.c.cell, table.c.case, table.c.repeat, table.c.value, table.c.stage, table.c.detail)
        query = select(*fields).where(table.c.cell.in_(cells), table.c.grader == grader)
        place_of, marks = self._places.get, self._marks
        for in_cells, of_cases, in_repeats, *graded in _columns(connection, query):
            several = list(zip(*graded, strict=True))
            distinct = map(distinct_marks.setdefault, several, several)
            for cell, place, repeat, mark in zip(in_cells, map(place_of, of_cases), in_repeats, distinct, strict=True):
                if place is not None and repeat < repeats:
                    marks[cell][place + repeat] = mark

    def of_all(self, cells: Sequence[str], cases: Sequence[str], repeats: Sequence[int]) -> list[Mark]:
        """Of many plays."""
        marks, places = self._marks, map(self._places.__getitem__, cases)
        return [marks[cell][place + repeat] for cell, place, repeat in zip(cells, places, repeats, strict=True)]

    def of(self, cell: str, case: str, repeat: int) -> Mark:
        return self._marks[cell][self._places[case] + repeat]
