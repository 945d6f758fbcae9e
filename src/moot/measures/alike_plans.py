"""Plans under one name: which of them a command tells of, and which are no more than parts of it.

The last one that was run is told. A trial with `--limit` after the whole run does not hide it: plans that ask the first so
many of the very same questions, in the same words and of the same players, are one, and the one with the most of them is
meant. A file whose questions were changed is another: what was taken out of it, or given another reference, is not told
any more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from moot.store import queries
from moot.store.rows import config_of
from moot.store.statements import Row
from moot.store.undertakings import cases_in_order, file_questions

OF_NO_MATTER = ("hypotheses", "primary", "grader", "judge", "budget_usd", "store")
"""Keys of a file that may change without making its run another one."""


def told_of(connection: Connection, latest: Row) -> Row:
    """What is meant by the plan that was run last: it, or the whole that it is a part of."""
    named = queries.experiments_named(connection, latest["name"])
    alike = [plan for plan in named if plan["id"] != latest["id"] and are_alike(connection, plan, latest)]
    return whole_of([latest, *alike])


def whole_of(alike: Sequence[Row]) -> Row:
    """Of plans that are alike, the last run in front."""
    return max(alike, key=lambda plan: plan["size"])  # of equals the first


def are_alike(connection: Connection, one: Row, other: Row) -> bool:
    """Whether two plans differ in nothing but how many of the same questions they have: `--limit` is no part of a file."""
    if one["name"] != other["name"] or in_play(config_of(one)) != in_play(config_of(other)):
        return False
    return _same_questions(connection, one, other) and _words(connection, one) == _words(connection, other)


def in_play(config: Mapping[str, Any]) -> dict[str, Any]:
    """A file, as it was written down, but for what changes nothing in play."""
    return {key: value for key, value in config.items() if key not in OF_NO_MATTER}


def _same_questions(connection: Connection, one: Row, other: Row) -> bool:
    """By what their runs say of the file. Those of older versions say nothing: there the first of a plan's questions are
    taken for a part of it, be it that somebody cut the file."""
    sets = [file_questions(connection, plan["id"]) for plan in (one, other)]
    if None not in sets:
        return sets[0] == sets[1]
    fewer, more = (
        cases_in_order(connection, plan["id"]) for plan in sorted((one, other), key=lambda plan: plan["size"])
    )
    return more[: len(fewer)] == fewer


def _words(connection: Connection, experiment: Row) -> list[Any]:
    """What is asked in which words: templates stand beside the file, and not in it."""
    cells = ((cell, json.loads(cell["spec"])) for cell in queries.cells_of(connection, experiment["id"]))
    return [
        [*(cell[key] for key in ("label", "team", "captain", "player", "cohort")), spec.get("prompts")]
        for cell, spec in cells
    ]
