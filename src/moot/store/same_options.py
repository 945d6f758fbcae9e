"""Which cells are one option, although they are kept apart.

What decides by the drafts of other questions is another cell with other questions, or another grader, to learn from: so no
episode is taken for one that was decided otherwise. Nobody has chosen anything by that: a trial, or more questions, is
the same option in a claim. What such a cell was made of, all but its lessons, stands in its `spec`.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, select

from moot.store import schema
from moot.store.rows import object_of


def same_options(connection: Connection, cells: Collection[str]) -> set[str]:
    """These cells, and of those that learn also what they are with other lessons."""
    table = schema.cells
    same = set(cells)
    for cell in cells:
        row = connection.execute(select(table.c.spec, table.c.traits).where(table.c.id == cell)).first()
        if row is not None and object_of(row.traits or "{}", "cells.traits").get("learns"):
            same.update(connection.execute(select(table.c.id).where(table.c.spec == row.spec)).scalars())
    return same
