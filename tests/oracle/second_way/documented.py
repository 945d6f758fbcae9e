"""Which keys of a report stand in the documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[3] / "docs"
ENDINGS = ("_low_holm", "_high_holm", "_p_holm", "_low", "_high", "_p", "_n", "_count", "_difference", "_bounds")
"""What docs/report.md says once of all figures that stand beside others in a row."""
NAMED_BY_USERS = (
    "options",
    "outcomes",
    "endings",
    "apart",
    "accuracies",
    "best",
    "undeclared_prompts",
    "missing_drafts",
    "not_applied",
    "asked",
    "weights",
    "then",
)
"""Under these the keys are names of something: options, outcomes, players."""


def undocumented(figures: Any) -> set[str]:
    """Keys at any depth that no page has in its code spans."""
    return {key for key in set(_keys(figures)) if not _told(key)}


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, below in value.items():
            yield key
            if key not in NAMED_BY_USERS:
                yield from _keys(below)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)


def _told(key: str) -> bool:
    stems = [key.removesuffix(ending) for ending in ENDINGS if key.endswith(ending)]
    return key in _spans() or any(stem in _spans() for stem in stems)


@cache
def _spans() -> frozenset[str]:
    text = "".join(
        (DOCS / f"{name}.md").read_text(encoding="utf-8")
        for name in ("report", "served", "safety", "discuss", "select", "advise")
    )
    return frozenset(re.findall(r"`([A-Za-z_0-9-]+)`", text))
