"""Two runs in a terminal, in short: the verdict on each, then how they differ. The rest is behind `--all`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from moot.measures.claims.words import spare_sentences
from moot.measures.section import Section
from moot.report.ending import height, verdict_parts
from moot.report.section_terminal import section_parts
from moot.report.side_by_side import side_by_side_sections
from moot.stats.counted_words import count

VerdictParts = list[Text | Table]

LINES = 40
LINES_EACH = 12
"""Of the verdict on one run and the rows that it is about."""
LEAST_ROWS = 3
"""So many rows of the comparison are shown, however long the verdicts are."""


def print_two_runs(comparison: Mapping[str, Any], console: Console) -> None:
    """About `LINES` lines, on a smaller screen as few as there can be: of the comparison as many rows as there is room for, and
    of the verdicts only what they cannot be read without."""
    lines = min(LINES, console.height - 1) if console.is_terminal else LINES
    verdicts = [
        verdict_parts(
            dict(figures), console, lines=lines * LINES_EACH // LINES, rest="--all", in_words=True, named=False
        )
        for figures in comparison["runs"]
    ]
    (section,) = side_by_side_sections(comparison, named=False)
    spare = [sentence for figures in comparison["runs"] for sentence in spare_sentences(figures.get("headline") or {})]
    for dropped in range(len(spare) + 1):
        parts = _verdicts_of_both(comparison, [_without(verdict, spare[:dropped]) for verdict in verdicts])
        room = lines - sum(height(part, console) for part in parts)
        below = _within(section, room, console)
        if sum(height(part, console) for part in below) <= room:
            break
    for part in (*parts, *below):
        console.print(part)


def _verdicts_of_both(comparison: Mapping[str, Any], verdicts: Sequence[VerdictParts]) -> VerdictParts:
    both = _in_both(*verdicts)
    parts: VerdictParts = []
    for place, figures, verdict in zip(("First", "Second"), comparison["runs"], verdicts, strict=True):
        size = count(figures["questions"], "question")
        parts.append(Text(f"{place} run: {figures['experiment']}, {size}", style="bold"))
        parts += _without(verdict, both)
    return [*parts, *([Text.assemble(("Both runs: ", "bold"), " ".join(both))] if both else [])]


def _without(parts: VerdictParts, sentences: Collection[str]) -> VerdictParts:
    return [part for part in parts if not isinstance(part, Text) or part.plain not in sentences]


def _in_both(first: VerdictParts, second: VerdictParts) -> list[str]:
    """What is said of one as of the other, word for word: a screen has room for it once."""
    also = {part.plain for part in second if isinstance(part, Text)}
    return [part.plain for part in first if isinstance(part, Text) and part.plain in also]


def _within(section: Section, room: int, console: Console) -> list[Text | Table]:
    parts: list[Text | Table] = []
    for rows in range(len(section.rows), -1, -1):
        parts = list(section_parts(_in_short(section, rows), console.width))
        for part in parts:
            if isinstance(part, Table):
                part.show_edge = False  # no blank line above and below
        parts.append(Text(_rest_words(section, rows), style="dim"))
        if rows <= LEAST_ROWS or sum(height(part, console) for part in parts) <= room:
            break
    return parts


def _in_short(section: Section, most: int) -> Section:
    """So many rows, those with the lowest p, in their order. Which are small stands beside n: one table of 80 columns."""
    kept = [section.rows[place] for place in sorted(_by_p(section)[:most])]
    rows = [{**row, "n": f"{row['n']:,} small"} if row["small"] else row for row in kept]
    columns = tuple(column for column in section.columns if column.key != "small")
    return replace(section, rows=rows, columns=columns)


def _rest_words(section: Section, shown: int) -> str:
    if not (left := len(section.rows) - shown):
        return "Every table of both runs: --all."
    none = ", none with a lower p" if all(row["p"] is not None for row in section.rows) else ""
    return f"{count(left, 'more row')}{none}, and every table of both runs: --all."


def _by_p(section: Section) -> list[int]:
    return sorted(range(len(section.rows)), key=lambda place: _p(section.rows[place]))


def _p(row: Mapping[str, Any]) -> float:
    return 2.0 if row["p"] is None else float(row["p"])
