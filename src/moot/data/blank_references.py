"""Rows whose reference is missing: told all at once, or left out and counted where the file says so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from moot.data.case import MissingReference
from moot.stats.counted_words import count
from moot.types import Question

MOST_LISTED = 20
"""Lines that a message names."""
WAY_OUT = "skip_blank: true under questions leaves such rows out"


def listed_lines(found: Iterable[int]) -> str:
    lines = sorted(found)
    more = f" and {len(lines) - MOST_LISTED} more" if len(lines) > MOST_LISTED else ""
    return ", ".join(map(str, lines[:MOST_LISTED])) + more


@dataclass(slots=True)
class BlankReferences:
    """What a file of questions has of them. Nothing is left out unless `skip` says so."""

    skip: bool = False
    found: set[int] = field(default_factory=set)
    """Their lines; a file may be read more than once."""
    column: str = "answer"
    any_open: bool = False
    asked: dict[int, Question] = field(default_factory=dict)
    """By line what they ask."""

    def see(self, error: MissingReference, line: int, column: str) -> None:
        self.found.add(line)
        self.column = column
        self.any_open |= error.is_open
        if error.question is not None:
            self.asked[line] = error.question

    def check(self, path: Path) -> None:
        """At the end of the file."""
        if self.found and not self.skip:
            more = f" in {len(self.found)} rows: {self.lines}" if len(self.found) > 1 else ""
            raise MissingReference(
                file=path,
                line=min(self.found),
                key=self.column,
                is_open=self.any_open,
                lines=self.found,
                more=more,
                way_out=WAY_OUT,
            )

    @property
    def lines(self) -> str:
        return listed_lines(self.found)

    def note(self, path: Path) -> tuple[str, ...]:
        """What is left out, for whoever plays the rest."""
        if not self.found:
            return ()
        rows = count(len(self.found), "row")
        left_out = "is left out: it has" if len(self.found) == 1 else "are left out: they have"
        return (f"{path.name}: {rows} {left_out} no reference (line {self.lines})",)
