"""Accuracy in a terminal: every row with its interval, drawn where there is room, and its bounds where not all is graded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.table import Table
from rich.text import Text

from moot.measures.columns import at_table, names_teams, titled, unknown_words, whole_plays_words
from moot.measures.numbers import BOUNDS, MARK, WHISKER, interval, mark, over_all, per_thousand_alike, percent, whisker
from moot.measures.points_words import in_points, words_of_points, worth_title
from moot.report.figures import Figures
from moot.report.layout import GUTTER, table

LABEL = 36
"""Longer labels are wrapped rather than that the intervals are not drawn."""

Row = dict[str, Any]


def accuracy_table(figures: Figures, width: int) -> Iterable[Table | Text]:
    """The rows, and what the mark and the bounds beside them say."""
    yield _table(figures, width)
    if any(mark(row) for row in figures["accuracy"]):
        words = f"{MARK} Graded answers only; some are not graded yet. {BOUNDS}"
        yield Text(words_of_points(words) if in_points(figures) else words)
    yield from map(Text, unknown_words(figures["accuracy"], "value"))
    if any(row.get("usd_per_question") for row in figures["accuracy"]):
        teams = names_teams(figures)
        yield from map(Text, whole_plays_words(figures["accuracy"], "$/1,000", lambda row: titled(row, team=teams)))


def _table(figures: Figures, width: int) -> Table:
    """With the intervals drawn, where there is room beside the names."""
    teams = names_teams(figures)
    open_grades = any(mark(row) for row in figures["accuracy"])
    costs = per_thousand_alike(row.get("usd_per_question") for row in figures["accuracy"])
    cells = [
        [
            *of_team(row, teams=teams),
            f"{percent(row['value']):>7} {interval(row)}{mark(row) if row['value'] is not None else ''}",
            *([over_all(row)] if open_grades else []),
            str(row["n"]),
            f"{row['calls']:,}",
            cost,
        ]
        for row, cost in zip(figures["accuracy"], costs, strict=True)
    ]
    named = ["team", "strategy", "who"] if teams else ["strategy", "who"]
    heads = [
        *named,
        worth_title(figures, "right (95 % interval)"),
        *(["bounds"] if open_grades else []),
        "n",
        "all calls",
        "$/1,000",
    ]
    taken = sum(min(LABEL, max(map(len, column))) + GUTTER for column in zip(heads, *cells, strict=True))
    room = min(WHISKER, width - taken - GUTTER)
    if room >= WHISKER // 2:
        heads.insert(len(named) + 1, f"0 %{'':{room - 8}}100 %")
        for row, line in zip(figures["accuracy"], cells, strict=True):
            line.insert(len(named) + 1, whisker(row, room))
    title = f"{figures['experiment']}: {figures['questions']} questions"
    made = table(heads, cells, words=len(named), width=width, title=title)
    for column in made.columns[len(named) : -3]:
        column.justify = "left"
    return made


def of_team(row: Row, *, teams: bool) -> list[str]:
    """Strategy and who; before them the team, where there are several."""
    return [*([row.get("team") or ""] if teams else []), row["label"], at_table(row, team=teams)]
