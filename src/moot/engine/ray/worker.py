"""One worker of a Ray cluster: an asyncio loop on some node that plays the questions it is dealt.

It builds the same cells from the same file, keeps what it learns in the store itself, and asks the gate before each call.
Only questions and counts travel; keys do not: each node has them in its own environment.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import socket
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from moot.engine.call_bounds import ExceededBound
from moot.engine.chain import chain, purse_of
from moot.engine.failed_by import Cause
from moot.engine.not_applied import not_applied
from moot.engine.runner import OpenEpisode, Runner
from moot.engine.shared_limits import PolledLine, RemoteLimiter
from moot.errors import MootError, UsageError
from moot.experiment.build import build
from moot.experiment.spec import ExperimentFile
from moot.models.budget import Overcharge
from moot.models.limit import Limits
from moot.models.wordless_process import tell_without_words
from moot.store import store_at
from moot.store.attendance import StoredAttendance
from moot.store.calls import ExperimentCalls
from moot.types import Case

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WorkerPlan:
    """What a worker needs to build the same cells. Keys are not part of it: each node has them in its environment."""

    file: ExperimentFile
    limit: int | None
    store_url: str
    cells: tuple[str, ...]
    """What workers play. What learns is decided where the run was started."""
    limits: Mapping[str, Limits]
    cap_usd: float | None
    party: str
    """All workers of a run, and who started it, are one to the other processes at the store."""


@dataclass(frozen=True, slots=True)
class Lineup:
    """Who plays, and for the how manieth time."""

    cell: str
    repeat: int


@dataclass(frozen=True, slots=True)
class Dealt:
    """A question and who has still to play it."""

    case: Case
    lineups: tuple[Lineup, ...]


@dataclass
class WorkerReport:
    """All that a worker has done so far: a report that gets lost is made up for by the next, and by the last."""

    number: int = 0
    """Reports come back in any order: the highest number is the latest."""
    outcomes: Counter[str] = field(default_factory=Counter)
    causes: Counter[Cause] = field(default_factory=Counter)
    unreached: Counter[tuple[str, ...]] = field(default_factory=Counter)
    cut_out: int = 0
    retries: Counter[str] = field(default_factory=Counter)
    hedges: Counter[str] = field(default_factory=Counter)
    made: int = 0
    found: int = 0
    cost_usd: float | None = 0.0
    lost_usd: float = 0.0
    unpriced: int = 0
    overbilled: dict[str, Overcharge] = field(default_factory=dict)
    exceeded: dict[str, ExceededBound] = field(default_factory=dict)
    undeclared: dict[str, frozenset[str]] = field(default_factory=dict)
    undrafted: dict[str, int] = field(default_factory=dict)
    not_applied: dict[str, tuple[str, ...]] = field(default_factory=dict)
    stopped: MootError | None = None
    """Why the run must end."""


class Worker:
    """One asyncio loop on some node that plays what it is given."""

    async def start(self, name: str, plan: WorkerPlan, gate: Any) -> MootError | None:
        """Build what the plan says; an error says why that cannot be done here."""
        tell_without_words(_log.warning)  # what is told here Ray keeps in files, on every node
        try:
            await self._start(name, plan, gate)
        except UsageError as error:
            return UsageError(f"on {socket.gethostname()}: {error}")
        except MootError as error:
            return error
        return None

    async def _start(self, name: str, plan: WorkerPlan, gate: Any) -> None:
        experiment = build(plan.file, limit=plan.limit, store_url=plan.store_url)
        if tuple(cell.id for cell in experiment.before_learning) != plan.cells:
            raise UsageError("other cells than where the run was started: another version of moot, or other files")
        self._store = await store_at(plan.store_url).open()
        self._line = PolledLine(
            lambda notes: gate.send.remote(name, notes),
            lambda: gate.collect.remote(name),
        )
        await self._store.join(plan.party)
        purse = await purse_of(self._store, experiment.name, plan.cap_usd, experiment.models)
        limiters = {endpoint: RemoteLimiter(endpoint, limits, self._line) for endpoint, limits in plan.limits.items()}
        self._experiment = experiment
        self._runner = Runner(experiment, self._store)
        self._runner.tally.purse = purse
        self._calls = self._runner.tally.calls = ExperimentCalls(self._store, experiment.name)
        runner = self._runner
        models = chain(experiment.models, limiters, self._calls, purse, runner.count_retry, runner.count_hedge)
        seated = experiment.with_models(models, StoredAttendance(self._store, experiment.name))
        self._cells = {cell.id: cell for cell in seated.before_learning}
        self._open: set[asyncio.Task[None]] = set()
        self._numbers = itertools.count(1)

    async def play(self, questions: Sequence[Dealt]) -> WorkerReport:
        episodes = [
            OpenEpisode(dealt.case, self._cells[lineup.cell], lineup.repeat)
            for dealt in questions
            for lineup in dealt.lineups
        ]
        tasks = [asyncio.create_task(self._runner.play_one(episode)) for episode in episodes]
        self._open.update(tasks)
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        self._open.difference_update(tasks)
        errors = [result for result in ended if isinstance(result, BaseException)]
        try:
            await self._store.flush()
        except MootError as error:
            errors.insert(0, error)
        return self._so_far(next(map(_in_words, errors), None))

    async def stop(self) -> WorkerReport:
        """Drop what is under way, and write down what there is."""
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        await self._line.close()
        for built in self._experiment.models.values():
            await built.model.close()
        played = self._so_far(None)
        with suppress(MootError):
            await self._store.close()
        return played

    def _so_far(self, stopped: MootError | None) -> WorkerReport:
        tally, calls = self._runner.tally, self._calls
        return WorkerReport(
            number=next(self._numbers),
            outcomes=Counter(tally.outcomes),
            causes=Counter(tally.causes),
            unreached=Counter(tally.unreached),
            cut_out=tally.cut_out,
            retries=Counter(tally.retries),
            hedges=Counter(tally.hedges),
            made=calls.made,
            found=calls.found,
            cost_usd=calls.cost_usd,
            lost_usd=tally.lost_usd,
            unpriced=tally.unpriced,
            overbilled={} if tally.purse is None else dict(tally.purse.overbilled),
            exceeded=dict(tally.exceeded),
            undeclared=dict(tally.undeclared),
            undrafted=dict(tally.undrafted),
            not_applied=not_applied(self._runner.experiment.models),
            stopped=stopped,
        )


def _in_words(error: BaseException) -> MootError:
    return error if isinstance(error, MootError) else MootError(f"{type(error).__name__}: {error}")
