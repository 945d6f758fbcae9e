"""What a served team has to write down, while it waits for the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import Table

from moot.store import schema
from moot.store.statements import Row
from moot.types import Episode


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


Unwritten = Episode | tuple[Table, Row] | KeptCall | TryTheStore | WrittenSoFar


def tell_waiting(entries: Sequence[Unwritten | None]) -> None:
    """These are written, or given up."""
    for entry in entries:
        if isinstance(entry, WrittenSoFar):
            entry.reached.set()


@dataclass(frozen=True, slots=True)
class Batch:
    """What is written in one transaction."""

    episodes: Sequence[Episode]
    rows: Sequence[tuple[Table, Row]]
    kept: Sequence[str]
    """Keys of calls that are in the store already."""

    @classmethod
    def of(cls, entries: Sequence[Unwritten | None]) -> Batch:
        return cls(
            [entry for entry in entries if isinstance(entry, Episode)],
            [entry for entry in entries if isinstance(entry, tuple)],
            [entry.key for entry in entries if isinstance(entry, KeptCall)],
        )

    def __bool__(self) -> bool:
        return bool(self.episodes or self.rows or self.kept)

    @property
    def sizes(self) -> tuple[int, int]:
        """Answers, and other rows."""
        return len(self.episodes), len(self.others)

    @property
    def calls(self) -> list[Row]:
        return [row for table, row in self.rows if table is schema.calls]

    @property
    def others(self) -> list[Row]:
        """All rows but those that only say whose calls are whose."""
        return [row for table, row in self.rows if table is not schema.served_calls]

    @property
    def keys(self) -> set[str]:
        """Of the calls and failures."""
        return {row["key"] for row in self.others if "key" in row} | {*self.kept}
