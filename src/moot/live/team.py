"""A team that stands ready: its file read, its models connected, questions answered as they come.

`moot ask`, `moot serve` and Python programs ask through this. Every question is an episode like those of an experiment:
played by the same strategies, written into the same tables, to be graded when somebody says what was right.
"""

from __future__ import annotations

import asyncio
import logging
import math
import random
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from moot.decide.abstaining import cut_off
from moot.engine.cashbook import Cashbook
from moot.engine.chain import chain, limiters
from moot.engine.play import play, with_unpriced
from moot.engine.stopping import LONG_PATIENCE_S
from moot.engine.trial_play import try_out
from moot.errors import StoreError, UsageError
from moot.experiment.asked_for_texts import asked_for_texts
from moot.experiment.build import build
from moot.experiment.learning import askable
from moot.experiment.pairwise import with_players_alone
from moot.experiment.plan import Cell, Plan
from moot.experiment.providers import BuiltModel
from moot.experiment.spec import ExperimentFile, read_experiment
from moot.live.answered_question import AnsweredQuestion, groups_of
from moot.live.asked_question import question_of
from moot.live.beside_episodes import episode_name
from moot.live.edited_team import EditedTeams
from moot.live.file_kind import kinds_of_file, only_kind
from moot.live.instructed import instructed
from moot.live.journal import Journal
from moot.live.offer import ServedOffer, cell_asked, offered, refuse_learner, title_of
from moot.live.out_of_time import what_there_is
from moot.live.served import ServedRecord, served_name
from moot.live.served_cell import as_served
from moot.live.served_names import declared_name, first_asked, learners_named, served_names
from moot.live.served_rows import LATEST_REPEAT
from moot.live.spent import total_cost, total_usage
from moot.live.under_way import UnderWay
from moot.models.flights import Flights
from moot.models.limit import Turnstile
from moot.models.model import Model
from moot.models.unpriced_calls import UnpricedCalls
from moot.store import from_here
from moot.store.bookkeeping import day_of
from moot.store.calls import ExperimentCalls, PaidFor
from moot.store.ledger import Ledger, paid_on, pays
from moot.store.sqlite import SqliteStore
from moot.store.store import Store
from moot.team.watching import Watcher
from moot.types import TEXT, Call, Episode, Question, QuestionKind, Verdict

_log = logging.getLogger(__name__)

BOOKS_S = 5.0
"""For this long a question waits for what was paid today; then the store is taken to be away."""


def _heard(reading: asyncio.Future[float]) -> None:
    """What comes too late is heard nevertheless: an error that nobody takes would be told as a mistake of ours."""
    if not reading.cancelled():
        reading.exception()


def unheard(call: Call) -> None: ...


def _warn(warning: str) -> None:
    warnings.warn(warning, UserWarning, stacklevel=3)


class LiveTeam:
    """The team of a file, ready to be asked.

    >>> async with load_team("team.yaml") as team:
    ...     verdict = await team.ask("Which river is the longest?")
    """

    def __init__(
        self,
        file: ExperimentFile,
        *,
        store_url: str | None = None,
        keep: bool = True,
        reuse: bool = False,
        serving: bool = False,
        wrap: Callable[[str, Model], Model] | None = None,
        warn: Callable[[str], None] = _warn,
    ) -> None:
        """`keep`: write episodes down. `reuse`: answer from stored calls where the same was asked before.

        `serving` turns on what waits for nobody: a vote that stops early, a round that goes on without the late.
        `warn` is told, when it is opened, what is odd about strategies that are not moot's own.
        """
        self.file = file = with_players_alone(file) if serving else file  # people vote on a text beside theirs
        spec = file.spec.model_copy(update={"questions": None})
        self.whole = build(ExperimentFile(file.path, spec, file.places), store_url=store_url)
        """All of the file. What learns in a run cannot be asked one question at a time, and is no part of `experiment`."""
        self.experiment = askable(self.whole)
        self.reuse = reuse
        self._keep = keep
        self._serving = serving
        self._wrap = wrap
        self._warn = warn
        self.store: Store = self.experiment.store() if keep else SqliteStore(None)
        self._books = Cashbook(self.experiment, self.store)
        self.metered = False
        """Set before it is opened: what is paid is counted for each who asks, day by day, and durably."""
        self.on_paid: Callable[[str, str, float], None] = lambda name, day, usd: None
        self.on_cost: PaidFor = lambda usd, call: None
        self.on_supposed: Callable[[float], None] = lambda usd: (
            None
        )  # the most that a reply can cost that does not tell it
        self.limiters: Callable[[Mapping[str, BuiltModel]], Mapping[str, Turnstile]] = limiters
        """Set before it is opened, where the limits of endpoints are kept for several processes."""
        self.party: str | None = None
        """Set before it is opened, where several processes ask as one: what one of them asks none of the others does."""
        self.offer: ServedOffer | None = None
        """Set before it is opened: what of the file is served. None: all, and no name of a team stands for one of them."""
        self.kind: QuestionKind = "open"
        """What a question is taken for where nobody says. A served team takes it for what its file's questions are."""
        self.cells: dict[str, Cell] = {}
        """What is served, by name."""
        self.every: dict[str, Cell] = {}
        """All that the file has, by name."""
        self._record: ServedRecord | None = None
        self._opening = asyncio.Lock()
        self.edited = EditedTeams(self)
        self._models: dict[str, Model] = {}
        self._flights = Flights()
        self._plays = UnderWay()
        self._opened = False
        self._thread: Any = None
        self._planned: Callable[[Plan], Plan] = lambda plan: plan
        """A plan as it is for the kinds of question that the file has."""

    @property
    def models(self) -> list[str]:
        """The names under which teams and strategies answer; first what is offered in front, or the declared primary."""
        return list(self._offered(self.names))

    @property
    def names(self) -> dict[str, Cell]:
        return served_names(self.experiment, self.whole.learners)

    @property
    def learners(self) -> dict[str, Cell]:
        return learners_named(self.whole)

    def _offered(self, cells: dict[str, Cell]) -> dict[str, Cell]:
        return cells if self.offer is None else offered(cells, self.offer)

    @property
    def declared(self) -> str | None:
        """The name of the file's primary, where it declares one and that is served."""
        name = declared_name(self.whole)
        if self.offer is None or name != self.offer.first:
            return name if name in self.models else None
        return self.usual

    @property
    def measured(self) -> bool:
        """Whether the file has questions: then one is asked as in its run, and in no other words."""
        return self.file.spec.questions is not None

    @property
    def record(self) -> ServedRecord:
        assert self._record is not None, "the team is open"
        return self._record

    async def __aenter__(self) -> LiveTeam:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(self) -> None:
        async with self._opening:
            if self._opened:
                return
            experiment = self.experiment
            for warning in (*experiment.strategy_warnings, *await try_out(experiment)):
                self._warn(warning)
            await self.store.open()
            if self.party is not None:
                await self.store.join(self.party)
            name = served_name(experiment.name)
            cap_usd = experiment.spec.budget_usd
            if self.metered and cap_usd is None:
                cap_usd = math.inf
            purse = await self._books.purse(name, cap_usd)
            if isinstance(purse, Ledger):
                purse.on_paid = lambda payer, day, usd: self.on_paid(payer.rpartition("#")[2], day, usd)
            if purse is not None:
                purse.on_lost = lambda usd: self.on_cost(usd, None)
                purse.on_supposed = lambda usd: self.on_supposed(usd)
            if self._serving:
                kinds = await asyncio.to_thread(kinds_of_file, self.file, self._warn)
                self.kind = only_kind(kinds)
                if TEXT in kinds:
                    self._planned = asked_for_texts
                experiment = self.experiment = self._planned(experiment)
            # All of the file, whatever is offered: what was asked stays in one place when something else is offered.
            cells = {cell.id: cell for cell in self._as_played(experiment).values()}
            # Under a cap a call is on the disk before its reply is used: a server that is killed has spent what it
            # has spent.
            behind = self._serving and not isinstance(purse, Ledger)
            self._record = ServedRecord(self.store, experiment, tuple(cells.values()), behind=behind)
            if self._keep:
                await self._record.open()
            calls = ExperimentCalls(self._record if self._keep else self.store, name)
            calls.on_cost = lambda usd, call: self.on_cost(usd, call)
            told = (partial(log, "%s") if self._serving else None for log in (_log.error, _log.warning))
            wrong_key, paused = told  # whoever is served is not who keeps the keys
            asked, flights = experiment.models, Flights()
            wraps = partial(chain, asked, self.limiters(asked), calls, purse, on_wrong_key=wrong_key, on_pause=paused)
            models, self._flights = wraps(flights=flights), flights
            if self._wrap is not None:
                models = {name: self._wrap(name, model) for name, model in models.items()}
            self._models = models
            self.every = self._as_played(experiment.with_models(models))
            self.cells = self._offered(self.every)
            self._opened = True

    def seat_beside(self, plan: Plan, name: str) -> dict[str, Cell]:
        """Another plan of one cell, asked under this name: of the same models, and kept under the same name."""
        (cell,) = self._planned(plan).with_models(self._models).cells
        seated = as_served(cell) if self._serving else cell
        if self._keep:
            self.record.seat_beside(seated, plan.public_config)
        return {name: seated}

    def pays(self, name: str) -> None:
        """What this task and those it starts ask from now on is on the account of `name`."""
        if self.metered:
            pays(self.payer(name))

    async def paid_today(self, name: str) -> tuple[str, float]:
        """The day, of UTC, and what was paid on it on the account of `name`."""
        day = day_of(time.time())
        self.record.check()
        reading = asyncio.ensure_future(self.store.run(partial(paid_on, payer=self.payer(name), day=day)))
        # A database that is away is waited for by a run, but not by somebody with a question. The reading ends by itself.
        done, _ = await asyncio.wait({reading}, timeout=BOOKS_S)
        if not done:
            reading.add_done_callback(_heard)
            self.record.doubt(StoreError(f"{self.store.name}: no reply within {BOOKS_S:.0f} s"))
            self.record.check()
        return day, await reading

    def payer(self, name: str) -> str:
        return f"{served_name(self.experiment.name)}#{name}"

    def _as_played(self, experiment: Plan) -> dict[str, Cell]:
        cells = served_names(experiment, self.whole.learners)
        return {name: as_served(cell) for name, cell in cells.items()} if self._serving else cells

    async def close(self) -> None:
        if not self._opened:
            return
        self._opened = False
        # Whoever is in the middle of a question is told so, and what it is paid for is kept.
        await self._flights.land(LONG_PATIENCE_S)
        await self._plays.over()
        if self._keep:
            await self.record.close()
        for built in self.experiment.models.values():
            await built.model.close()
        await self._books.close()
        await self.store.close()

    async def ask(
        self,
        text: str,
        *,
        choices: Sequence[str] = (),
        strategy: str | None = None,
        deadline_s: float | None = None,
    ) -> Verdict:
        """The team's word on one question. `strategy`: one of `models`; where it is left out, the file's primary, or the
        first team."""
        question = question_of(text, choices, self.experiment.spec.language)
        return (await self.play(question, strategy, deadline_s=deadline_s)).verdict

    def ask_sync(self, text: str, **options: Any) -> Verdict:
        """`ask` for programs without an event loop. The team is opened on a loop of its own and stays open."""
        from moot.live.background import Background

        if self._thread is None:
            if self._opened:
                raise UsageError("this team is open in an event loop; await team.ask(...) there")
            self._thread = Background()
        verdict: Verdict = self._thread.result(self.ask(text, **options))
        return verdict

    def close_sync(self) -> None:
        """Close a team that was asked through `ask_sync`."""
        if self._thread is not None:
            self._thread.result(self.close())
            self._thread.stop()
            self._thread = None

    async def play(
        self,
        question: Question,
        model: str | None = None,
        *,
        system: str = "",
        deadline_s: float | None = None,
        waited_s: float = 0.0,
        heard: Callable[[Call], None] = unheard,
        watcher: Watcher | None = None,
        asker: str | None = None,
    ) -> AnsweredQuestion:
        """Play one question through. `system` goes before every player's own instruction; `heard` is told each call when it is
        over, `watcher` when it begins.

        `waited_s`: how much of the time until the deadline had gone by. `asker`: whose question it is, where several ask.
        """
        await self.open()
        with self._plays:
            self.record.check()
            cell = self.cell(name := model or self.usual)
            seated = replace(cell, team=instructed(cell.team, system)) if system else cell
            repeat = random.SystemRandom().randint(1, LATEST_REPEAT)
            sample = 0 if self.reuse else repeat  # by which calls are told apart, and by which they are found again
            if self._keep:
                self.record.begin(question, repeat, drawn=not self.reuse)
            journal = Journal(heard)
            started = time.perf_counter()
            with UnpricedCalls() as unpriced:
                try:
                    async with asyncio.timeout(None if deadline_s is None else deadline_s - waited_s):
                        episode = await play(seated, question, sample, journal=journal, watcher=watcher)
                except TimeoutError:
                    verdict = await what_there_is(seated.team, question, journal, deadline_s or 0.0, waited_s)
                    if cell.abstain is not None or cell.rule is not None:
                        verdict = cut_off(verdict, cell.abstain)
                    verdict = with_unpriced(verdict, unpriced)
                    episode = Episode(cell.id, question, sample, verdict, tuple(journal), time.perf_counter() - started)
            asked = AnsweredQuestion(
                id=episode_name(question.digest, repeat),
                model=name,
                cell=cell,
                episode=replace(episode, repeat=repeat),
                sample=sample,
                usage=total_usage(journal),
                cost_usd=total_cost(journal, unpriced),
                groups=groups_of(question, episode.verdict),
            )
            if self._keep:
                self.record.add(asked.episode, asker)
            return asked

    @property
    def usual(self) -> str:
        """What is offered in front. Else the declared one, which is measured; else a team before a player alone."""
        cells = self.names
        if self.offer is not None:
            return title_of(self.offer.first, cells[self.offer.first])
        if (declared := declared_name(self.whole)) is not None:
            refuse_learner(served_names(self.whole)[declared], cells)
            return declared
        first = first_asked(cells, long_answers=self.experiment.spec.asked_kind == TEXT)
        if cells[first].player is not None:  # of teams there are only such
            for learner in self.whole.learners:
                refuse_learner(learner, cells)
        return first

    def cell(self, name: str) -> Cell:
        """By any name that a file or a report has for it; by that of its team what is asked where nobody says."""
        if (edited := self.edited.named(name)) is not None:
            return edited
        return self.cell_of_file(name)

    def cell_of_file(self, name: str) -> Cell:
        return cell_asked(name, self.cells, self.every, self.usual, self.learners)


def load_team(path: str | Path | None = None, *, store: str | None = None, keep: bool | None = None) -> LiveTeam:
    """The team of a file; without one, the embedded local team.

    What it answers is kept where the file, or `store`, says; a file that names no store keeps nothing.
    """
    from moot.experiment.embedded_team import embedded_team

    file = read_experiment(Path(path), with_questions=False) if path is not None else embedded_team()
    kept = keep if keep is not None else store is not None or file.spec.store is not None
    return LiveTeam(file, store_url=from_here(store) if store else None, keep=kept)
