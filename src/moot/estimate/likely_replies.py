"""What a model that nobody may ask yet might say: for the estimate of a run whose models sit behind endpoints.

What is said decides how many calls follow (who agrees, which answers must be grouped or judged, when a debate ends); how
long it is decides the price. So a reply is made under one of three assumptions. The likely one is a simulated model of middling
ability, as long as replies usually are. The other two are the ends: everybody is right and brief, or everybody says
something else each time, at the greatest length.

Lengths are made up as well: a text holds a mark that says how many tokens it is short of, and prompts that repeat
the text repeat the mark. So replies of 32,000 tokens are counted without being written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

import orjson

from moot.data import Dataset
from moot.errors import CallError
from moot.simulate.schema_instance import instance
from moot.simulate.simulated import SimulatedModel
from moot.simulate.world import World
from moot.types import Question, Request, digest, seeded

CHARACTERS_A_TOKEN = 4
COMPLETION_TOKENS = 150
"""How long a reply in words is taken to be: a short rationale and an answer; less where `max_tokens` says so."""

LONG_TOKENS = 600
"""How long a long answer is taken to be: some paragraphs; less where `max_tokens` says so."""

ROOM = 8
"""Who allows this many times the usual length expects thought: then an eighth of `max_tokens` is taken to be written."""

BRIEF = 10
"""The brief end of the range: a tenth of the usual length, which is an answer and little else."""

ACCURACY = 0.6
"""How often a likely reply is right, in the middle of what models are used for."""

Assumption = Literal["agreeing", "likely", "contrary"]

_MARK = re.compile(r"estimated_(?<!\westimated_)(\d+)_tokens\b")
"""That it is the beginning of a word is looked at last: what begins with plain letters is found many times sooner."""
_SHORT = ("answer", "solution")
"""Fields that hold a few words however long a reply is."""


class LikelyReplies:
    """One for each model that must not be asked, all in one world."""

    def __init__(self, dataset: Dataset, seed: int, assumption: Assumption) -> None:
        self.assumption = assumption
        self._dataset = dataset
        self._seed = seed
        self._models: dict[str, SimulatedModel] = {}

    @cached_property
    def _world(self) -> World:
        return World(self._dataset, self._seed)

    def says(self, model: str, request: Request, question: Question | None, tokens: int) -> str:
        """A reply in the form asked for that others would read as so many tokens."""
        if self.assumption == "contrary":
            text = contrary(request, model, question)
        else:
            try:
                text = self._model(model).reply(request).text
            except CallError:
                text = contrary(request, model, question)
        return lengthened(text, request.schema, tokens)

    def _model(self, name: str) -> SimulatedModel:
        if name not in self._models:
            accuracy = 1.0 if self.assumption == "agreeing" else ACCURACY
            self._models[name] = SimulatedModel(name, accuracy=accuracy, world=self._world)
        return self._models[name]


def usual_tokens(most: int | None, usual: int = COMPLETION_TOKENS) -> int:
    """How long a reply is taken to be, where nothing is known but how long it may be."""
    return usual if most is None else min(most, max(usual, most // ROOM))


def missing_tokens(text: str) -> int:
    """What a text is short of, by the marks in it."""
    return sum(map(int, _MARK.findall(text)))


def lengthened(text: str, schema: Mapping[str, Any] | None, tokens: int) -> str:
    """The same, marked as longer in its free texts. What has none, such as a ballot, is as long as it is."""
    missing = tokens - len(text) // CHARACTERS_A_TOKEN
    if missing <= 0:
        return text
    try:
        reply = json.loads(text)
    except ValueError:
        reply = None
    if not isinstance(reply, dict):
        return f"estimated_{missing}_tokens\n{text}"
    forms = (schema or {}).get("properties", {})
    free = [name for name, value in reply.items() if name not in _SHORT and _is_free(value, forms.get(name, {}))]
    for name in free:
        reply[name] = f"estimated_{missing // len(free)}_tokens {reply[name]}"
    return orjson.dumps(reply).decode()


def _is_free(value: object, form: Mapping[str, Any]) -> bool:
    return isinstance(value, str) and not {"enum", "const", "maxLength"} & set(form)


def contrary(request: Request, model: str, question: Question | None) -> str:
    """A reply that agrees with nobody's, and one that its form can read: a partition is whole, grades are complete."""
    asked = digest([model, request.sample, *(message.content for message in request.messages)])
    if request.schema is None:
        return f"Answer: {_answer_to(question, asked)}"
    values = {"reasoning": "estimated", "answer": f"estimated {asked[:8]}"}
    made = instance(request.schema, values, lambda place: seeded(0, asked, place).random())
    properties = request.schema.get("properties", {})
    if "groups" in properties:
        made["groups"] = [[number + 1] for number in range(properties["groups"]["maxItems"])]
    if "grades" in properties:
        size = properties["grades"]["items"]["properties"]["id"]["maximum"]
        made["grades"] = [{"id": number + 1, "is_correct": False} for number in range(size)]
    if "criteria" in properties:
        size = properties["criteria"]["items"]["properties"]["id"]["maximum"]
        made["criteria"] = [{"id": number + 1, "reason": "estimated", "points": 0} for number in range(size)]
    if "points" in properties and properties["points"].get("type") == "array":  # a purse that must not be overdrawn
        made["points"] = [1] + [0] * (properties["points"].get("minItems", 1) - 1)
    return orjson.dumps(made).decode()


def _answer_to(question: Question | None, asked: str) -> str:
    """Where no form says what may be answered, the question does."""
    if question is None or not question.is_closed:
        return f"estimated {asked[:8]}"
    return seeded(0, asked).choice(question.letters or ("yes", "no"))
