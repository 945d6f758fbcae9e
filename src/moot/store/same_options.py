"""Which cells are one option, although they are kept apart.

What decides by the drafts of other questions is another cell with other questions, or another grader, to learn from: so no
episode is taken for one that was decided otherwise. So it is with a model whose replies follow from all questions there
are, as those of a simulated one do, for whom the answers to others are the wrong ones of each. Nobody has chosen anything by
that: a trial, or more questions, is the same option in a claim. Nor by what a team is called, or by which names of the file are
hidden from its players: a judge more has a name more, and who plays is who played. What a cell was made of, all but its lessons,
stands in its `spec`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, select

from moot.models.model import OF_THE_QUESTIONS
from moot.store import schema
from moot.store.rows import object_of
from moot.store.statements import chunks
from moot.types import canonical_json

OF_A_RECORDING = "sha256"
"""What the shape of a recorded model says of the whole of its file, which holds the answers to other questions as well."""
OF_THE_FILE = ("masked", "team")
"""What a spec says of the file around it: which names are hidden, and what the team is called."""
_SPACE = '"space"'


def same_options(connection: Connection, cells: Collection[str]) -> set[str]:
    """These cells, and what they are with other lessons, and with other questions and names around them."""
    table = schema.cells
    specs: dict[str, str] = {}
    by_label: dict[str, list[str]] = {}
    for part in chunks(sorted(cells)):
        labels = select(table.c.label).where(table.c.id.in_(part))
        for row in connection.execute(select(table.c.id, table.c.label, table.c.spec).where(table.c.label.in_(labels))):
            specs[row.id] = without_surroundings(row.spec)
            by_label.setdefault(row.label, []).append(row.id)
    same = set(cells)
    for alike in by_label.values():
        own = {specs[cell] for cell in same.intersection(alike)}
        same.update(cell for cell in alike if specs[cell] in own)
    return same


@lru_cache(1024)
def without_surroundings(spec: str) -> str:
    """What a cell was made of, without what follows from the questions beside the one asked, and from the names of a file. A
    report asks it of the same few cells again and again."""
    asked = _with_models(spec, _asked) if _SPACE in spec else spec
    kept = object_of(asked, "cells.spec")
    return canonical_json({key: value for key, value in kept.items() if key not in OF_THE_FILE}).decode()


@lru_cache(1024)
def line_up(spec: str, *, alone: bool) -> str:
    """What two cells have in common that are one team, or one player, under two names: everything that a cell was made of, in
    whichever order its players are listed. `alone`: whose captain a player was seated beside is nothing of it."""
    kept = object_of(without_surroundings(spec), "cells.spec")
    if alone:
        kept.pop("captain", None)
    if isinstance(players := kept.get("players"), list):
        kept["players"] = sorted(players, key=canonical_json)
    return canonical_json(kept).decode()


def without_recordings(spec: str) -> str:
    """What a cell was made of, without which file its recorded models speak from. Whether that says the same of a question is
    to be seen from the answers."""
    return _with_models(spec, _recorded) if f'"{OF_A_RECORDING}"' in spec else spec


def staff_of(kept: Mapping[str, Any]) -> list[Any]:
    """The models that are asked beside the players, as they stand in what a cell was made of."""
    found: list[Any] = []
    for staff in ("officers", "extract"):
        models = kept.get(staff) or ()
        found += models.values() if isinstance(models, dict) else models
    grouper = (kept.get("grouping") or [None])[0]
    return found if grouper is None else [*found, grouper]


def _with_models(spec: str, told: Callable[[Any], Any]) -> str:
    kept = object_of(spec, "cells.spec")
    for player in kept.get("players", ()):
        player["model"] = told(player["model"])
    for staff in ("officers", "extract"):
        models = kept.get(staff)
        if isinstance(models, dict):
            kept[staff] = {name: told(model) for name, model in models.items()}
        elif isinstance(models, list):
            kept[staff] = list(map(told, models))
    if kept.get("grouping"):
        model, *how = kept["grouping"]
        kept["grouping"] = [told(model), *how]
    return canonical_json(kept).decode()


def _asked(shape: Any) -> Any:
    """Who is asked. A key of its own that is only called so is as good as none where the other is not there."""
    if not isinstance(shape, Mapping) or not shape.keys() >= set(OF_THE_QUESTIONS):
        return shape
    return {key: value for key, value in shape.items() if key not in OF_THE_QUESTIONS}


def _recorded(shape: Any) -> Any:
    if not isinstance(shape, Mapping) or shape.get("provider") != "recorded":
        return shape
    return {key: value for key, value in shape.items() if key != OF_A_RECORDING}
