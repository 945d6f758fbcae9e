"""A stand-in for a model, for estimates: it says what a model might say, and counts what saying so would cost.

Where the store holds the same call, that is the reply. Where it holds whole questions, a new question is played the way
one of those went: each model says again what it said there, so that lengths, agreement and the number of rounds are those
of this very team. Where nothing is known yet the reply is made up in the form asked for, of a usual length, and
everybody says something else: at worst nobody agrees, and everything is grouped, debated and judged.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from moot.models.cache import Flights
from moot.models.instance import instance
from moot.models.model import Wrapper
from moot.run.providers import BuiltModel
from moot.store.calls import ExperimentCalls
from moot.types import Case, Price, Question, Reply, Request, canonical_json, digest, digest_of_bytes, seeded

CHARACTERS_A_TOKEN = 4
COMPLETION_TOKENS = 150
"""How long a reply in words is taken to be: a short rationale and an answer; less where `max_tokens` says so."""

Role = tuple[str, str, int, int]
"""In which role a model is asked: who, in which form, which sample, which attempt."""


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
    guessed: float = 0.0
    """Of the calls, how many have a length that nothing stored speaks for."""


class Memory:
    """What was said on questions that are stored, in the order in which it was said."""

    def __init__(self) -> None:
        self.cases: dict[str, Case] = {}
        self._said: dict[tuple[str, Role], list[Reply]] = defaultdict(list)
        self._of_form: dict[tuple[str, str], list[Reply]] = defaultdict(list)
        self._told: Counter[tuple[str, Role]] = Counter()
        self._characters: Counter[str] = Counter()
        self._tokens: Counter[str] = Counter()
        self._whole: list[str] = []

    def keep(self, request: Request, role: Role, reply: Reply) -> None:
        question = request.question_id or ""
        self._said[question, role].append(reply)
        if reply.usage.completion is not None:
            self._of_form[role[0], role[1]].append(reply)
        if reply.usage.prompt:
            self._characters[role[0]] += _characters(request)
            self._tokens[role[0]] += reply.usage.prompt

    def remember(self, questions: Sequence[str]) -> None:
        """These were played to their end; a new question may go as one of them went."""
        self._whole = list(questions)

    def like(self, question: str) -> str | None:
        """The stored question that this one is taken to be like; always the same one."""
        return seeded(0, "like", question).choice(self._whole) if self._whole else None

    def recall(self, request: Request, role: Role) -> Reply | None:
        """What this model said in this role on the question that this one is taken to be like."""
        question = request.question_id or ""
        if (like := self.like(question)) is not None:
            said = self._said.get((like, role))
            number = self._told[question, role]
            self._told[question, role] += 1
            if said and number < len(said):
                return said[number]
        others = self._of_form.get((role[0], role[1]))
        return seeded(0, "another", question, *role).choice(others) if others else None

    def characters_a_token(self, model: str) -> float:
        tokens = self._tokens[model]
        return self._characters[model] / tokens if tokens else CHARACTERS_A_TOKEN


class Pretender(Wrapper):
    """Stands in for a model, and counts."""

    def __init__(
        self,
        built: BuiltModel,
        calls: ExperimentCalls | None,
        flights: Flights,
        known: dict[str, Reply],
        memory: Memory,
    ) -> None:
        super().__init__(built.model)
        self._built = built
        self._calls = calls
        self._flights = flights
        self._known = known
        self._memory = memory
        self.taken = ModelEstimate()

    async def generate(self, request: Request) -> Reply:
        key = digest_of_bytes(canonical_json([self.inner.shape(request), request.sample, request.attempt]))
        return await self._flights.once(key, lambda: self._once(key, request))

    async def _once(self, key: str, request: Request) -> Reply:
        if key not in self._known:
            role = (self.name, digest(request.schema), request.sample, request.attempt)
            stored = await self._calls.find_call(key) if self._calls else None
            if stored is not None:
                self.taken.stored += 1
                self._memory.keep(request, role, stored)
            self._known[key] = stored or self._pretend(request, role)
        return self._known[key]

    def _pretend(self, request: Request, role: Role) -> Reply:
        taken, price, most = self.taken, self.price, self._built.max_tokens
        said = self._memory.recall(request, role)
        case = self._memory.cases.get(request.question_id or "")
        text = said.text if said else made_up(request, self.name, case.question if case else None)
        completion = len(text) / CHARACTERS_A_TOKEN
        if said is not None and said.usage.completion is not None:
            completion = said.usage.completion
        else:
            taken.guessed += 1
        completion = min(completion, most or completion)
        prompt = _characters(request) / self._memory.characters_a_token(self.name)
        taken.calls += 1
        taken.prompt_tokens += prompt
        taken.completion_tokens += completion
        taken.cost_usd = plus(taken.cost_usd, _cost_usd(price, prompt, completion))
        taken.most_usd = plus(taken.most_usd, _cost_usd(price, prompt, most))
        return Reply(text, said.finish if said else "stop", version="pretended")


def _characters(request: Request) -> int:
    return sum(len(message.content) for message in request.messages)


def _cost_usd(price: Price | None, prompt: float, completion: float | None) -> float | None:
    """None where the price or the length is unknown; what is free is free at any length."""
    if price is None or (completion is None and price.completion > 0):
        return None
    return (prompt * price.prompt + (completion or 0) * price.completion) / 1e6


def plus(total: float | None, more: float | None) -> float | None:
    return None if total is None or more is None else total + more


def made_up(request: Request, model: str, question: Question | None) -> str:
    """A reply in the form asked for, and one that its form can read: a partition is whole, a list of grades complete.

    Words are as many as a model would use, because later prompts repeat them.
    """
    asked = digest([model, request.sample, *(message.content for message in request.messages)])
    if request.schema is None:
        ending = f"\nAnswer: {_answer_to(question, asked)}"
        return _words(COMPLETION_TOKENS * CHARACTERS_A_TOKEN - len(ending)) + ending
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
    return orjson.dumps(_at_length(made, properties)).decode()


def _at_length(made: dict[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
    """The same with its free texts written out. An answer is short, and so is what has a list of possible values."""
    free = [
        name
        for name, form in properties.items()
        if name != "answer" and form.get("type") == "string" and not {"enum", "const", "maxLength"} & set(form)
    ]
    written = {**made, **{name: "" for name in free if name in made}}
    left = COMPLETION_TOKENS * CHARACTERS_A_TOKEN - len(orjson.dumps(written))
    return {**made, **{name: _words(left // len(free)) for name in free if name in made}}


def _words(length: int) -> str:
    return ("pretended " * (max(10, length) // 10 + 1))[: max(9, length - 1)] + "."


def _answer_to(question: Question | None, asked: str) -> str:
    """Where no form says what may be answered, the question does."""
    if question is None or question.kind == "open":
        return f"pretended {asked[:8]}"
    return seeded(0, asked).choice(question.letters or ("yes", "no"))
