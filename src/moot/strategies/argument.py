"""A reply that argues before it answers: the form of a review, of a turn in a debate and of a resolution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from moot.team.forms import AnswerForm
from moot.types import Question, canonical_json


@dataclass(frozen=True, slots=True)
class Argument:
    """What a player settled on, why, and what it said besides, by the names of the form."""

    answer: str
    reasoning: str
    parts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ArgumentForm:
    """``{...parts, "reasoning", "answer"}``.

    All parts are asked for. A reply that leaves one out is still an answer: what counts is what it says, and what it
    left out shows in the record.
    """

    question: Question
    parts: tuple[str, ...]

    @property
    def letters(self) -> str:
        return self.question.letters

    @property
    def asked(self) -> Question:
        return self.question

    @property
    def schema(self) -> Mapping[str, Any]:
        plain = AnswerForm(self.question).schema
        properties = {**{part: {"type": "string"} for part in self.parts}, **plain["properties"]}
        return {**plain, "properties": properties, "required": [*self.parts, *plain["required"]]}

    def read(self, data: Mapping[str, Any]) -> Argument:
        reply = AnswerForm(self.question).read(data)
        parts = {part: words for part in self.parts if (words := _in_words(data.get(part)))}
        return Argument(reply.answer, reply.reasoning, parts)

    def read_prose(self, text: str) -> Argument | None:
        """As a draft in prose is read: what is taken from native answers is taken from later ones."""
        reply = AnswerForm(self.question).read_prose(text)
        return self.found(reply.answer, text) if reply is not None else None

    def found(self, answer: str, text: str) -> Argument:
        return Argument(answer, text.strip())


def _in_words(value: object) -> str:
    """Models like to answer "for each position" with a list or an object."""
    if isinstance(value, Mapping):
        return "\n".join(f"{key}: {_plain(part)}" for key, part in value.items())
    if isinstance(value, list):
        return "\n".join(map(_plain, value))
    return _plain(value)


def _plain(value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    return "" if value is None else canonical_json(value).decode()
