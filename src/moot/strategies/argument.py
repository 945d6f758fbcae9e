"""A reply that argues before it answers: a review, a turn in a debate, a resolution.

In free words that end on a line with the answer, as the paper has it, or in a strict form with a field for each part. A
model that must think and keep to a form at once may pay for it; so where native answers are free of it, these are too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from moot.strategies.natives import DOUBLE_CALL, Drafts
from moot.team.forms import AnswerForm
from moot.types import Question, canonical_json

Replies = Literal["free-text", "strict"]
"""`free-text`: free words that end on a line with the answer. `strict`: a JSON object with a field for each part."""


def in_free_words(replies: Replies | None, drafts: Drafts) -> bool:
    """How replies after the drafts are asked for: as the option says; left out, as the drafts are."""
    return drafts == DOUBLE_CALL if replies is None else replies == "free-text"


@dataclass(frozen=True, slots=True)
class Argument:
    """What a player settled on, why, and what it said besides, by the names of the form."""

    answer: str
    reasoning: str
    parts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ArgumentForm:
    """``{...parts, "reasoning", "answer"}``, or free words: then nothing is sent along that binds the model.

    All parts are asked for. A reply that leaves one out is still an answer: what counts is what it says, and what it
    left out shows in the record.
    """

    question: Question
    parts: tuple[str, ...]
    free: bool = False

    @property
    def letters(self) -> str:
        return self.question.letters

    @property
    def asked(self) -> Question | None:
        return AnswerForm(self.question).asked

    @property
    def schema(self) -> Mapping[str, Any] | None:
        if self.free or self.question.is_long:
            return None
        plain = AnswerForm(self.question).fields
        properties = {**{part: {"type": "string"} for part in self.parts}, **plain["properties"]}
        return {**plain, "properties": properties, "required": [*self.parts, *plain["required"]]}

    def read(self, data: Mapping[str, Any]) -> Argument:
        reply = AnswerForm(self.question).read(data)
        parts = {part: words for part in self.parts if (words := _in_words(data.get(part)))}
        return Argument(reply.answer, reply.reasoning, parts)

    def read_whole(self, text: str) -> Argument | None:
        reply = AnswerForm(self.question).read_whole(text)
        return Argument(reply.answer, "") if reply is not None else None

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
