"""The plan played on a sample of its questions, with counting models in the place of its own: play, then judges, then matches.

Questions are drawn until the sum over all of them is known closely enough, by how much they differ.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Literal

from moot.engine.grading import answers_beside, open_wordings
from moot.engine.match_record import matched_by
from moot.engine.matching import Drafted, draft_sets, drafts_repeat, learn, own_repeats, reference_shown
from moot.engine.play import play
from moot.estimate.counting_model import CountingModel, ModelEstimate, ReplyMemory, SharedReplies, plus
from moot.estimate.likely_replies import Assumption, LikelyReplies
from moot.experiment.plan import Plan
from moot.grade.group import Stages
from moot.grade.judge import judge
from moot.needs import Needs
from moot.store.calls import ExperimentCalls
from moot.types import Case, seeded

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

ENDS_SAMPLE = 10
"""Questions that the two ends of a guess are played on: they hardly differ from question to question."""

Part = Literal["done", "begun", "new"]
"""Of the questions: those on which nothing, something, or everything is left to play."""


@dataclass
class PlayedSample:
    """What a play of the plan took, scaled up to all questions."""

    taken: dict[str, ModelEstimate]
    sampled: int = 0
    spreads: list[Spread] = field(default_factory=list)

    @property
    def calls(self) -> float:
        return sum(model.calls for model in self.taken.values())

    @property
    def cost_usd(self) -> float | None:
        return total(model.cost_usd for model in self.taken.values())

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

    @property
    def precise(self) -> bool:
        count = len(self.each)
        sums = [self.size / count * sum(question[what] for question in self.each) for what in (0, 1)]
        return all(self.error(what) <= PRECISION * total for what, total in enumerate(sums))


async def play_sample(
    experiment: Plan,
    parts: Mapping[Part, Sequence[int]],
    memory: ReplyMemory,
    calls: ExperimentCalls | None,
    assumption: Assumption,
    needs: Needs,
) -> PlayedSample:
    assert experiment.dataset is not None
    shared = SharedReplies(LikelyReplies(experiment.dataset, experiment.spec.seed, assumption), memory, calls)
    models = {name: CountingModel(built, shared) for name, built in experiment.models.items()}
    seated = experiment.with_models(models)
    whole = PlayedSample({name: ModelEstimate() for name in models})
    memory.forget_told()
    # What is stored comes first: the rest is played the way it went.
    for part, positions in parts.items():
        cases = _drawn(experiment, part, positions, MOST_SAMPLED if assumption == "likely" else ENDS_SAMPLE)
        spread = Spread(len(positions))
        for case in cases:
            memory.cases[case.question.id] = case
            before = _counts(models)
            await _play_and_grade(seated, case, memory, needs)
            spread.each.append(_since(before, _counts(models)))
            if len(spread.each) % AT_A_TIME == 0 and _enough(part, spread, _counts(models)[0]):
                break
        if part != "new" and assumption == "likely" and not memory.examples:
            memory.remember([case.question.id for case in cases[: len(spread.each)]])
        whole.sampled += len(spread.each)
        whole.spreads.append(spread)
        for name, model in models.items():
            scale = len(positions) / max(1, len(spread.each))
            whole.taken[name] = _sum(whole.taken[name], model.taken, scale)
            model.taken = ModelEstimate()
    return whole


def _enough(part: Part, spread: Spread, calls: float) -> bool:
    if calls > MOST_CALLS:
        return True
    wanted = len(spread.each) >= SAMPLE or calls > MANY_CALLS
    return wanted and (part == "done" or spread.precise)


def _drawn(experiment: Plan, part: Part, positions: Sequence[int], most: int) -> list[Case]:
    """Questions in a drawn order, so that any first few of them are a fair sample."""
    draw = seeded(experiment.spec.seed, "estimate", part)
    chosen = draw.sample(positions, min(most, len(positions)))
    wanted = set(chosen)
    cases = {position: case for position, case in enumerate(experiment.dataset or ()) if position in wanted}
    return [cases[position] for position in chosen]


async def _play_and_grade(seated: Plan, case: Case, memory: ReplyMemory, needs: Needs) -> None:
    like = memory.like(case.question.id)
    # Whose answers are given: a judge is needed as it was there.
    answered = case if like is None or case.question.id == like else memory.cases[like]
    shows_reference = reference_shown(seated)
    answers: set[str] = set()
    drafted: list[Drafted] = []
    for cell in seated.cells:
        grouper = cell.team.grouper
        informed_grouper = grouper.knowing(case) if shows_reference and isinstance(grouper, Stages) else None
        drafts = cell.traits.drafts is not None
        for repeat in cell.plays(seated.spec.repeats):
            verdict = (await play(cell, case.question, repeat, grouper=informed_grouper)).verdict
            answers.update([] if verdict.answer is None else [verdict.answer])
            beside = answers_beside(verdict, drafts=needs.graded_drafts and drafts, claims=needs.graded_claims)
            answers.update(beside)
            if drafts:
                drafted.append(Drafted(cell, drafts_repeat(repeat, own_repeats(cell)), verdict))
    wordings = open_wordings(seated.grading, answered, answers)
    for judging in seated.grading.judges if wordings else ():
        await judge(judging, case, wordings, seated.grading.team.seated())
    await _match(seated, case, drafted, needs, shows_reference=shows_reference)


async def _match(seated: Plan, case: Case, drafted: Sequence[Drafted], needs: Needs, *, shows_reference: bool) -> None:
    """The calls that say which drafts are the same and whose words a captain used: measurement, but on the same bill."""
    if matched_by(seated.public_config) is None:
        return
    for drafts in draft_sets(case, drafted, needs):
        await learn(drafts, shows_reference=shows_reference)


def _counts(models: Mapping[str, CountingModel]) -> tuple[float, float]:
    """Calls and money so far."""
    taken = [model.taken for model in models.values()]
    return sum(model.calls for model in taken), sum(model.cost_usd or 0.0 for model in taken)


def _since(before: tuple[float, float], now: tuple[float, float]) -> tuple[float, float]:
    return now[0] - before[0], now[1] - before[1]


def _sum(total: ModelEstimate, taken: ModelEstimate, scale: float) -> ModelEstimate:
    added = ModelEstimate()
    for figure in fields(ModelEstimate):
        value = getattr(taken, figure.name)
        setattr(added, figure.name, plus(getattr(total, figure.name), None if value is None else value * scale))
    return added


def total(costs: Iterable[float | None]) -> float | None:
    amounts = list(costs)
    return None if None in amounts else sum(cost for cost in amounts if cost is not None)
