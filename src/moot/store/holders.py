"""Who is at work on a store, as all can read it there, and which calls are whose.

A holder is a process that makes calls. It lives as long as it gives signs of life, at least one in the length of a lease;
on this machine it is also seen when it is gone. What the gone had claimed is free.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, delete, select

from moot.store import processes, schema
from moot.store.statements import Row, insert_new

LEASE_S = 15.0
"""Without a sign of life for so long a process is taken for gone; one of this machine that has ended is seen at once."""

TOGETHER = 500


@dataclass(frozen=True, slots=True)
class Others:
    """Whoever else is at work on the store."""

    living: frozenset[str] = frozenset()
    gone: Mapping[str, float] = field(default_factory=dict)
    """With the last sign of life of each."""
    unaware: frozenset[str] = frozenset()
    """Living, and not claiming yet: they have not noticed anybody."""
    own_beat_at: float | None = None
    """Our own last sign of life as the others see it; None: we are taken for gone, or have not come yet."""


def is_living(holder: Row, now: float) -> bool:
    return not processes.is_gone(json.loads(holder["process"])) and now - holder["beat_at"] <= LEASE_S


def others_of(connection: Connection, ident: str, party: str, *, now: float | None = None) -> Others:
    """`now`: since when a silence counts, if not since this moment."""
    living, gone, unaware = set(), {}, set()
    own_beat_at: float | None = None
    now = time.time() if now is None else now
    for holder in connection.execute(select(schema.holders)).mappings().all():
        if holder["id"] == ident:
            own_beat_at = holder["beat_at"]
            continue
        if not is_living(dict(holder), now):
            gone[holder["id"]] = holder["beat_at"]
            continue
        if holder["party"] == party:
            continue
        living.add(holder["id"])
        if not holder["claiming"]:
            unaware.add(holder["id"])
    return Others(frozenset(living), gone, frozenset(unaware), own_beat_at)


def living_holders(connection: Connection) -> set[str]:
    now = time.time()
    holders = connection.execute(select(schema.holders)).mappings().all()
    return {holder["id"] for holder in holders if is_living(dict(holder), now)}


def leave(connection: Connection, holder: str) -> None:
    """By its own will."""
    connection.execute(delete(schema.claims).where(schema.claims.c.holder == holder))
    connection.execute(delete(schema.holders).where(schema.holders.c.id == holder))


def forget(connection: Connection, gone: Mapping[str, float]) -> None:
    """Whoever has gone claims nothing. One that has given a sign of life since it was taken for gone is left alone."""
    table = schema.holders
    for holder, beat_at in sorted(gone.items()):
        silent = delete(table).where(table.c.id == holder, table.c.beat_at == beat_at)
        if connection.execute(silent).rowcount:
            connection.execute(delete(schema.claims).where(schema.claims.c.holder == holder))


def claim(connection: Connection, keys: Sequence[str], holder: str) -> None:
    """As many of the calls as nobody else has claimed."""
    if rows := [{"key": key, "holder": holder} for key in sorted(keys)]:
        insert_new(schema.claims, ("key", "holder"), connection.dialect.name).execute(connection, rows)


def claimed(connection: Connection, keys: Sequence[str]) -> dict[str, str]:
    """Who has a claim, by the key of the call. It goes in the transaction that stores the call."""
    table = schema.claims
    holders: dict[str, str] = {}
    for part in _parts(keys):
        query = select(table.c.key, table.c.holder).where(table.c.key.in_(part))
        holders.update((key, holder) for key, holder in connection.execute(query).all())
    return holders


def taken(connection: Connection, keys: Sequence[str], holder: str) -> set[str]:
    """Those of the calls that are not this one's to make: claimed by others, or stored."""
    by_others = {key for key, claimant in claimed(connection, keys).items() if claimant != holder}
    table = schema.calls
    for part in _parts(keys):
        by_others.update(connection.execute(select(table.c.key).where(table.c.key.in_(part))).scalars())
    return by_others


def _parts(keys: Sequence[str]) -> list[Sequence[str]]:
    return [keys[start : start + TOGETHER] for start in range(0, len(keys), TOGETHER)]
