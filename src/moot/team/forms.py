"""Forms: what a structured reply must look like, and how it is read.

Reading goes in steps that are as strict as they can be: the whole text as JSON; then the one JSON object inside the
text; then an object mended by json-repair; then, in a text without any object, its final-answer line (`final_line`);
then `Unusable`, with a word for what was wrong, so that the model can be asked again. Nothing is guessed: a letter is
taken only where a letter stands, two objects that differ are not chosen between, an object inside a broken one does
not count, and a reply that was cut off is never completed by repair.

Every step takes time in proportion to the text, whatever it holds: replies are read between the calls of others.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any, Generic, Protocol, TypeGuard, TypeVar, runtime_checkable

from moot.foreign_json import decimal_number, read_json, whole_number
from moot.models.border import storable
from moot.team.final_line import after_thoughts, final_answer, spoken_whole
from moot.team.final_line.letters import YES_NO, known_letter, short_yes_no, whole_option
from moot.types import Question, Reply

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

LONGEST_REPAIR = 4_000
"""json-repair takes time with the square of some texts; a longer broken reply is asked for again instead."""

MOST_BROKEN = 30
"""A reply in which so many objects begin and break is no answer in disguise."""
MOST_OBJECTS = 10_000
"""Nor is one in which so many stand side by side, be they all the same: to read them all keeps everybody else waiting."""

_OBJECT_BEGINS = re.compile(r'\{\s*"')
_OBJECT_MEANT = re.compile(r"\{\s*(?:[\"']|\w{1,40}\s?:)")
_LENIENT = json.JSONDecoder(strict=False, parse_int=whole_number, parse_float=decimal_number)
"""Takes line breaks inside strings, which models write often."""

_DECIMAL = re.compile(r"(?:(?<![0-9])|(?=-))-?[0-9]++(?=[.eE][-+0-9])(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")

_AROUND = r"[\s()\[\]{}*_`\"'«»“”„.,:;]*"
_LETTER_ALONE = re.compile(rf"{_AROUND}([A-Za-zА-Яа-я]){_AROUND}")
_LETTER_THEN_TEXT = re.compile(r"\W{0,2}([A-Za-z])[).:]\s*(\S.*)", re.DOTALL)


class Unusable(Exception):
    """The reply does not fit the form. `problem` is one of the words that the prompt `again` knows."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class Form(Protocol[T_co]):
    """A JSON Schema to hold the model to, and a reading of the object that comes back.

    Without a schema the reply is free words, and somebody must be able to read an answer out of them.
    """

    @property
    def schema(self) -> Mapping[str, Any] | None: ...

    @property
    def letters(self) -> str: ...

    def read(self, data: Mapping[str, Any]) -> T_co:
        """The value, or `Unusable`."""


class ReadsProse(Protocol[T_co]):
    """A form that can also be filled from prose: a reply that ends on a final-answer line is not asked for again."""

    def read_prose(self, text: str) -> T_co | None:
        """The value that the text announces, or None."""


@runtime_checkable
class HoldsAnswer(Protocol[T_co]):
    """A form with an answer in it: somebody else may read that out of a reply which does not fit."""

    @property
    def asked(self) -> Question | None:
        """The question that is answered; None where this reply is to hold no answer."""

    def found(self, answer: str, text: str) -> T_co:
        """The value, once the answer is known: what else was said is the text as it is."""


class ReadsWhole(Protocol[T_co]):
    """A form that a whole reply may be: a long answer, in which nothing is looked for and nothing is changed."""

    def read_whole(self, text: str) -> T_co | None:
        """The value that this text is; None: not to this question."""


def reads_whole(form: Form[T]) -> TypeGuard[ReadsWhole[T]]:
    """Whether it is one of these. By its method: `isinstance` of a protocol takes twenty times as long, at every reply."""
    return getattr(form, "read_whole", None) is not None


class FromOutside:
    """A form that somebody who asks has brought: how a server takes it says nothing about the forms of the team."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Read(Generic[T]):
    value: T
    repaired: bool
    cut: bool = False
    """It ended where the model's length did, and is taken as far as it goes."""


def read_reply(reply: Reply, form: Form[T]) -> Read[T]:
    """Strictly, then repaired, else `Unusable`. Where the whole reply is the answer, as it is."""
    text = reply.text.strip()
    if reads_whole(form) and (whole := form.read_whole(words := spoken_whole(text))) is not None:
        if not words:
            raise Unusable("cut" if reply.finish == "length" else "empty")
        return Read(whole, repaired=False, cut=reply.finish == "length")
    if isinstance(data := _loads(text), dict):
        return Read(form.read(_storable(data) if "\\u" in text else data), repaired=False)
    spoken = after_thoughts(text)
    if spoken != text and isinstance(data := _loads(spoken), dict):
        return Read(form.read(_storable(data)), repaired=False)
    if reply.finish == "length":
        raise Unusable("cut")
    if not spoken:
        raise Unusable("empty" if not text else "no-json")
    return Read(_only_value(spoken, form), repaired=True)


def _only_value(text: str, form: Form[T]) -> T:
    """The value of the only object in the text that fits; equal ones count as one."""
    values: list[T] = []
    problem = "no-json"
    for data in _objects_in(text):
        try:
            values.append(form.read(_storable(data)))
        except Unusable as unusable:
            problem = unusable.problem
    if not values and (mended := _mend(text)) is not None:
        values.append(form.read(_storable(mended)))
    if not values and problem == "no-json" and (prose_value := _in_prose(text, form)) is not None:
        return prose_value
    if not values:
        raise Unusable(problem)
    if any(value != values[0] for value in values):
        raise Unusable("many")
    return values[0]


def _in_prose(text: str, form: Form[T]) -> T | None:
    """What a text says that has no object in it, not even a broken one."""
    if not _reads_prose(form) or object_meant(text):
        return None
    prose_value: T | None = form.read_prose(storable(text))
    return prose_value


def _reads_prose(form: Form[T]) -> TypeGuard[ReadsProse[T]]:
    """By its method, as `reads_whole`."""
    return getattr(form, "read_prose", None) is not None


def object_meant(text: str) -> bool:
    """Whether an object begins somewhere in the text, be it never so broken."""
    return _OBJECT_MEANT.search(text) is not None


def _loads(text: str) -> object:
    """The object that a text is. Prose is no object, and that is seen at its first sign."""
    if not text.startswith("{"):
        return None
    try:
        return read_json(text)
    except ValueError:
        return None


def _objects_in(text: str) -> Sequence[Mapping[str, Any]]:
    """The objects that stand side by side in a text.

    What lies between the beginning of a broken object and the place where it breaks is not looked at again: an object
    in there is a part of the broken one, and reading on behind it keeps the time linear.
    """
    objects: list[Mapping[str, Any]] = []
    reach = broken = 0
    while begins := _OBJECT_BEGINS.search(text, reach):
        try:
            data, reach = _LENIENT.raw_decode(text, begins.start())
        except json.JSONDecodeError as error:  # whose making counts the lines of the text: not without end
            reach = max(error.pos, begins.end())
            broken += 1
            if broken == MOST_BROKEN:
                return ()
        except RecursionError:
            break
        else:
            objects.append(data)
            if len(objects) > MOST_OBJECTS:
                raise Unusable("many")
    return objects


def _mend(text: str) -> Mapping[str, Any] | None:
    """One object with single quotes, trailing commas and the like. It must have an end of its own."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start or end - start > LONGEST_REPAIR:
        return None
    body = text[start : end + 1]
    if _groups(body) > 1 or any(isinstance(decimal_number(number), str) for number in _DECIMAL.findall(body)):
        return None  # json-repair would choose, or round
    from json_repair import repair_json

    try:
        mended = repair_json(body, return_objects=True)
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return None
    return mended if isinstance(mended, dict) else None


def _groups(body: str) -> int:
    """How many groups of braces stand side by side; more than one, and json-repair would choose."""
    depth = groups = 0
    for brace in re.findall(r"[{}]", body):
        groups += brace == "{" and depth == 0
        depth = max(0, depth + (1 if brace == "{" else -1))
    return groups


def _storable(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Escapes may spell what no store can hold: half of a surrogate pair, NUL."""
    try:
        return {storable(key): _storable_value(value) for key, value in data.items()}
    except RecursionError:
        raise Unusable("no-json") from None


def _storable_value(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(key): _storable_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_storable_value(item) for item in value]
    return value


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """The content of ``{"reasoning", "answer"}``."""

    answer: str
    reasoning: str


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """``{"reasoning", "answer"}``; the answer is a letter that exists, yes or no, or any short text. A long one is the reply."""

    question: Question

    @property
    def letters(self) -> str:
        return self.question.letters

    @property
    def asked(self) -> Question | None:
        return None if self.question.is_long else self.question

    @property
    def schema(self) -> Mapping[str, Any] | None:
        return None if self.question.is_long else self.fields

    @property
    def fields(self) -> Mapping[str, Any]:
        """The schema of an answer that is not long."""
        if self.question.kind == "yes-no":
            return _answer_schema(("да", "нет") if self.question.language == "ru" else ("yes", "no"))
        return _answer_schema(tuple(self.question.letters))

    def read(self, data: Mapping[str, Any]) -> GivenAnswer:
        reasoning = data.get("reasoning")
        words = reasoning.strip() if isinstance(reasoning, str) else ""
        return GivenAnswer(settle(_in_words(data.get("answer")), self.question), words)

    def read_whole(self, text: str) -> GivenAnswer | None:
        return GivenAnswer(storable(text), "") if self.question.is_long else None

    def read_prose(self, text: str) -> GivenAnswer | None:
        answer = final_answer(text, self.question)
        return self.found(answer, text) if answer is not None else None

    def found(self, answer: str, text: str) -> GivenAnswer:
        return GivenAnswer(answer, text.strip())


def _in_words(answer: object) -> str:
    """A text, or a number or truth value written out; `Unusable` for anything else."""
    if isinstance(answer, bool):
        return "true" if answer else "false"
    if isinstance(answer, float) and not math.isfinite(answer):
        raise Unusable("no-field")
    if isinstance(answer, float) and answer.is_integer():
        answer = int(Decimal(repr(answer)))  # as it is written: 1e23 is no power of ten for a float
    if isinstance(answer, int | float):
        return str(answer)
    if not isinstance(answer, str) or not answer.strip():
        raise Unusable("no-field")
    return answer.strip()


def settle(answer: str, question: Question) -> str:
    """The answer in the form that the question asks for, or `Unusable`."""
    if question.choices:
        return _letter(answer, question)
    if question.kind == "yes-no":
        word = YES_NO.get(short_yes_no(answer.strip(" \t\n.!\"'`*«»“”")).casefold())
        if word is None:
            raise Unusable("no-yes-no")
        return word
    return answer


def _letter(answer: str, question: Question) -> str:
    """A letter alone, the option's own words, or the letter with those words ("B) Paris").

    A sentence that has a letter somewhere ("The answer is B") is asked for again: what it says is the model's to say.
    """
    if alone := _LETTER_ALONE.fullmatch(answer):
        letter = known_letter(alone.group(1), question)
        if letter is not None:
            return letter
    if same := whole_option(answer, question):
        return same
    introduced = _LETTER_THEN_TEXT.fullmatch(answer)
    if introduced and whole_option(introduced.group(2), question) == (letter := introduced.group(1).upper()):
        return letter
    raise Unusable("no-letter")


@cache
def _answer_schema(allowed: tuple[str, ...]) -> Mapping[str, Any]:
    answer: dict[str, Any] = {"type": "string"}
    if allowed:
        answer["enum"] = list(allowed)
    return object_schema({"reasoning": {"type": "string"}, "answer": answer})


def object_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """An object of exactly these fields, none left out: the form that servers with strict schemas ask for."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
