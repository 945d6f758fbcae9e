"""What a served team has to write down, while it waits for the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Table

from moot.stats.counted_words import count
from moot.store import schema
from moot.store.statements import Row
from moot.types import Episode


@dataclass(frozen=True, slots=True)
class UnwrittenEpisode:
    """With what is kept beside it. The same words may be asked again while it is being written: what belongs to one asking
    stands with it, and not under the words."""

    episode: Episode
    asker: str | None = None
    told: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UnwrittenRow:
    table: Table
    row: Row
    of_question: bool = False
    """A call or failure that is only kept as long as a question it is for is not forgotten."""


@dataclass(frozen=True, slots=True)
class KeptCall:
    """A call that is in the store already: it is forgotten if its question was, while it was under way."""

    key: str


@dataclass(frozen=True, slots=True)
class TryTheStore:
    """Nothing to be written: the writer is to find out when the store takes something again."""


@dataclass(frozen=True, slots=True, eq=False)
class WrittenSoFar:
    """Nothing to be written: whoever waits for it knows that all before it is."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)


Unwritten = UnwrittenEpisode | UnwrittenRow | KeptCall | TryTheStore | WrittenSoFar


def tell_waiting(entries: Sequence[Unwritten | None]) -> None:
    """These are written, or given up."""
    for entry in entries:
        if isinstance(entry, WrittenSoFar):
            entry.reached.set()


@dataclass(frozen=True, slots=True)
class Batch:
    """What is written in one transaction."""

    episodes: Sequence[UnwrittenEpisode]
    rows: Sequence[tuple[Table, Row]]
    of_questions: frozenset[str]
    """Keys of calls and failures among the rows, which go with the questions they are for."""
    kept: Sequence[str]
    """Keys of calls that are in the store already."""

    @classmethod
    def of(cls, entries: Sequence[Unwritten | None]) -> Batch:
        rows = [entry for entry in entries if isinstance(entry, UnwrittenRow)]
        return cls(
            [entry for entry in entries if isinstance(entry, UnwrittenEpisode)],
            [(entry.table, entry.row) for entry in rows],
            frozenset(entry.row["key"] for entry in rows if entry.of_question),
            [entry.key for entry in entries if isinstance(entry, KeptCall)],
        )

    def __bool__(self) -> bool:
        return bool(self.episodes or self.rows or self.kept)

    @property
    def in_words(self) -> str:
        """``2 answers and 1 other row``; empty where it holds neither, but only what says whose calls are whose."""
        counted = ((len(self.episodes), "answer"), (len(self.others), "other row"))
        return " and ".join(count(number, name) for number, name in counted if number)

    @property
    def calls(self) -> list[Row]:
        return [row for table, row in self.rows if table is schema.calls]

    @property
    def others(self) -> list[Row]:
        """All rows but those that only say whose calls are whose."""
        return [row for table, row in self.rows if table is not schema.served_calls]
