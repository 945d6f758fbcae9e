"""Reading an answer out of a reply in free words, in two stages, each of which says what it did.

1. What the reply announces itself: JSON, a final-answer line (`final_line`), or a lone line. 2. Two extraction models
read it, each by itself and without being told what the other found; only if both find the same does it count. Else the
reply is unparsed: no third model breaks the tie, and nothing is filled in.

Whatever strategy asks, native and later answers take the same way, so what reading costs or spoils it costs both.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moot.errors import CallError, UsageError
from moot.grade.normalise import normalise
from moot.team import AnswerReader, Player, Team
from moot.team.forms import AnswerForm, Unusable, object_schema
from moot.team.player import Heard
from moot.team.reading import Announced, Reading
from moot.types import Question, Reply

EXTRACT = "extract"
"""The stage under which extraction calls stand in a transcript, and the name of their prompt."""

NONE = "none"
"""What an extraction model says of a reply that settles on nothing."""

LONGEST_REPLY = 60_000
"""Characters of a reply that are shown. Of a longer one the middle is left out, and the prompt says so."""


@dataclass(frozen=True, slots=True)
class StagedReader:
    """The staged reader. Two models, since one alone would be a guess that nobody checks."""

    models: tuple[Player, ...]
    first: AnswerReader = field(default_factory=Announced)

    def __post_init__(self) -> None:
        if len(self.models) != 2:
            raise UsageError(f"extract: expected two models, found {len(self.models)}")

    async def read(self, question: Question, reply: Reply, team: Team, *, turn: int = 1) -> Reading:
        announced = await self.first.read(question, reply, team, turn=turn)
        if announced.answer is not None:
            return announced
        if not reply.text.strip():
            return Reading(None, "empty")
        prompt, form = _prompt(question, reply.text, team), ExtractForm(question)
        heard = await asyncio.gather(
            *(team.ask(model, question, prompt, form, stage=EXTRACT, turn=turn, anew=False) for model in self.models)
        )
        if failed := [extracted for extracted in heard if extracted.outcome == "failed"]:
            # An outage says nothing about the reply: the episode fails, and is played again when the model is back.
            raise CallError(f"the extraction model {failed[0].player} failed: {failed[0].cause}")
        return _agreed(heard)


def _agreed(heard: Sequence[Heard[str]]) -> Reading:
    """What all of them found; else why there is no answer."""
    by_model = {word.player: None if word.value == NONE else word.value for word in heard}
    if silent := [word for word in heard if word.value is None]:
        return Reading(None, f"{silent[0].player} did not say: {silent[0].cause}", by_model)
    answers = [word.value or "" for word in heard]
    if len(set(map(normalise, answers))) > 1:
        apart = " and ".join(f"{word.player} {word.value}" for word in heard)
        return Reading(None, f"the readers differ: {apart}", by_model)
    if answers[0] == NONE:
        return Reading(None, "the readers find no answer", by_model)
    return Reading(answers[0], by_model=by_model)


def _prompt(question: Question, text: str, team: Team) -> str:
    response = shortened(text)
    return team.prompts.render(
        EXTRACT,
        question=question.text,
        choices=tuple(zip(question.letters, question.choices, strict=True)),
        context=question.context,
        kind=question.kind,
        response=response,
        left_out=len(text) - LONGEST_REPLY if response != text else 0,
    )


def shortened(text: str, longest: int = LONGEST_REPLY) -> str:
    """The beginning and the end: what a reply settles on stands at one of them."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n[…]\n{text[len(text) - (longest - half) :]}"


@dataclass(frozen=True, slots=True)
class ExtractForm:
    """``{"answer": "B"}``: what a reply settles on, or "none"."""

    question: Question

    @property
    def letters(self) -> str:
        return self.question.letters

    @property
    def schema(self) -> Mapping[str, Any]:
        answer = AnswerForm(self.question).fields["properties"]["answer"]
        if "enum" in answer:
            answer = {**answer, "enum": [*answer["enum"], NONE]}
        return object_schema({"answer": answer})

    def read(self, data: Mapping[str, Any]) -> str:
        answer = data.get("answer")
        if isinstance(answer, str) and answer.strip().strip(".\"'").casefold() == NONE:
            return NONE
        try:
            return AnswerForm(self.question).read(data).answer
        except Unusable:
            raise Unusable("no-field") from None  # a complaint about letters would talk it out of saying "none"
