"""Plays that went on without somebody who could not be reached: when these are too many for an interval."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from moot.measures.cells import Stored
from moot.measures.source import Source
from moot.stats.graded import FEW_WAITING

PlayOfQuestion = tuple[str, bool]
"""The question, and whether it went on without somebody."""


def too_many_without(source: Source, cells: Iterable[Stored], asked: Collection[str] | None = None) -> bool:
    """Whether somebody could not be reached in more than a few of all plays of these. `asked`: only on these questions."""
    plays = [
        lacks for cell in cells for question, lacks in plays_of(source, cell) if asked is None or question in asked
    ]
    return too_many(sum(plays), len(plays))


def too_many(without: int, plays: int) -> bool:
    return without > FEW_WAITING * plays


def plays_of(source: Source, cell: Stored) -> Iterator[PlayOfQuestion]:
    """All of a cell's. Nobody plays again what was asked of a served team."""
    return ((episode.key[0], bool(episode.unreached)) for episode in ([] if source.served else source.seen(cell)))


def labels_withheld(source: Source, players: Collection[str]) -> dict[str, Any]:
    """Why nothing may be claimed of what these said alone: whether the slowest is missing, and who could not be reached."""
    alone = [cell for cell in source.cells if cell["player"] in players]
    unreached = {str(cell["player"]) for cell in alone if too_many_without(source, [cell])}
    return {"cut_short": source.cut_short, "unreached": tuple(sorted(unreached))}
