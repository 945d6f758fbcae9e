"""All episodes of a cell that a migration has to look at, some thousands at a time: a store may have millions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import Column, ColumnElement, Connection, select, tuple_

from moot.store.schema import episodes

TOGETHER = 2_000
EpisodeText = tuple[str, int, str]
"""Question, repeat, and what stands in the column."""


def episodes_of(
    connection: Connection, cell: str, column: Column[str], wanted: ColumnElement[bool]
) -> Iterator[Sequence[EpisodeText]]:
    """Those that are wanted, in the order of their places. What is done to one batch does not move the next."""
    place = (episodes.c.question, episodes.c.repeat)
    of_cell = select(*place, column).where(episodes.c.cell == cell, wanted).order_by(*place).limit(TOGETHER)
    after: tuple[str, int] = ("", -1)
    while True:
        rows = connection.execute(of_cell.where(tuple_(*place) > after)).all()
        if not rows:
            return
        yield [(question, repeat, written) for question, repeat, written in rows]
        after = (rows[-1][0], rows[-1][1])
