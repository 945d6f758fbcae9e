"""A section in a terminal: its table, in as many parts as 80 columns need, and its sentences below.

Any area's sections are drawn here in one way, so an area says what it shows and never how wide a column is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from moot.measures.numbers import bounds, shown
from moot.measures.section import Column, Section
from moot.report.layout import GUTTER, wrapped

COLUMNS = 80
LONGEST = 24
"""Longer words are wrapped, so that the figures beside them are not."""


def cell(row: Mapping[str, Any], column: Column) -> str:
    """A value with its interval, where it has one."""
    value = shown(row.get(column.key), column.unit)
    low, high = (row.get(key) if key else None for key in (column.low, column.high))
    beside = bounds(low, high, column.unit)
    return f"{value} {beside}" if beside else value


def section_tables(section: Section, width: int = COLUMNS) -> Iterator[Table]:
    """The section's table. What does not fit beside goes into another one with the same first columns."""
    texts = {column.key: [cell(row, column) for row in section.rows] for column in section.columns}
    worded = [column for column in section.columns if in_words(section.rows, column)]
    names = [column for column, first in zip(section.columns, worded, strict=False) if column is first]
    figures = [column for column in section.columns if column not in names]
    for column in worded:
        texts[column.key] = [wrapped(text, LONGEST) for text in texts[column.key]]
    taken = sum(_width(column, texts) for column in names)
    for part in _parts(figures, texts, width - taken):
        table = Table(box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
        for column in (*names, *part):
            left = column in worded
            table.add_column(column.title, justify="left" if left else "right", no_wrap=False, overflow="fold")
            table.columns[-1].min_width = _width(column, texts) - GUTTER
            table.columns[-1].max_width = _width(column, texts) - GUTTER
        for number in range(len(section.rows)):
            table.add_row(*(texts[column.key][number] for column in (*names, *part)))
        yield table


def section_parts(section: Section, width: int = COLUMNS) -> Iterator[Table | Text]:
    """Title, table and sentences, in the order to print them."""
    yield Text(section.title, style="italic")
    if section.rows:
        yield from section_tables(section, width)
    for sentence in section.words:
        yield Text(sentence)


def in_words(rows: Sequence[Mapping[str, Any]], column: Column) -> bool:
    values = [row.get(column.key) for row in rows]
    return column.unit == "" and any(isinstance(value, str) for value in values)


def _parts(figures: Sequence[Column], texts: Mapping[str, Sequence[str]], room: int) -> list[list[Column]]:
    parts: list[list[Column]] = [[]]
    left = room
    for column in figures:
        needed = _width(column, texts)
        if parts[-1] and needed > left:
            parts.append([])
            left = room
        parts[-1].append(column)
        left -= needed
    return parts


def _width(column: Column, texts: Mapping[str, Sequence[str]]) -> int:
    """Titles fold at spaces, figures do not; words fold where they are long."""
    title = max((cell_len(word) for word in column.title.split()), default=0)
    longest = max((cell_len(line) for text in texts[column.key] for line in text.splitlines()), default=0)
    return max(title, longest if column.unit else min(longest, LONGEST)) + GUTTER
