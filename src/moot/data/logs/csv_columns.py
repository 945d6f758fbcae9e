"""Where one model's replies stand in a table, and what else is told of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from moot.data.logs.csv_verdicts import VerdictColumn

NONE = VerdictColumn(None)


@dataclass(frozen=True, slots=True)
class ReplyColumns:
    """Where one model's replies stand, and by key what else is. `model`: a column that names it; else `called` does."""

    reply: str
    more: Mapping[str, str]
    model: str | None = None
    called: str = ""
    verdicts: VerdictColumn = NONE
    remark: str | None = None
    """Why its replies are those."""
    is_wide: bool = False
    """Whether there is a column for each model."""
    about: Mapping[str, str] = field(default_factory=dict)
    """There, what is told of its replies besides, by column with what it is called without the model."""

    def cell(self, key: str, row: Mapping[str, Any]) -> Any:
        column = self.more.get(key)
        return None if column is None else row.get(column)

    def uses(self, name: str) -> bool:
        return name in (self.reply, self.model, *self.more.values())


@dataclass(frozen=True, slots=True)
class FoundColumns:
    columns: list[ReplyColumns]
    kept: list[str]
    """Those of the question."""
    aside: tuple[str, ...] = ()
    """Those that could be a model's replies by their place, and are taken for none."""
