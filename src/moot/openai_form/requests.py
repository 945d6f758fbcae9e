"""A chat request read: what every server of this form takes, and in which words it says what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any, Literal, NoReturn, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, model_validator
from pydantic_core import from_json

from moot.config.mistakes import mistake
from moot.openai_form.refusal import Refused

F = TypeVar("F", bound=BaseModel)
T = TypeVar("T")

MOST_ITEMS = 10_000
"""In a list of a request, and in all of its lists: no conversation has so many, and each is work before any limit is kept."""
MOST_PROBLEMS = 20
"""Of those that the validator lists, as many as are looked at: forms of one place complain one after the other."""
LONGEST_KEY = 80
"""Characters of a key that are told: it is the client's, and may be as long as the body."""


@dataclass(slots=True)
class _ItemsRead:
    """In the lists of one request so far."""

    number: int = 0


def _counted(items: list[T], info: ValidationInfo) -> list[T]:
    if isinstance(read := info.context, _ItemsRead):
        read.number += len(items)
        if read.number > MOST_ITEMS:
            raise ValueError(f"expected at most {MOST_ITEMS:,} in all lists of the request, found more")
    return items


BoundedList = Annotated[list[T], Field(max_length=MOST_ITEMS, fail_fast=True), AfterValidator(_counted)]
"""Read up to the first item that is wrong: nobody is told of the others."""

Flag = Annotated[bool, Field(strict=True)]
"""A switch: true or false. A word for either is a mistake of whoever sends it, and would be taken for what it may not mean."""


class KnownKeys(BaseModel):
    """What has other keys than these is refused. Nobody is told of more than a few, so no more are complained of."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _few_unknown(cls, value: Any) -> Any:
        known = cls.model_fields
        if not isinstance(value, dict) or len(value) <= len(known) + MOST_PROBLEMS:
            return value
        unknown = islice((key for key in value if key not in known), MOST_PROBLEMS)
        return {key: value[key] for key in (*(key for key in known if key in value), *unknown)}


ChatRole = Literal["system", "developer", "user", "assistant", "tool", "function"]


class ContentPart(BaseModel):
    model_config = ConfigDict(extra="ignore")

    type: str = "text"
    text: str | None = None
    refusal: str | None = None

    @property
    def words(self) -> str | None:
        return self.text if self.text is not None else self.refusal


class CalledFunction(BaseModel):
    model_config = ConfigDict(extra="ignore")

    name: str
    arguments: str = ""


class SentToolCall(BaseModel):
    """A call of a tool that the assistant made earlier in the conversation."""

    model_config = ConfigDict(extra="ignore")

    function: CalledFunction | None = None

    @property
    def words(self) -> str:
        return "" if self.function is None else f"{self.function.name}({self.function.arguments})"


class ChatMessage(BaseModel):
    model_config = ConfigDict(extra="ignore")

    role: ChatRole
    content: str | BoundedList[ContentPart] | None = None
    refusal: str | None = None
    tool_calls: BoundedList[SentToolCall] | None = None

    @property
    def text(self) -> str:
        """All that is said in it, be it that a tool was called or an answer refused."""
        called = [call.words for call in self.tool_calls or ()]
        if isinstance(self.content, list):
            said = [part.words for part in self.content if part.words is not None]
        else:
            said = [self.content or self.refusal or ""]
        return "\n".join([*said, *called]) if called and any(said) else "\n".join(called or said)


class JsonSchema(BaseModel):
    model_config = ConfigDict(extra="ignore")

    name: str = "answer"
    schema_: Annotated[dict[str, Any], Field(alias="schema")]
    strict: Flag | None = None


class ResponseFormat(BaseModel):
    model_config = ConfigDict(extra="ignore")

    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchema | None = None


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="ignore")

    include_usage: Flag | None = None


class ChatForm(BaseModel):
    """The part of a request that shapes the reply of every server; each adds what it takes beyond it."""

    model_config = ConfigDict(extra="ignore")

    messages: Annotated[BoundedList[ChatMessage], Field(min_length=1)]
    stream: Flag | None = False
    stream_options: StreamOptions | None = None
    response_format: ResponseFormat | None = None

    @property
    def with_usage(self) -> bool:
        """Whether a stream ends with an event that counts tokens."""
        return bool(self.stream_options and self.stream_options.include_usage)


@dataclass(frozen=True, slots=True)
class WantedJson:
    """The JSON that the client wants the reply in: of this schema, or any object."""

    schema: Mapping[str, Any] | None
    place: str = "response_format"
    """Where in the request it was asked for."""
    tool: str | None = None
    """The function that it is to be the arguments of."""
    finish: str = "stop"
    """The word for how such a reply ends."""

    @property
    def characters(self) -> int:
        """What it adds to a prompt: whoever writes in this form reads it, and the endpoint is sent it once more."""
        return 0 if self.schema is None else 2 * _length(self.schema)


def _length(value: Any) -> int:
    """About as many characters as it has when it is written, however deep it is: nobody has looked at it yet."""
    written, left = 0, [value]
    while left:
        each = left.pop()
        written += len(each) + 4 if isinstance(each, str) else 4
        if isinstance(each, Mapping):
            left += (*each.keys(), *each.values())
        elif isinstance(each, list):
            left += each
    return written


def wanted_form(asked: ResponseFormat | None) -> WantedJson | None:
    """None where words will do."""
    if asked is None or asked.type == "text":
        return None
    if asked.type == "json_object":
        return WantedJson(None)
    if asked.json_schema is None:
        raise Refused(400, "'response_format.json_schema' is missing.", code="invalid_schema", param="response_format")
    return WantedJson(asked.json_schema.schema_)


def read_body(form: type[F], raw: bytes, *, half_characters: bool = False) -> F:
    """The body in this form, or `Refused` with the first thing that is wrong with it.

    Its JSON is read into Python's values once, which complaints then hold as they are. A validator that reads the JSON itself
    makes two more copies of what it complains of for each form that a value may have. `half_characters`: a text may hold half
    a surrogate pair, which Python's clients send without a thought.
    """
    try:
        body: Any = from_json(raw, allow_inf_nan=False)
    except ValueError as error:
        if not half_characters:
            raise Refused(400, f"Invalid JSON: {error}", code="invalid_request") from None
        body = _by_python(raw)
    try:
        return form.model_validate(body, context=_ItemsRead())
    except ValidationError as error:
        raise _invalid(form, error.errors(include_url=False)[:MOST_PROBLEMS], body) from None


def _by_python(raw: bytes) -> Any:
    try:
        return json.loads(raw, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise Refused(400, "The body of the request could not be parsed as JSON.", code="invalid_request") from None


def _no_number(name: str) -> NoReturn:
    """NaN and the infinities, which Python writes and JSON does not have."""
    raise ValueError(name)


def _invalid(form: type[BaseModel], details: Sequence[Any], body: Any) -> Refused:
    """The first thing that is wrong. Of several forms that a value may have each complains: who looked into it knows most."""
    places = [_in_the_body(detail, body) for detail in details]
    place = max((each for each in places if each[: len(places[0])] == places[0]), key=len)
    there = [detail for each, detail in zip(places, details, strict=True) if each == place]
    of_its_type = [detail for detail in there if not detail["type"].endswith("_type")]
    problems = [mistake(form, detail).problem for detail in of_its_type or there]
    named = ".".join(str(part)[:LONGEST_KEY] for part in place)
    words = _either_of(problems)
    return Refused(400, f"{named}: {words}" if named else words, code="invalid_request", param=named or None)


def _either_of(problems: Sequence[str]) -> str:
    """What may stand in one place, where each of several forms says what it would be."""
    told = [problem.rpartition(", found ") for problem in problems]
    expected = [before.removeprefix("expected ") for before, _, _ in told if before.startswith("expected ")]
    if len(expected) < len(problems):
        return problems[0]
    return f"expected {' or '.join(dict.fromkeys(expected))}, found {told[0][2]}"


def _in_the_body(detail: Any, body: Any) -> tuple[int | str, ...]:
    """The place as the client knows it: the validator also names which of several types it tried.

    A client may have a key that is called as a type is. So the place is the one where the very value stands which was complained
    of: to compare what only looks alike would be to read all of it for each place.
    """
    location: tuple[int | str, ...] = detail["loc"]
    absent = location[-1:] if detail["type"] == "missing" else ()
    places = list(_places(location[: len(location) - len(absent)], body))
    place = next((place for place, value in places if value is detail["input"]), places[0][0])
    return (*place, *absent)


def _places(location: tuple[int | str, ...], body: Any) -> Iterator[tuple[tuple[int | str, ...], Any]]:
    """Where it may lead, each with what stands there; first with as many steps as are keys of the body."""
    if not location:
        yield (), body
        return
    step, rest = location[0], location[1:]
    inside = (
        isinstance(step, int) and step < len(body)
        if isinstance(body, list)
        else isinstance(body, dict) and step in body
    )
    if inside:
        yield from (((step, *place), value) for place, value in _places(rest, body[step]))
    if not isinstance(step, int):
        yield from _places(rest, body)
    elif not inside:
        yield (), body
