"""A model that counts, in the place of each model of an estimate: it says what that one would say, and what it would cost.

Where the store holds the same call, that is the reply. A simulated or recorded model is asked itself: that costs nothing
and reaches nobody. For a model behind an endpoint a new question is played the way a stored one went: each says again
what it said there, so that lengths, agreement and the number of rounds are those of this very team. Where nothing is
known yet a likely reply is made up (`moot.estimate.likely_replies`), and the call counts as guessed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from moot.errors import CallError
from moot.estimate.likely_replies import (
    BRIEF,
    CHARACTERS_A_TOKEN,
    COMPLETION_TOKENS,
    LONG_TOKENS,
    LikelyReplies,
    missing_tokens,
    usual_tokens,
)
from moot.experiment.providers import BuiltModel
from moot.models.flights import Flights
from moot.models.model import Wrapper
from moot.models.recorded import RecordedModel
from moot.simulate.simulated import SimulatedModel
from moot.store.calls import ExperimentCalls
from moot.types import FREE, Case, Price, Reply, Request, canonical_json, digest, digest_of_bytes, seeded

AskedRole = tuple[str, str, int, int]
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
    learned: float = 0.0
    """Of the calls, how many go as a stored one went."""
    guessed: float = 0.0
    """Of the calls, how many have a length and a meaning that nothing speaks for."""
    recorded: float = 0.0
    """Of the calls, how many are played back: nothing is paid for them now."""
    then_usd: float | None = 0.0
    """What these cost when they were made, as the report will have it; None where one of them does not say it."""

    @property
    def reported_usd(self) -> float | None:
        """What is paid now, and what was paid for what is played back."""
        return plus(self.cost_usd, self.then_usd)


class ReplyMemory:
    """What was said on questions that are stored, in the order in which it was said."""

    def __init__(self) -> None:
        self.cases: dict[str, Case] = {}
        self._said: dict[tuple[str, AskedRole], list[Reply]] = defaultdict(list)
        self._of_form: dict[tuple[str, str], list[Reply]] = defaultdict(list)
        self._lengths: dict[str, list[int]] = defaultdict(list)
        self._told: Counter[tuple[str, AskedRole]] = Counter()
        self._characters: Counter[str] = Counter()
        self._tokens: Counter[str] = Counter()
        self._waited: dict[str, list[float]] = defaultdict(list)
        self._examples: list[str] = []
        self._kept: set[str] = set()

    def keep(self, key: str, request: Request, role: AskedRole, reply: Reply) -> None:
        if key in self._kept:
            return
        self._kept.add(key)
        question = request.question_id or ""
        self._said[question, role].append(reply)
        if reply.timed:
            self._waited[role[0]].append(reply.latency_s)
        if reply.usage.completion is not None:
            self._of_form[role[0], role[1]].append(reply)
            self._lengths[role[1]].append(reply.usage.completion)
        if reply.usage.prompt:
            self._characters[role[0]] += _characters(request)
            self._tokens[role[0]] += reply.usage.prompt

    def remember(self, questions: Sequence[str]) -> None:
        """These are stored; a new question may go as one of them went."""
        self._examples = list(questions)

    @property
    def examples(self) -> int:
        return len(self._examples)

    def like(self, question: str) -> str | None:
        """The stored question that this one is taken to be like; always the same one."""
        return seeded(0, "like", question).choice(self._examples) if self._examples else None

    def recall(self, request: Request, role: AskedRole) -> Reply | None:
        """What this model said in this role on the question that this one is taken to be like."""
        question = request.question_id or ""
        if (like := self.like(question)) is not None:
            replies = self._said.get((like, role))
            number = self._told[question, role]
            self._told[question, role] += 1
            if replies and number < len(replies):
                return replies[number]
        others = self._of_form.get((role[0], role[1]))
        return seeded(0, "another", question, *role).choice(others) if others else None

    def forget_told(self) -> None:
        """Tell everything from the beginning, to those who play it once more."""
        self._told.clear()

    def usual_tokens(self, form: str, most: int | None, usual: int) -> int:
        """How long a reply in this form is taken to be: as those of the other models, where some are stored."""
        lengths = self._lengths.get(form)
        if not lengths:
            return usual_tokens(most, usual)
        mean = round(sum(lengths) / len(lengths))
        return mean if most is None else min(most, mean)

    @property
    def reply_s(self) -> dict[str, float]:
        """By model: how long its stored replies took, on average."""
        return {model: sum(waited) / len(waited) for model, waited in self._waited.items() if any(waited)}

    def characters_a_token(self, model: str) -> float:
        tokens = self._tokens[model]
        return self._characters[model] / tokens if tokens else CHARACTERS_A_TOKEN


@dataclass(frozen=True)
class SharedReplies:
    """What all counting models of one play share. Two names for one model are asked once."""

    likely_replies: LikelyReplies
    memory: ReplyMemory
    calls: ExperimentCalls | None
    flights: Flights = field(default_factory=Flights)
    known: dict[str, Reply | CallError] = field(default_factory=dict)


class CountingModel(Wrapper):
    """Says what a model would say, and counts."""

    def __init__(self, built: BuiltModel, shared: SharedReplies) -> None:
        super().__init__(built.model)
        self._most = built.max_tokens
        self._shared = shared
        if isinstance(built.model, RecordedModel):
            self.price = FREE  # whatever its replies cost when they were made, playing them back costs nothing
        self._asks_itself = isinstance(built.model, SimulatedModel | RecordedModel)
        self.taken = ModelEstimate()

    @contextmanager
    def remembering(self) -> Iterator[None]:
        """What is asked meanwhile will not be asked in the run: what is stored of it is remembered, and nothing counts."""
        taken = replace(self.taken)
        try:
            yield
        finally:
            self.taken = taken

    async def generate(self, request: Request) -> Reply:
        key = digest_of_bytes(canonical_json([self.inner.shape(request), request.sample, request.attempt]))
        return await self._shared.flights.once(key, lambda: self._once(key, request))

    async def _once(self, key: str, request: Request) -> Reply:
        replies = self._shared.known
        if key not in replies:
            replies[key] = await self._reply(key, request)
        outcome = replies[key]
        if isinstance(outcome, CallError):
            raise outcome
        return outcome

    async def _reply(self, key: str, request: Request) -> Reply | CallError:
        shared = self._shared
        role = (self.name, digest(request.schema), request.sample, request.attempt)
        stored = await shared.calls.find_call(key) if shared.calls else None
        if stored is not None:
            self.taken.stored += 1
            shared.memory.keep(key, request, role, stored)
            return stored
        if self._asks_itself:
            return await self._itself(request)
        return self._recalled(request, role) or self._guessed(request, role)

    async def _itself(self, request: Request) -> Reply | CallError:
        try:
            reply = await self.inner.generate(request)
        except CallError as error:  # it would fail in the run too
            return error
        prompt, tokens = reply.usage.prompt, reply.usage.completion
        if tokens is None:  # a recording that does not tell: by its words, as with all that has to be guessed
            tokens = len(reply.text) // CHARACTERS_A_TOKEN
        asked = self._prompt_tokens(request) if prompt is None else float(prompt)
        self._count(asked, tokens, tokens if self._most is None else self._most)
        if isinstance(self.inner, RecordedModel):
            self.taken.recorded += 1
            self.taken.then_usd = plus(self.taken.then_usd, reply.cost_usd)
        return reply

    def _recalled(self, request: Request, role: AskedRole) -> Reply | None:
        reply = self._shared.memory.recall(request, role)
        if reply is None:
            return None
        self.taken.learned += 1
        tokens = reply.usage.completion
        if tokens is None:
            tokens = len(reply.text) // CHARACTERS_A_TOKEN
        self._count(self._prompt_tokens(request), tokens, self._most)
        return Reply(reply.text, reply.finish, version="estimated")

    def _guessed(self, request: Request, role: AskedRole) -> Reply:
        """Others read of a reply what is usual; what is longer than that is thought, unless everything is at its most."""
        self.taken.guessed += 1
        memory, likely_replies = self._shared.memory, self._shared.likely_replies
        case = memory.cases.get(request.question_id or "")
        is_long = case is not None and case.question.is_long and request.schema is None
        usual = LONG_TOKENS if is_long else COMPLETION_TOKENS
        tokens = memory.usual_tokens(role[1], self._most, usual)
        visible = min(tokens, usual)
        if likely_replies.assumption == "agreeing":
            tokens, visible = max(1, tokens // BRIEF), 0
        elif likely_replies.assumption == "contrary" and self._most is not None:
            tokens = visible = self._most
        text = likely_replies.says(self.name, request, case.question if case else None, visible)
        # What has no free text is as long as its form makes it; all else is as long as it was said to be.
        text_tokens = len(text) // CHARACTERS_A_TOKEN
        written = tokens if missing_tokens(text) else min(text_tokens, tokens)
        self._count(self._prompt_tokens(request), written, self._most)
        return Reply(text, version="estimated")

    def _prompt_tokens(self, request: Request) -> float:
        written = _characters(request) / self._shared.memory.characters_a_token(self.name)
        return written + sum(missing_tokens(message.content) for message in request.messages)

    def _count(self, prompt: float, completion: float, most: float | None) -> None:
        taken, price = self.taken, self.price
        taken.calls += 1
        taken.prompt_tokens += prompt
        taken.completion_tokens += completion
        taken.cost_usd = plus(taken.cost_usd, _cost_usd(price, prompt, completion))
        taken.most_usd = plus(taken.most_usd, _cost_usd(price, prompt, most))


def _characters(request: Request) -> int:
    return sum(len(message.content) for message in request.messages)


def _cost_usd(price: Price | None, prompt: float, completion: float | None) -> float | None:
    """None where the price or the length is unknown; what is free is free at any length."""
    if price is None or (completion is None and price.completion > 0):
        return None
    return (prompt * price.prompt + (completion or 0) * price.completion) / 1e6


def plus(total: float | None, more: float | None) -> float | None:
    return None if total is None or more is None else total + more
