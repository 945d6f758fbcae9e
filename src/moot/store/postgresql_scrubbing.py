"""What is deleted from a PostgreSQL database is gone from the bytes of its tables, and from what the planner knows of them.

Three things keep words of rows that are gone. The pages of a table: so it is written anew. The server's statistics of its
columns, which hold whole values: so none are gathered of a column with words, from the table's creation on; where some were
(in a table of an earlier version) they are taken out, and their own table is written anew as well. And a transaction that
began before the deletion: for its sake a table that is written anew takes the deleted rows along, so it is waited for. What
of this the server only passes over, with a warning to whoever may not do it, is looked at afterwards: else nobody would know.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection

from moot.errors import StoreError
from moot.store import schema
from moot.store.columns import LongTextColumn, SaidColumn

SCRUB_S = 60.0
"""How long to wait for a table that is in use, and for transactions that see what was deleted."""
PAUSE_S = 0.2

STATISTICS, OF_SEVERAL = "pg_catalog.pg_statistic", "pg_catalog.pg_statistic_ext_data"
"""Of single columns, and of several together, which moot never makes."""

WORDS = frozenset(
    (table.name, column.name)
    for table in schema.metadata.sorted_tables
    for column in table.columns
    if isinstance(column.type, LongTextColumn | SaidColumn)
)
"""The columns whose values are words, of people or of models. Names and digests are none, and plans need to know of them."""

_TABLES = sorted({table for table, _ in WORDS})

# 17 and later have no number for a column that nobody set, 16 and earlier have -1.
_GATHERED = """
SELECT relname, attname, format_type(atttypid, atttypmod)
FROM pg_catalog.pg_attribute JOIN pg_catalog.pg_class ON pg_class.oid = attrelid
WHERE relname = ANY($1) AND relkind = 'r' AND pg_table_is_visible(pg_class.oid) AND pg_has_role(relowner, 'USAGE')
    AND attnum > 0 AND NOT attisdropped AND attstattarget IS DISTINCT FROM 0
"""
_KNOWN = """
SELECT tablename, attname FROM pg_catalog.pg_stats
WHERE tablename = ANY($1) AND to_regclass(quote_ident(schemaname) || '.' || quote_ident(tablename)) = to_regclass(tablename)
"""
_KNOWN_TOGETHER = """
SELECT tablename, statistics_name, unnest(attnames) FROM pg_catalog.pg_stats_ext
WHERE tablename = ANY($1) AND to_regclass(quote_ident(schemaname) || '.' || quote_ident(tablename)) = to_regclass(tablename)
"""
# A slot may keep rows for a replica, and (catalog_xmin) those of the server's own tables alone for a decoder.
_EARLIER = """
SELECT who FROM (
    SELECT format('process %s %s', pid, application_name) AS who, greatest(age(backend_xmin), age(backend_xid)) AS age
        FROM pg_catalog.pg_stat_activity WHERE datname IS NULL OR datname = current_database()
    UNION ALL SELECT format('the prepared transaction %s', gid), age(transaction)
        FROM pg_catalog.pg_prepared_xacts WHERE database = current_database()
    UNION ALL SELECT format('the replication slot %s', slot_name),
            greatest(age(xmin), CASE WHEN $2 THEN age(catalog_xmin) END)
        FROM pg_catalog.pg_replication_slots
) AS seen WHERE age > age($1::text::xid) ORDER BY age DESC LIMIT 1
"""


def keep_no_statistics(connection: Connection) -> None:
    """Of words, from now on. Whoever does not own a table cannot say so of it."""
    for table, column, _ in connection.exec_driver_sql(_GATHERED, (_TABLES,)).all():
        if (table, column) in WORDS:
            connection.exec_driver_sql(_gather_none(table, column))


async def scrub(connection: Any, name: str) -> None:
    """`connection`: with no transaction. `StoreError` where the words may still be there."""
    await connection.execute(f"SET lock_timeout = '{SCRUB_S:.0f}s'")
    await _until_nobody_sees(connection, name, catalog=False)
    for table, column, _ in await connection.fetch(_GATHERED, _TABLES):
        if (table, column) in WORDS:
            await connection.execute(_gather_none(table, column))
    known = await _known(connection, name)
    if known:
        # First without need: who may not do it leaves the statistics where they are, and so they are found the next time.
        if not await _written_anew(connection, STATISTICS):
            who = "Only the owner of the database or a superuser can take them out: let one of them run moot purge once"
            raise StoreError(f"{name}: what was forgotten may still stand in the statistics of its tables. {who}.")
        await _take_out(connection, known)
    for table in schema.metadata.sorted_tables:
        if not await _written_anew(connection, table.name, "FULL, ANALYZE"):
            raise StoreError(
                f"{name}: what was forgotten may still stand in the table {table.name}, which another owns."
            )
    if known:
        await _until_nobody_sees(connection, name, catalog=True)
    rewritten = await _written_anew(connection, STATISTICS)
    await _written_anew(connection, OF_SEVERAL)
    if (known and not rewritten) or await _known(connection, name):
        raise StoreError(f"{name}: what was forgotten may still stand in the statistics of its tables. Try again.")


async def _known(connection: Any, name: str) -> list[tuple[str, str]]:
    """The columns with words that the server has statistics of."""
    for table, statistics, column in await connection.fetch(_KNOWN_TOGETHER, _TABLES):
        if (table, column) in WORDS:
            held = f"the statistics {statistics}, which moot has not made, hold words of {table}.{column}"
            raise StoreError(
                f"{name}: {held}, perhaps what was forgotten. Drop them, run VACUUM FULL {OF_SEVERAL}, try again."
            )
    found = {(row[0], row[1]) for row in await connection.fetch(_KNOWN, _TABLES)}
    return sorted(found & WORDS)


async def _take_out(connection: Any, known: Iterable[tuple[str, str]]) -> None:
    """A column that is given a type loses its statistics, also where it is the type that it has: so may every owner, in every
    version of the server, and nothing is written anew for it."""
    types = {
        (table, column): (
            await connection.fetchval(
                "SELECT format_type(atttypid, atttypmod) FROM pg_catalog.pg_attribute"
                " WHERE attrelid = to_regclass($1) AND attname = $2",
                table,
                column,
            )
        )
        for table, column in known
    }
    async with connection.transaction():
        for (table, column), kind in types.items():
            await connection.execute(f'ALTER TABLE {table} ALTER COLUMN "{column}" TYPE {kind}')


def _gather_none(table: str, column: str) -> str:
    return f'ALTER TABLE {table} ALTER COLUMN "{column}" SET STATISTICS 0'


async def _written_anew(connection: Any, table: str, how: str = "FULL") -> bool:
    """Whether it has a new file. Who may not do it is only warned by the server."""
    node = "SELECT pg_relation_filenode(to_regclass($1))"
    before = await connection.fetchval(node, table)
    await connection.execute(f"VACUUM ({how}) {table}")
    return bool(await connection.fetchval(node, table) != before)


async def _until_nobody_sees(connection: Any, name: str, *, catalog: bool) -> None:
    """Until no transaction is left that began before now. Our own is counted: it sees what began earlier in any database."""
    now = await connection.fetchval("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::numeric % (2::numeric ^ 32)")
    ends_at = time.monotonic() + SCRUB_S
    while (who := await connection.fetchval(_EARLIER, str(int(now)), catalog)) is not None:
        if time.monotonic() > ends_at:
            held = f"{who.strip()} sees an earlier state of the database, and does not let go"
            raise StoreError(f"{name}: {held}; what was forgotten is still in it. Try again.")
        await asyncio.sleep(PAUSE_S)
