"""The plan played on a sample of its questions, with counting models in the place of its own: play, then judges, then matches.

Questions are drawn until the sum over all of them is known closely enough, by how much they differ.
"""

from __future__ import annotations

import json
import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Literal

from moot.engine.grading import answers_beside, open_wordings
from moot.engine.lessons import Lessons, tables_of
from moot.engine.match_record import Entry, matched_by
from moot.engine.matching import (
    Drafted,
    DraftSet,
    draft_sets,
    learn,
    left_to_learn,
    reference_shown,
)
from moot.engine.play import play
from moot.engine.preferences import AnswersByPlay, compared_plays, orders_of
from moot.estimate.by_strategy import AskedFor, StrategyEstimate, StrategyMeter
from moot.estimate.counting_model import CountingModel, ModelEstimate, ReplyMemory, SharedReplies, plus
from moot.estimate.declared_calls import DeclaredCalls
from moot.estimate.likely_replies import Assumption, LikelyReplies
from moot.experiment.baseline import matchups
from moot.experiment.plan import Cell, Plan
from moot.grade.group import Stages
from moot.grade.judge import judge
from moot.grade.prefer import prefer
from moot.needs import Needs
from moot.store import queries
from moot.store.calls import ExperimentCalls
from moot.store.store import Store
from moot.team import Lesson
from moot.types import Answer, Case, seeded

SAMPLE = 50
"""Questions that are played of those that are finished, and at least of those that are not."""

MOST_SAMPLED = 400
AT_A_TIME = 10
PRECISION = 0.04
"""More questions are played until the standard error is this share of the sum: five of them make a fifth."""

MANY_CALLS = 5_000
"""When so many were played, fewer questions than `SAMPLE` will do if they are precise enough."""

MOST_CALLS = 50_000
"""When so many were played it must be precise enough: nobody waits longer for an estimate."""

GUESS_SAMPLE = 5
GUESS_PRECISION = 0.08
"""The same where what models say is made up: the range of such a guess is a factor of ten and more."""

GUESS_CALLS = 600
FEWEST_GUESSED = 2
"""When so many were made up, so few questions will do if they are precise enough: a plan of many strategies takes hundreds of
calls of each."""

ENDS_SAMPLE = 3
ENDS_CALLS = 250
"""Questions that the two ends of a guess are played on, or calls: the ends hardly differ from question to question."""

GUESSED = 0.05
"""A share of the calls, or of the money, that may be made up without the sum being a guess."""

Part = Literal["done", "begun", "new"]
"""Of the questions: those on which nothing, something, or everything is left to play."""


@dataclass
class PlayedSample:
    """What a play of the plan took, scaled up to all questions."""

    taken: dict[str, ModelEstimate]
    sampled: int = 0
    spreads: list[Spread] = field(default_factory=list)
    declared: DeclaredCalls = field(default_factory=DeclaredCalls)
    strategies: dict[AskedFor, StrategyEstimate] = field(default_factory=dict)

    @property
    def calls(self) -> float:
        return sum(model.calls for model in self.taken.values())

    @property
    def cost_usd(self) -> float | None:
        return total(model.cost_usd for model in self.taken.values())

    @property
    def dearest_usd(self) -> float | None:
        """What a call costs at most, of the model whose calls cost most; None where nothing bounds one."""
        asked = [model for model in self.taken.values() if model.calls]
        if any(model.most_usd is None for model in asked):
            return None
        return max(((model.most_usd or 0.0) / model.calls for model in asked), default=0.0)

    def error(self, what: int, examples: int) -> float:
        """The standard error of the calls (0) or the money (1), by who was drawn, of questions or of examples."""
        return math.sqrt(sum(spread.error(what, examples) ** 2 for spread in self.spreads))


@dataclass
class Spread:
    """How much the questions of a part differ: what each that was played took."""

    size: int
    each: list[tuple[float, float]] = field(default_factory=list)
    """Calls and money, question by question; money that is not known counts as none."""

    def error(self, what: int, examples: int = 0) -> float:
        """Of the sum over all of them. Questions that go as one of a few examples went are no wider a sample than those."""
        if len(self.each) < 2:
            return 0.0
        drawn = min(len(self.each), examples) if examples else len(self.each)
        left_out = 1.0 if examples else 1 - len(self.each) / self.size
        spread = statistics.stdev(question[what] for question in self.each)
        return self.size * spread * math.sqrt(left_out / drawn)

    def precise(self, share: float) -> bool:
        """Whether the standard errors of both sums are no larger than this share of them."""
        count = len(self.each)
        sums = [self.size / count * sum(question[what] for question in self.each) for what in (0, 1)]
        return all(self.error(what) <= share * total for what, total in enumerate(sums))


async def play_sample(
    experiment: Plan,
    parts: Mapping[Part, Sequence[int]],
    memory: ReplyMemory,
    store: Store | None,
    assumption: Assumption,
    needs: Needs,
) -> PlayedSample:
    assert experiment.dataset is not None
    calls = ExperimentCalls(store, experiment.name) if store is not None else None
    shared = SharedReplies(LikelyReplies(experiment.dataset, experiment.spec.seed, assumption), memory, calls)
    models = {name: CountingModel(built, shared) for name, built in experiment.models.items()}
    seated = experiment.with_models(models)
    whole = PlayedSample({name: ModelEstimate() for name in models})
    asked_for: list[AskedFor] = [*(cell.label for cell in (*seated.cells, *seated.lessons_from)), None]
    whole.strategies = {label: StrategyEstimate() for label in asked_for}  # in the order of the file
    if not parts.get("begun") and not parts.get("new"):
        # Nobody has anything new to learn, so what learns has decided. A few lessons would ask what is nowhere stored.
        seated = replace(seated, cells=tuple(cell for cell in seated.cells if not cell.traits.learns))
    memory.forget_told()
    # What is stored comes first: the rest is played the way it went.
    for part, positions in parts.items():
        cases = _drawn(experiment, part, positions, MOST_SAMPLED if assumption == "likely" else ENDS_SAMPLE)
        spread = Spread(len(positions))
        declared, meter = DeclaredCalls(), StrategyMeter(models)
        taught = await _taught(seated, cases, memory, meter)
        recorded = await _recorded(store, cases)
        for case in cases:
            memory.cases[case.question.id] = case
            before = _counts(models)
            await _play_and_grade(seated, case, memory, needs, taught.lessons, recorded, declared, meter)
            spread.each.append(_since(before, _counts(models), taught.took.get(case.question.id, NOTHING_TAKEN)))
            # What was drafted ahead for lessons is on the bill, so those questions are played too.
            if len(spread.each) >= len(taught.took) and _enough(part, spread, models, assumption):
                break
        if part != "new" and assumption == "likely" and not memory.examples:
            memory.remember([case.question.id for case in cases[: len(spread.each)]])
        whole.sampled += len(spread.each)
        whole.spreads.append(spread)
        scale = len(positions) / max(1, len(spread.each))
        whole.declared.scaled(declared, scale)
        for name, model in models.items():
            whole.taken[name] = _sum(whole.taken[name], model.taken, scale)
            model.taken = ModelEstimate()
        for label, estimate in meter.taken.items():
            whole.strategies[label].add(estimate, scale)
    return whole


def _enough(part: Part, spread: Spread, models: Mapping[str, CountingModel], assumption: Assumption) -> bool:
    taken = [model.taken for model in models.values()]
    calls = sum(model.calls for model in taken)
    if assumption != "likely":
        return calls > ENDS_CALLS
    if part != "done" and guessed(taken):
        wanted = len(spread.each) >= (GUESS_SAMPLE if calls < GUESS_CALLS else FEWEST_GUESSED)
        return wanted and spread.precise(GUESS_PRECISION)
    if len(spread.each) % AT_A_TIME or calls > MOST_CALLS:
        return calls > MOST_CALLS
    wanted = len(spread.each) >= SAMPLE or calls > MANY_CALLS
    return wanted and (part == "done" or spread.precise(PRECISION))


def guessed(taken: Iterable[ModelEstimate]) -> bool:
    """Whether more of it is made up than a little."""
    models = [model for model in taken if model.calls]
    made_up = sum(model.guessed for model in models)
    made_up_usd = sum((model.cost_usd or 0.0) * model.guessed / model.calls for model in models)
    cost_usd = total(model.cost_usd for model in models) or 0.0
    return made_up > GUESSED * sum(model.calls for model in models) or made_up_usd > GUESSED * cost_usd


def _drawn(experiment: Plan, part: Part, positions: Sequence[int], most: int) -> list[Case]:
    """Questions in a drawn order, so that any first few of them are a fair sample."""
    draw = seeded(experiment.spec.seed, "estimate", part)
    chosen = draw.sample(positions, min(most, len(positions)))
    wanted = set(chosen)
    cases = {position: case for position, case in enumerate(experiment.dataset or ()) if position in wanted}
    return [cases[position] for position in chosen]


NOTHING_TAKEN = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class _Taught:
    """Lessons from the first few questions of a sample, and what their drafts took: those are drafted before the rest."""

    lessons: Lessons
    took: dict[str, tuple[float, float]] = field(default_factory=dict)


async def _taught(seated: Plan, cases: Sequence[Case], memory: ReplyMemory, meter: StrategyMeter) -> _Taught:
    """So that what learns is played as it will be: with lessons, be they few."""
    taught = _Taught(Lessons(cases if seated.learners else ()))
    for case in cases[:AT_A_TIME] if seated.learners else ():
        memory.cases[case.question.id] = case
        before = _counts(meter.models)
        drafts: dict[tuple[str | None, int], dict[str, Answer]] = defaultdict(dict)
        for cell in seated.lessons_from:
            for repeat in cell.plays(seated.spec.repeats):
                with meter.counting(cell.label):
                    verdict = (await play(cell, case.question, repeat)).verdict
                drafts[cell.traits.drafts, repeat] |= {draft.player: draft for draft in verdict.answers}
        for table, cell in tables_of(seated).items():
            by_player = drafts[table.way, table.repeat]
            heard = tuple(by_player[name] for name in table.players if name in by_player)
            rights = tuple(seated.grading.at_once(case, draft.text).value for draft in heard)
            grouping = await Stages().group(case.question, heard, cell.team)  # by words, which asks nobody
            taught.lessons.add(table, case, Lesson(case.question, heard, rights, grouping.groups))
        taught.took[case.question.id] = _since(before, _counts(meter.models))
    return taught


RecordedGroups = Mapping[tuple[str, int], Sequence[Entry]]
"""By question and repeat: what is on record about drafts that mean the same."""


async def _recorded(store: Store | None, cases: Sequence[Case]) -> RecordedGroups:
    """What nobody need be asked about, whichever call it was learnt by: a store of an older moot has other calls."""
    if store is None:
        return {}
    questions = [case.question.digest for case in cases]
    rows = await store.run(partial(queries.matches_on, questions=questions))
    return {(row["question"], row["repeat"]): json.loads(row["content"]) for row in rows}


async def _play_and_grade(
    seated: Plan,
    case: Case,
    memory: ReplyMemory,
    needs: Needs,
    lessons: Lessons,
    recorded: RecordedGroups,
    declared: DeclaredCalls,
    meter: StrategyMeter,
) -> None:
    like = memory.like(case.question.id)
    # Whose answers are given: a judge is needed as it was there.
    answered = case if like is None or case.question.id == like else memory.cases[like]
    first = await _play_cells(seated, case, seated.before_learning, needs, declared, meter)
    with meter.counting(None):
        await _judge(seated, case, open_wordings(seated.grading, answered, first.answers))
    taught = [lessons.seated(case, cell, 0) for cell in seated.learners]
    later = await _play_cells(seated, case, taught, needs, declared, meter)
    with meter.counting(None):
        await _judge(seated, case, open_wordings(seated.grading, answered, later.answers - first.answers))
        await _compare(seated, case, {**first.texts, **later.texts})
        await _match(seated, case, [*first.drafted, *later.drafted], needs, recorded)
        await _match(seated, case, later.drafted, Needs(grouped_drafts=True), recorded)


@dataclass(frozen=True, slots=True)
class _Said:
    """What some cells said on one question: every answer that is graded, and the drafts that are grouped."""

    answers: set[str] = field(default_factory=set)
    drafted: list[Drafted] = field(default_factory=list)
    texts: dict[tuple[str, int], str | None] = field(default_factory=dict)
    """By cell and repeat, for those who compare them."""


async def _play_cells(
    seated: Plan, case: Case, cells: Iterable[Cell], needs: Needs, declared: DeclaredCalls, meter: StrategyMeter
) -> _Said:
    said = _Said()
    for cell in cells:
        grouper = cell.team.grouper
        informed = grouper.knowing(case) if reference_shown(seated) and isinstance(grouper, Stages) else None
        drafts = cell.traits.drafts is not None
        for repeat in cell.plays(seated.spec.repeats):
            with meter.counting(cell.label):
                episode = await play(cell, case.question, repeat, grouper=informed)
            declared.add(cell, episode)
            verdict = episode.verdict
            said.texts[cell.id, repeat] = verdict.answer
            said.answers.update([] if verdict.answer is None else [verdict.answer])
            beside = answers_beside(verdict, drafts=needs.graded_drafts and drafts, claims=needs.graded_claims)
            said.answers.update(beside)
            if drafts:
                said.drafted.append(Drafted(cell, cell.traits.drafts_repeat(repeat), verdict))
    return said


async def _judge(seated: Plan, case: Case, wordings: Mapping[str, str]) -> None:
    for judging in seated.grading.judges if wordings else ():
        await judge(judging, case, wordings, seated.grading.team.seated(), seated.grading.batch)


async def _compare(seated: Plan, case: Case, texts: AnswersByPlay) -> None:
    if seated.comparing is None or not case.question.is_long:
        return
    pairs = matchups([cell.row() for cell in seated.cells], seated.comparing.baseline)
    for first, second in orders_of(compared_plays(pairs, texts)).values():
        for judging in seated.comparing.judges:
            await prefer(judging, case.question, first, second, seated.comparing.team.seated())


async def _match(seated: Plan, case: Case, drafted: Sequence[Drafted], needs: Needs, recorded: RecordedGroups) -> None:
    """The calls that say which drafts are the same and whose words a captain used: measurement, but on the same bill."""
    by = matched_by(seated.public_config)
    if by is None:
        return
    for drafts in draft_sets(case, drafted, needs):
        entries = recorded.get((case.question.digest, drafts.repeat), ())
        left = left_to_learn(drafts, by, entries)
        if entries:
            await _remember(drafts, shows_reference=reference_shown(seated))
        if left is not None:
            await learn(left, shows_reference=reference_shown(seated))


async def _remember(drafts: DraftSet, *, shows_reference: bool) -> None:
    """Nobody is asked again about what is on record, but who has not been heard there would seem never to have spoken."""
    grouper = drafts.team.grouper
    clerk = grouper.model.model if isinstance(grouper, Stages) and grouper.model is not None else None
    if isinstance(clerk, CountingModel):
        with clerk.remembering():
            await learn(drafts, shows_reference=shows_reference)


def _counts(models: Mapping[str, CountingModel]) -> tuple[float, float]:
    """Calls and money so far."""
    taken = [model.taken for model in models.values()]
    return sum(model.calls for model in taken), sum(model.cost_usd or 0.0 for model in taken)


def _since(
    before: tuple[float, float], now: tuple[float, float], ahead: tuple[float, float] = NOTHING_TAKEN
) -> tuple[float, float]:
    """What was taken since, and ahead of it."""
    return now[0] - before[0] + ahead[0], now[1] - before[1] + ahead[1]


def _sum(total: ModelEstimate, taken: ModelEstimate, scale: float) -> ModelEstimate:
    added = ModelEstimate()
    for figure in fields(ModelEstimate):
        value = getattr(taken, figure.name)
        setattr(added, figure.name, plus(getattr(total, figure.name), None if value is None else value * scale))
    return added


def total(costs: Iterable[float | None]) -> float | None:
    amounts = list(costs)
    return None if None in amounts else sum(cost for cost in amounts if cost is not None)
