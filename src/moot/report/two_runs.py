"""Two runs in a terminal, in short: the verdict on each, then how they differ. The rest is behind `--all`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from moot.measures.section import Section
from moot.report.ending import height, verdict_parts
from moot.report.section_terminal import section_parts
from moot.report.side_by_side import side_by_side_sections
from moot.stats.counted_words import count

LINES = 40
LINES_EACH = 12
"""Of the verdict on one run and the rows that it is about."""
LEAST_ROWS = 3
"""So many rows of the comparison are shown, however long the verdicts are."""


def print_two_runs(comparison: Mapping[str, Any], console: Console) -> None:
    """About `LINES` lines, on a smaller screen as few as there can be; of the comparison as many rows as there is room for."""
    parts: list[Text | Table] = []
    lines = min(LINES, console.height - 1) if console.is_terminal else LINES
    for place, figures in zip(("First", "Second"), comparison["runs"], strict=True):
        size = count(figures["questions"], "question")
        parts.append(Text(f"{place} run: {figures['experiment']}, {size}", style="bold"))
        parts += verdict_parts(
            dict(figures), console, lines=lines * LINES_EACH // LINES, rest="--all", in_words=True, named=False
        )
    room = lines - 1 - sum(height(part, console) for part in parts)
    (section,) = side_by_side_sections(comparison, named=False)
    for part in (*parts, *_within(section, room, console)):
        console.print(part)
    console.print(Text("Every table of both runs: --all.", style="dim"))


def _within(section: Section, room: int, console: Console) -> list[Text | Table]:
    parts: list[Text | Table] = []
    for rows in range(len(section.rows), -1, -1):
        parts = list(section_parts(_in_short(section, rows), console.width))
        for part in parts:
            if isinstance(part, Table):
                part.show_edge = False  # no blank line above and below
        if rows <= LEAST_ROWS or sum(height(part, console) for part in parts) <= room:
            break
    return parts


def _in_short(section: Section, most: int) -> Section:
    """So many rows, those with the lowest p, in their order. Which are small stands beside n: one table of 80 columns."""
    by_p = sorted(range(len(section.rows)), key=lambda place: _p(section.rows[place]))
    kept = [section.rows[place] for place in sorted(by_p[:most])]
    left = [section.rows[place] for place in by_p[most:]]
    none = ", none with a lower p" if left and all(row["p"] is not None for row in section.rows) else ""
    rest = [f"{count(len(left), 'more row')}{none} (--all)."] if left else []
    rows = [{**row, "n": f"{row['n']:,} small"} if row["small"] else row for row in kept]
    columns = tuple(column for column in section.columns if column.key != "small")
    return replace(section, rows=rows, columns=columns, words=(*section.words, *rest))


def _p(row: Mapping[str, Any]) -> float:
    return 2.0 if row["p"] is None else float(row["p"])
