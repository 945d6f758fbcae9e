"""A JSON Schema that a client sends, and objects held against it. Neither may keep the server busy or break it.

What is bounded by size alone is looked at at once (`oversized`); the rest is done in a process that can be ended
(`schema_checks`).

Expressions of `pattern` are matched by Rust's engine, which pydantic brings: its time is that of the text, where Python's
own can be kept at a few letters for hours. What that engine does not know (looking around, references back) is refused
beforehand, and so is `patternProperties`. Nothing is fetched from any address.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from functools import lru_cache, partial
from typing import Annotated, Any
from urllib.parse import unquote

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend
from pydantic import Field, TypeAdapter
from pydantic import ValidationError as Mismatch
from pydantic_core import SchemaError as UnknownPattern
from referencing import Registry
from referencing.exceptions import Unresolvable

from moot.serve.unfollowable import no_object_follows

MOST_FOLLOWED = 5_000
"""References that are followed to hold one object against a schema."""

MOST_STEPS = 100_000
"""Keywords that are looked at to hold one object against a schema."""

MOST_PARTS, MOST_DEPTH, MOST_LETTERS = 5_000, 64, 131_072
"""Values in a schema, how deep they stand, and how long its names and texts are together."""

MOST_NUMBER = 2**63
"""Whole numbers from here on are beyond what programs that read JSON agree on."""

NO_OBJECT = "no object can follow it, and an answer is written as one"

_followed: ContextVar[Iterator[int]] = ContextVar("followed")
_steps: ContextVar[Iterator[int]] = ContextVar("steps")

_REFERENCES = ("$ref", "$dynamicRef")
_ANCHORS = ("$anchor", "$dynamicAnchor")

_NAMES = ("properties", "$defs", "definitions", "dependentSchemas")
"""Under these stand names of the client's own, which mean nothing to us."""

_VALUES = ("const", "enum", "default", "examples")
"""Under these stand values, which are no schemas."""


class _TooMuch(RecursionError):
    """In our own words."""


def oversized(schema: Mapping[str, Any]) -> str | None:
    """What is too much in a schema, found in one walk through it."""
    parts, letters = 0, 0
    left: list[tuple[object, int]] = [(schema, 1)]
    while left:
        part, depth = left.pop()
        parts += 1
        if parts > MOST_PARTS:
            return f"it has more than {MOST_PARTS} parts"
        if depth > MOST_DEPTH:
            return f"it is more than {MOST_DEPTH} levels deep"
        if isinstance(part, Mapping):
            letters += sum(len(str(name)) for name in part)
            left += [(value, depth + 1) for value in part.values()]
        elif isinstance(part, list):
            left += [(value, depth + 1) for value in part]
        elif isinstance(part, str):
            letters += len(part)
        elif unwritable(part):
            return "it holds a number that is too large"
        if letters > MOST_LETTERS:
            return f"its texts are longer than {MOST_LETTERS} characters"
    return None


def unwritable(value: object) -> bool:
    """A number that JSON has no way to write, or that few programs can read."""
    if isinstance(value, float):
        return not math.isfinite(value)
    return isinstance(value, int) and abs(value) >= MOST_NUMBER


def problem_of(schema: Mapping[str, Any]) -> str | None:
    """Why this is no schema that answers can be held against; None if it is one."""
    try:
        Draft202012Validator.check_schema(dict(schema))
        anchors = {value for keyword, value in _keywords(schema) if keyword in _ANCHORS and isinstance(value, str)}
        inner = [part for part in schema.values() if isinstance(part, Mapping | list)]
        if any(keyword == "$id" and isinstance(value, str) for keyword, value in _keywords(inner)):
            return "an '$id' inside of it is not supported"
        for keyword, value in _keywords(schema):
            if keyword in _REFERENCES and not _leads_somewhere(value, schema, anchors):
                return f"{keyword} {value!r} leads to no schema in it"
            if keyword == "patternProperties":
                return "'patternProperties' is not supported"
            if keyword == "pattern":
                _matcher(value)
        fits(schema, {})
        if no_object_follows(schema, partial(_led_to, schema), partial(fits, schema)):
            return NO_OBJECT
    except SchemaError as error:
        return str(error.message)
    except UnknownPattern:
        return f"the pattern {value!r} is not supported"
    except (Unresolvable, _TooMuch) as error:
        return str(error) or type(error).__name__
    except RecursionError:  # Python's own, whose words are about Python
        return "its references lead back to themselves, or too far"
    except (ValueError, ArithmeticError, TypeError, LookupError, AttributeError) as error:  # of the library's own
        return f"it cannot be followed ({type(error).__name__})"
    return None


def _leads_somewhere(reference: object, schema: Mapping[str, Any], anchors: set[str]) -> bool:
    """Whether a reference leads to a schema in the same document. Nothing is fetched, so nothing else will do."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return False
    pointer = unquote(reference[1:])
    if pointer and not pointer.startswith("/"):
        return pointer in anchors
    return isinstance(_led_to(schema, reference), Mapping | bool)


def _led_to(schema: Mapping[str, Any], reference: str) -> object:
    """What stands where a pointer leads to; None: nothing, or it is no pointer."""
    pointer = unquote(reference[1:])
    if pointer and not pointer.startswith("/"):
        return None
    place: object = schema
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(place, Mapping) and name in place:
            place = place[name]
        elif isinstance(place, list) and name.isascii() and name.isdecimal() and int(name[:9]) < len(place):
            place = place[int(name)]
        else:
            return None
    return place


def fits(schema: Mapping[str, Any], value: object) -> bool:
    """`RecursionError` where the schema leads back to itself without an end, or branches at every step."""
    _followed.set(itertools.count())
    _steps.set(itertools.count())
    return bool(_Validator(dict(schema), registry=Registry()).is_valid(value))


def _keywords(schema: object) -> Iterator[tuple[str, Any]]:
    """Every keyword of a schema and of those inside it, with what it says."""
    left = [schema]
    while left:
        part = left.pop()
        if isinstance(part, list):
            left += part
        elif isinstance(part, Mapping):
            for keyword, value in part.items():
                yield keyword, value
                if keyword in _NAMES and isinstance(value, Mapping):
                    left += value.values()
                elif keyword not in _VALUES:
                    left.append(value)


@lru_cache(maxsize=256)
def _matcher(pattern: str) -> TypeAdapter[str]:
    return TypeAdapter(Annotated[str, Field(pattern=pattern)])


def _pattern(validator: Any, pattern: str, value: object, schema: object) -> Iterator[ValidationError]:
    if not validator.is_type(value, "string"):
        return
    try:
        _matcher(pattern).validate_python(value)
    except Mismatch:
        yield ValidationError("does not match the pattern")


def _counted(keyword: str, follow: Any) -> Any:
    """A few lines of references to references, each twice, are a tree that nobody lives to see the end of."""

    def counted(validator: Any, value: Any, instance: object, schema: object) -> Iterator[ValidationError]:
        if keyword in _REFERENCES and next(_followed.get()) > MOST_FOLLOWED:
            raise _TooMuch("it has too many references to follow")
        if next(_steps.get()) > MOST_STEPS:
            raise _TooMuch("it takes too many steps to follow")
        yield from follow(validator, value, instance, schema) or ()

    return counted


_Validator = extend(
    Draft202012Validator,
    {
        keyword: _counted(keyword, follow)
        for keyword, follow in {**Draft202012Validator.VALIDATORS, "pattern": _pattern}.items()
    },
)
