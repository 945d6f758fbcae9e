"""Which calls were paid for by the plays of a served team that are looked at, each once.

Under `--reuse` a play is made of calls that are in the store: they were paid for by the first who had them, be it a run of the
same store, or a play before the time that is looked at. What was made while a play was under way is its own, whenever that began.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from sqlalchemy import Connection, or_, select

from moot.live.beside_episodes import episode_name
from moot.live.tied_calls import ITSELF
from moot.measures.served.plays import LivePlay
from moot.store import queries, schema


def count_calls_once(
    connection: Connection, names: Collection[str], since: float | None, *several: list[LivePlay]
) -> None:
    """Each play is left with those that it paid for. `names`: who are served. `several`: plays that are told apart, and may have
    used the calls of one another."""
    every = [(play, plays, place) for plays in several for place, play in enumerate(plays)]
    every.sort(key=lambda each: (each[0].at, each[0].question, each[0].cell["id"]))
    made_at = _made_by_others(connection, names, since, {key for play, *_ in every for key in play.calls})
    began = _began(connection, {play.question for play, *_ in every}) if made_at else {}
    paid = set[str]()
    for play, plays, place in every:
        begun = min(play.at - play.seconds, began.get(play.episode, play.at))
        own = tuple(key for key in play.calls if key not in paid and made_at.get(key, begun) >= begun)
        paid.update(own)
        if len(own) < len(play.calls):
            plays[place] = replace(play, calls=own)


def _made_by_others(
    connection: Connection, names: Collection[str], since: float | None, keys: set[str]
) -> dict[str, float]:
    """When those calls were made that some other name paid for, or that are older than what is looked at."""
    calls, found = schema.calls, dict[str, float]()
    others = calls.c.experiment.not_in(names)
    earlier = others if since is None else or_(others, calls.c.created_at < since)
    for some in queries.chunks(sorted(keys)):
        rows = connection.execute(select(calls.c.key, calls.c.created_at).where(calls.c.key.in_(some), earlier))
        found.update((row.key, row.created_at) for row in rows)
    return found


def _began(connection: Connection, questions: Iterable[str]) -> dict[str, float]:
    """When each play of these questions began, by the name of its episode, as far as that was written down."""
    ties, found = schema.served_calls, dict[str, float]()
    for some in queries.chunks(sorted(questions)):
        query = select(ties.c.question, ties.c.repeat, ties.c.created_at)
        for row in connection.execute(query.where(ties.c.key == ITSELF, ties.c.question.in_(some))):
            found[episode_name(row.question, row.repeat)] = row.created_at
    return found
