"""Position bias in a terminal: both ends of the order for each strategy, in one table that fits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from moot.measures.numbers import bounds, shown
from moot.measures.section import Section
from moot.report.layout import table


def position_table(sections: Iterable[Section], width: int) -> Iterable[Table | Text]:
    """Each captain by itself and each place have tables of their own; rows without a decision are left to the page."""
    section = next(
        (section for section in sections if section.id == "position-bias" and section.terminal == "own"), None
    )
    if section is None:
        return
    decided_rows = [row for row in section.rows if row["decisions"]]
    several = any(column.key == "team" for column in section.columns)
    cells = [
        (
            f"{row['name']} ({row['team']})" if several else row["name"],
            row["place"],
            shown(row["chosen"], "share"),
            shown(row["chance"], "share"),
            _difference(row),
            shown(row["p_holm"], "p"),
            f"{row['decisions']:,}",
        )
        for row in decided_rows
    ]
    heads = ("of", "place", "chosen", "chance", "difference (interval)", "p", "n")
    yield table(heads, cells, words=2, width=width, title=section.title)
    yield from map(Text, section.words)


def _difference(row: Mapping[str, Any]) -> str:
    return f"{shown(row['difference'], 'points')} {bounds(row['low_holm'], row['high_holm'], 'points')}".rstrip()
