"""A run that is not over, and of which something that had begun is missing: it was killed, or is still going on.

What is under way is what takes longest, and that is more often wrong. What is left is then too good, by far more than any
interval allows for, and whoever is slower when wrong looks better than others. So such a run claims nothing. One that was
interrupted and has played to its end what it had begun is not among them: its questions are the first ones of the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from moot.measures.source import Source
from moot.store import queries
from moot.store.rows import facts_of

Row = dict[str, Any]

WHY = "the run was cut short, and of what it had begun the slowest is missing"
_CLAIM = ("low", "high", "p", "p_holm", "low_holm", "high_holm")


def cut_short(source: Source, *, missing: bool) -> bool:
    """`missing`: whether anything is still to be played. By any of its runs: what one has dropped the next may not have come
    to before it was stopped as well."""
    if source.served or not missing:
        return False
    return any(map(_left_something, queries.runs_of(source.connection, source.ident)))


def _left_something(run: Mapping[str, Any]) -> bool:
    """Whether it dropped episodes; one that is at work has some under way."""
    return bool(facts_of(run).get("dropped")) or run["state"] == "running"


def unclaimed(row: Row | None) -> Row | None:
    """The same figure without what it claims; None where there is none."""
    if row is None:
        return None
    return {**row, **{key: None for key in _CLAIM if key in row}, "why": row.get("why") or WHY}


def all_open(hypotheses: Sequence[Row]) -> list[Row]:
    return [
        {**row, **{key: None for key in _CLAIM if key in row}, "verdict": "open", "note": _noted(row["note"])}
        for row in hypotheses
    ]


def none_beaten(frontier: Sequence[Row]) -> list[Row]:
    return [{**row, "within_low": None, "within_high": None, "beaten_by": None} for row in frontier]


def _noted(note: str | None) -> str:
    return f"{note}; {WHY}" if note else WHY
