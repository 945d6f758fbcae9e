"""One question of a served team, to be forgotten by whoever asked it: what `purge` does to all that is old, done to one."""

from __future__ import annotations

import json
import time
from functools import partial

from sqlalchemy import Connection, delete, select, update

from moot.live.served_past import forget_after_episodes
from moot.live.served_rows import cells_in, find_episode, plans_named
from moot.live.unlinked_calls import FORGOTTEN, mark_of
from moot.prompts import block
from moot.store import queries, schema
from moot.store.rows import case_of
from moot.store.store import Store

LATE_S = 5.0
"""An episode is written down a little after its last call, and calls beside it a little after it."""


async def forget_episode(store: Store, name: str, episode: str, asker: str | None) -> dict[str, int]:
    """Forget one episode, and leave nothing of it in the store's files. `asker`: only one of its own."""
    removed = await store.run(partial(purge_episode, name=name, episode=episode, asker=asker))
    await store.scrub()
    return removed


def purge_episode(connection: Connection, name: str, episode: str, asker: str | None) -> dict[str, int]:
    """The episode with its grades and calls; its question too, unless that was asked once more."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON")
    row = find_episode(connection, name, episode, asker)
    episodes, scores, matches = schema.episodes, schema.scores, schema.matches
    this = (
        episodes.c.cell.in_(cells_in(plans_named(name))),
        episodes.c.question == row["question"],
        episodes.c.repeat == row["repeat"],
    )
    plays = connection.execute(select(episodes.c.transcript, episodes.c.created_at, episodes.c.seconds).where(*this))
    said, begun, ended = set[str](), row["created_at"], row["created_at"]
    for transcript, created_at, seconds in plays.all():
        said.update(key for *_, key, _error, _problem in json.loads(transcript) if key)
        begun, ended = min(begun, created_at - seconds - LATE_S), max(ended, created_at + LATE_S)
    case = case_of(row["content"])
    cases = select(schema.cases.c.id).where(schema.cases.c.question_id == case.question.id)
    connection.execute(
        delete(scores).where(
            scores.c.case.in_(cases), scores.c.cell.in_(cells_in(plans_named(name))), scores.c.repeat == row["repeat"]
        )
    )
    connection.execute(delete(matches).where(matches.c.question == row["question"], matches.c.repeat == row["repeat"]))
    forgotten = connection.execute(delete(episodes).where(*this)).rowcount
    said |= _unspoken_calls(connection, name, case.question.text, begun, ended)
    said = _paid_by(connection, name, said) - _spoken_elsewhere(connection, name, said)
    rest = forget_after_episodes(connection, name, [row["question"]], time.time(), calls=said)
    failures = schema.failures
    # Which question a failed call was made for nobody has written down: all of that moment lose their words.
    moment = (failures.c.experiment == name, failures.c.created_at.between(begun, ended))
    connection.execute(update(failures).where(*moment).values(message=FORGOTTEN))
    return {"episodes": forgotten, **rest}


def _unspoken_calls(connection: Connection, name: str, text: str, begun: float, ended: float) -> set[str]:
    """Calls of that moment about these words that stand in no transcript, such as the one that writes a client's form."""
    calls = schema.calls
    moment = (calls.c.experiment == name, calls.c.created_at.between(begun, ended))
    mark = mark_of(block(text))
    rows = connection.execute(select(calls.c.key, calls.c.shape).where(*moment)).all()
    return {key for key, shape in rows if mark in shape}


def _paid_by(connection: Connection, name: str, keys: set[str]) -> set[str]:
    """Those that were made for this name: what a run paid for, and a served question used again, is the run's."""
    calls, ours = schema.calls, set[str]()
    for some in queries.chunks(sorted(keys)):
        query = select(calls.c.key).where(calls.c.key.in_(some), calls.c.experiment == name)
        ours.update(connection.execute(query).scalars())
    return ours


def _spoken_elsewhere(connection: Connection, name: str, keys: set[str]) -> set[str]:
    """Those of the calls that another episode of the name has used again."""
    episodes = schema.episodes
    still: set[str] = set()
    ours = episodes.c.cell.in_(cells_in(plans_named(name)))
    for key in keys:
        found = select(episodes.c.question).where(ours, episodes.c.transcript.contains(key, autoescape=True)).limit(1)
        if connection.execute(found).first() is not None:
            still.add(key)
    return still
