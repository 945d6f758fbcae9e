"""Plans under one name: which of them are the same but for how many of the questions they have."""

from __future__ import annotations

from typing import Any

from moot.store.rows import config_of
from moot.store.statements import Row

OF_NO_MATTER = ("hypotheses", "primary", "grader", "judge", "budget_usd", "store")
"""Keys of a file that may change without making its run another one."""


def alike(one: Row, other: Row) -> bool:
    """Whether two plans differ in nothing but how many of the questions they have: `--limit` is no part of a file."""
    return bool(one["name"] == other["name"] and _plan(one) == _plan(other))


def _plan(experiment: Row) -> dict[str, Any]:
    """The file but for what changes nothing in play."""
    return {key: value for key, value in config_of(experiment).items() if key not in OF_NO_MATTER}
