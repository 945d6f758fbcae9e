"""Stores written when nothing told who could not be reached in a play that went on: only its transcript did.

Used once, when such a store is first opened. A call without a reply has an error there, and not its kind: one that nobody
waited for says so, and of those whose generation failed, which is the model's own doing, the words are among the failures.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, select, update

from moot.store.schema import cells, episodes, failures
from moot.store.walked_episodes import episodes_of
from moot.team.team import LATE
from moot.types import dense_json

OWN_DOING = "GenerationFailed"


def tell_unreached(connection: Connection) -> None:
    own = select(failures.c.message).where(failures.c.kind == OWN_DOING).distinct()
    own_doings = tuple(connection.execute(own).scalars())
    # A call without a reply has no key, and an error in words behind it.
    some_failed = episodes.c.transcript.like('%,null,"%')
    for cell in connection.execute(select(cells.c.id)).scalars().all():
        for rows in episodes_of(connection, cell, episodes.c.transcript, some_failed):
            for question, repeat, transcript in rows:
                if names := _unreached(json.loads(transcript), own_doings):
                    this = (episodes.c.cell == cell, episodes.c.question == question, episodes.c.repeat == repeat)
                    connection.execute(update(episodes).where(*this).values(unreached=dense_json(names)))


def _unreached(steps: list[list[Any]], own_doings: tuple[str, ...]) -> list[str]:
    errors = ((step[0], step[4]) for step in steps if step[3] is None and step[4] not in (None, LATE))
    return sorted({name for name, error in errors if not any(message.startswith(error) for message in own_doings)})
