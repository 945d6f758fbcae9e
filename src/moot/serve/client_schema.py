"""A JSON Schema that a client sends, and objects held against it. Neither may keep the server busy or break it.

Expressions of `pattern` are matched by Rust's engine, which pydantic brings: its time is that of the text, where Python's
own can be kept at a few letters for hours. What that engine does not know (looking around, references back) is refused
beforehand, and so is `patternProperties`. Nothing is fetched from any address.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from functools import lru_cache
from typing import Annotated, Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend
from pydantic import Field, TypeAdapter
from pydantic import ValidationError as Mismatch
from pydantic_core import SchemaError as UnknownPattern
from referencing import Registry
from referencing.exceptions import Unresolvable

MOST_FOLLOWED = 5_000
"""References that are followed to hold one object against a schema."""

_followed: ContextVar[Iterator[int]] = ContextVar("followed")

_NAMES = ("properties", "$defs", "definitions", "dependentSchemas")
"""Under these stand names of the client's own, which mean nothing to us."""

_VALUES = ("const", "enum", "default", "examples")
"""Under these stand values, which are no schemas."""


def problem_of(schema: Mapping[str, Any]) -> str | None:
    """Why this is no schema that answers can be held against; None if it is one."""
    try:
        Draft202012Validator.check_schema(dict(schema))
        for keyword, value in _keywords(schema):
            if keyword == "patternProperties":
                return "'patternProperties' is not supported"
            if keyword == "pattern":
                _matcher(value)
        fits(schema, {})
    except SchemaError as error:
        return str(error.message)
    except UnknownPattern:
        return f"the pattern {value!r} is not supported"
    except (Unresolvable, RecursionError) as error:
        return str(error) or type(error).__name__
    return None


def fits(schema: Mapping[str, Any], value: object) -> bool:
    """`RecursionError` where the schema leads back to itself without an end, or branches at every step."""
    _followed.set(itertools.count())
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


def _counted(keyword: str) -> Any:
    """A few lines of references to references, each twice, are a tree that nobody lives to see the end of."""
    follow = Draft202012Validator.VALIDATORS[keyword]

    def counted(validator: Any, reference: str, value: object, schema: object) -> Iterator[ValidationError]:
        if next(_followed.get()) > MOST_FOLLOWED:
            raise RecursionError("it has too many references to follow")
        yield from follow(validator, reference, value, schema) or ()

    return counted


_Validator = extend(
    Draft202012Validator, {"pattern": _pattern} | {keyword: _counted(keyword) for keyword in ("$ref", "$dynamicRef")}
)
