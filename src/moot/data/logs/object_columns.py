"""What stands in an object of somebody's own making, such as a row of a benchmark: found by the names that tables are read by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from moot.data.logs.fields import items, mapping, text
from moot.data.tables.known_names import ColumnNames, guessed


@dataclass(frozen=True, slots=True)
class ObjectColumns:
    """None, or no choices: no name says which it is, or several do."""

    text: str | None = None
    choices: tuple[str, ...] = ()
    answer: Any = None
    context: str | None = None
    category: str | None = None


def columns_of(values: Mapping[str, Any]) -> ObjectColumns:
    columns = _columns(tuple(values))

    def one(key: str) -> str | None:
        name = columns.get(key)
        return text(values.get(name)) if isinstance(name, str) else None

    named = columns.get("answer")
    answer = values.get(named) if isinstance(named, str) else None
    return ObjectColumns(one("text"), _choices(columns.get("choices"), values), answer, one("context"), one("category"))


@lru_cache(maxsize=64)
def _columns(names: tuple[str, ...]) -> Mapping[str, ColumnNames]:
    """The same for all rows of a set."""
    return guessed(names, {}).columns


def _choices(columns: ColumnNames | None, values: Mapping[str, Any]) -> tuple[str, ...]:
    if columns is None:
        return ()
    if not isinstance(columns, str):
        found = [text(values.get(name)) for name in columns]
    else:
        listed = values.get(columns)
        # Some sets keep the words of their choices beside their labels.
        found = [text(each) for each in items(mapping(listed).get("text") or listed)]
    return tuple(each for each in found if each is not None) if all(each is not None for each in found) else ()
