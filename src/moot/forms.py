"""Forms: what a structured reply must look like, and how it is read.

Reading goes in steps that are as strict as they can be: the whole text as JSON; then JSON found inside the text or
repaired; then `Unusable`, with a word for what was wrong, so that the model can be asked again. Nothing is guessed: a
letter is taken only where a letter stands, and a reply that was cut off is never completed by repair.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, Protocol, TypeVar

from moot.types import Question, Reply

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

LONGEST_REPAIR = 100_000
"""Repairing is slower than parsing; a broken reply longer than this is asked for again instead."""

_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL | re.IGNORECASE)
_LETTER_ALONE = re.compile(r"\W*([A-Za-z])\W*")
_LETTER_THEN_TEXT = re.compile(r"\(?([A-Z])[).:]\s+\S")
_YES_NO = {"yes": "yes", "no": "no", "да": "yes", "нет": "no", "true": "yes", "false": "no"}


class Unusable(Exception):
    """The reply does not fit the form. `problem` is one of the words that the prompt `again` knows."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class Form(Protocol[T_co]):
    """A JSON Schema to hold the model to, and a reading of the object that comes back."""

    @property
    def schema(self) -> Mapping[str, Any]: ...

    @property
    def letters(self) -> str: ...

    def read(self, data: Mapping[str, Any]) -> T_co:
        """The value, or `Unusable`."""


@dataclass(frozen=True, slots=True)
class Read(Generic[T]):
    value: T
    repaired: bool


def read_reply(reply: Reply, form: Form[T]) -> Read[T]:
    """Strictly, then repaired, else `Unusable`."""
    text = _THOUGHT.sub("", reply.text).strip()
    if not text:
        raise Unusable("cut" if reply.finish == "length" else "empty")
    data = _loads(text)
    if isinstance(data, dict):
        return Read(form.read(data), repaired=False)
    if reply.finish == "length":
        raise Unusable("cut")
    data = _repair(text)
    if not isinstance(data, dict):
        raise Unusable("no-json")
    return Read(form.read(data), repaired=True)


def _loads(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _repair(text: str) -> object:
    """The JSON object inside a text: in a code fence, between the outer braces, or mended by json-repair."""
    for fenced in reversed(_FENCED.findall(text)):
        if isinstance(data := _loads(fenced.strip()), dict):
            return data
    start, end = text.find("{"), text.rfind("}")
    if start < 0:
        return None
    if isinstance(data := _loads(text[start : end + 1]), dict):
        return data
    if len(text) > LONGEST_REPAIR or text.count("{") > 100 or text.count("[") > 100:
        return None
    from json_repair import repair_json

    try:
        repaired: object = repair_json(text[start:], return_objects=True)
    except (ValueError, RecursionError):
        return None
    return repaired


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """The content of ``{"reasoning", "answer"}``."""

    answer: str
    reasoning: str


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """``{"reasoning", "answer"}``; the answer is a letter that exists, yes or no, or any short text."""

    question: Question

    @property
    def letters(self) -> str:
        return self.question.letters

    @property
    def schema(self) -> Mapping[str, Any]:
        if self.question.kind == "yes-no":
            return _answer_schema(("да", "нет") if self.question.language == "ru" else ("yes", "no"))
        return _answer_schema(tuple(self.question.letters))

    def read(self, data: Mapping[str, Any]) -> GivenAnswer:
        reasoning = data.get("reasoning")
        answer = data.get("answer")
        if isinstance(answer, bool):
            answer = "yes" if answer else "no"
        if isinstance(answer, int | float):
            answer = str(answer)
        if not isinstance(answer, str) or not answer.strip():
            raise Unusable("no-field")
        words = reasoning.strip() if isinstance(reasoning, str) else ""
        return GivenAnswer(settle(answer.strip(), self.question), words)


def settle(answer: str, question: Question) -> str:
    """The answer in the form that the question asks for, or `Unusable`."""
    if question.choices:
        return _letter(answer, question)
    if question.kind == "yes-no":
        word = _YES_NO.get(answer.strip(" .!\"'«»").casefold())
        if word is None:
            raise Unusable("no-yes-no")
        return word
    return answer


def _letter(answer: str, question: Question) -> str:
    """A letter alone, a letter that introduces its option ("B) Paris"), or the option's own words."""
    found = _LETTER_ALONE.fullmatch(answer) or _LETTER_THEN_TEXT.match(answer)
    if found and found.group(1).upper() in question.letters:
        return found.group(1).upper()
    same = [
        letter
        for letter, choice in zip(question.letters, question.choices, strict=True)
        if choice.strip().casefold() == answer.casefold()
    ]
    if len(same) != 1:
        raise Unusable("no-letter")
    return same[0]


@cache
def _answer_schema(allowed: tuple[str, ...]) -> Mapping[str, Any]:
    answer: dict[str, Any] = {"type": "string"}
    if allowed:
        answer["enum"] = list(allowed)
    return {
        "type": "object",
        "properties": {"reasoning": {"type": "string"}, "answer": answer},
        "required": ["reasoning", "answer"],
        "additionalProperties": False,
    }
