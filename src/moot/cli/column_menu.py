"""The columns of a file as a menu: each has one number, from the first question about them to the last, and shows what the
first row says under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from moot.cli.choosing import name_of, one, several
from moot.cli.safe_text import say
from moot.data.tables.proposal import listed
from moot.data.tables.table import QuestionTable, table_of

LONGEST_NAME = 28
LONGEST_VALUE = 40


@dataclass(frozen=True)
class ColumnMenu:
    path: Path
    sheet: str | None = None

    @cached_property
    def table(self) -> QuestionTable:
        return table_of(self.path, self.sheet)

    @cached_property
    def _first(self) -> dict[str, str]:
        """What stands in the first row, each on one line."""
        _, values = next(iter(self.table.rows(self.table.names)), (0, {}))
        return {name: " ".join(str(value).split()) for name, value in values.items() if value is not None}

    def one(self, ways: Sequence[tuple[str, ...]], proposed: int | None) -> int:
        """Which of the ways, of which each is one column, several or none."""
        self._show(ways)
        return one("Which?", [self._places(way) for way in ways], proposed, self.table.names)

    def several(self, prompt: str, names: Sequence[str], proposed: Sequence[str]) -> tuple[str, ...]:
        self._show([(name,) for name in names])
        chosen = several(prompt, self._places(names), self._places(proposed), self.table.names)
        return tuple(self.table.names[place] for place in chosen)

    def _places(self, names: Sequence[str]) -> list[int]:
        return [self.table.names.index(name) for name in names]

    def _show(self, ways: Sequence[tuple[str, ...]]) -> None:
        numbers = [name_of(self._places(way)) for way in ways]
        titles = [listed(way) if way else "none of them" for way in ways]
        wide, long = max(map(len, numbers)), min(max(map(len, titles)), LONGEST_NAME)
        for number, title, way in zip(numbers, titles, ways, strict=True):
            value = cut(" | ".join(self._first.get(name, "") for name in way), LONGEST_VALUE)
            say(f"  {number:>{max(wide, 3)}}  {title.ljust(long)}  {value}".rstrip())


def cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
