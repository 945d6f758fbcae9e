"""Schemas that no object can follow, as far as that is easily seen: nobody has to be paid to find it out.

A reply is read as an object. Whether some object follows a schema is hard to tell in general; here only what a look at its
keywords tells is told, and all else is taken to be possible.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

MOST_LOOKS = 150
"""Schemas inside of it that are looked at; behind them all is taken to be possible."""

_SAY_NOTHING = (
    "$comment",
    "$defs",
    "$schema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "examples",
    "title",
)


def no_object_follows(
    schema: object, resolve: Callable[[str], object], fits: Callable[[Mapping[str, Any]], bool]
) -> bool:
    """`resolve`: what a reference leads to. `fits`: whether an object follows the whole schema."""
    return _Look(resolve, fits).has_no_object(schema)


class _Look:
    def __init__(self, resolve: Callable[[str], object], fits: Callable[[Mapping[str, Any]], bool]) -> None:
        self._resolve, self._fits = resolve, fits
        self._left = MOST_LOOKS

    def has_no_object(self, schema: object) -> bool:
        self._left -= 1
        if schema is False:
            return True
        if not isinstance(schema, Mapping) or self._left < 0:
            return False
        return any(look(schema) for look in (self._by_type, self._by_values, self._by_parts, self._by_properties))

    def _by_type(self, schema: Mapping[str, Any]) -> bool:
        wanted = schema.get("type", "object")
        return "object" not in ([wanted] if isinstance(wanted, str) else wanted)

    def _by_values(self, schema: Mapping[str, Any]) -> bool:
        values = [schema["const"]] if "const" in schema else schema.get("enum")
        if values is None:
            return False
        return not any(isinstance(value, Mapping) and self._fits(value) for value in values)

    def _by_parts(self, schema: Mapping[str, Any]) -> bool:
        if "not" in schema and _takes_every_object(schema["not"]):
            return True
        if any(self.has_no_object(part) for part in schema.get("allOf", ())):
            return True
        if any(keyword in schema and all(map(self.has_no_object, schema[keyword])) for keyword in ("anyOf", "oneOf")):
            return True
        reference = schema.get("$ref")
        return isinstance(reference, str) and self.has_no_object(self._resolve(reference))

    def _by_properties(self, schema: Mapping[str, Any]) -> bool:
        named, required = schema.get("properties", {}), set(schema.get("required", ()))
        if any(_takes_nothing(named[name]) for name in required if name in named):
            return True
        least, most = max(len(required), schema.get("minProperties", 0)), schema.get("maxProperties")
        if _takes_nothing(schema.get("additionalProperties", True)):
            if not required <= set(named):
                return True
            most = min(len(named), len(named) if most is None else most)
        return most is not None and least > most


def _takes_every_object(schema: object) -> bool:
    if not isinstance(schema, Mapping):
        return schema is True
    said = {keyword: value for keyword, value in schema.items() if keyword not in _SAY_NOTHING}
    kinds = said.pop("type", "object")
    return not said and "object" in ([kinds] if isinstance(kinds, str) else kinds)


def _takes_nothing(schema: object) -> bool:
    if not isinstance(schema, Mapping):
        return schema is False
    refused = schema.get("not")
    return refused is True or (isinstance(refused, Mapping) and set(refused) <= set(_SAY_NOTHING))
