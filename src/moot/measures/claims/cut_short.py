"""Figures of a run of which the slowest is missing, without what they would claim: see `moot.measures.unfinished`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]

WHY = "the run was cut short, and its slowest answers are missing"
_CLAIM = ("low", "high", "p", "p_holm", "low_holm", "high_holm", "beaten_by")
_FIGURES = ("best_single", "accuracy_a", "accuracy_b", "over")
"""Figures within a figure. Other keys may be names that a file gives."""


def unclaimed(row: Row) -> Row:
    """The same figure without what it claims, and why."""
    return {**without_claims(row), "why": row.get("why") or WHY}


def without_claims(row: Row) -> Row:
    """Neither interval nor p, also of the figures within it, and nobody is beaten. Bounds stay: they are of what was played."""
    within = {key: without_claims(row[key]) for key in _FIGURES if isinstance(row.get(key), dict)}
    return {**row, **within, **{key: None for key in _CLAIM if key in row}}


def all_open(hypotheses: Sequence[Row]) -> list[Row]:
    return [{**without_claims(row), "verdict": "open", "note": _noted(row["note"])} for row in hypotheses]


def none_beaten(frontier: Sequence[Row]) -> list[Row]:
    return [{**row, "within_low": None, "within_high": None, "beaten_by": None} for row in frontier]


def none_beaten_again(frontier: Sequence[Row], again: Sequence[Row]) -> list[Row]:
    """Whoever is not beaten by the same `again`, where plays without somebody may come to anything, is beaten by nobody."""
    beaten_by = {row["of"]: row["beaten_by"] for row in again}
    return [
        {**row, "beaten_by": row["beaten_by"] if row["beaten_by"] == beaten_by.get(row["of"]) else None}
        for row in frontier
    ]


def _noted(note: str | None) -> str:
    return f"{note}; {WHY}" if note else WHY
