"""Questions that were played and are in the file no more: whatever stands beside these words is about those that were left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def taken_out_words(many: int) -> str:
    were = "question that was" if many == 1 else "questions that were"
    return f"{many:,} {were} played under this name before {'is' if many == 1 else 'are'} not among these"


def taken_out_sentences(row: Mapping[str, Any]) -> list[str]:
    """Of a headline, whatever it says."""
    if not (out := row.get("taken_out")):
        return []
    chosen = "if the results decided which were left out, no interval here allows for that"
    return [f"{taken_out_words(out)}: {chosen}."]
