"""The engine past one machine: episodes spread over the workers of a Ray cluster, results in one PostgreSQL store.

What is left to play is dealt out by questions, and all line-ups and repeats of a question go to one worker: calls that
strategies share meet in that worker's cache, as in a run on one machine. Limits and money are kept in one place (`gate`).
A worker that dies, or its whole node, loses its open calls and nothing else: its questions are dealt out again, and what
was stored of them is found in the store. Grading by judges, and matching, follow in the process that started it all.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from moot.errors import MootError, UsageError
from moot.run.build import Cell, Experiment
from moot.run.chain import keep_loss
from moot.run.deal import Deal, Hand
from moot.run.experiment import ExperimentFile, SimulatedSpec
from moot.run.gate import Gate, Standing
from moot.run.ray_worker import Dealt, Lineup, Plan, Played, Worker
from moot.run.runner import OpenEpisode, Runner
from moot.store import schema
from moot.store.postgresql import PostgresStore
from moot.store.rows import episode_row, score_row
from moot.store.store import Store
from moot.types import Episode, Verdict

START_S = 60.0
"""How long a worker may take to be placed and to begin."""

STOP_S = 5.0
"""How long workers are given to write down what they have when the run ends before its time."""

MOST_DEATHS = 3
"""A question that was under way at so many deaths of workers is not tried once more: it ends as failed."""

MOST_WORKERS_LOST = 20
"""After so many deaths it is not chance that kills them."""

LANES = 4
"""Hands that a worker always holds, so that it has the next before the last is over."""

OBJECT_STORE_BYTES = 100_000_000
"""What passes through Ray is questions and counts: the least that it takes is plenty."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Which cluster, and how many workers: none given is one here, and a worker for each node."""

    address: str | None = None
    workers: int | None = None


class RayRunner(Runner):
    """A run whose episodes are played by the workers of a cluster."""

    def __init__(self, experiment: Experiment, store: Store, cluster: Cluster, *, limit: int | None = None) -> None:
        if not isinstance(store, PostgresStore):
            raise UsageError(
                "--engine ray: workers on several machines cannot share a file; "
                "expected --store postgresql://USER@HOST/NAME"
            )
        super().__init__(experiment, store)
        self._cluster = cluster
        self._limit = limit
        self._ray: Any = None
        self._gate: Any = None
        self._alive: dict[str, Any] = {}
        self._started = 0
        self._workers = 0

    async def _play_all(self, cells: Sequence[Cell]) -> None:
        started_here = self._connect()
        try:
            self._tasks = [asyncio.create_task(self._spread(cells))]
            await asyncio.gather(*self._tasks, return_exceptions=True)
        finally:
            if started_here:
                self._ray.shutdown()
        if not self._store_is_broken():
            await self.store.flush()

    def _connect(self) -> bool:
        """True if it is ours to end."""
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        try:
            import ray
        except ImportError:
            raise UsageError("--engine ray needs the package ray: pip install 'moot[ray]'") from None
        self._ray = ray
        if ray.is_initialized():
            return False
        # "local": else it would join whatever cluster was last started on this machine.
        address = self._cluster.address or "local"
        options: dict[str, Any] = {"address": address, "logging_level": "ERROR", "log_to_driver": False}
        if address == "local":
            options |= {"include_dashboard": False, "object_store_memory": OBJECT_STORE_BYTES}
            options["num_cpus"] = max(self._cluster.workers or 1, os.cpu_count() or 1)
        handler = signal.getsignal(signal.SIGTERM)
        try:
            ray.init(**options)
        except (ConnectionError, ValueError, RuntimeError, TimeoutError) as error:
            first = str(error).strip().partition("\n")[0]
            raise UsageError(f"--engine ray: no cluster at {address}: {first}") from None
        signal.signal(signal.SIGTERM, handler)  # Ray puts its own there, and ours is what ends a run
        return True

    async def _spread(self, cells: Sequence[Cell]) -> None:
        tasks: list[asyncio.Task[None]] = []
        try:
            self._workers = self._room()
            self._gate = self._new_gate()
            deal = Deal(self._hands(cells))
            seats = [asyncio.create_task(self._seat(deal)) for _ in range(self._workers)]
            tasks = [*seats, asyncio.create_task(self._watch())]
            try:
                await self._until_over(deal, seats)
            finally:
                deal.close()
        except MootError as error:
            self._stop(error)
        except Exception as error:  # noqa: BLE001  a bug of ours: it ends the run, in words
            self._stop(MootError(f"{type(error).__name__}: {error}"))
        finally:
            await self._end(tasks)

    async def _until_over(self, deal: Deal, seats: Sequence[asyncio.Task[None]]) -> None:
        """Everything was played; or all seats are empty, because the run must end."""
        played = asyncio.create_task(deal.wait())
        empty = asyncio.create_task(asyncio.wait(seats))
        try:
            await asyncio.wait([played, empty], return_when=asyncio.FIRST_COMPLETED)
            if self._stopped is None and not played.done():
                for seat in seats:
                    seat.result()  # a bug of ours, if there is one
                raise MootError("no worker is left, and none can be started; everything so far is kept, run again")
        finally:
            played.cancel()
            empty.cancel()

    def _room(self) -> int:
        """As many as were asked for, if there is room for them."""
        nodes = [node for node in self._ray.nodes() if node["Alive"]]
        room = int(sum(node["Resources"].get("CPU", 0) for node in nodes))
        wanted = self._cluster.workers or len(nodes)
        if wanted > room:
            raise UsageError(f"--workers: the cluster has room for {room} (a CPU each), not for {wanted}")
        return wanted

    def _new_gate(self) -> Any:
        """On this machine: what it keeps must not die with some other."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        here = NodeAffinitySchedulingStrategy(self._ray.get_runtime_context().get_node_id(), soft=False)
        options = {"num_cpus": 0, "max_concurrency": 10_000, "scheduling_strategy": here}
        limits = {endpoint: limiter.limits for endpoint, limiter in self.tally.limiters.items()}
        purse = self.tally.purse
        money = (purse.cap_usd, purse.spent_usd) if purse is not None else ()
        return self._ray.remote(Gate).options(**options).remote(limits, *money)

    async def _seat(self, deal: Deal) -> None:
        """One worker, and another in its place when it dies, until there is nothing left to play."""
        while self._stopped is None and self._started < self._workers + MOST_WORKERS_LOST:
            name = f"w{self._started}"
            self._started += 1
            worker = self._ray.remote(Worker).options(num_cpus=1, scheduling_strategy="SPREAD").remote()
            try:
                failed = await asyncio.wait_for(_answer(worker.start.remote(name, self._plan(), self._gate)), START_S)
            except TimeoutError:
                self._ray.kill(worker)
                return
            except Exception as error:
                if not self._died(error):
                    raise
                continue
            if failed is not None:
                self._stop(failed)
                return
            self._alive[name] = worker
            await asyncio.gather(*(self._lane(name, worker, deal) for _ in range(LANES)))
            if name in self._alive:
                return
            self._ray.kill(worker)  # one that only cannot be reached must not go on
            await self._bury(name)

    async def _lane(self, name: str, worker: Any, deal: Deal) -> None:
        """Hand after hand, until there is none, the run must end or the worker is dead."""
        while self._stopped is None and name in self._alive and (hand := await deal.next()) is not None:
            if self._stopped is not None or name not in self._alive:
                deal.lost(hand)
                return
            try:
                played = await worker.play.remote(hand.questions)
            except Exception as error:
                if not self._died(error):
                    raise
                self._alive.pop(name, None)
                hand.deaths += 1
                if hand.deaths < MOST_DEATHS:
                    deal.lost(hand)
                    return
                self._give_up(hand)
            else:
                self._absorb(played)
            deal.over()

    def _died(self, error: Exception) -> bool:
        """A worker or its node, as opposed to a bug in what it runs."""
        kinds = self._ray.exceptions
        return isinstance(error, kinds.RayError) and not isinstance(error, kinds.RayTaskError)

    async def _bury(self, name: str) -> None:
        """Its places at the endpoints are free again; what its open calls may have cost is written down."""
        lost_usd = await self._gate.gone.remote(name)
        if lost_usd:
            keep_loss(self.store, self.experiment.name, lost_usd)

    def _give_up(self, hand: Hand) -> None:
        """Nobody survived these questions: an outcome like any other."""
        verdict = Verdict(None, "failed", cause=f"{hand.deaths} workers died while they played it")
        grading = self.experiment.grading
        for each in hand.questions:
            score = grading.at_once(each.case, None)
            for lineup in each.lineups:
                episode = Episode(lineup.cell, each.case.question, lineup.repeat, verdict, (), 0.0)
                graded = score_row(lineup.cell, each.case.digest, lineup.repeat, grading.name, score)
                self.store.put_later([(schema.episodes, episode_row(episode)), (schema.scores, graded)])
                self.tally.outcomes["failed"] += 1
                self.tally.causes[verdict.cause or ""] += 1

    def _absorb(self, played: Played) -> None:
        tally = self.tally
        assert tally.calls is not None, "a run has begun"
        tally.outcomes += played.outcomes
        tally.causes += played.causes
        tally.retries += played.retries
        tally.calls.made += played.made
        tally.calls.found += played.found
        costs = (tally.calls.cost_usd, played.cost_usd)
        tally.calls.cost_usd = None if None in costs else sum(each or 0.0 for each in costs)
        if played.stopped is not None:
            self._stop(played.stopped)

    async def _watch(self) -> None:
        while True:
            standing: Standing = await self._gate.standing.remote()
            self.tally.elsewhere.update(standing.states)
            await asyncio.sleep(0.5)

    async def _end(self, tasks: Sequence[asyncio.Task[None]]) -> None:
        """However it ended: workers write down what they have, and what was spent is known here."""
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        stopping = [asyncio.ensure_future(_answer(worker.stop.remote())) for worker in self._alive.values()]
        if stopping:
            ended, _ = await asyncio.wait(stopping, timeout=STOP_S)
            for each in ended:
                if not each.cancelled() and each.exception() is None:
                    self._absorb(each.result())
        if self._gate is not None and self.tally.purse is not None:
            with suppress(Exception):
                standing = await asyncio.wait_for(_answer(self._gate.standing.remote()), STOP_S)
                self.tally.purse.spent_usd = standing.spent_usd
        self.tally.elsewhere.clear()
        for actor in (*self._alive.values(), self._gate):
            if actor is not None:
                self._ray.kill(actor)

    def _plan(self) -> Plan:
        file = self.experiment.file
        simulated = any(isinstance(each, SimulatedSpec) for each in file.spec.models.values())
        if not simulated:  # questions come with each hand; only who simulates must know them all
            file = ExperimentFile(file.path, file.spec.model_copy(update={"questions": None}), file.places)
        limits = {endpoint: limiter.limits for endpoint, limiter in self.tally.limiters.items()}
        cells = tuple(cell.id for cell in self.experiment.cells)
        limit = self._limit if simulated else None
        return Plan(file, limit, self.experiment.store_url, cells, limits, self.tally.purse is not None)

    async def _hands(self, cells: Sequence[Cell]) -> AsyncIterator[list[Hand]]:
        """So many questions a hand that all lanes together hold as many episodes as a run here would have under way."""
        async for episodes in self._open_episodes(cells):
            by_question: dict[str, list[OpenEpisode]] = defaultdict(list)
            for each in episodes:
                by_question[each.case.question.digest].append(each)
            questions = [
                Dealt(several[0].case, tuple(Lineup(each.cell.id, each.repeat) for each in several))
                for several in by_question.values()
            ]
            size = self._hand_size(len(episodes) / max(1, len(questions)))
            yield [Hand(tuple(questions[start : start + size])) for start in range(0, len(questions), size)]

    def _hand_size(self, lineups: float) -> int:
        return max(1, round(self._window() / max(1.0, lineups) / (self._workers * LANES)))


async def _answer(reference: Any) -> Any:
    return await reference
