"""What was forgotten and may still stand in the store's files: it is noted with the deletion, and scrubbed until it is gone.

To delete rows takes a moment; that no byte of them is left may have to wait for somebody who reads an earlier state of the
store, and fail. So both are not one step: a deletion leaves a note in the store, and whoever has scrubbed the files takes out
what was noted before. A server that is ended in between finds the note when it starts again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial

from sqlalchemy import Connection, delete, select

from moot.errors import MootError
from moot.live.logged_errors import in_log
from moot.store import queries, schema
from moot.store.statements import Row
from moot.store.store import Store
from moot.types import digest

_log = logging.getLogger(__name__)

AGAIN_S, LONGEST_AGAIN_S = 2.0, 60.0
"""The pause before files that could not be scrubbed are tried again: it doubles, up to this."""

CLOSING_S = 5.0
"""How long a team that closes waits for it; what is left then is the next one's."""

SEVERAL = ""
"""In the place of an episode's mark."""
COUNTS = ("episodes", "questions", "calls")


def mark_of_episode(episode: str) -> str:
    """So short that for every question there is a number with which its episode would have the same one: until the files are
    scrubbed it tells the episode to whoever has its id, and nothing to whoever has not."""
    return digest(["unscrubbed", episode])[:8]


def note_forgotten(
    connection: Connection, name: str, removed: Mapping[str, int], *, mark: str = SEVERAL, asker: str | None = None
) -> None:
    """In the transaction that deletes it. `asker`: whose one episode it was."""
    counts = {count: removed.get(count, 0) for count in COUNTS}
    row = {"experiment": name, "mark": mark, "asker": asker, **counts, "forgotten_at": time.time()}
    queries.put(connection, schema.unscrubbed, [row])


def noted_episode(connection: Connection, name: str, episode: str, asker: str | None) -> dict[str, int] | None:
    """What was removed with an episode whose words may still stand in the files. `asker`: only one of its own."""
    table = schema.unscrubbed
    query = select(table).where(table.c.experiment == name, table.c.mark == mark_of_episode(episode))
    if asker is not None:
        query = query.where(table.c.asker == asker)
    row = connection.execute(query).mappings().first()
    return None if row is None else {count: row[count] for count in COUNTS}


async def scrub_files(store: Store) -> None:
    """No file of the store holds what was forgotten so far, or an error says why not."""
    noted = await store.read(_noted)
    await store.scrub()
    if noted:
        await store.run(partial(_take_out, notes=noted))


def _noted(connection: Connection) -> list[Row]:
    return [dict(row) for row in connection.execute(select(schema.unscrubbed)).mappings()]


def _take_out(connection: Connection, notes: Sequence[Row]) -> None:
    """But what was forgotten since, under the same mark."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON")
    table = schema.unscrubbed
    for note in notes:
        this = (column == note[column.name] for column in (table.c.experiment, table.c.mark, table.c.forgotten_at))
        connection.execute(delete(table).where(*this))


class LeftInFiles:
    """Scrubs the files of one store behind everybody's back, one scrub for all that was forgotten before it begins."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._wanted = self._done = 0
        self._changed = asyncio.Condition()
        self._hurry = asyncio.Event()
        self._scrubbing: asyncio.Task[None] | None = None

    async def look(self) -> None:
        """What an earlier process has left is scrubbed from now on."""
        try:
            left = await self._store.read(_noted)
        except MootError as error:  # such as an odd store, which is served all the same
            _log.warning("nobody knows whether something forgotten is still in the store's files: %s", in_log(error))
        else:
            if left:
                self.scrub_soon()

    def scrub_soon(self) -> None:
        """Something was forgotten."""
        self._wanted += 1
        self._hurry.set()
        if self._scrubbing is None or self._scrubbing.done():
            self._scrubbing = asyncio.create_task(self._until_gone())

    async def gone(self, patience_s: float) -> bool:
        """Whether nothing is left of all that was forgotten so far; it is waited for so long."""
        wanted = self._wanted
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s), self._changed:
                await self._changed.wait_for(lambda: self._done >= wanted)
        return self._done >= wanted

    async def close(self) -> None:
        if self._scrubbing is None:
            return
        await self.gone(CLOSING_S)
        self._scrubbing.cancel()
        await asyncio.wait({self._scrubbing})

    async def _until_gone(self) -> None:
        failures = 0
        while (wanted := self._wanted) > self._done:
            self._hurry.clear()
            try:
                await scrub_files(self._store)
            except Exception as error:  # noqa: BLE001  whatever it is, the words are still there: said once, tried again
                if not failures:
                    _log.warning("forgotten, and still in the store's files; it is tried again: %s", in_log(error))
                failures += 1
                await self._pause(min(LONGEST_AGAIN_S, AGAIN_S * 2.0 ** min(failures - 1, 30)))
                continue
            if failures:
                _log.warning("what was forgotten is no longer in the store's files")
            failures = 0
            async with self._changed:
                self._done = wanted
                self._changed.notify_all()

    async def _pause(self, seconds: float) -> None:
        """Who forgets something more wants it tried at once."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._hurry.wait()
