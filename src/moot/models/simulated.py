"""Simulated models: a statistical model of players, so that a whole experiment can be tried with nothing behind it.

Not random strings: models differ in ability, fail on the same questions, fall for the same wrong answers, argue better
when they are right, and judge others' answers with a given skill. Everything follows from the world's seed, in any
order of calls, and every reply says that it is simulated.

**A draft.** With standard normal draws ``d`` (the question's difficulty, shared by all), ``g`` (the family's view of
the question, shared by its models) and ``e`` (the model's own), the model is right if

    sqrt(r) d + sqrt(f) g + sqrt(1 - r - f) e  <  Phi^-1(accuracy)

where ``r`` is `correlation` and ``f`` is `family_correlation` (0 without a family). The left side is standard normal,
so the share of right answers is exactly `accuracy`. The latent correlation of two models is sqrt(r1 r2), plus
sqrt(f1 f2) within a family; the correlation of their errors, which are 0 or 1, comes out somewhat lower.

**A wrong answer** comes from the question's lures (see `world`): the k-th with a chance proportional to
``(1 - attraction) ** k``. The draw behind it is shared within a family to the same extent ``f``.

**A rationale** has a conviction ``c = tell * right + n`` with ``n`` standard normal, and says so: "conviction 0.73".

**Temperature** lets the own draws vary: with ``s = min(1, temperature / 2)`` every own draw is
``sqrt(1 - s) (fixed) + sqrt(s) (of this sample)``. At 0, and where no temperature is given, all samples are alike; at
any temperature the accuracy stays what it is.

**A captain** is a model whose prompt shows answers. Equal ones (but for case and outer space) make a group. With chance
`power`, drawn once a question, it can tell: it takes a right answer if one is shown. Otherwise, and where none is
right, it takes the group with the highest

    votes + mean conviction shown (0 where none is) + pull * (its own draft is in the group)

with its own draft as a candidate of no votes if nobody shows it; ties go to its own draft, then by a draw.

**In a discussion** it settles its answer in the same way, from the solutions it hears; see `simulated_talk`.

A prompt is read as text (see `reading`), in process and over HTTP alike; a question's id, which only calls in process
have, goes first where the world knows it.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import Any

from moot.errors import RequestRejected, UsageError
from moot.models.instance import Impossible, instance, strings_allowed
from moot.models.model import messages_json
from moot.models.reading import Shown, read_question, read_shown, reads_a_reply
from moot.models.simulated_talk import decided, read_solutions
from moot.models.world import NORMAL, Facts, World, normal, plain, uniform
from moot.types import FREE, Price, Reply, Request, Usage

MARK = "[simulated]"

_SHARES = ("accuracy", "correlation", "family_correlation", "attraction", "power", "refuse", "garble")


@dataclass(frozen=True)
class SimulatedModel:
    """One simulated model.

    >>> ann = SimulatedModel("ann", accuracy=0.4, world=World(cases, seed=7))
    """

    name: str
    _: KW_ONLY
    accuracy: float
    """The share of questions that a draft gets right."""
    world: World = field(repr=False)
    correlation: float = 0.5
    """How much of a right or wrong comes from the question's difficulty, which all models share (0 to 1)."""
    family: str | None = None
    """Models of one family share a view of each question beyond its difficulty."""
    family_correlation: float = 0.2
    """How much of a right or wrong comes from that view; without a family it means nothing."""
    attraction: float = 0.4
    """How strongly a wrong answer falls on the question's main lure: 0 any wrong answer alike, 1 always the lure."""
    tell: float = 0.5
    """By how many standard deviations a right rationale sounds better than a wrong one."""
    power: float = 0.1
    """As captain: the chance to recognise a right answer among those shown."""
    pull: float = 0.3
    """As captain: how many votes its own draft is worth beyond the one it has."""
    refuse: float = 0.0
    """The share of questions that it refuses."""
    garble: float = 0.0
    """The share of replies that are not in the form asked for; drawn anew at every attempt."""
    price: Price | None = FREE

    def __post_init__(self) -> None:
        for share in _SHARES:
            if not 0 <= getattr(self, share) <= 1:
                raise UsageError(f"simulated model {self.name!r}: {share} must be between 0 and 1")
        if self.family is not None and self.correlation + self.family_correlation > 1:
            raise UsageError(
                f"simulated model {self.name!r}: correlation and family_correlation must not add up to more than 1"
            )

    def shape(self, request: Request) -> Mapping[str, Any]:
        """The answer space is in it by its hash: other questions lend their answers as lures."""
        facts = self._facts(request)
        return {
            "provider": "simulated",
            "version": 1,
            **{each.name: getattr(self, each.name) for each in fields(self) if each.name not in ("world", "price")},
            "seed": self.world.seed,
            "question": facts.id,
            "space": self.world.space(facts),
            "messages": messages_json(request),
            "params": dict(request.params),
            "schema": request.schema,
        }

    async def generate(self, request: Request) -> Reply:
        return self.reply(request)

    async def close(self) -> None:
        pass

    def reply(self, request: Request) -> Reply:
        """`generate` without the waiting: nothing here ever waits."""
        try:
            return self._reply(request)
        except Impossible as error:
            raise RequestRejected(f"response_format: {error}", status=400) from None

    def _reply(self, request: Request) -> Reply:
        facts = self._facts(request)
        attempt = (request.sample, request.attempt)
        if self.refuse and uniform(self.world.seed, facts.id, self.name, "refuse") < self.refuse:
            return self._finished(request, f"{MARK} I would rather not answer this.", "refusal")
        if self.garble and uniform(self.world.seed, facts.id, self.name, "garble", *attempt) < self.garble:
            return self._finished(request, f"{MARK} It depends on how one looks at it.", "stop")
        if reads_a_reply(request.messages):
            # It knows its own mind only; what a reply says that announces nothing, it cannot tell.
            return self._finished(request, json.dumps({"answer": "none"}), "stop")
        mind = _Mind(self, facts, _turn(request), _variation(request))
        answer, why = mind.draft()
        solutions = read_solutions(request.messages)
        if shown := read_shown(request.messages) or solutions:
            answer, why = mind.choose(shown, answer)
        reasoning = f"{MARK} {why}; conviction {mind.conviction(answer):.2f}."
        said = {"reasoning": reasoning, "answer": answer}
        if request.schema is not None:
            draw = _drawer(self, request, facts)
            made = instance(request.schema, {**said, "message": reasoning, "solution": answer}, draw)
            said = decided(made, request.schema, solutions, answer, draw) if isinstance(made, dict) else made
        return self._finished(request, json.dumps(said, ensure_ascii=False), "stop")

    def _facts(self, request: Request) -> Facts:
        facts = self.world.by_id(request.question_id)
        if facts is None:
            asked = read_question(request.messages)
            facts = self.world.by_text(asked.text, asked.choices, asked.context)
        return facts.within(strings_allowed(request.schema, "answer") or strings_allowed(request.schema, "solution"))

    def _finished(self, request: Request, text: str, finish: str) -> Reply:
        prompt = sum(len(message.content) for message in request.messages) // 4
        limit = request.params.get("max_completion_tokens", request.params.get("max_tokens"))
        if isinstance(limit, int) and len(text) // 4 > limit:
            text, finish = text[: limit * 4], "length"
        usage = Usage(prompt=max(1, prompt), completion=len(text) // 4)
        cost_usd = self.price.cost_usd(usage) if self.price else None
        return Reply(text, finish, usage, version=f"simulated/1 {self.name}", cost_usd=cost_usd)


@dataclass(frozen=True, slots=True)
class _Mind:
    """One model on one question."""

    model: SimulatedModel
    facts: Facts
    turn: str
    variation: float

    def own(self, role: str) -> float:
        """A standard normal of this model's own, as far as the temperature allows one of this sample."""
        model = self.model
        fixed = normal(model.world.seed, self.facts.id, model.name, role)
        if not self.variation:
            return fixed
        fresh = normal(model.world.seed, self.facts.id, model.name, role, self.turn)
        return math.sqrt(1 - self.variation) * fixed + math.sqrt(self.variation) * fresh

    def draft(self) -> tuple[str, str]:
        """The answer, and in words why."""
        model, question = self.model, self.facts.id
        difficulty = math.sqrt(model.correlation) * normal(model.world.seed, question, "difficulty")
        rest = 1 - model.correlation
        if difficulty + math.sqrt(rest) * self._view("draft", rest) < _threshold(model.accuracy):
            answer = self.facts.truth
        else:
            share = NORMAL.cdf(self._view("wrong", 1.0))
            answer = model.world.wrong(self.facts, share, model.attraction)
        return answer, f"what the question says points to {answer}"

    def _view(self, role: str, whole: float) -> float:
        """A standard normal of which the family holds `family_correlation` out of `whole`."""
        model = self.model
        if model.family is None or whole == 0:
            return self.own(role)
        part = min(1.0, model.family_correlation / whole)
        family = normal(model.world.seed, self.facts.id, "family", model.family, role)
        return math.sqrt(part) * family + math.sqrt(1 - part) * self.own(role)

    def conviction(self, answer: str) -> float:
        return self.model.tell * self.facts.is_right(answer) + self.own("conviction")

    def choose(self, shown: Sequence[Shown], draft: str) -> tuple[str, str]:
        """The captain's word on the answers shown: the answer, and in words why."""
        groups: dict[str, list[Shown]] = {}
        allowed = {plain(option) for option in self.facts.options}
        for each in shown:
            if plain(each.text) and (not allowed or plain(each.text) in allowed):
                groups.setdefault(plain(each.text), []).append(each)
        right = [group for group in groups.values() if self.facts.is_right(group[0].text)]
        if right and self._can_tell():
            return self._wording(right[0]), "one of these answers holds against every word of the question"
        groups.setdefault(plain(draft), [])
        best = max(groups, key=lambda name: self._appeal(name, groups[name], plain(draft)))
        votes = f"{len(groups[best])} of {len(shown)} say so"
        return self._wording(groups[best]) if groups[best] else draft, votes

    def _can_tell(self) -> bool:
        return uniform(self.model.world.seed, self.facts.id, self.model.name, "power") < self.model.power

    def _appeal(self, name: str, group: Sequence[Shown], draft: str) -> tuple[float, bool, float]:
        heard = [each.conviction for each in group if each.conviction is not None]
        appeal = len(group) + (sum(heard) / len(heard) if heard else 0.0) + self.model.pull * (name == draft)
        return appeal, name == draft, uniform(self.model.world.seed, self.facts.id, self.model.name, "tie", name)

    def _wording(self, group: Sequence[Shown]) -> str:
        """A choice in the letters of the question; else the words of whoever comes first, whatever the order shown."""
        texts = {plain(option): option for option in self.facts.options}
        return texts.get(plain(group[0].text)) or min(each.text.strip() for each in group)


def _threshold(accuracy: float) -> float:
    if accuracy in (0, 1):
        return math.inf if accuracy else -math.inf
    return NORMAL.inv_cdf(accuracy)


def _variation(request: Request) -> float:
    temperature = request.params.get("temperature") or 0.0
    return min(1.0, max(0.0, float(temperature) / 2))


def _turn(request: Request) -> str:
    return f"{request.params.get('seed', '')}/{request.sample}/{request.attempt}"


def _drawer(model: SimulatedModel, request: Request, facts: Facts) -> Any:
    """Draws for the parts of a reply that have no meaning: new for every prompt and, if warm, for every sample."""
    last = request.messages[-1].content if request.messages else ""
    prompt = zlib.crc32(last.encode("utf-8", "surrogatepass"))
    turn = _turn(request) if _variation(request) else ""
    return lambda path: uniform(model.world.seed, facts.id, model.name, "part", prompt, turn, path)
