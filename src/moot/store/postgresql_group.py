"""One group of calls, rows, money and claims on its way into a PostgreSQL database, in one transaction.

Rows are mostly new, and the quickest way to say many of them is COPY: a third of the server's work for a prepared INSERT of each,
and half of ours (`bench/store_writes.py`). But COPY knows no ON CONFLICT. So it is tried, and where a row turns out to be there
already the group is taken back and its table is written row by row, now and for some groups to come: whoever grades or plays
again replaces row after row.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any

from sqlalchemy import Table

from moot.errors import StoreError
from moot.store import schema
from moot.store.bookkeeping import CLAIM, RELEASE, RESERVE, RESERVED, STRIKE, ClosedBooks, numbered
from moot.store.group import Group, Written
from moot.store.postgresql_line import STATUS, Link, said, settled, table_with_the_key, unwritable
from moot.store.statements import Insert, Row, insert_new, insert_or_replace
from moot.store.store import bounded_value

FEWEST = 4
"""Of fewer rows a prepared statement costs less than a COPY, which the server has to read anew each time."""

FIRST_REST, LONGEST_REST = 4, 256
"""For how many groups a table is written row by row that has refused one."""

FIND = f"SELECT {', '.join(column.name for column in schema.calls.columns)} FROM calls WHERE key = ANY($1)"
ACCOUNTS = "SELECT experiment, held_usd FROM accounts WHERE experiment = ANY($1) ORDER BY experiment FOR UPDATE"
CLAIMED = "SELECT key, holder FROM claims WHERE key = ANY($1)"
NOT_OURS = "SELECT key FROM calls WHERE key = ANY($1) AND xmin <> pg_current_xact_id()::xid"
STRIKE_ALL = "DELETE FROM reservations WHERE id = ANY($1)"


class Copying:
    """Which tables take many rows at once, as far as they have shown it."""

    def __init__(self) -> None:
        self._groups_to_rest: dict[str, int] = {}
        self._next_rest: dict[str, int] = {}

    def takes(self, table: Table, rows: Sequence[object]) -> bool:
        return len(rows) >= FEWEST and not self._groups_to_rest.get(table.name)

    def refused(self, table: str) -> None:
        """A row was there already: the oftener that happens, the longer until the next try."""
        rest = self._next_rest.get(table, FIRST_REST)
        self._groups_to_rest[table], self._next_rest[table] = rest, min(2 * rest, LONGEST_REST)

    def written(self, copied: set[str]) -> None:
        """A group is: one less to rest for the others."""
        for table in copied:
            self._next_rest.pop(table, None)
        self._groups_to_rest = {table: left - 1 for table, left in self._groups_to_rest.items() if left > 1}


class Writing:
    """One group on its way into the database."""

    def __init__(self, group: Group, link: Link, copying: Copying) -> None:
        # In one order everywhere: two processes that write the same rows wait for each other and never in a circle.
        self._calls = sorted((row for row, _ in group.calls), key=lambda row: row["key"])
        tables = sorted(group.puts, key=lambda table: table.name)
        self._puts = {table: _in_order(table, group.puts[table]) for table in tables}
        self._group = group
        self._link = link
        self._copying = copying
        self._copied: set[str] = set()
        self._mark: str | None = None
        self._written = Written()
        self._cleaned = False

    async def commit(self) -> Written:
        """Calls that somebody else stored before us come back: theirs stand."""
        try:
            return await self._link.patiently(self._attempt)
        except Exception as error:
            if isinstance(error, StoreError):
                raise
            if self._cleaned or not unwritable(error):
                raise said(error, self._link.name) from None
        # NUL, half a surrogate pair, a number of 32 bits. To look for them in every row would cost more than to begin again.
        self._cleaned = True
        return await self.commit()

    async def _attempt(self, connection: Any) -> Written:
        if self._mark is not None and settled(await connection.fetchval(STATUS, self._mark)):
            return self._written  # only the answer got lost
        while True:
            self._mark = None
            self._copied.clear()
            try:
                return await self._send(connection)
            except Exception as error:
                table = table_with_the_key(error)
                if table is None or table not in self._copied:
                    raise
                await connection.execute("ROLLBACK")
                self._copying.refused(table)

    async def _send(self, connection: Any) -> Written:
        await connection.execute("BEGIN")
        for table, rows in self._puts.items():
            insert = insert_or_replace(table, tuple(rows[0]), "postgresql")
            await self._put(connection, table, insert, insert.values(rows))
        earlier, kept_by_others = await self._add_calls(connection) if self._calls else ({}, set())
        claimed = await self._claim(connection)
        booked = await self._book(connection, kept_by_others)
        self._written = Written(earlier, booked.granted, claimed, booked.accounts)
        self._mark = await connection.fetchval("SELECT pg_current_xact_id()::text")
        await connection.execute("COMMIT")
        self._copying.written(self._copied)
        return self._written

    async def _add_calls(self, connection: Any) -> tuple[dict[str, Row], set[str]]:
        """What stands under those of our keys that are another's, by another transaction or twice in this one; and
        which of them are the former."""
        keys = [row["key"] for row in self._calls]
        twice = {key for key, following in pairwise(keys) if key == following}
        insert = insert_new(schema.calls, tuple(self._calls[0]), "postgresql")
        if await self._put(connection, schema.calls, insert, insert.values(self._calls), may_copy=not twice):
            return {}, set()
        others = {row["key"] for row in await connection.fetch(NOT_OURS, keys)}
        standing = others | twice
        rows = await connection.fetch(FIND, list(standing)) if standing else []
        return {row["key"]: dict(row) for row in rows}, others

    async def _put(
        self, connection: Any, table: Table, insert: Insert, rows: Sequence[tuple[Any, ...]], *, may_copy: bool = True
    ) -> bool:
        """Whether all of them are known to have been new: only COPY tells."""
        if self._cleaned:
            rows = [tuple(map(bounded_value, row)) for row in rows]
        if not (may_copy and self._copying.takes(table, rows)):
            await connection.executemany(insert.sql, rows)
            return False
        self._copied.add(table.name)
        await connection.copy_records_to_table(table.name, records=rows, columns=insert.columns)
        return True

    async def _claim(self, connection: Any) -> list[bool]:
        if self._group.released:
            released = sorted((claim.key, claim.holder) for claim in self._group.released)
            await connection.executemany(numbered(RELEASE), released)
        if not self._group.claims:
            return []
        claims = [claim for claim, _ in self._group.claims]
        await connection.executemany(numbered(CLAIM), sorted((claim.key, claim.holder) for claim in claims))
        standing = await connection.fetch(CLAIMED, [claim.key for claim in claims])
        holders = {row["key"]: row["holder"] for row in standing}
        return [holders.get(claim.key) == claim.holder for claim in claims]

    async def _book(self, connection: Any, kept_by_others: set[str]) -> ClosedBooks:
        """Last of all: whoever else pays for this experiment waits from here to the commit, and no longer."""
        books = self._group.books
        if not (names := books.experiments):
            return ClosedBooks({})
        held = {row["experiment"]: row["held_usd"] for row in await connection.fetch(ACCOUNTS, names)}
        closed = books.close(held, kept_by_others)
        for sql, values in closed.statements():
            if sql == STRIKE:
                await connection.execute(STRIKE_ALL, [ident for (ident,) in values])
            elif sql == RESERVE:
                reserve = insert_new(schema.reservations, RESERVED, "postgresql")
                await self._put(connection, schema.reservations, reserve, values)
            else:
                await connection.executemany(numbered(sql), values)
        return closed


def _in_order(table: Table, rows: Sequence[Row]) -> list[Row]:
    """By key. Of two with one key the later stays the later, and stands."""
    keys = [column.name for column in table.primary_key if column.name in rows[0]]
    return sorted(rows, key=itemgetter(*keys)) if keys else list(rows)
