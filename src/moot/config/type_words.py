"""A type in words: what may stand in a field, for those who wrote something else there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

_PLAIN: Mapping[object, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    NoneType: "nothing",
    Any: "a plain value",
}


def expectation(hint: Any) -> str:
    """``Annotated[int, Ge(1)]`` is "a whole number from 1 on", ``Literal["a", "b"]`` is "a or b".

    Where a field may also be left empty nobody is told so: whoever wrote something meant something.
    """
    kind, parts = get_origin(hint), get_args(hint)
    if kind is Annotated:
        return f"{expectation(parts[0])}{_bounds(parts[1:])}"
    if kind is Literal:
        return either(map(str, parts))
    if kind in (Union, UnionType):
        meant = [part for part in parts if part is not NoneType]
        words = [word for part in meant for word in (allowed_words(part) or [expectation(part)])]
        return either(dict.fromkeys(words))
    if _is_mapping(kind or hint):
        return f"keys and values ({expectation(parts[1])} each)" if parts else "keys and values"
    if _is_list(kind or hint):
        return f"a list ({expectation(parts[0])} each)" if parts else "a list"
    return _PLAIN.get(hint, getattr(hint, "__name__", str(hint)))


def allowed_words(hint: Any) -> list[str]:
    """The words that may stand in a field, where they are listed: a near miss among them is worth a hint."""
    kind, parts = get_origin(hint), get_args(hint)
    if kind is Annotated:
        return allowed_words(parts[0])
    if kind in (Union, UnionType):
        return [word for part in parts for word in allowed_words(part)]
    return [str(part) for part in parts] if kind is Literal else []


def inside(hint: Any, value: object, step: object) -> tuple[Any, object] | None:
    """The type and the value of one item of a list or a mapping; None: the step leads nowhere in the value."""
    kind, parts = get_origin(hint), get_args(hint)
    if kind is Annotated:
        return inside(parts[0], value, step)
    if kind in (Union, UnionType):
        found = [item for part in parts if (item := inside(part, value, step)) is not None]
        return found[0] if len(found) == 1 else None
    if isinstance(value, Mapping) and _is_mapping(kind) and step in value:
        return parts[1], value[step]
    if isinstance(value, list | tuple) and _is_list(kind) and isinstance(step, int) and step < len(value):
        return parts[0], value[step]
    return None


def either(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


def told(value: object) -> str:
    """What was found, short enough for a message and never a whole block of a file."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "keys and values"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value!r:.80}"


def _bounds(notes: Sequence[object]) -> str:
    """`Ge`, `Le`, `Gt` and `Lt` of annotated_types, in words."""
    limits = {
        name: f"{value:g}" for note in notes for name in _SIDES if (value := getattr(note, name, None)) is not None
    }
    if "ge" in limits and "le" in limits:
        return f" from {limits['ge']} to {limits['le']}"
    return "".join(words.format(limits[name]) for name, words in _SIDES.items() if name in limits)


_SIDES = {"ge": " from {} on", "gt": " above {}", "le": " up to {}", "lt": " below {}"}


def _is_mapping(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Mapping)


def _is_list(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, list | tuple | Sequence) and kind is not str
