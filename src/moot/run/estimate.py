"""What a run would take, before it runs: the plan is played on a sample of its questions by models that only pretend.

Because strategies are played and not described, the count is right for every strategy, ours or another's: shared drafts
are counted once, and what the store holds already costs nothing. Grades and matches that follow the play are part of the
bill, and of this. What is guessed, the length of replies and how much they agree, is learned from what is stored
already (`moot.run.pretend`): after a first run of a few questions the estimate knows this team.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from moot.grade.group import Stages
from moot.grade.judge import judge, needs_judge
from moot.grade.normalise import normalise
from moot.models.cache import Flights
from moot.run.build import Experiment
from moot.run.matching import captain_speaks, match_words, words_left
from moot.run.play import play
from moot.run.pretend import CHARACTERS_A_TOKEN, COMPLETION_TOKENS, Memory, ModelEstimate, Pretender, plus
from moot.store import queries
from moot.store.calls import ExperimentCalls
from moot.store.store import Store
from moot.types import Case, Reply, Verdict, seeded

__all__ = ["CHARACTERS_A_TOKEN", "COMPLETION_TOKENS", "SAMPLE", "ModelEstimate", "RunEstimate", "estimate"]

SAMPLE = 50
"""Questions that are played, of those that are stored and of those that are not."""


@dataclass
class RunEstimate:
    episodes: int
    sampled: int
    models: dict[str, ModelEstimate] = field(default_factory=dict)

    @property
    def cost_usd(self) -> float | None:
        return _total(each.cost_usd for each in self.models.values())

    @property
    def most_usd(self) -> float | None:
        return _total(each.most_usd for each in self.models.values())

    @property
    def guessed(self) -> bool:
        """Whether most of the lengths are our guess, nothing like it being stored."""
        calls = sum(each.calls for each in self.models.values())
        return sum(each.guessed for each in self.models.values()) > calls / 2


async def estimate(experiment: Experiment, store: Store | None) -> RunEstimate:
    """Play a sample with pretenders and scale it up. Without a store nothing is finished yet."""
    assert experiment.dataset is not None
    calls = ExperimentCalls(store, experiment.name) if store else None
    flights, memory = Flights(), Memory()
    known: dict[str, Reply] = {}  # one for all: two names for one model are asked once
    pretenders = {name: Pretender(built, calls, flights, known, memory) for name, built in experiment.models.items()}
    seated = experiment.with_models(pretenders)
    finished = await _finished(experiment, store) if store else frozenset()
    done = [position for position in range(len(experiment.dataset)) if position in finished]
    left = [position for position in range(len(experiment.dataset)) if position not in finished]
    taken = {name: ModelEstimate() for name in pretenders}
    sampled = 0
    # What is finished comes first: the rest is played the way it went.
    for part, positions in (("done", done), ("left", left)):
        draw = seeded(experiment.spec.seed, "estimate", part)
        chosen = set(draw.sample(positions, min(SAMPLE, len(positions))))
        for position, case in enumerate(experiment.dataset):
            if position in chosen:
                memory.cases[case.question.id] = case
                await _play_and_grade(seated, case, memory)
        if part == "done":
            memory.remember(list(memory.cases))
        sampled += len(chosen)
        for name, pretender in pretenders.items():
            taken[name] = _sum(taken[name], pretender.taken, len(positions) / max(1, len(chosen)))
            pretender.taken = ModelEstimate()
    return RunEstimate(experiment.episodes, sampled, taken)


async def _finished(experiment: Experiment, store: Store) -> frozenset[int]:
    """The places of the questions on which nothing is left to play."""
    digests = [case.question.digest for case in experiment.dataset or ()]
    cells = {cell.id: cell.plays(experiment.spec.repeats) for cell in experiment.cells}
    done = await store.run(partial(queries.finished, cells=list(cells), questions=list(dict.fromkeys(digests))))
    needed = [(cell, repeat) for cell, repeats in cells.items() for repeat in repeats]
    whole = {digest for digest in digests if all((cell, digest, repeat) in done for cell, repeat in needed)}
    return frozenset(position for position, digest in enumerate(digests) if digest in whole)


async def _play_and_grade(seated: Experiment, case: Case, memory: Memory) -> None:
    like = memory.like(case.question.id)
    answered = (
        case if like is None else memory.cases[like]
    )  # whose answers are given: a judge is needed as it was there
    grouping = seated.spec.grouping
    shown = grouping is not None and grouping.reference == "shown"
    said: dict[str, str] = {}
    captains: dict[int, list[Verdict]] = defaultdict(list)
    for cell in seated.cells:
        grouper = cell.team.grouper
        told = grouper.knowing(case) if shown and isinstance(grouper, Stages) else None
        for repeat in cell.plays(seated.spec.repeats):
            verdict = (await play(cell, case.question, repeat, grouper=told)).verdict
            if verdict.answer is not None and needs_judge(answered, verdict.answer):
                said[normalise(verdict.answer)] = verdict.answer
            if captain_speaks(cell):
                captains[repeat].append(verdict)
    for judging in seated.grading.judges if said else ():
        await judge(judging, case, said, seated.grading.team.seated())
    await _match(seated, case, captains, shows_reference=shown)


async def _match(
    seated: Experiment, case: Case, captains: Mapping[int, Sequence[Verdict]], *, shows_reference: bool
) -> None:
    """The calls that say whose words a captain used: measurement, but on the same bill."""
    team = next((cell.team for cell in seated.cells if captain_speaks(cell)), None)
    if team is None or not isinstance(team.grouper, Stages) or team.grouper.model is None:
        return
    for repeat, verdicts in captains.items():
        left = words_left(case, repeat, verdicts)
        if left is not None:
            await match_words(left, team.seated(repeat), shows_reference=shows_reference)


def _sum(total: ModelEstimate, taken: ModelEstimate, scale: float) -> ModelEstimate:
    values: dict[str, Any] = {}
    for name in vars(taken):
        value = getattr(taken, name)
        values[name] = plus(getattr(total, name), None if value is None else value * scale)
    return ModelEstimate(**values)


def _total(costs: Iterable[float | None]) -> float | None:
    known = list(costs)
    return None if None in known else sum(cost for cost in known if cost is not None)
