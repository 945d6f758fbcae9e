"""A section: what one part of a report shows, said once for the terminal, the page and the exported tables.

Every area (the quiz team, safety, discussion, selection) turns its part of the figures into sections. A view draws
them in its own way; none of them computes anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Unit = Literal["", "share", "points", "usd", "usd-per-question", "calls", "tokens", "seconds", "ratio", "number", "p"]
"""`share`: 0 to 1, shown in per cent. `points`: a difference of shares, shown in percentage points. `number`: with two
decimals, whole or not, so that a value and its interval are written alike. `usd-per-question`: shown as dollars for 1,000."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a section's table. `low` and `high` name the keys of its interval, shown beside the value."""

    key: str
    title: str
    unit: Unit = ""
    low: str | None = None
    high: str | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """How the rows are drawn, by the keys of the columns they come from.

    `dots`: a label with a value and its whisker. `lines`: y over x, one line a series. `bars`: a label with a value,
    side by side by series. `scatter`: points with a label. `panel`: one drawing for each value of this key, on one scale.
    """

    kind: Literal["dots", "lines", "bars", "scatter"]
    x: str
    y: str
    label: str | None = None
    series: str | None = None
    panel: str | None = None
    weight: str | None = None
    """The key of how many stand behind a point: its mark is the larger, the more there are."""
    band: tuple[str, str] | None = None
    """Of `dots`: the keys of the ends of a band behind them, the same in all rows of a drawing."""
    equal: bool = False
    """Two shares that should be equal: both axes from 0 to 1, and the line drawn on which they are."""


BESIDE_THE_OTHERS = 500
InTerminal = Literal["table", "own"]
"""How a terminal shows a section: as a table, or in a way of its own."""


@dataclass(frozen=True, slots=True)
class Section:
    id: str
    """As in a link: ``safety-multiple``. Each in a report has another."""
    title: str
    words: tuple[str, ...]
    """What the table says, in sentences; warnings about small numbers belong here."""
    columns: tuple[Column, ...]
    rows: Sequence[Mapping[str, Any]]
    """Values by column key; None where there is none, never NaN."""
    chart: Chart | None = None
    place: int = BESIDE_THE_OTHERS
    """Where it stands among the sections of a report: the lower, the earlier."""
    terminal: InTerminal = "table"
