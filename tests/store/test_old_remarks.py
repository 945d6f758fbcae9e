"""Remarks of an older store say whose proposal each speaker stands behind, as new ones do."""

from __future__ import annotations

import json

from moot.store.before_traces import OldCell, verdict_with_traces
from moot.store.rows import verdict_of
from moot.traces import Remark, of_kind


def message(number: int, player: str, backs: str | None) -> dict[str, object]:
    words = {"text": "So.", "solution": backs, "agree": None, "heard_by": []}
    return {"number": number, "player": player, "turn": 1, "backs": backs, **words}


def test_whoever_first_stood_behind_it_has_proposed_it() -> None:
    said = [message(1, "ann", "Paris"), message(2, "bob", "Rome"), message(3, "cat", "Paris"), message(4, "dan", None)]
    written = json.dumps({"answer": "Paris", "outcome": "answered", "turns": 1, "notes": {"messages": said}})
    cell = OldCell("discuss", None, {})
    migrated = verdict_with_traces(written, cell)
    assert migrated is not None
    assert [remark.position for remark in of_kind(verdict_of(migrated).traces, Remark)] == [1, 2, 1, None]
