"""Calls that a server has left behind which was killed: made for a question that was forgotten before they came.

Under a cap a call is on the disk before its reply is used, and a moment later it is looked at whether its question still stands.
Who is killed in that moment leaves a call of which nobody knows whose it was, and nothing would ever forget it. So whoever serves
the file next looks through all calls of its name, a few at a time, beside whatever else it does.
"""

from __future__ import annotations

import asyncio
import time
from functools import partial

from sqlalchemy import Connection, select

from moot.live.served_past import drop_calls
from moot.live.tied_calls import TRANSCRIPTS_TOGETHER, forgettable, ties_since
from moot.store import queries, schema
from moot.store.holders import living_holders
from moot.store.store import Store

SETTLED_S = 300.0
"""Where others serve the file too, a call may be there before it is written whose it is: after so long it is."""

LOOKED_AT = 2_000
"""Calls in one look, which keeps a store for some milliseconds."""

PAUSE_S = 0.02


async def forget_left_behind(store: Store, name: str) -> int:
    """Forget the calls of this name that were left behind before now; how many there were."""
    begun, last, dropped = time.time(), "", 0
    own = None if store.presence is None else store.presence.id
    if await store.read(lambda connection: living_holders(connection) - {own}):
        await asyncio.sleep(SETTLED_S)
    while True:
        keys = await store.read(partial(_next_keys, after=last))
        if not keys:
            break
        last = keys[-1]
        loose = await store.read(partial(_loose, keys=keys, name=name, before=begun))
        for start in range(0, len(loose), TRANSCRIPTS_TOGETHER):
            some = loose[start : start + TRANSCRIPTS_TOGETHER]
            dropped += await store.run(partial(_dropped, keys=some, name=name))
        await asyncio.sleep(PAUSE_S)
    if dropped:
        await store.scrub()
    return dropped


def _next_keys(connection: Connection, after: str) -> list[str]:
    key = schema.calls.c.key
    return list(connection.execute(select(key).where(key > after).order_by(key).limit(LOOKED_AT)).scalars())


def _loose(connection: Connection, keys: list[str], name: str, before: float) -> list[str]:
    """Those that were made for the name, when calls were tied to questions already, and that no question is tied to."""
    calls, ties, left = schema.calls, schema.served_calls, set(keys)
    for some in queries.chunks(keys):
        left.difference_update(connection.execute(select(ties.c.key).where(ties.c.key.in_(some))).scalars())
    since, found = ties_since(connection), list[str]()
    for some in queries.chunks(sorted(left)):
        own = (calls.c.key.in_(some), calls.c.experiment == name, calls.c.created_at.between(since, before))
        found += connection.execute(select(calls.c.key).where(*own)).scalars()
    return found


def _dropped(connection: Connection, keys: list[str], name: str) -> int:
    return drop_calls(connection, forgettable(connection, name, keys))
