"""Kinds of traces: how a dataclass becomes one, and how records are stored and read back."""

from __future__ import annotations

from collections import abc
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from math import isfinite
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from moot.plugins import name_problem

T = TypeVar("T")


_KINDS: dict[str, Any] = {}


_NAMES: dict[type[Any], str] = {}


_UNWRITTEN: dict[type[Any], dict[str, Any]] = {}


def trace(kind: str, *, unwritten: Mapping[str, Any] | None = None) -> Callable[[type[T]], type[T]]:
    """Make a frozen dataclass a kind of trace, under a name that is stored with it.

    `unwritten`: what a stored record says that lacks a field, where that is not what the field is without a word of whoever
    makes one today. So a default can go, and stores that were written under it still say what they said.
    """

    if (problem := name_problem(kind)) is not None:
        raise ValueError(f"@trace: {problem}")

    def named(record: type[T]) -> type[T]:
        earlier = _KINDS.get(kind)
        if earlier is not None and (earlier.__module__, earlier.__qualname__) != (
            record.__module__,
            record.__qualname__,
        ):
            raise ValueError(f"the trace {kind!r} is {earlier.__module__}.{earlier.__qualname__} already")
        if not is_dataclass(record):
            raise TypeError(f"the trace {kind!r} must be a dataclass: its fields are what is stored")
        if any(attribute.name == "kind" for attribute in fields(record)):
            raise TypeError(f"the trace {kind!r} has a field 'kind', under which its own name is stored; rename it")
        _check_types(kind, record)
        _KINDS[kind] = record
        _NAMES[record] = kind
        _UNWRITTEN[record] = dict(unwritten or {})
        return record

    return named


def _check_types(kind: str, record: Any) -> None:
    """Refuses fields that would come back from a store as something else: a figure made of those would be false."""
    try:
        hints = get_type_hints(record)
    except NameError as error:
        raise TypeError(f"the trace {kind!r}: {error}; expected types of its own module") from None
    for attribute in fields(record):
        place = f"the trace {kind!r}: {record.__name__}.{attribute.name}"
        if not attribute.init:
            raise TypeError(
                f"{place}: it is made and not given, so it cannot be read back; expected a field that is given"
            )
        if (refused := _not_from_json(hints[attribute.name], by_number=True)) is not None:
            name = getattr(refused, "__name__", None) if isinstance(refused, type) and not get_args(refused) else None
            raise TypeError(f"{place}: {name or refused} does not come back the same from JSON; expected {_FROM_JSON}")


_FROM_JSON = (
    "str, int, float, bool, a Literal of these, tuple[...], list[...] or Mapping[str, ...] of such, "
    "Mapping[int, ...] by itself, and each of these or None"
)


def _not_from_json(hint: Any, *, by_number: bool = False) -> Any | None:
    """The part of a type that is lost in JSON; None: it comes back whole. `by_number`: where keys are written as text."""
    kind, parts = get_origin(hint), get_args(hint)
    if hint in (str, int, float, bool):
        return None
    if kind is Literal:
        return None if all(type(part) in (str, int, bool, type(None)) for part in parts) else hint
    if kind in (Union, UnionType):
        held = [part for part in parts if part is not type(None)]
        return _not_from_json(held[0], by_number=by_number) if len(held) == 1 else hint
    if not parts or not isinstance(kind, type):
        return hint
    if kind is tuple and parts[1:] == (...,):
        return _not_from_json(parts[0])
    if kind in (tuple, list):
        return next((lost for part in parts if (lost := _not_from_json(part)) is not None), None)
    if kind in (dict, abc.Mapping):
        return _not_from_json(parts[1]) if parts[0] is str or (by_number and parts[0] is int) else hint
    return hint


@dataclass(frozen=True, slots=True)
class Unknown:
    """A record whose kind is not known here: kept as it was."""

    kind: str
    content: Mapping[str, Any]


Trace = Any
"""Any record that was made one by `trace`."""


def claims_in(traces: Iterable[Trace]) -> list[str]:
    """Answers inside of records that can be graded like a verdict's: records name them as their `claims`."""
    return [text for record in traces for text in getattr(record, "claims", ())]


def of_kind(traces: Iterable[Trace], record: type[T]) -> list[T]:
    return [candidate for candidate in traces if isinstance(candidate, record)]


def trace_json(record: Trace) -> dict[str, Any]:
    """The record as it is stored: its kind, and the fields that differ from their defaults."""
    if isinstance(record, Unknown):
        return {"kind": record.kind, **record.content}
    sort: Any = type(record)
    kind = _NAMES.get(sort)
    if kind is None:
        raise TypeError(f"{sort.__qualname__} is no trace; expected a dataclass made one by @trace(NAME)")
    stored: dict[str, Any] = {"kind": kind}
    for name, default in _defaults(sort):
        value = getattr(record, name)
        if value != default:
            stored[name] = {str(key): item for key, item in value.items()} if isinstance(value, Mapping) else value
    return stored


def trace_of(stored: Mapping[str, Any]) -> Trace:
    """A stored record, read back."""
    content = dict(stored)
    kind = content.pop("kind")
    record = _KINDS.get(kind)
    if record is None:
        return Unknown(kind, content)
    readers = _readers(record)
    try:
        return record(**_UNWRITTEN[record] | {name: readers[name](value) for name, value in content.items()})
    except (KeyError, TypeError, ValueError):
        return Unknown(kind, content)  # written by another version of the package that brought it


def misfit(record: Trace) -> str | None:
    """What a record holds that is not of its declared type, and what was expected; None where it is as it says.

    Types are declarations and nobody enforces them where a record is made. What is not of its type is stored all the same,
    and comes back as something else, or not at all.
    """
    if isinstance(record, Unknown):
        return None
    sort: Any = type(record)
    hints = _hints(sort)
    for name, default in _defaults(sort):
        value = getattr(record, name)
        if value is not default and value != default and not _fits(hints[name], value):
            expected = getattr(hints[name], "__name__", None) if isinstance(hints[name], type) else None
            return f"expected {expected or hints[name]} as {sort.__name__}.{name}, found {value!r:.60}"
    claims: object = getattr(record, "claims", ())
    if not isinstance(claims, tuple | list) or not all(isinstance(text, str) for text in claims):
        return f"expected a tuple of texts as {sort.__name__}.claims, found {claims!r:.60}"
    return None


_hints = cache(get_type_hints)

WHOLE = 2**63
"""JSON knows no bound for a whole number; what reads it does."""


def _fits(hint: Any, value: Any) -> bool:
    kind, parts = get_origin(hint), get_args(hint)
    if kind in (Union, UnionType):
        return any(value is None if part is type(None) else _fits(part, value) for part in parts)
    if kind is Literal:
        return any(value == part and type(value) is type(part) for part in parts)
    if kind is tuple:
        whole = isinstance(value, tuple)
        if parts[1:] == (...,):
            return whole and all(_fits(parts[0], held) for held in value)
        return whole and len(value) == len(parts) and all(map(_fits, parts, value))
    if kind is list:
        return isinstance(value, list) and all(_fits(parts[0], held) for held in value)
    if parts:
        mapped = isinstance(value, abc.Mapping)
        return mapped and all(_fits(parts[0], key) and _fits(parts[1], held) for key, held in value.items())
    if hint is str:
        return isinstance(value, str)
    if hint is bool or isinstance(value, bool):
        return hint is bool and isinstance(value, bool)
    if isinstance(value, int):
        return -WHOLE <= value < WHOLE
    return hint is float and isinstance(value, float) and isfinite(value)


@cache
def _defaults(record: Any) -> tuple[tuple[str, Any], ...]:
    defaults = []
    for attribute in fields(record):
        made = attribute.default_factory() if attribute.default_factory is not MISSING else attribute.default
        defaults.append((attribute.name, _UNWRITTEN[record].get(attribute.name, made)))
    return tuple(defaults)


FieldReader = Callable[[Any], Any]


@cache
def _readers(record: Any) -> dict[str, FieldReader]:
    """How each field comes out of JSON. Made once a kind: there may be a million records to read."""
    return {name: _reader(hint) for name, hint in _hints(record).items()}


def _reader(hint: Any) -> FieldReader:
    """JSON has lists and text keys where a record has tuples and numbers; all else is as it was."""
    kind, parts = get_origin(hint), get_args(hint)
    if kind in (Union, UnionType):
        inner = _reader(next(part for part in parts if part is not type(None)))
        return inner if inner is _as_it_is else lambda value: None if value is None else inner(value)
    if kind is tuple:
        return _tuple_reader(parts)
    if kind is list:
        item = _reader(parts[0])
        return item if item is _as_it_is else lambda value: [item(held) for held in value]
    if len(parts) == 2 and kind is not Literal and issubclass(kind, abc.Mapping):
        key, item = parts[0], _reader(parts[1])
        return lambda value: {key(name): item(held) for name, held in value.items()}
    return _as_it_is


def _as_it_is(value: Any) -> Any:
    return value


def _tuple_reader(parts: tuple[Any, ...]) -> FieldReader:
    if parts[1:] == (...,):
        item = _reader(parts[0])
        return tuple if item is _as_it_is else lambda value: tuple([item(held) for held in value])
    items = [_reader(part) for part in parts]
    return lambda value: tuple(read(held) for read, held in zip(items, value, strict=True))
