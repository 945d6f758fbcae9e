"""Who was late for a round, kept: a run that goes on, in this process or another, hears those who were heard before."""

from __future__ import annotations

from functools import partial

from moot.store import queries
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
        players = await self._store.run(partial(queries.find_absence, key=kept_as))
        if players is not None:
            return tuple(players)
        late = await decide()
        return tuple(await self._store.run(partial(queries.keep_absence, key=kept_as, players=late)))
