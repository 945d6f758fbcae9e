"""What a served team answered, kept like an experiment's episodes, so that the same reports measure it.

The questions come from outside and nobody has said what is right: their cases are not known until there is feedback. Calls and
episodes are written down behind the reply's back, in groups; whoever asked does not wait for the disk. What the store does not
take is tried again, and meanwhile nobody is answered and no model is asked: an answer that leaves no trace cannot be measured,
and should not be paid for. What was paid for when the trouble began waits to be written.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Table, select

from moot.errors import MootError, StoreError
from moot.experiment.plan import Cell, Plan
from moot.grade.grading import Grading
from moot.grade.persons import persons_word, words_by_case
from moot.live.asked_with import AskedWith
from moot.live.forgotten_plays import ForgottenPlays
from moot.live.left_in_files import LeftInFiles
from moot.live.logged_errors import in_log
from moot.live.served_past import drop_calls
from moot.live.served_rows import cleaned_rows, placed_cases
from moot.live.tied_calls import ITSELF, AskedPlay, asked_play, calls_are_for, forgettable, put_ties
from moot.live.told_right import take_feedback
from moot.live.unwritten import (
    Batch,
    KeptCall,
    TryTheStore,
    Unwritten,
    UnwrittenEpisode,
    UnwrittenRow,
    WrittenSoFar,
    tell_waiting,
)
from moot.store import queries, schema
from moot.store.bookkeeping import CallClaim, Settlement
from moot.store.money import asked_account, served_account
from moot.store.presence import Presence
from moot.store.rows import EDITED, episode_row, score_row
from moot.store.statements import Row
from moot.store.store import Store
from moot.traces import hanging
from moot.types import NOTHING, Episode, Question, digest

_log = logging.getLogger(__name__)

TOGETHER = 500
"""Calls and episodes written in one transaction."""

LINGER_S = 0.2
"""They gather for this long before they are written."""

AGAIN_S = 2.0
LONGEST_AGAIN_S = 60.0
"""The pause before a store that did not take them is tried again: it doubles, up to this."""


served_name = served_account
"""What the served traffic of a file is kept under: apart from the runs of the same file, which have their own bill."""
asked_name = asked_account
"""What `moot ask` keeps of a file's team: apart from what it was asked when served."""


class ServedRecord:
    """The episodes of one served team file, as an experiment of their own beside those that were planned."""

    def __init__(
        self,
        store: Store,
        experiment: Plan,
        cells: Sequence[Cell],
        *,
        behind: bool = True,
        asked_with: AskedWith | None = None,
    ) -> None:
        """`behind`: a reply is used before its call is on the disk. `asked_with`: by hand, and not of a served team."""
        self._store = store
        self._experiment = experiment
        self._cells = tuple(cells)
        self._behind = behind
        self._waiting: asyncio.Queue[Unwritten | None] = asyncio.Queue()
        self._batch: list[Unwritten | None] = []
        """What is being written: a writer that takes over begins with it."""
        self._calls: dict[str, Row] = {}
        self._claims: dict[str, CallClaim] = {}
        self.forgotten = ForgottenPlays()
        self.files = LeftInFiles(store)
        self._asked_with = asked_with
        self._beside: dict[str, tuple[Cell, Mapping[str, Any]]] = {}
        """By their ids, cells that are none of the file's, each with its plan."""
        self._writer: asyncio.Task[None] | None = None
        self._hurry, self._failed = asyncio.Event(), asyncio.Event()
        self._closing = self._given_up = False
        self._failures, self._next_try = 0, 0.0
        self.error: MootError | None = None
        """Why nothing is kept at the moment, if the store cannot be written."""
        self.others_written: Callable[[str | None], Awaitable[Any]] = partial(asyncio.sleep, 0)

    @property
    def id(self) -> str:
        cells = [cell.id for cell in self._cells]
        if self._asked_with is not None:
            return digest([self._experiment.name, "asked", cells, asdict(self._asked_with)])
        return digest([self._experiment.name, "served", cells])

    @property
    def name(self) -> str:
        """What it is kept under, as every version of the file is."""
        return (served_name if self._asked_with is None else asked_name)(self._experiment.name)

    @property
    def grading(self) -> Grading:
        return self._experiment.grading

    async def open(self) -> None:
        whole = partial(self.declare, cells=self._cells, config=self._experiment.public_config, ident=self.id)
        await self._store.run(whole)
        self._start()

    def _start(self) -> None:
        self._writer = asyncio.create_task(self._write())
        self._writer.add_done_callback(self._ended)

    def _ended(self, writer: asyncio.Task[None]) -> None:
        """A writer that ends before we do, for whatever reason, is said and replaced; what it held is not lost."""
        if self._closing or writer is not self._writer:
            return
        reason = "it was stopped" if writer.cancelled() else repr(writer.exception())
        self._trouble(StoreError(f"{self._store.name}: the writer ended: {reason}"))
        asyncio.get_running_loop().call_later(self._pause_s(), self._start_again)

    def _start_again(self) -> None:
        if not self._closing:
            self._start()

    def check(self) -> None:
        """While nothing can be kept nobody is asked: raises the reason, and when it is tried again."""
        self.notice()
        if self.error is not None:
            raise self._refusal()

    def _refusal(self) -> StoreError:
        return StoreError.until(str(self.error), self._next_try)

    def notice(self) -> None:
        """What broke the store may have been none of our rows: money that was to be reserved, or a sign of life."""
        if self.error is None and not self._closing:
            try:
                self._store.check()
            except StoreError as error:
                self.doubt(error)

    def doubt(self, error: StoreError) -> None:
        """Something else has found that the store does not answer: nobody is asked until it takes something again."""
        if self.error is None and not self._closing:
            self._trouble(error)
            self._waiting.put_nowait(TryTheStore())

    def seat_beside(self, cell: Cell, config: Mapping[str, Any]) -> None:
        """That this one may answer under the name, too. Its plan is in the store from its first answer on, and not before."""
        self._beside[cell.id] = cell, config

    def _plan_of(self, connection: Connection, cell: str) -> str:
        beside = self._beside.get(cell)
        return self.id if beside is None else self.declare(connection, (beside[0],), {**beside[1], EDITED: True})

    def declare(
        self, connection: Connection, cells: Sequence[Cell], config: Mapping[str, Any], ident: str | None = None
    ) -> str:
        """That these may answer under the name: the plan's id. `ident`: where it is not that of these cells alone."""
        asked = {} if self._asked_with is None else {"asked": asdict(self._asked_with)}
        config = {**config, "served": True, **asked}
        row = {
            "id": ident or digest([self._experiment.name, "served", [cell.id for cell in cells]]),
            "name": self.name,
            "config": json.dumps(config, ensure_ascii=False),
            "size": 0,
            "created_at": time.time() if ident is not None else self._before(connection),
        }
        chosen_on = {cell.id: cell.chosen_on.marks for cell in cells}
        queries.declare_experiment(connection, row, [cell.row() for cell in cells], chosen_on)
        return str(row["id"])

    def _before(self, connection: Connection) -> float:
        """A little before the plan of the file: what stands beside it is never taken for the latest version of it."""
        table = schema.experiments
        declared: float = connection.execute(select(table.c.created_at).where(table.c.id == self.id)).scalar_one()
        return declared - 1.0

    def add(self, episode: Episode, asker: str | None = None, told: Mapping[str, Any] = NOTHING) -> None:
        """`asker`: whose question it is, where several ask. `told`: what to keep beside the question."""
        self._waiting.put_nowait(UnwrittenEpisode(episode, asker, told))

    def begin(self, question: Question, repeat: int, *, drawn: bool = False) -> None:
        """What this task and those it starts ask from now on is for this play. `drawn`: its number was drawn for it."""
        play = AskedPlay(self.name, question.digest, repeat, drawn)
        self._waiting.put_nowait(UnwrittenRow(schema.served_calls, play.tie(ITSELF)))
        calls_are_for(play)

    def want(self, key: str, sample: int | None = None) -> None:
        """Written before the call can be, so that none is left of which nobody knows whose it is."""
        if (play := asked_play()) is not None:
            play.want(key, sample)
            self._waiting.put_nowait(UnwrittenRow(schema.served_calls, play.tie(key)))

    async def find_call(self, key: str) -> Row | None:
        """What is not written yet is found all the same. It is asked before every call: see `check`. What stands in the store may
        be forgotten with the questions it was for, until it is written that this one uses it too."""
        self.check()
        if (play := asked_play()) is not None and play.is_first(key):
            return self._calls.get(key)
        if (row := self._calls.get(key) or await self._store.find_call(key)) is None or play is None:
            return row
        await self.flush()
        return self._calls.get(key) or await self._store.find_call(key)

    @property
    def presence(self) -> Presence | None:
        return self._store.presence

    async def keep_call(self, row: Row, settlement: Settlement | None = None, claim: CallClaim | None = None) -> Row:
        """To be written. It is paid for, so it waits even where the store takes nothing."""
        if not self._behind and not self.forgotten.asks:
            try:
                stands = await self._store.keep_call(row, settlement, claim)
            except MootError as error:
                self._trouble(error)
                if settlement is not None:
                    self._store.settle(settlement)
                self._later(row)
                raise
            if asked_play() is not None:
                self._waiting.put_nowait(KeptCall(row["key"]))
            return stands
        if settlement is not None:
            self._store.settle(settlement)
        if claim is not None:
            self._claims[row["key"]] = claim
        self._later(row)
        return row

    def _later(self, row: Row) -> None:
        self._calls[row["key"]] = row
        self._put(schema.calls, row)

    def put_later(self, rows: Sequence[tuple[Table, Row]]) -> None:
        """With the calls, and not by the store itself: here it is tried again by itself."""
        for table, row in rows:
            self._put(table, row)

    def _put(self, table: Table, row: Row) -> None:
        self._waiting.put_nowait(UnwrittenRow(table, row, of_question=asked_play() is not None and "key" in row))

    async def flush(self) -> None:
        """All that was added so far is written, or an error says why not."""
        self._hurry.set()
        self._failed.clear()
        self._waiting.put_nowait(mark := WrittenSoFar())
        written, failed = asyncio.create_task(mark.reached.wait()), asyncio.create_task(self._failed.wait())
        try:
            await asyncio.wait({written, failed}, return_when=asyncio.FIRST_COMPLETED)
            if not written.done():
                raise self._refusal()
        finally:
            written.cancel()
            failed.cancel()

    async def all_written(self, forgetting: str | None = None) -> None:
        """Also by other processes of this server; `forgetting`: an episode that none of them keeps a call of from now on."""
        if forgetting is not None:
            self.forgotten.add(forgetting)
        await asyncio.gather(self.flush(), self.others_written(forgetting))

    async def close(self) -> None:
        if self._writer is None:
            return
        self._closing = True
        if self._writer.done():
            self._start()
        self._waiting.put_nowait(None)
        self._hurry.set()
        await self._writer
        await self.files.close()
        self._writer = None

    async def _write(self) -> None:
        """Takes what has gathered every so often: one transaction for many, and nobody waits for it."""
        over = False
        while not over:
            if not self._batch:
                self._batch.append(await self._waiting.get())
                await self._linger(LINGER_S)
            while len(self._batch) < TOGETHER and not self._waiting.empty():
                self._batch.append(self._waiting.get_nowait())
            over = None in self._batch
            await self._written(Batch.of(self._batch))
            tell_waiting(self._batch)
            self._batch = []

    async def _linger(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._hurry.wait()
        self._hurry.clear()

    async def _written(self, batch: Batch) -> None:
        """Until the store has taken it; a team that closes tries once more and then gives up."""
        while batch or (self.error is not None and not self._given_up):
            closing = self._closing
            try:
                await self._taken(batch)
            except Exception as error:  # noqa: BLE001  whatever it is, it is not kept: that is said, and tried again
                self._trouble(error)
                if closing and batch.in_words:
                    _log.error("given up, and not kept: %s", batch.in_words)
                if closing:
                    self._given_up = True
                    break
                await self._linger(self._pause_s())
            else:
                self._well_again(batch)
                self._store.learn_calls(row["key"] for row in batch.calls)
                break
        for row in batch.calls:
            self._calls.pop(row["key"], None)
        claims = (self._claims.pop(row["key"], None) for row in batch.calls)
        self._store.release([claim for claim in claims if claim is not None])

    async def _taken(self, batch: Batch) -> None:
        if self.error is not None:
            await self._store.again()
        if not batch:
            return
        keep = partial(self._keep, batch=batch)
        try:
            dropped = await self._store.run(keep)
        except Exception:  # noqa: BLE001  perhaps a value that no database takes: once more without such
            dropped = await self._store.run(partial(keep, cleaned=True))
        if dropped:
            self.files.scrub_soon()

    def _trouble(self, error: Exception) -> None:
        if self.error is None:
            _log.warning("nothing is kept, and so nothing answered: %s", in_log(error))
        self.error = error if isinstance(error, MootError) else StoreError(f"{type(error).__name__}: {error}")
        self._failures += 1
        self._next_try = time.monotonic() + self._pause_s()
        self._failed.set()

    def _well_again(self, batch: Batch) -> None:
        """What was given up is not kept because the store takes something else."""
        if self.error is not None and not self._given_up:
            _log.warning("the store takes answers again%s", "; those that waited are kept" if batch.in_words else "")
        self.error, self._failures = None, 0

    def _pause_s(self) -> float:
        return min(LONGEST_AGAIN_S, AGAIN_S * 2.0 ** min(self._failures - 1, 30))

    def _keep(self, connection: Connection, batch: Batch, cleaned: bool = False) -> int:
        """How many calls were forgotten that had been kept for a question which was forgotten meanwhile."""
        clean: Callable[[Iterable[Row]], list[Row]] = cleaned_rows if cleaned else list
        for table, held in put_ties(connection, batch.rows, batch.of_questions).items():
            queries.add(connection, table, clean(held))
        by_plan = defaultdict[str, list[UnwrittenEpisode]](list)
        for each in batch.episodes:
            by_plan[self._plan_of(connection, each.episode.cell)].append(each)
        placed = partial(placed_cases, connection, name=self.name)
        cases = dict(chain.from_iterable(placed(plan, asked=asked).items() for plan, asked in by_plan.items()))
        persons = words_by_case(queries.settlements_on(connection, [case.digest for case in cases.values()]))
        episodes, scores = [each.episode for each in batch.episodes], []
        for episode in episodes:
            case, verdict = cases[episode.question.digest], episode.verdict
            said, hangs = persons.get(case.digest, {}), hanging(verdict.traces)
            score = self.grading.score(case, verdict.answer, (), persons_word(case, verdict.answer, said), hangs=hangs)
            scores.append(score_row(episode.cell, case.digest, episode.repeat, self.grading.name, score))
        queries.put(connection, schema.episodes, clean([episode_row(episode) for episode in episodes]))
        queries.put(connection, schema.scores, clean(scores))
        return drop_calls(connection, self.name, forgettable(connection, self.name, batch.kept))

    async def feedback(
        self, episode: str, *, answer: str | None = None, correct: bool | None = None, asker: str | None = None
    ) -> dict[str, Any]:
        """What turned out to be right: the answer itself, or whether the team's was. `asker`: only on its questions."""
        await self.all_written()
        learn = partial(take_feedback, name=self.name, grading=self.grading, episode=episode)
        return await self._store.run(partial(learn, answer=answer, correct=correct, asker=asker))
