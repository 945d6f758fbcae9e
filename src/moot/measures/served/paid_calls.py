"""Which calls were paid for by the plays of a served team that are looked at, each once.

Under `--reuse` a play is made of calls that are in the store: they were paid for by the first who had them, be it a run of the
same store, or a play before the time that is looked at.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from sqlalchemy import Connection, or_, select

from moot.measures.served.plays import LivePlay
from moot.store import queries, schema


def count_calls_once(
    connection: Connection, names: Collection[str], since: float | None, *several: list[LivePlay]
) -> None:
    """Each play is left with those that it paid for. `names`: who are served. `several`: plays that are told apart, and may have
    used the calls of one another."""
    every = [(play, plays, place) for plays in several for place, play in enumerate(plays)]
    every.sort(key=lambda each: (each[0].at, each[0].question, each[0].cell["id"]))
    paid = _paid_before(connection, names, since, {key for play, *_ in every for key in play.calls})
    for play, plays, place in every:
        own = tuple(key for key in play.calls if key not in paid)
        paid.update(own)
        if len(own) < len(play.calls):
            plays[place] = replace(play, calls=own)


def _paid_before(connection: Connection, names: Collection[str], since: float | None, keys: set[str]) -> set[str]:
    calls, found = schema.calls, set[str]()
    others = calls.c.experiment.not_in(names)
    earlier = others if since is None else or_(others, calls.c.created_at < since)
    for some in queries.chunks(sorted(keys)):
        found.update(connection.execute(select(calls.c.key).where(calls.c.key.in_(some), earlier)).scalars())
    return found
