"""A valid instance of a JSON Schema: how a simulated model keeps to whatever form it is asked for.

Values with a meaning (the answer, the reasoning, a ballot) are given by name and used where the top object has such a
property and they fit it; all else is drawn. Covered is what structured replies use: objects, arrays, strings, numbers, enum,
const, anyOf, oneOf, allOf, $ref, bounds and lengths. A `pattern` is not.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

Draw = Callable[[str], float]
"""A number between 0 and 1 for a place in the instance; the same for the same place."""

_DEEP = 6
"""From here down only what is required is built, so that a recursive schema ends."""

_BOTTOM = 40
_LARGEST = 20_000
"""Values in one instance, and characters in one text: past that a schema asks for something no reply could be."""

_FORMATS = {
    "date": "2000-01-01",
    "date-time": "2000-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "email": "simulated@example.org",
    "uri": "https://example.org/simulated",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


class Impossible(Exception):
    """What is asked for is no JSON Schema, or has no instance of a reasonable size."""


@contextmanager
def _checked() -> Iterator[None]:
    """A schema comes from outside and may hold anything; checking each value before its use would be most of this file."""
    try:
        yield
    except (TypeError, ValueError, AttributeError, KeyError, ArithmeticError, RecursionError) as error:
        raise Impossible(f"the schema cannot be followed: {error}") from error


def instance(schema: Mapping[str, Any], values: Mapping[str, Any], draw: Draw) -> Any:
    """An instance of the schema, with the known values in the properties of that name; or `Impossible`."""
    with _checked():
        return _Builder(schema, draw).top(values)


def strings_allowed(schema: Mapping[str, Any] | None, name: str) -> list[str]:
    """The texts that a property may hold, where the schema lists them; [] where any text will do."""
    if schema is None:
        return []
    with _checked():
        return _listed_strings(schema, name)


def property_names(schema: Mapping[str, Any]) -> list[str]:
    """The names of the properties of the top object."""
    with _checked():
        properties = _Builder(schema, lambda path: 0.5).settled(schema, "").get("properties")
        return [*properties] if isinstance(properties, Mapping) else []


def largest_item(schema: Mapping[str, Any] | None, name: str, otherwise: int) -> int:
    """The most that a number in the list `name` may be."""
    if schema is None:
        return otherwise
    with _checked():
        builder = _Builder(schema, lambda path: 0.5)
        properties = builder.settled(schema, "").get("properties") or {}
        items = builder.settled(builder.settled(properties.get(name), "").get("items"), "")
        return int(items.get("maximum", otherwise))


def _listed_strings(schema: Mapping[str, Any], name: str) -> list[str]:
    builder = _Builder(schema, lambda path: 0.5)
    properties = builder.settled(schema, "").get("properties")
    wanted = properties.get(name) if isinstance(properties, Mapping) else None
    if not isinstance(wanted, Mapping):
        return []
    part = builder.settled(wanted, "")
    listed = [part["const"]] if "const" in part else part.get("enum", [])
    return [value for value in listed if isinstance(value, str)] if isinstance(listed, list) else []


class _Builder:
    def __init__(self, root: Mapping[str, Any], draw: Draw) -> None:
        self.root = root
        self.draw = draw
        self.built = 0

    def top(self, values: Mapping[str, Any]) -> Any:
        schema = self.settled(self.root, "")
        if not isinstance(schema.get("properties"), Mapping):
            return self.build(schema, "", 0)
        return {name: self.value(name, part, values, 0) for name, part in self.wanted(schema, 0).items()}

    def value(self, name: str, schema: object, values: Mapping[str, Any], depth: int) -> Any:
        part = self.settled(schema, name)
        if name in values:
            value = self.fitted(values[name], part)
            if value is not None:
                return value
        return self.build(part, name, depth + 1)

    def fitted(self, raw: Any, schema: object) -> Any:
        """A known value in the form that its place asks for; None where it cannot be. A list may be cut at its end."""
        part = self.settled(schema, "")
        if isinstance(raw, str):
            return _fitted(raw, part)
        if isinstance(raw, list):
            return self.fitted_list(raw, part) if _kind(part) == "array" and "prefixItems" not in part else None
        if isinstance(raw, Mapping):
            inner = part.get("properties")
            if _kind(part) != "object" or not isinstance(inner, Mapping) or {*inner} != {*raw}:
                return None
            made = {name: self.fitted(value, inner[name]) for name, value in raw.items()}
            return None if None in made.values() else made
        if "const" in part or "enum" in part:
            return None
        if isinstance(raw, bool):
            return raw if _kind(part) == "boolean" else None
        whole = not isinstance(raw, float) or _kind(part) == "integer"
        return _read_number(str(raw), part, whole=whole) if _kind(part) in ("integer", "number") else None

    def fitted_list(self, values: list[Any], part: Mapping[str, Any]) -> list[Any] | None:
        made = [self.fitted(value, part.get("items", {})) for value in values[: part.get("maxItems")]]
        return None if None in made or len(made) < part.get("minItems", 0) else made

    def build(self, schema: object, path: str, depth: int) -> Any:
        self.built += 1
        if self.built > _LARGEST or depth > _BOTTOM:
            raise ValueError("its instances are too large")
        part = self.settled(schema, path, depth)
        if "const" in part:
            return part["const"]
        if options := part.get("enum"):
            return options[int(self.draw(path) * len(options))]
        kind = _kind(part)
        if kind == "null":
            return None
        if kind == "object":
            wanted = self.wanted(part, depth)
            return {name: self.build(inner, f"{path}.{name}", depth + 1) for name, inner in wanted.items()}
        if kind == "array":
            return self.array(part, path, depth)
        if kind == "boolean":
            return self.draw(path) < 0.5
        if kind in ("integer", "number"):
            return _number(part, self.draw(path), whole=kind == "integer")
        return _sized(_FORMATS.get(part.get("format", ""), f"[simulated] {int(self.draw(path) * 1000)}"), part)

    def wanted(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        """The properties to fill: all of them near the top, the required ones further down."""
        properties = schema.get("properties") or {}
        required = schema.get("required") or []
        names = [*properties] if depth < _DEEP else [name for name in properties if name in required]
        extra = schema.get("additionalProperties", True)
        unnamed = {name: extra for name in required if name not in properties}
        return {name: properties[name] for name in names} | unnamed

    def array(self, schema: Mapping[str, Any], path: str, depth: int) -> list[Any]:
        parts: Sequence[Any] = schema.get("prefixItems") or []
        items = schema.get("items", True)
        least = max(schema.get("minItems", 0), len(parts) if depth < _DEEP else 0)
        most = schema.get("maxItems", max(least, len(parts), 0 if items is False else least + 2))
        if depth >= _DEEP:
            most = least
        size = least + int(self.draw(f"{path}#") * (most - least + 1)) if most > least else min(least, most)
        made: list[Any] = []
        seen: set[str] = set()
        for turn in range(size * 64):
            if len(made) == size:
                break
            inner = parts[len(made)] if len(made) < len(parts) else items
            value = self.build(inner, f"{path}[{turn}]", depth + 1)
            name = json.dumps(value, sort_keys=True)
            if schema.get("uniqueItems") and name in seen:
                continue
            seen.add(name)
            made.append(value)
        return made

    def settled(self, schema: object, path: str, depth: int = 0) -> Mapping[str, Any]:
        """The schema with references followed, alternatives chosen and parts joined."""
        for _ in range(_BOTTOM):
            if not isinstance(schema, Mapping):
                return {}
            if "$ref" in schema:
                schema = {**self.follow(schema["$ref"]), **{key: schema[key] for key in schema if key != "$ref"}}
            elif options := schema.get("anyOf") or schema.get("oneOf"):
                rest = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf")}
                schema = _joined(rest, self.chosen(options, path, depth))
            elif parts := schema.get("allOf"):
                joined: Mapping[str, Any] = {key: value for key, value in schema.items() if key != "allOf"}
                for part in parts:
                    joined = _joined(joined, self.settled(part, path, depth))
                schema = joined
            else:
                return schema
        return {}

    def chosen(self, options: Sequence[Any], path: str, depth: int) -> Mapping[str, Any]:
        """One alternative: drawn among those that say something, but deep down the one that goes no deeper."""
        settled = [self.settled(option, path, depth) if depth < _DEEP else option for option in options]
        if depth >= _DEEP:
            flat = [
                branch for branch in settled if isinstance(branch, Mapping) and _kind(branch) not in ("object", "array")
            ]
            return next(iter([branch for branch in flat if "$ref" not in branch] or settled), {})
        telling = [branch for branch in settled if _kind(branch) != "null"] or settled
        return telling[int(self.draw(f"{path}|") * len(telling))]

    def follow(self, reference: object) -> Mapping[str, Any]:
        target: Any = self.root
        for step in str(reference).removeprefix("#").strip("/").split("/"):
            if step:
                target = target.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(target, Mapping) else None
        return target if isinstance(target, Mapping) else {}


def _joined(one: Mapping[str, Any], two: Mapping[str, Any]) -> dict[str, Any]:
    both = {**one, **two}
    if "properties" in one and "properties" in two:
        both["properties"] = {**one["properties"], **two["properties"]}
    if "required" in one and "required" in two:
        both["required"] = [*one["required"], *two["required"]]
    return both


def _kind(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((name for name in kind if name != "null"), "null")
    if isinstance(kind, str):
        return kind
    if "properties" in schema:
        return "object"
    return "array" if "items" in schema or "prefixItems" in schema else "string"


def _fitted(text: str, schema: Mapping[str, Any]) -> Any:
    """A known text in the form that the property asks for; None where it cannot be."""
    if "const" in schema or "enum" in schema:
        allowed = [schema["const"]] if "const" in schema else schema["enum"]
        return text if text in allowed else None
    kind = _kind(schema)
    if kind == "string":
        return _sized(text, schema)
    if kind in ("integer", "number"):
        return _read_number(text, schema, whole=kind == "integer")
    return None


def _read_number(text: str, schema: Mapping[str, Any], *, whole: bool) -> float | None:
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        return None
    low, high = _bounds(schema, whole=whole)
    within = math.isfinite(value) and (low is None or value >= low) and (high is None or value <= high)
    return value if within and "multipleOf" not in schema else None


def _sized(text: str, schema: Mapping[str, Any]) -> str:
    least = schema.get("minLength", 0)
    if least > _LARGEST:
        raise ValueError("its texts are too long")
    return text.ljust(least, ".")[: schema.get("maxLength")]


def _bounds(schema: Mapping[str, Any], *, whole: bool) -> tuple[float | None, float | None]:
    """The closed interval; an open end moves in by one for whole numbers, by a little for others."""
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if whole:
        lows = [math.ceil(value) for value in (low,) if value is not None]
        lows += [math.floor(value) + 1 for value in (above,) if value is not None]
        highs = [math.floor(value) for value in (high,) if value is not None]
        highs += [math.ceil(value) - 1 for value in (below,) if value is not None]
    else:
        lows = [value for value in (low,) if value is not None]
        lows += [math.nextafter(value, math.inf) for value in (above,) if value is not None]
        highs = [value for value in (high,) if value is not None]
        highs += [math.nextafter(value, -math.inf) for value in (below,) if value is not None]
    return max(lows, default=None), min(highs, default=None)


def _number(schema: Mapping[str, Any], share: float, *, whole: bool) -> float:
    """Within the bounds; where a side is open, within ten (whole) or one of the other."""
    low, high = _bounds(schema, whole=whole)
    span = 10 if whole else 1.0
    if low is None:
        low = 0 if high is None or high >= 0 else high - span
    if high is None:
        high = low + span
    step: float = schema.get("multipleOf", 0)
    if step:
        first, last = math.ceil(low / step), max(math.floor(high / step), math.ceil(low / step))
        return (first + int(share * (last - first + 1))) * step
    if whole:
        return int(low) + int(share * (int(high) - int(low) + 1))
    return min(max(low + share * (high - low), low), high)
