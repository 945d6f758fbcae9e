"""What a run would take, before it runs: the plan is played on a sample of its questions by models that only count.

Because strategies are played and not described, the count is right for every strategy, ours or another's: shared drafts
are counted once, and what the store holds already costs nothing. Grades and matches that follow the play are part of the
bill, and of this.

Where a play hangs on words that are only guessed, the bounds that strategies declare say what no sample can
(`declared_calls`).

How sure it is depends on who speaks (`counting_model`). Simulated and recorded models say themselves what they would
say: only which questions were drawn is left to chance. After a first run of a few questions the others say what they
said there. Before that they are guessed, and the range runs from everybody agreeing in few words to nobody agreeing
in as many as are allowed.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from moot.estimate.by_strategy import AskedFor, StrategyEstimate
from moot.estimate.counting_model import ModelEstimate, ReplyMemory
from moot.estimate.duration import Duration, shortest_duration, untimed
from moot.estimate.likely_replies import CHARACTERS_A_TOKEN, COMPLETION_TOKENS
from moot.estimate.sample_play import SAMPLE, Part, PlayedSample, guessed, play_sample, total
from moot.experiment.plan import Plan
from moot.experiment.providers import BuiltModel
from moot.needs import EVERYTHING, Needs
from moot.store import money, queries
from moot.store.store import Store

__all__ = ["CHARACTERS_A_TOKEN", "COMPLETION_TOKENS", "SAMPLE", "ModelEstimate", "RunEstimate", "estimate"]

FIFTH = 0.2

Sureness = Literal["played", "learned", "guessed"]


NOTHING_HEARD: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class Range:
    """From here to there; None where nothing bounds it."""

    low: float | None
    high: float | None

    @property
    def ends(self) -> tuple[float | None, float | None]:
        return self.low, self.high


@dataclass
class RunEstimate:
    episodes: int
    sampled: int
    models: dict[str, ModelEstimate] = field(default_factory=dict)
    calls_range: Range = Range(0.0, 0.0)
    """Two standard errors to each side; of a guess, its two ends."""
    cost_range: Range = Range(0.0, 0.0)
    examples: int = 0
    """Stored questions that the new ones are taken to be like."""
    spent_usd: float = 0.0
    """What the experiment has paid already."""
    beyond_calls: float = 0.0
    """Where it is guessed: what strategies may take by the bounds that they declare, beyond what was tried."""
    beyond_usd: float | None = 0.0
    """The same in money, each at the dearest call that was tried."""
    undeclared: Sequence[str] = ()
    """Where it is guessed: strategies that declare no bound, so that nothing tried says how many calls they take."""

    questions: int = 0
    without: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By the key that is missing in the file: models that would be asked and whose bill nothing bounds without it."""
    strategies: Mapping[AskedFor, StrategyEstimate] = field(default_factory=dict)
    duration: Duration | None = None
    """At the limits of the endpoints; None where none is asked."""
    untimed: Sequence[str] = ()
    """Models in this process that would be asked, of which nothing says how fast they are."""
    broken: Mapping[str, str] = field(default_factory=dict)
    """By label: strategies that failed of themselves in the sample, and how; what they would take is not known."""

    @property
    def calls(self) -> float:
        return sum(model.calls for model in self.models.values())

    @property
    def cost_usd(self) -> float | None:
        """What is to be paid now."""
        return total(model.cost_usd for model in self.models.values())

    @property
    def recorded(self) -> list[str]:
        """Models whose replies are played back."""
        return [name for name, model in self.models.items() if model.recorded]

    @property
    def silent_on_cost(self) -> list[str]:
        """Of these, whose replies do not all say what they cost when they were made."""
        return [name for name in self.recorded if self.models[name].then_usd is None]

    @property
    def reported_usd(self) -> float | None:
        """What the report will have: what is paid now, and what was paid for what is played back."""
        return total(model.reported_usd for model in self.models.values())

    @property
    def most_usd(self) -> float | None:
        """None where nothing bounds a reply, or a strategy."""
        if self.undeclared or self.broken:
            return None
        return total([*(model.most_usd for model in self.models.values()), self.beyond_usd])

    @property
    def sure(self) -> Sureness:
        """Who spoke: the models themselves, what is stored, or simulated models in their place."""
        if guessed(self.models.values()):
            return "guessed"
        return "learned" if any(model.learned for model in self.models.values()) else "played"

    @property
    def guessed(self) -> list[str]:
        """The models whose words are a guess."""
        return [name for name, model in self.models.items() if model.guessed]

    @property
    def examples_needed(self) -> int | None:
        """How many stored questions would make it sure to a fifth; None where that many are stored, or none is wanted."""
        cost, high = self.cost_usd, self.cost_range.high
        if self.sure != "learned" or not cost or high is None or high <= (1 + FIFTH) * cost:
            return None
        return math.ceil(self.examples * ((high - cost) / (FIFTH * cost)) ** 2)


async def estimate(
    experiment: Plan, store: Store | None, needs: Needs = EVERYTHING, heard_s: Mapping[str, float] = NOTHING_HEARD
) -> RunEstimate:
    """Play a sample with counting models and scale it up. Without a store nothing is finished yet. `heard_s`: how long a reply
    of a model in this process took just now, for those of which none is stored."""
    parts = await _parts(experiment, store)
    memory = ReplyMemory()
    likely = await play_sample(experiment, parts, memory, store, "likely", needs)
    run_estimate = RunEstimate(experiment.episodes, likely.sampled, likely.taken, examples=memory.examples)
    run_estimate.broken, run_estimate.strategies = likely.declared.broken, likely.strategies
    reply_s = {**heard_s, **memory.reply_s}
    run_estimate.duration = shortest_duration(experiment.models, likely.taken, reply_s)
    run_estimate.untimed = untimed(experiment.models, likely.taken, reply_s)
    run_estimate.questions = sum(map(len, parts.values()))
    run_estimate.without = _without(experiment.models, likely.taken)
    if store is not None:
        run_estimate.spent_usd = await store.run(partial(money.spent_usd, experiment=experiment.name))
    if run_estimate.sure == "guessed":
        left: dict[Part, list[int]] = {"begun": parts["begun"], "new": parts["new"]}
        least = await play_sample(experiment, left, memory, store, "agreeing", needs)
        most = await play_sample(experiment, left, memory, store, "contrary", needs)
        for name, model in run_estimate.models.items():
            model.most_usd = _larger(model.most_usd, most.taken[name].most_usd)
        declared = most.declared
        run_estimate.beyond_calls, run_estimate.undeclared = declared.beyond, tuple(declared.undeclared)
        run_estimate.beyond_usd = _beyond_usd(most, total(model.most_usd for model in run_estimate.models.values()))
        most_calls = None if declared.undeclared else max(most.calls + declared.beyond, run_estimate.calls)
        run_estimate.calls_range = Range(min(least.calls, run_estimate.calls), most_calls)
        run_estimate.cost_range = Range(_smaller(least.cost_usd, run_estimate.cost_usd), run_estimate.most_usd)
    else:
        examples = memory.examples if run_estimate.sure == "learned" else 0
        run_estimate.calls_range = _around(run_estimate.calls, likely.error(0, examples))
        run_estimate.cost_range = _around(run_estimate.cost_usd, likely.error(1, examples))
    return run_estimate


def _without(built: Mapping[str, BuiltModel], taken: Mapping[str, ModelEstimate]) -> dict[str, list[str]]:
    unbounded = {name: built[name] for name, model in taken.items() if model.calls and model.most_usd is None}
    return {
        "price": [name for name, model in unbounded.items() if model.model.price is None],
        "max_tokens": [name for name, model in unbounded.items() if model.max_tokens is None],
    }


def _beyond_usd(most: PlayedSample, tried_usd: float | None) -> float | None:
    """What declared bounds leave over in money: of what was tried with the most calls, less what another try took more."""
    at_most = total(model.most_usd for model in most.taken.values())
    if at_most is None or tried_usd is None or most.dearest_usd is None:
        return None
    return max(0.0, at_most + most.declared.beyond * most.dearest_usd - tried_usd)


async def _parts(experiment: Plan, store: Store | None) -> dict[Part, list[int]]:
    """The places of the questions on which nothing, something, or everything is left to play."""
    assert experiment.dataset is not None
    digests = [case.question.digest for case in experiment.dataset]
    played = (*experiment.before_learning, *experiment.learners)
    cells = {cell.id: cell.plays(experiment.spec.repeats) for cell in played}
    needed = {(cell, repeat) for cell, repeats in cells.items() for repeat in repeats}
    finished: dict[str, set[tuple[str, int]]] = defaultdict(set)
    if store is not None:
        asked = partial(queries.finished, cells=list(cells), questions=list(dict.fromkeys(digests)))
        for cell, question, repeat in await store.run(asked):
            finished[question].add((cell, repeat))
    parts: dict[Part, list[int]] = {"done": [], "begun": [], "new": []}
    for position, question in enumerate(digests):
        done = finished.get(question, set())
        parts["done" if done >= needed else "begun" if done else "new"].append(position)
    return parts


def _around(value: float | None, error: float) -> Range:
    return Range(None, None) if value is None else Range(max(0.0, value - 2 * error), value + 2 * error)


def _smaller(one: float | None, two: float | None) -> float | None:
    return None if one is None or two is None else min(one, two)


def _larger(one: float | None, two: float | None) -> float | None:
    return None if one is None or two is None else max(one, two)
