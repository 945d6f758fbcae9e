"""The engine past one machine: episodes spread over the workers of a Ray cluster, results in one PostgreSQL store.

What is left to play is dealt out by questions, and all line-ups and repeats of a question go to one worker: calls that
strategies share meet in that worker's cache, as in a run on one machine. Limits and money are kept in one place (`gate`).
A worker that dies, or its whole node, loses its open calls and nothing else: its questions are dealt out again, and what
was stored of them is found in the store. Grading by judges, and matching, follow in the process that started it all.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from moot.engine.call_bounds import together
from moot.engine.missing_drafts import all_missing
from moot.engine.not_applied import all_not_applied
from moot.engine.ray.cluster import RayCluster, join, load_ray, seats
from moot.engine.ray.hands import Deal, Hand
from moot.engine.ray.worker import Dealt, Lineup, Worker, WorkerPlan, WorkerReport
from moot.engine.runner import OpenEpisode, Runner
from moot.engine.shared_limits import LimitsStanding, SharedLimits
from moot.engine.undeclared_prompts import all_undeclared
from moot.errors import MootError, UsageError
from moot.experiment.model_specs import SimulatedSpec
from moot.experiment.plan import Cell, Plan
from moot.experiment.spec import ExperimentFile
from moot.models.budget import Overcharge
from moot.needs import EVERYTHING, Needs
from moot.store import schema
from moot.store.ledger import Ledger
from moot.store.postgresql import PostgresStore
from moot.store.rows import episode_row, score_row
from moot.store.store import Store
from moot.types import Episode, Verdict

START_S = 120.0
"""How long a worker may take to be placed and to begin."""

STOP_S = 5.0
"""How long workers are given to write down what they have when the run ends before its time."""

MOST_DEATHS = 3
"""A question that was under way at so many deaths of workers is not tried once more: it ends as failed."""

MOST_WORKERS_LOST = 20
"""After so many deaths it is not chance that kills them."""

LANES = 4
"""Hands that a worker always holds, so that it has the next before the last is over."""


class RayRunner(Runner):
    """A run whose episodes are played by the workers of a cluster."""

    def __init__(
        self,
        experiment: Plan,
        store: Store,
        cluster: RayCluster,
        *,
        limit: int | None = None,
        needs: Needs = EVERYTHING,
    ) -> None:
        if not isinstance(store, PostgresStore):
            raise UsageError(
                "--engine ray: workers on several machines cannot share a file; "
                "expected --store postgresql://USER@HOST/NAME"
            )
        super().__init__(experiment, store, needs=needs)
        self._cluster = cluster
        self._limit = limit
        self._ray: Any = None
        self._gate: Any = None
        self._alive: dict[str, Any] = {}
        self._told: dict[str, WorkerReport] = {}
        self._started = 0
        self._workers = 0
        self._unheard: set[str] = set()
        self._all_heard = asyncio.Event()
        self._last_death = ""
        self._spreading = False
        """Whether workers play; what learns, judges or matches is asked for here."""

    def _put_back(self) -> None:
        """Workers are asked nothing while they play: they are ended at once."""
        super()._put_back()
        if self._spreading:
            self._drop_all()

    def _drop_all(self) -> None:
        """Workers are ended with all that they play; how much that is they tell nobody any more."""
        self._dropped = max(int(self._spreading), self._dropped)
        super()._drop_all()

    async def _play_all(self, cells: Sequence[Cell]) -> None:
        self._ray = load_ray()
        ours = join(self._ray, self._cluster)
        await asyncio.sleep(0)  # joining held up the loop: a Ctrl-C of that time is heard now
        try:
            if self._interrupted:
                return
            self._spreading = True
            self._tasks = [asyncio.create_task(self._spread(cells))]
            await asyncio.gather(*self._tasks, return_exceptions=True)
        finally:
            self._spreading = False
            if ours:
                self._ray.shutdown()
        if not self._store_is_broken():
            await self.store.flush()

    async def _spread(self, cells: Sequence[Cell]) -> None:
        tasks: list[asyncio.Task[None]] = []
        try:
            self._workers = seats(self._ray, self._cluster)
            self._gate = self._new_gate()
            self._unheard = {_name(number) for number in range(self._workers)}
            deal = Deal(self._hands(cells))
            taken = [asyncio.create_task(self._seat(deal)) for _ in range(self._workers)]
            tasks = [*taken, asyncio.create_task(self._watch())]
            try:
                await self._until_over(deal, taken)
            finally:
                deal.close()
        except MootError as error:
            self._stop(error)
        except Exception as error:  # noqa: BLE001  a bug of ours: it ends the run, in words
            self._stop(MootError(f"{type(error).__name__}: {_words(error)}"))
        finally:
            await self._end(tasks)

    async def _until_over(self, deal: Deal, seats: Sequence[asyncio.Task[None]]) -> None:
        """Everything was played; or all seats are empty, because the run must end."""
        played = asyncio.create_task(deal.wait())
        empty = asyncio.create_task(asyncio.wait(seats))
        try:
            await asyncio.wait([played, empty], return_when=asyncio.FIRST_COMPLETED)
            if self._stopped is None and not played.done():
                why = f" ({self._last_death})" if self._last_death else ""
                raise MootError(
                    f"no worker is left, and none can be started{why}; everything so far is kept, run again"
                )
        finally:
            played.cancel()
            empty.cancel()

    def _new_gate(self) -> Any:
        """On this machine: what it keeps must not die with some other."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        here = NodeAffinitySchedulingStrategy(self._ray.get_runtime_context().get_node_id(), soft=False)
        options = {"num_cpus": 0, "max_concurrency": 10_000, "scheduling_strategy": here}
        limits = {endpoint: limiter.limits for endpoint, limiter in self.tally.limiters.items()}
        return self._ray.remote(SharedLimits).options(**options).remote(limits)

    async def _seat(self, deal: Deal) -> None:
        try:
            await self._keep_seated(deal)
        except Exception as error:  # noqa: BLE001  a bug of ours: it ends the run, in words
            self._stop(MootError(_words(error)))

    async def _keep_seated(self, deal: Deal) -> None:
        """One worker, and another in its place when it dies, until there is nothing left to play."""
        while self._stopped is None and self._started < self._workers + MOST_WORKERS_LOST:
            name = _name(self._started)
            self._started += 1
            worker = self._ray.remote(Worker).options(num_cpus=1, scheduling_strategy="SPREAD").remote()
            try:
                failed = await asyncio.wait_for(_answer(worker.start.remote(name, self._plan(), self._gate)), START_S)
            except TimeoutError:
                self._ray.kill(worker)
                self._last_death = f"one did not begin within {START_S:.0f} s"
                self._heard(name)
                return
            except Exception as error:
                if not self._died(error):
                    raise
                self._heard(name)
                continue
            if failed is not None:
                self._stop(failed)
                return
            self._alive[name] = worker
            self._heard(name)
            await self._all_heard.wait()
            await asyncio.gather(*(self._lane(name, worker, deal) for _ in range(LANES)))
            if name in self._alive:
                return
            self._ray.kill(worker)  # one that only cannot be reached must not go on
            await self._bury(name)

    def _heard(self, name: str) -> None:
        """Nobody is asked anything before all can be: where a node lacks a key, that is said before any call."""
        self._unheard.discard(name)
        if not self._unheard:
            self._all_heard.set()

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
                self._absorb(name, played)
            deal.over()

    def _died(self, error: Exception) -> bool:
        """A worker or its node, as opposed to a bug in what it runs."""
        kinds = self._ray.exceptions
        if not isinstance(error, kinds.RayError) or isinstance(error, kinds.RayTaskError):
            return False
        self._last_death = _words(error)
        return True

    async def _bury(self, name: str) -> None:
        """Its places at the endpoints are free again; what its open calls may have cost stands in the books."""
        await self._gate.gone.remote(name)

    def _give_up(self, hand: Hand) -> None:
        """Nobody survived these questions: an outcome like any other."""
        verdict = Verdict(None, "failed", cause=f"{hand.deaths} workers died while they played it")
        grading = self.experiment.grading
        for dealt in hand.questions:
            score = grading.at_once(dealt.case, None)
            for lineup in dealt.lineups:
                episode = Episode(lineup.cell, dealt.case.question, lineup.repeat, verdict, (), 0.0)
                graded = score_row(lineup.cell, dealt.case.digest, lineup.repeat, grading.name, score)
                self.store.put_later([(schema.episodes, episode_row(episode)), (schema.scores, graded)])
                self.tally.add(episode)

    def _absorb(self, name: str, played: WorkerReport) -> None:
        """What is new in a worker's report, for the progress line and the last word."""
        tally, last_report = self.tally, self._told.get(name, WorkerReport())
        assert tally.calls is not None, "a run has begun"
        if played.stopped is not None:
            self._stop(played.stopped)
        if played.number < last_report.number:
            return
        self._told[name] = played
        tally.outcomes += played.outcomes - last_report.outcomes
        tally.causes += played.causes - last_report.causes
        tally.unreached += played.unreached - last_report.unreached
        tally.cut_out += played.cut_out - last_report.cut_out
        tally.retries += played.retries - last_report.retries
        tally.hedges += played.hedges - last_report.hedges
        tally.calls.made += played.made - last_report.made
        tally.calls.found += played.found - last_report.found
        tally.exceeded = together(report.exceeded for report in self._told.values())
        tally.undeclared = all_undeclared(report.undeclared for report in self._told.values())
        tally.undrafted = all_missing(report.undrafted for report in self._told.values())
        tally.not_applied = all_not_applied(report.not_applied for report in self._told.values())
        if tally.purse is not None:
            tally.purse.lost_usd += played.lost_usd - last_report.lost_usd
            tally.purse.overbilled = _together(report.overbilled for report in self._told.values())
        tally.calls.unpriced += played.unpriced - last_report.unpriced
        if tally.calls.cost_usd is not None:
            paid = None if played.cost_usd is None else played.cost_usd - (last_report.cost_usd or 0.0)
            tally.calls.cost_usd = None if paid is None else tally.calls.cost_usd + paid

    async def _watch(self) -> None:
        while True:
            standing: LimitsStanding = await self._gate.standing.remote()
            self.tally.elsewhere.update(standing.states)
            await asyncio.sleep(0.5)

    async def _end(self, tasks: Sequence[asyncio.Task[None]]) -> None:
        """However it ended: workers write down what they have, and what was spent is known here."""
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        stopping = {asyncio.ensure_future(_answer(worker.stop.remote())): name for name, worker in self._alive.items()}
        if stopping:
            ended, _ = await asyncio.wait(stopping, timeout=STOP_S)
            for future in ended:
                if not future.cancelled() and future.exception() is None:
                    self._absorb(stopping[future], future.result())
        if isinstance(self.tally.purse, Ledger):
            with suppress(MootError):
                await self.tally.purse.refresh()
        self.tally.elsewhere.clear()
        for actor in (*self._alive.values(), self._gate):
            if actor is not None:
                self._ray.kill(actor)

    def _plan(self) -> WorkerPlan:
        file = self.experiment.file
        simulated = any(isinstance(model, SimulatedSpec) for model in file.spec.models.values())
        if not simulated:  # questions come with each hand; only who simulates must know them all
            file = ExperimentFile(file.path, file.spec.model_copy(update={"questions": None}), file.places)
        limits = {endpoint: limiter.limits for endpoint, limiter in self.tally.limiters.items()}
        cells = tuple(cell.id for cell in self.experiment.before_learning)
        limit = self._limit if simulated else None
        presence = self.store.presence
        assert presence is not None, "a run has begun"
        cap_usd = self.experiment.spec.budget_usd
        return WorkerPlan(file, limit, self.experiment.store_url, cells, limits, cap_usd, presence.party)

    async def _hands(self, cells: Sequence[Cell]) -> AsyncIterator[list[Hand]]:
        """So many questions a hand that all lanes together hold as many episodes as a run here would have under way."""
        async for episodes in self._open_episodes(cells):
            by_question: dict[str, list[OpenEpisode]] = defaultdict(list)
            for episode in episodes:
                by_question[episode.case.question.digest].append(episode)
            questions = [
                Dealt(several[0].case, tuple(Lineup(episode.cell.id, episode.repeat) for episode in several))
                for several in by_question.values()
            ]
            size = self._hand_size(len(episodes) / max(1, len(questions)))
            yield [Hand(tuple(questions[start : start + size])) for start in range(0, len(questions), size)]

    def _hand_size(self, lineups: float) -> int:
        return max(1, round(self._window() / max(1.0, lineups) / (self._workers * LANES)))


def _together(told: Iterable[Mapping[str, Overcharge]]) -> dict[str, Overcharge]:
    """What all workers were billed above what was allowed."""
    together: dict[str, Overcharge] = {}
    for overbilled in told:
        for model, overcharge in overbilled.items():
            together[model] = together.get(model, Overcharge()) + overcharge
    return together


def _name(number: int) -> str:
    return f"w{number}"


def _words(error: Exception) -> str:
    """One line of Ray's many. Where it has caught something on the other side, that stands in the last of them."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    caught = getattr(error, "actor_init_failed", False) or hasattr(error, "cause")
    return lines[-1 if caught else 0] if lines else type(error).__name__


async def _answer(reference: Any) -> Any:
    return await reference
