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
``sqrt(1 - s) (fixed) + sqrt(s) (of this sample)``. At 0 all samples are alike; at
any temperature the accuracy stays what it is. **An instruction or a persona** changes them in the same way, by a share of
`guise`: one model under five instructions is five proposers, akin and equally good.

**A captain** (and a summariser) is a model whose prompt shows answers. Equal ones (but for case and outer space) make a
group. With chance `power`, drawn once a question, it can tell: it takes a right answer if one is shown. Otherwise, and
where none is right, it takes the group with the highest

    heads + mean conviction shown (0 where none is) + pull * (its own answer is in the group)

with its own draft as a candidate of no heads if nobody shows it; ties go to its own, then by a draw. Where accuracies are
shown, a head counts as much as its accuracy is above the mean.

**Where arguments are weighed** (a review, a round of debate, a resolution, a discussion, a challenge) it can tell with the
same chance; otherwise it takes the highest

    herd * heads + mean conviction + taste * m + pull * (it held this before) + awe * (the best name shown)

where ``m`` is a standard normal of this model and this answer: two models need not hear the same in one argument, which is
why a debate may get stuck. What it held before stands in the prompt, or is its draft; an answer of its own that nobody
shows has its own conviction and no head.

**A discussion.** Everybody's latest solution counts once. It agrees if the latest solution is what it now holds. Told to
look for flaws it leaves that with chance `doubt` for its next best, unless it can tell. Where solutions are withheld it
agrees if the argument heard is not much worse than its own.

**A ballot** shows bare options: first one that it can tell is right, then its draft, then by ``taste * m``. Ranks follow
that order; points are in proportion to exp(worth), all of them where it can tell; approved is what is worth at most 1
less than the first, which is much. A judge of a discussion picks in the same way.

**A challenge.** The final answer is one argument without conviction against its own draft. What cannot be an answer to
the question is rejected always. **A planted answer** is one of the question's lures, or a word that has nothing to do with
it. **A persona** is one of a list, and none that is taken.

**A long answer** is a text whose first line says how good it is: see `long_text`, also for who judges two of them.

**Who judges by a rubric** gives each criterion its points times the text's quality, which it may mishear: see `rubric_points`.

**A judge** grades each answer by the world's truth, and a **grouping model** puts together what means the same in the
world; either is wrong on a share of 1 - `judgement` of the answers. What a reply in free words settles on it cannot tell.

A prompt is read as text (see `reading`), in process and over HTTP alike; a question's id, which only calls in process
have, goes first where the world knows it. Nothing is remembered from call to call: a voter does not know what it was
talked into, only what it drafted.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from dataclasses import fields as parameters
from functools import cached_property
from typing import Any

from moot.errors import RequestRejected
from moot.models.model import messages_json
from moot.models.overheard import told_in_pieces
from moot.simulate.character import Character
from moot.simulate.mark import marked
from moot.simulate.mind import Mind
from moot.simulate.prompt_reading import (
    PromptContents,
    asks_yes_or_no,
    read_contents,
    read_guise,
    read_question,
    reads_a_reply,
)
from moot.simulate.roles import MARK, fields, prose
from moot.simulate.schema_instance import Impossible, instance, strings_allowed
from moot.simulate.world import QuestionFacts, uniform
from moot.types import FREE, Price, Reply, Request, Usage

BARE = ("reasoning", "answer")
"""What a reply holds where neither a schema nor the prompt says."""

VERSION = 2
"""Of the formulae: what an older version said is not taken for what this one says."""

_WHERE_SAID = ("words", "blur", "position_bias", "length_bias")
"""What stands in the shape only where it is not as usual: there were replies before there was a choice."""
_NOT_SHAPED = ("world", "price", "max_tokens", *_WHERE_SAID)
"""What no reply follows from; a length does where there is one, and stands in the shape then."""


@dataclass(frozen=True)
class SimulatedModel(Character):
    """One simulated model.

    >>> ann = SimulatedModel("ann", accuracy=0.4, world=World(cases, seed=7))
    """

    _: KW_ONLY
    max_tokens: int | None = None
    """Where a reply is cut, if a call names no length of its own; None: nowhere."""
    price: Price | None = FREE

    def shape(self, request: Request) -> Mapping[str, Any]:
        """The answer space is in it by its hash: other questions lend their answers as lures."""
        facts = self._facts(request)
        return {
            "provider": "simulated",
            "version": VERSION,
            **self._shaping,
            **({} if self.max_tokens is None else {"max_tokens": self.max_tokens}),
            **{name: value for name in _WHERE_SAID if (value := getattr(self, name)) != getattr(Character, name)},
            "seed": self.world.seed,
            "question": facts.id,
            "space": self.world.space(facts),
            "messages": messages_json(request),
            "params": dict(request.params),
            "schema": request.schema,
        }

    @cached_property
    def _shaping(self) -> Mapping[str, Any]:
        """Its parameters, as far as replies follow from them."""
        return {
            parameter.name: getattr(self, parameter.name)
            for parameter in parameters(self)
            if parameter.name not in _NOT_SHAPED
        }

    async def generate(self, request: Request) -> Reply:
        reply = self.reply(request)
        await told_in_pieces(reply.text)
        return reply

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
        mind = Mind(self, facts, _turn(request), self._variation(request), read_guise(request.messages))
        return self._finished(request, self._said(request, mind, read_contents(request.messages)), "stop")

    def _said(self, request: Request, mind: Mind, seen: PromptContents) -> str:
        draw = _drawer(self, request, mind.facts)
        if request.schema is not None:
            values = fields(mind, seen, request.schema, draw)
            return json.dumps(instance(request.schema, values, draw), ensure_ascii=False)
        if (words := prose(mind, seen, draw)) is not None:
            return words
        values = fields(mind, seen, None, draw)
        return json.dumps({name: values[name] for name in seen.fields or BARE if name in values}, ensure_ascii=False)

    def _variation(self, request: Request) -> float:
        temperature = request.params.get("temperature")
        return min(1.0, max(0.0, float(self.temperature if temperature is None else temperature) / 2))

    def _facts(self, request: Request) -> QuestionFacts:
        facts = self.world.by_id(request.question_id)
        if facts is None:
            asked = read_question(request.messages)
            yes_no = asks_yes_or_no(request.messages)
            facts = self.world.by_text(asked.text, asked.choices, asked.context, yes_no=yes_no)
        return facts.within(strings_allowed(request.schema, "answer") or strings_allowed(request.schema, "solution"))

    def _finished(self, request: Request, text: str, finish: str) -> Reply:
        prompt = sum(len(message.content) for message in request.messages) // 4
        limit = request.params.get("max_completion_tokens", request.params.get("max_tokens", self.max_tokens))
        if isinstance(limit, int) and len(text) // 4 > limit:
            text, finish = text[: limit * 4], "length"
        usage = Usage(prompt=max(1, prompt), completion=max(len(text) // 4, 1 if text else 0))
        cost_usd = self.price.cost_usd(usage) if self.price else None
        return Reply(text, finish, usage, version=marked(f"{VERSION} {self.name}"), cost_usd=cost_usd)


def _turn(request: Request) -> str:
    return f"{request.params.get('seed', '')}/{request.sample}/{request.attempt}"


def _drawer(model: SimulatedModel, request: Request, facts: QuestionFacts) -> Any:
    """Draws for the parts of a reply that have no meaning: new for every prompt and, if warm, for every sample."""
    last = request.messages[-1].content if request.messages else ""
    prompt = zlib.crc32(last.encode("utf-8", "surrogatepass"))
    turn = _turn(request) if model._variation(request) else ""
    return lambda path: uniform(model.world.seed, facts.id, model.name, "part", prompt, turn, path)
