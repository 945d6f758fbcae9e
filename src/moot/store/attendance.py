"""Who was late for a round, kept: a run that goes on, in this process or another, hears those who were heard before."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from functools import partial

from sqlalchemy import Connection, select

from moot.store import queries, schema
from moot.store.store import Store
from moot.team.attendance import Decide, Remembered
from moot.types import digest


class StoredAttendance(Remembered):
    """Attendance of one experiment. Another experiment waits for itself."""

    def __init__(self, store: Store, experiment: str) -> None:
        super().__init__()
        self._store = store
        self._experiment = experiment

    async def decided(self, key: str, decide: Decide) -> tuple[str, ...]:
        kept_as = digest([self._experiment, key])
        players = await self._store.run(partial(find_absence, key=kept_as))
        if players is not None:
            return tuple(players)
        late = await decide()
        return tuple(await self._store.run(partial(keep_absence, key=kept_as, players=late)))


def find_absence(connection: Connection, key: str) -> list[str] | None:
    """Who was late for a round; None where nothing is on record."""
    table = schema.absences
    players = connection.execute(select(table.c.players).where(table.c.key == key)).scalar()
    return None if players is None else list(json.loads(players))


def keep_absence(connection: Connection, key: str, players: Sequence[str]) -> list[str]:
    """Write down who was late; if somebody else was first, theirs stands and is returned."""
    row = {"key": key, "players": json.dumps(list(players)), "created_at": time.time()}
    queries.add(connection, schema.absences, [row])
    return find_absence(connection, key) or []
