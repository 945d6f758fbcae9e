"""What `moot ask` was asked, kept to be found again and gone on from: in the team's own store, or in the user's log."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from moot.cli.safe_text import say
from moot.cli.watched import Watched
from moot.errors import MootError, UsageError
from moot.experiment.plan import Plan
from moot.experiment.spec import read_experiment
from moot.live.asked_with import AskedWith
from moot.live.question_log import PLACE, LoggedQuestion, last_by_hand, log_file, log_store, logged_as, times_asked
from moot.live.served import ServedRecord
from moot.store import queries, schema, store_at
from moot.store.examined import opened_to_read
from moot.store.sqlite import SqliteStore
from moot.store.statements import Row
from moot.store.store import Store
from moot.types import Question


@dataclass(frozen=True, slots=True)
class Keeping:
    """Where what is asked stays."""

    in_its_store: bool
    """The team's file names a store: calls are kept there, and an equal question is answered from it."""
    log: Path | None
    """Else the log, unless there is to be none."""
    wanted: bool
    asked_with: AskedWith
    told: Mapping[str, Any]
    """What is kept beside the question: what had been said before."""


class Log:
    """What was asked, to be found again. That it cannot be kept is said, and the answer stands."""

    def __init__(self, experiment: Plan, keeping: Keeping, played_in: Store) -> None:
        self._experiment, self._keeping, self._played_in = experiment, keeping, played_in
        self._question, self._repeat = Question("", ""), 0
        self._wanted = keeping.wanted and (keeping.in_its_store or keeping.log is not None)

    async def repeat(self, question: Question) -> int:
        """A question that is asked again is another play. In a store of its own it is answered from there."""
        if self._keeping.in_its_store or not self._wanted:
            return 0
        try:
            async with self._opened() as store:
                self._question, self._repeat = question, await self._times_asked(store, question)
        except MootError as error:
            self._not_kept(error)
        return self._repeat

    async def _times_asked(self, store: Store, question: Question) -> int:
        cells = [cell.id for cell in self._experiment.cells]
        return await store.run(partial(times_asked, question=question, cells=cells))

    async def keep(self, table: Watched) -> None:
        if not self._wanted:
            return
        try:
            if self._keeping.in_its_store:
                await self._write(self._played_in, table, [])
                return
            keys = [call.reply.key for episode in table.episodes.values() for call in episode.calls if call.reply]
            made = await self._played_in.run(partial(queries.find_calls, keys=[key for key in keys if key]))
            async with self._opened() as store:
                if await self._times_asked(store, self._question) > self._repeat:
                    raise UsageError(
                        "the same question was asked in another terminal at the same moment, and that stays"
                    )
                await self._write(store, table, list(made.values()))
        except MootError as error:
            self._not_kept(error)

    async def _write(self, store: Store, table: Watched, calls: Sequence[Row]) -> None:
        record = ServedRecord(store, self._experiment, self._experiment.cells, asked_with=self._keeping.asked_with)
        await record.open()
        record.put_later([(schema.calls, dict(row)) for row in calls])
        for episode in table.episodes.values():
            record.add(episode, told=self._keeping.told)
        try:
            await record.flush()
        finally:
            await record.close()

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[Store]:
        assert self._keeping.log is not None, "there is a log"
        store = await log_store(self._keeping.log).open()
        try:
            yield store
        finally:
            await store.close()

    def _not_kept(self, error: MootError) -> None:
        self._wanted = False
        say(f"moot: not logged: {error}", file=sys.stderr)


async def earlier_question(team: Path | None, after: str | None) -> LoggedQuestion:
    """The last one, or that with the id `after`: from where the team's file keeps what it is asked, or else from the log."""
    store: Store | None = None
    if team is not None:
        file = read_experiment(team, with_questions=False)
        store = store_at(file.store_url, beside=team.parent) if file.spec.store is not None else None
    if store is None:
        place = log_file()
        if place is None:
            raise UsageError(f"{PLACE} is off: nothing is logged that one could go on from")
        store = SqliteStore(place)
    name = store.name

    def read(connection: Connection) -> LoggedQuestion | None:
        if after is not None:
            return logged_as(connection, after, runs=False)
        return last_by_hand(connection)

    async with opened_to_read(store.needed(f"nothing was asked before: there is no log at {name} yet")):
        found = await store.read(read)
    if found is None:
        which = f"no question {after!r}" if after is not None else "no question yet"
        raise UsageError(f"{name} holds {which}; moot log lists what was asked")
    return found
