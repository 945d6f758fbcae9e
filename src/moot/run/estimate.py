"""What a run would take, before it runs: the plan is played on a sample of its questions by models that only pretend.

Because strategies are played and not described, the count is right for every strategy, ours or another's: shared drafts
are counted once, and what the store holds already costs nothing. What is guessed is the length of replies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from moot.grade.judge import judge, needs_judge
from moot.grade.normalise import normalise
from moot.models.cache import Flights
from moot.models.instance import instance
from moot.models.model import Model, Wrapper
from moot.run.build import Experiment
from moot.run.play import play
from moot.run.providers import BuiltModel
from moot.store.calls import ExperimentCalls
from moot.store.store import Store
from moot.types import Case, Price, Question, Reply, Request, canonical_json, digest, digest_of_bytes, seeded

SAMPLE = 50
CHARACTERS_A_TOKEN = 4
COMPLETION_TOKENS = 150
"""How long a reply is taken to be: a short rationale and an answer; less where `max_tokens` says so."""


@dataclass
class ModelEstimate:
    """What one model would be asked."""

    calls: float = 0.0
    stored: float = 0.0
    prompt_tokens: float = 0.0
    completion_tokens: float = 0.0
    cost_usd: float | None = 0.0
    most_usd: float | None = 0.0
    """If every reply were as long as `max_tokens` allows; None where nothing bounds it."""


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


class Pretender(Wrapper):
    """Stands in for a model: answers from the store where it can, else with a made-up reply in the right form."""

    def __init__(
        self,
        built: BuiltModel,
        calls: ExperimentCalls | None,
        flights: Flights,
        known: dict[str, Reply],
        questions: Mapping[str, Question],
    ) -> None:
        super().__init__(built.model)
        self._built = built
        self._calls = calls
        self._flights = flights
        self._known = known
        self._questions = questions
        self.taken = ModelEstimate()

    async def generate(self, request: Request) -> Reply:
        key = digest_of_bytes(canonical_json([self.inner.shape(request), request.sample, request.attempt]))
        return await self._flights.once(key, lambda: self._once(key, request))

    async def _once(self, key: str, request: Request) -> Reply:
        if key not in self._known:
            stored = await self._calls.find_call(key) if self._calls else None
            if stored is not None:
                self.taken.stored += 1
            self._known[key] = stored or self._pretend(request)
        return self._known[key]

    def _pretend(self, request: Request) -> Reply:
        taken, price, most = self.taken, self.price, self._built.max_tokens
        prompt = sum(len(message.content) for message in request.messages) / CHARACTERS_A_TOKEN
        completion = min(COMPLETION_TOKENS, most or COMPLETION_TOKENS)
        taken.calls += 1
        taken.prompt_tokens += prompt
        taken.completion_tokens += completion
        taken.cost_usd = _plus(taken.cost_usd, _cost_usd(price, prompt, completion))
        taken.most_usd = _plus(taken.most_usd, _cost_usd(price, prompt, most))
        question = self._questions.get(request.question_id or "")
        return Reply(_made_up(request, self.name, question), version="pretended")


async def estimate(experiment: Experiment, store: Store | None) -> RunEstimate:
    """Play a sample with pretenders and scale it up. Without a store nothing is finished yet."""
    assert experiment.dataset is not None
    calls = ExperimentCalls(store, experiment.name) if store else None
    flights = Flights()
    known: dict[str, Reply] = {}  # one for all: two names for one model are asked once
    questions: dict[str, Question] = {}
    pretenders = {
        name: Pretender(built, calls, flights, known, questions) for name, built in experiment.models.items()
    }
    models: Mapping[str, Model] = pretenders
    seated = experiment.with_models(models)
    size = len(experiment.dataset)
    sample = seeded(experiment.spec.seed, "estimate").sample(range(size), min(SAMPLE, size))
    chosen = set(sample)
    for position, case in enumerate(experiment.dataset):
        if position in chosen:
            questions[case.question.id] = case.question
            await _play_and_judge(seated, case)
    scale = size / len(sample)
    return RunEstimate(
        episodes=experiment.episodes,
        sampled=len(sample),
        models={name: _scaled(each.taken, scale) for name, each in pretenders.items()},
    )


async def _play_and_judge(seated: Experiment, case: Case) -> None:
    said: dict[str, str] = {}
    for cell, repeat in ((cell, repeat) for cell in seated.cells for repeat in cell.plays(seated.spec.repeats)):
        answer = (await play(cell, case.question, repeat)).verdict.answer
        if answer is not None and needs_judge(case, answer):
            said[normalise(answer)] = answer
    for judging in seated.grading.judges if said else ():
        await judge(judging, case, said, seated.grading.team.seated())


def _scaled(taken: ModelEstimate, scale: float) -> ModelEstimate:
    values: dict[str, Any] = {}
    for name in ("calls", "stored", "prompt_tokens", "completion_tokens", "cost_usd", "most_usd"):
        value = getattr(taken, name)
        values[name] = None if value is None else value * scale
    return ModelEstimate(**values)


def _cost_usd(price: Price | None, prompt: float, completion: float | None) -> float | None:
    """None where the price or the length is unknown; what is free is free at any length."""
    if price is None or (completion is None and price.completion > 0):
        return None
    return (prompt * price.prompt + (completion or 0) * price.completion) / 1e6


def _total(costs: Iterable[float | None]) -> float | None:
    known = list(costs)
    return None if None in known else sum(cost for cost in known if cost is not None)


def _plus(total: float | None, more: float | None) -> float | None:
    return None if total is None or more is None else total + more


def _answer_to(question: Question | None, asked: str) -> str:
    """Where no form says what may be answered, the question does."""
    if question is None or question.kind == "open":
        return f"pretended {asked[:8]}"
    return seeded(0, asked).choice(question.letters or ("yes", "no"))


def _made_up(request: Request, model: str, question: Question | None) -> str:
    """A reply in the form asked for, and one that its form can read: a partition is whole, a list of grades complete."""
    # Different words for every prompt and model: at worst nobody agrees, everything is grouped, debated and judged.
    asked = digest([model, request.sample, *(message.content for message in request.messages)])
    if request.schema is None:
        return f"Answer: {_answer_to(question, asked)}"
    said = {"reasoning": "pretended", "answer": f"pretended {asked[:8]}"}
    made = instance(request.schema, said, lambda place: seeded(0, asked, place).random())
    properties = request.schema.get("properties", {})
    if "groups" in properties:
        made["groups"] = [[number + 1] for number in range(properties["groups"]["maxItems"])]
    if "grades" in properties:
        size = properties["grades"]["items"]["properties"]["id"]["maximum"]
        made["grades"] = [{"id": number + 1, "is_correct": False} for number in range(size)]
    if "points" in properties and properties["points"].get("type") == "array":  # a purse that must not be overdrawn
        made["points"] = [1] + [0] * (properties["points"].get("minItems", 1) - 1)
    return orjson.dumps(made).decode()
