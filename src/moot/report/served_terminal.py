"""A served team on one screen: what is graded first, how right that was, whether it is still what was measured, and by day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from moot.measures.numbers import per_thousand_alike, rounded
from moot.measures.served.sections import flat
from moot.measures.served.words import (
    drift_words,
    opening_words,
    plans_words,
    preference_words,
    took_words,
    trouble_words,
    visitors_words,
)
from moot.pasted import pasted
from moot.report.ending import height, screen_lines
from moot.report.layout import table
from moot.report.next_commands import NextCommands
from moot.stats.counted_words import count
from moot.stats.written_numbers import of_hundred

Row = Mapping[str, Any]
MOST_ROWS = 7


def print_served(name: str, served: Row, console: Console, following: NextCommands) -> None:
    """At most a screen: days give way first, from the earliest, then who was asked least, then who was absent; all of them are
    on the page."""
    words = [Text(sentence) for sentence in opening_words(served)]
    title = Text(f"{name}: {count(served['asked'], 'question')}", style="italic")
    if not served["asked"]:
        for line in (*words, *map(Text, visitors_words(served)), title):
            console.print(line)
        return
    words += [Text(served["alert"], style="bold red")] if served["alert"] else []
    words += [Text(sentence) for sentence in (*drift_words(served), *preference_words(served))]
    command = Text.assemble(
        (f"moot report {following.source} -o {pasted(following.page)}", "bold"), ("  the page", "dim")
    )
    for shown_of in _LESS_AND_LESS:
        troubles = trouble_words(served, shown_of.absent)
        below = " ".join((took_words(served), *troubles, *visitors_words(served), *plans_words(served)))
        fixed = [*words, Text(below), title]
        room = screen_lines(console) - sum(height(part, console) for part in (*fixed, command))
        parts = _tables(served, console, room, shown_of)
        if sum(height(part, console) for part in parts) <= room:
            break
    for line in fixed:
        console.print(line)
    for part in parts:
        console.print(part)
    console.print(command, soft_wrap=True)


@dataclass(frozen=True, slots=True)
class _AtLeast:
    """How much there is at the least, of what gives way."""

    days: int
    teams: int
    absent: int


_LESS_AND_LESS = (_AtLeast(3, 2, 3), _AtLeast(2, 2, 1), _AtLeast(2, 0, 1), _AtLeast(0, 0, 1))


def _tables(served: Row, console: Console, room: int, least: _AtLeast) -> list[Table | Text]:
    """As many rows of both as there is room for."""
    days, teams = min(MOST_ROWS, len(served["by_day"])), min(MOST_ROWS, len(served["by_team"]))
    while True:
        parts = _both(served, console, days, teams)
        if sum(height(part, console) for part in parts) <= room or (days <= least.days and teams <= least.teams):
            return parts
        if days > least.days and (days >= teams or teams <= least.teams):
            days -= 1
        else:
            teams -= 1


def _both(served: Row, console: Console, days: int, teams: int) -> list[Table | Text]:
    """One table, whose columns stand below each other: who answered, where there are several, and then the days."""
    by_day, by_team = (
        served["by_day"][len(served["by_day"]) - days :],
        served["by_team"][:teams] if len(served["by_team"]) > 1 else [],
    )
    named = [(row["name"], row) for row in by_team] + [(row["name"], row) for row in by_day]
    unit = "day" if served["days_each"] == 1 else "week"
    made = _table("who, day" if by_team else unit, named, console.width)
    if by_team and by_day:
        made.rows[len(by_team) - 1].end_section = True
    hidden = []
    if left := len(served["by_day"]) - len(by_day):
        hidden.append(count(left, f"earlier {unit}" if by_day else unit))
    if (left := len(served["by_team"]) - len(by_team)) and len(served["by_team"]) > 1:
        hidden.append(f"{left:,} who answered")
    words = [Text(f"Not shown: {', '.join(hidden)} (-o, --json).", style="dim")] if hidden else []
    return [*([made] if named else []), *words]


def _table(head: str, named: Sequence[tuple[str, Row]], width: int) -> Table:
    """Without columns in which nobody has anything."""
    every = [row for _, row in named]
    graded = any(row["graded"]["n"] for row in every)
    agreed = any(row["agreement"]["n"] for row in every)
    priced = any(row["cost"]["usd_per_1000"] for row in every)
    failed = any(row["outcomes"].get("failed") for row in every)
    heads = [head, "asked", *(["graded", "% right"] if graded else []), *(["% agree"] if agreed else [])]
    heads += [*(["failed"] if failed else []), "seconds", *(["$/1,000"] if priced else [])]
    cells = []
    ones = [flat(row) for _, row in named]
    for (name, row), one, cost in zip(named, ones, per_thousand_alike(one["usd"] for one in ones), strict=True):
        line = [name, f"{row['asked']:,}"]
        line += [f"{row['graded']['n']:,}", _share(row["accuracy"])] if graded else []
        line += [_share(row["agreement"])] if agreed else []
        line += [f"{one['failed']:,}"] if failed else []
        line += [f"{rounded(one['median_s'], 1)}, {rounded(one['p95_s'], 1)}"]
        cells.append([*line, *([cost] if priced else [])])
    made = table(heads, cells, words=1, width=width)
    made.show_edge = False
    return made


def _share(row: Row) -> str:
    """With its interval in whole points; between what it lies where no more is known; nothing where nothing is."""
    if row["value"] is not None:
        beside = "" if row["low"] is None else f" ({_whole(row['low'])}–{_whole(row['high'])})"
        return f"{_whole(row['value'])}{beside}"
    if row["n"] and (ends := row.get("bounds")):
        return f"{_whole(ends['low'])} to {_whole(ends['high'])}"
    return ""


def _whole(share: float) -> str:
    return of_hundred(share, 0)
