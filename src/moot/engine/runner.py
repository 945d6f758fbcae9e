"""Run many: questions pipelined through the cells with bounded memory, resumable at any moment.

There is no barrier anywhere: a window of episodes is always under way, and what an episode needs from another (a shared
draft) it gets through the cache. What is finished is looked up and skipped; where a call failed it is played again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection

from moot import __version__
from moot.engine.after_play import ask_after, asked_after
from moot.engine.batches import placed_batches
from moot.engine.call_bounds import exceeded_by, together
from moot.engine.chain import chain, close_all, limiters, purse_of
from moot.engine.declaring import declare_experiment, declare_questions
from moot.engine.grading import keep_grades, recall_grades
from moot.engine.lessons import Lessons, gather_lessons
from moot.engine.matching import reference_shown
from moot.engine.missing_drafts import all_missing, drafts_missing
from moot.engine.not_applied import all_not_applied, not_applied
from moot.engine.play import play
from moot.engine.prefetched import Prefetched
from moot.engine.run_tally import RunTally, State
from moot.engine.stopping import LONG_PATIENCE_S, Unfinished, ended, land
from moot.engine.undeclared_prompts import all_undeclared, undeclared_by
from moot.errors import BudgetReached, EndpointClosed, MootError, StoreError, TransportError
from moot.experiment.plan import Cell, Plan
from moot.grade.group import Stages
from moot.models.budget import within
from moot.models.flights import Flights, Work, asking_for
from moot.needs import EVERYTHING, Needs
from moot.prompts import noting_prompts
from moot.store import processes, queries, schema
from moot.store.attendance import StoredAttendance
from moot.store.calls import ExperimentCalls
from moot.store.rows import episode_row, score_row, verdict_of
from moot.store.store import Store
from moot.traces import DecidedFrom, hanging, of_kind
from moot.types import Case, Request

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class OpenEpisode:
    """Something left to play."""

    case: Case
    cell: Cell
    repeat: int


class Runner:
    """One run of one experiment on one store."""

    def __init__(self, experiment: Plan, store: Store, *, needs: Needs = EVERYTHING) -> None:
        self.experiment = experiment
        self.store = store
        self.needs = needs
        """What must be on record when it is over, beside the play: graded and grouped for those who measure it."""
        self.tally = RunTally(experiment.episodes)
        self._tasks: list[asyncio.Task[Any]] = []
        self._stopped: MootError | None = None
        self._interrupted = False
        self._flights = Flights()
        self._playing: dict[asyncio.Task[Any], Work | None] = {}
        """Who plays here, and the episode that each is at."""
        self._dropped = 0
        self._not_finished: set[Work] = set()
        """Episodes that had begun, and were ended in the middle."""
        self._declared = False
        self._shows_reference = reference_shown(experiment)
        self._scored_as = experiment.grading.name  # put together once, and written with every episode
        keep_grades(store, experiment.grading)
        self._lessons: Lessons | None = None
        """There once everything else has been played and graded: from then on only what learns is played."""

    def interrupt(self, patience_s: float = LONG_PATIENCE_S) -> Unfinished:
        """Stop cleanly, and keep what was played. Gives what is still waited for; whoever interrupts again drops that.

        What has begun is played to its end, through all its stages, and what has not is put back: `stopping` says why.
        What waits for an attempt that is further off than `patience_s` is dropped: it cannot come to its end.
        """
        if self._interrupted:
            self.drop()
            return Unfinished()
        self._interrupted = True
        self._flights.close()
        self._put_back()
        hopeless = self._drop_hopeless(time.monotonic() + patience_s)
        return Unfinished(self._begun - hopeless, self._flights.out, hopeless)

    def drop(self) -> None:
        """Stop at once: what is under way is dropped."""
        self._interrupted = True
        self._drop_all()

    def _put_back(self) -> None:
        for task, work in self._playing.items():
            if work is None or not work.begun:
                task.cancel()

    def _drop_hopeless(self, ends_at: float) -> int:
        """How many; and from now on who begins such a wait is dropped too."""
        hopeless = 0
        for task, work in self._playing.items():
            if work is not None and work.begun:
                work.ends_at, work.drop = ends_at, task.cancel
                if work.idle_until > ends_at:
                    hopeless += 1
                    task.cancel()
        return hopeless

    def _drop_all(self) -> None:
        self._dropped = max(self._dropped, self._begun)
        for task in self._tasks:
            task.cancel()

    @property
    def _begun(self) -> int:
        """Episodes that are being played here, and of which something was asked."""
        return sum(work is not None and work.begun for work in self._playing.values())

    async def run(self) -> State:
        experiment, tally = self.experiment, self.tally
        tally.purse = await purse_of(self.store, experiment.name, experiment.spec.budget_usd, experiment.models)
        tally.calls = ExperimentCalls(self.store, experiment.name)
        tally.limiters = limiters(experiment.models)
        counted = (self.count_retry, self.count_hedge)
        models = chain(experiment.models, tally.limiters, tally.calls, tally.purse, *counted, flights=self._flights)
        self._declared = await self.store.run(partial(declare_experiment, experiment=experiment))
        process = processes.begun()
        facts = {"version": __version__, "seed": experiment.spec.seed, "process": process}
        facts["file_questions"] = experiment.file_questions
        run = await self.store.run(partial(queries.start_run, experiment=experiment.id, facts=facts))
        state: State = "failed"
        cause: str | None = None
        try:
            seated = experiment.with_models(models, StoredAttendance(self.store, experiment.name))
            await self._play_seated(seated)
            self._stop_if_crossed()
            state = self._state()
            cause = None if self._stopped is None else str(self._stopped)
        except asyncio.CancelledError:
            state = "interrupted"
            raise
        except Exception as error:
            cause = str(error) if isinstance(error, MootError) else f"{type(error).__name__}: {error}"
            raise
        finally:
            try:
                await land(self._flights, None if self._interrupted else self._stopped)
                await close_all(built.model for built in experiment.models.values())
            finally:
                processes.over(process)
                tally.not_applied = all_not_applied((tally.not_applied, not_applied(experiment.models)))
                # Else it cannot be written; who reads sees the process gone.
                if not isinstance(self._stopped, StoreError):
                    with suppress(StoreError):
                        facts = {
                            "dropped": max(self._dropped, len(self._not_finished)),
                            "overbilled": self._overbilled(),
                            "exceeded": {label: asdict(bound) for label, bound in tally.exceeded.items()},
                            "undeclared_prompts": {name: sorted(said) for name, said in tally.undeclared.items()},
                            "missing_drafts": tally.undrafted,
                            "not_applied": tally.not_applied,
                        }
                        ended = partial(queries.finish_run, state=state, cause=cause, found_out=facts)
                        await self.store.run(partial(ended, run=run))
        return state

    def _stop_if_crossed(self) -> None:
        """The last of all calls may have been billed above what it was allowed, and then no other was refused."""
        purse = self.tally.purse
        if purse is not None and purse.overbilled and not within(purse.cap_usd, purse.spent_usd) and not self._stopped:
            self._stop(BudgetReached(f"{purse.standing_words()}. {purse.overcharge_words()}"))

    def _overbilled(self) -> dict[str, Any]:
        purse = self.tally.purse
        return {} if purse is None else {name: asdict(overcharge) for name, overcharge in purse.overbilled.items()}

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was found out while it ran, although nothing went wrong with an answer."""
        return self.tally.warnings

    def _state(self) -> State:
        if self._interrupted:
            return "interrupted"
        if isinstance(self._stopped, BudgetReached):
            return "budget"
        if self._stopped is not None:
            raise self._stopped
        return "failed" if self.tally.anything_failed else "done"

    def _store_is_broken(self) -> bool:
        return self._stopped is not None and not isinstance(self._stopped, BudgetReached | EndpointClosed)

    def count_retry(self, model: str, request: Request, error: TransportError) -> None:
        self.tally.retries[f"{model}: {type(error).__name__}"] += 1

    def count_hedge(self, model: str) -> None:
        self.tally.hedges[model] += 1

    @property
    def stopped_by(self) -> MootError | None:
        return self._stopped

    async def _play_seated(self, seated: Plan) -> None:
        first = seated.before_learning
        await self._play_all(first)
        await self._afterwards(replace(seated, cells=first))
        await self._play_learners(seated)

    async def _play_all(self, cells: Sequence[Cell]) -> None:
        left = Prefetched(self._open_episodes(cells))
        self._tasks = [asyncio.create_task(self._work(left)) for _ in range(self._window())]
        await asyncio.gather(*self._tasks, return_exceptions=True)
        left.close()
        if not self._store_is_broken():
            await self.store.flush()

    async def _play_learners(self, seated: Plan) -> None:
        """Cells that learn: they are decided last, by what has been played and graded, and here, where that is read."""
        if not seated.learners:
            return
        self._lessons = await self._interruptible(self._learn(seated))
        if self._lessons is None:
            return
        await Runner._play_all(self, seated.learners)
        await self._afterwards(replace(seated, cells=seated.learners))

    async def _learn(self, seated: Plan) -> Lessons:
        assert self.tally.calls is not None, "a run has begun"
        made = self.tally.calls.made
        lessons, matched = await gather_lessons(self.store, seated)
        self.tally.add_matched(matched, made)
        return lessons

    async def _work(self, left: Prefetched[OpenEpisode]) -> None:
        """One of many that take the next episode and play it, until there is none or the run must end."""
        task = asyncio.current_task()
        assert task is not None, "it is one of many"
        self._playing[task] = None
        try:
            # Interrupted: perhaps before there was a task that could be cancelled.
            while self._stopped is None and not self._interrupted and (episode := await left.next()) is not None:
                work = self._playing[task] = Work()
                with asking_for(work):
                    try:
                        await self.play_one(episode)
                    except (BudgetReached, asyncio.CancelledError):  # whoever it was that cancelled
                        self._not_finished.update([work] if work.begun else [])
                        raise
                    finally:
                        self._playing[task] = None
        except MootError as error:
            self._stop(error)
        except Exception as error:  # noqa: BLE001  a bug of ours: it ends the run, in words
            self._stop(MootError(f"{type(error).__name__}: {error}"))
        finally:
            del self._playing[task]

    def _stop(self, error: MootError) -> None:
        """The first error is the reason. A reached budget lets the calls finish that are paid for; all else drops them."""
        self._stopped = self._stopped or error
        if not isinstance(self._stopped, BudgetReached):
            self._drop_all()

    def _window(self) -> int:
        """Enough episodes under way to keep every endpoint busy while some wait for the disk."""
        slots = sum(limiter.limits.concurrent for limiter in self.tally.limiters.values())
        return max(32, 3 * slots)

    def _batches(self) -> Iterator[tuple[int, list[Case]]]:
        return placed_batches(self.experiment.dataset or ())

    async def _open_episodes(self, cells: Sequence[Cell]) -> AsyncIterator[list[OpenEpisode]]:
        """What is left to play, question by question, a batch of questions at a time."""
        ids = [cell.id for cell in cells]
        repeats = self.experiment.spec.repeats
        for start, cases in self._batches():
            done = await self.store.run(partial(self._look_up, ids=ids, start=start, cases=cases))
            if self._lessons is not None:
                done -= await self.store.run(partial(self._outdated, cells=cells, cases=cases))
            every = [(case, cell, repeat) for case in cases for cell in cells for repeat in cell.plays(repeats)]
            left = [
                OpenEpisode(case, cell, repeat)
                for case, cell, repeat in every
                if (cell.id, case.question.digest, repeat) not in done
            ]
            self.tally.skipped += len(every) - len(left)
            yield left

    def _look_up(
        self, connection: Connection, ids: list[str], start: int, cases: list[Case]
    ) -> set[tuple[str, str, int]]:
        """Which episodes are finished; on the way questions are written down, and missing grades noted."""
        declare_questions(connection, self.experiment.id, start, cases, declared=self._declared)
        recall_grades(connection, self.experiment.grading, cases)
        cased = {case.question.digest: case.digest for case in cases}
        done = queries.finished(connection, ids, list(cased))
        if done:
            # Episodes that were played for another reference, or under other judges, have no grade here yet.
            graded = queries.graded(connection, ids, list(cased.values()), self.experiment.grading.name)
            self.tally.ungraded |= {
                cased[question] for cell, question, repeat in done if (cell, cased[question], repeat) not in graded
            }
        return done

    def _outdated(
        self, connection: Connection, cells: Sequence[Cell], cases: Sequence[Case]
    ) -> set[tuple[str, str, int]]:
        """Episodes that were decided from other lessons than there are now: they are decided again."""
        assert self._lessons is not None, "only what learns can be out of date"
        by_id, by_digest = {cell.id: cell for cell in cells}, {case.question.digest: case for case in cases}
        outdated: set[tuple[str, str, int]] = set()
        for row in queries.episodes_on(connection, list(by_id), list(by_digest)):
            now = self._lessons.decided_from(by_digest[row["question"]], by_id[row["cell"]], row["repeat"])
            if now not in of_kind(verdict_of(row["verdict"]).traces, DecidedFrom):
                outdated.add((row["cell"], row["question"], row["repeat"]))
        return outdated

    async def _afterwards(self, seated: Plan) -> None:
        """What follows the play: grades that need a judge, then whose words a captain used. Interruptible like play."""
        self.tally.to_ask = list(asked_after(seated, self.needs, self.tally))
        await self._interruptible(ask_after(self.store, seated, self.needs, self.tally))

    async def _interruptible(self, work: Coroutine[Any, Any, T]) -> T | None:
        """What came of it; None where the run must end, as after a reached budget, before it has begun or in the midst."""
        if self._interrupted or self._stopped is not None:
            work.close()
            return None
        task = asyncio.create_task(work)
        self._tasks = [task]
        came = await ended(task, self._flights)
        if isinstance(came, BudgetReached):
            self._stop(came)
            return None
        if isinstance(came, Exception):
            raise came
        return None if isinstance(came, BaseException) else came

    async def play_one(self, open_episode: OpenEpisode) -> None:
        case, cell, repeat = open_episode.case, open_episode.cell, open_episode.repeat
        if self._lessons is not None:
            cell = self._lessons.seated(case, cell, repeat)
        grouper = cell.team.grouper
        informed_grouper = grouper.knowing(case) if self._shows_reference and isinstance(grouper, Stages) else None
        used: set[str] = set()
        with noting_prompts(used):
            episode = await play(cell, case.question, repeat, grouper=informed_grouper)
        if self._lessons is not None:
            traces = (*episode.verdict.traces, self._lessons.decided_from(case, cell, repeat))
            episode = replace(episode, verdict=replace(episode.verdict, traces=traces))
        grading = self.experiment.grading
        await grading.hear(case, [episode.verdict.answer])
        score = grading.at_once(case, episode.verdict.answer, hangs=hanging(episode.verdict.traces))
        self.store.put_later(
            [
                (schema.episodes, episode_row(episode)),
                (schema.scores, score_row(cell.id, case.digest, repeat, self._scored_as, score)),
            ]
        )
        if (exceeded := exceeded_by(cell, episode)) is not None:
            self.tally.exceeded = together([self.tally.exceeded, {cell.label: exceeded}])
        if names := undeclared_by(cell, used):
            self.tally.undeclared = all_undeclared([self.tally.undeclared, {cell.label: names}])
        if drafts_missing(cell, episode):
            self.tally.undrafted = all_missing([self.tally.undrafted, {cell.label: 1}])
        self.tally.add(episode)
