"""A store that is read, and looked at as a whole when reading it went wrong.

Each value is checked as it comes out of its column (`columns`). What stands inside of JSON is not looked through on every
read, since that would cost more than the reading: only when something failed that should not have. Then either the store
holds what moot never wrote, and this is what is said, or it does not, and the failure is a bug.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import fields
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from sqlalchemy import Column, Connection, Table, select

from moot.errors import StoreUnreadable
from moot.store import schema
from moot.store.columns import named, refusal
from moot.store.rows import case_of, object_of, options_of, verdict_of
from moot.store.store import Store

S = TypeVar("S", bound=Store)
AT_ONCE = 500
UNEXPECTED = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""What code raises that was handed something else than it was made for."""


@asynccontextmanager
async def opened_to_read(store: S) -> AsyncIterator[S]:
    """Open it, and close it in the end. What is wrong with its content is said with its name."""
    await store.open()
    try:
        async with examined(store):
            yield store
    finally:
        await store.close()


@asynccontextmanager
async def examined(store: Store) -> AsyncIterator[None]:
    """Where what an open store holds is made use of: if that fails because of what it holds, this is what is said."""
    try:
        yield
    except StoreUnreadable as error:
        raise named(error, store.name) from error
    except UNEXPECTED as error:
        try:
            await store.read(examine)
        except StoreUnreadable as fault:
            raise named(fault, store.name) from error
        raise


def examine(connection: Connection) -> None:
    """Raises StoreUnreadable for the first thing in a store that moot cannot have written."""
    for table in schema.metadata.sorted_tables:
        _examine_rows(connection, table)
    _refuse_dangling(connection, schema.experiment_cells.c.cell, schema.cells.c.id)
    _refuse_dangling(connection, schema.experiment_questions.c.case, schema.cases.c.id)


def _examine_rows(connection: Connection, table: Table) -> None:
    needed = [column for column in table.columns if not column.nullable]
    result = connection.execute(select(table))
    while rows := result.mappings().fetchmany(AT_ONCE):
        for row in rows:
            for column in needed:
                if row[column.name] is None:
                    raise refusal(f"{table.name}.{column.name}", "something", None)
            if table is schema.cells:
                _check_seat(row)
            for name, check in _INSIDE.get(table.name, {}).items():
                if row[name] is not None:
                    check(row[name])


def _refuse_dangling(connection: Connection, names: Column[Any], named: Column[Any]) -> None:
    query = select(names).outerjoin(named.table, named == names).where(named.is_(None)).limit(1)
    if (lost := connection.execute(query).scalar()) is not None:
        raise refusal(f"{names.table.name}.{names.name}", f"the {named.name} of a row of {named.table.name}", lost)


def _check_config(written: str) -> None:
    """What every file has, and what may stand in it beside: no more than the sort of each part."""
    config = object_of(written, "experiments.config")
    sorts = {"models": dict, "players": dict, "teams": dict, "judge": dict, "seed": int, "grader": str}
    if "models" not in config or not all(isinstance(config.get(name, sort()), sort) for name, sort in sorts.items()):
        raise refusal("experiments.config", "an experiment file with its models", written)


def _check_spec(written: str) -> None:
    spec = object_of(written, "cells.spec")
    players = spec.get("players")
    named = isinstance(players, list) and all(
        isinstance(player, dict) and isinstance(player.get("name"), str) for player in players
    )
    if not named or not isinstance(spec.get("prompts", {}), dict):
        raise refusal("cells.spec", "a line-up with its players and prompts", written)


def _check_seat(cell: Any) -> None:
    """Whoever plays alone is one of those that the cell is made of."""
    _check_spec(cell["spec"])
    seated = {player["name"] for player in json.loads(cell["spec"])["players"]}
    if cell["player"] is not None and cell["player"] not in seated:
        raise refusal("cells.player", "a player of its line-up", cell["player"])


def _check_steps(written: str) -> None:
    """See `rows.episode_row`."""
    steps = _loaded(written)
    if not _fits(steps, list[tuple[str, str, int, str | None, str | None, str | None]]):
        raise refusal("episodes.transcript", "a list of calls: player, stage, turn, key, error, problem", written)


def _check_verdict(written: str) -> None:
    verdict = verdict_of(written)
    if not _of_its_fields(verdict) or not all(map(_of_its_fields, (*verdict.answers, *verdict.traces))):
        raise refusal("episodes.verdict", "a verdict with its answers and traces", written)


def _check_case(written: str) -> None:
    case = case_of(written)
    if not all(_of_its_fields(part) for part in (case, case.question, case.human) if part is not None):
        raise refusal("cases.content", "a question with its answer", written)


def _check_shape(written: str) -> None:
    shape = _loaded(written)
    asked = shape[0] if isinstance(shape, list) and shape else None
    if not isinstance(asked, dict) or not isinstance(asked.get("messages", []), list):
        raise refusal("calls.shape", "a list that starts with what was asked", written)


def _check_match(written: str) -> None:
    if not isinstance(_loaded(written), list):
        raise refusal("matches.content", "a list of groups", written)


def _loaded(written: str) -> Any:
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return None


_INSIDE: Mapping[str, Mapping[str, Callable[[str], object]]] = {
    "experiments": {"config": _check_config},
    "cells": {
        "options": options_of,
        "traits": lambda written: object_of(written, "cells.traits"),
    },
    "cases": {"content": _check_case},
    "runs": {"facts": lambda written: object_of(written, "runs.facts")},
    "calls": {"shape": _check_shape},
    "episodes": {"verdict": _check_verdict, "transcript": _check_steps},
    "matches": {"content": _check_match},
}
"""The columns that hold JSON, by table, each with what refuses it."""


def _of_its_fields(noun: Any) -> bool:
    """Whether a dataclass holds what its fields are declared to hold."""
    sort: Any = type(noun)
    return all(_fits(getattr(noun, name), hint) for name, hint in _hints(sort).items())


@cache
def _hints(noun: Any) -> dict[str, Any]:
    hints = get_type_hints(noun)
    return {attribute.name: hints[attribute.name] for attribute in fields(noun)}


def _fits(value: Any, hint: Any) -> bool:
    """Of types that JSON can hold; what is declared as anything else fits."""
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return any(_fits(value, part) for part in parts)
    if kind is Literal:
        return isinstance(value, str | int | None)
    if kind in (tuple, list):
        return isinstance(value, list | tuple) and _items_fit(value, parts)
    if parts and isinstance(kind, type) and issubclass(kind, Mapping):
        return isinstance(value, Mapping) and all(_fits(item, parts[1]) for item in value.values())
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, kind) if kind in (str, bool, type(None)) else True


def _items_fit(values: Iterable[Any], parts: tuple[Any, ...]) -> bool:
    items = list(values)
    if not parts:
        return True
    if len(parts) == 1 or parts[1] is ...:
        return all(_fits(item, parts[0]) for item in items)
    return len(items) == len(parts) and all(map(_fits, items, parts))
