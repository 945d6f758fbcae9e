"""The report in a terminal: one table, and a plain word about what it can and cannot say."""

from __future__ import annotations

from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table
from rich.text import Text

from moot.report.figures import Figures

WHISKER = 20
"""Characters of the drawn interval."""

SMALL = 30
"""Fewer questions than this prove next to nothing, and the report says so."""


def print_report(figures: Figures, console: Console) -> None:
    console.print(_accuracy_table(figures))
    for line in remarks(figures):
        console.print(Text(line, style="dim"))


def _accuracy_table(figures: Figures) -> Table:
    rows = figures["accuracy"]
    troubled = any(_without_answer(row) for row in rows)
    table = Table(
        title=f"{figures['experiment']}: {figures['questions']} questions",
        title_justify="left",
        box=SIMPLE,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column("strategy", no_wrap=True)
    table.add_column("who", no_wrap=True)
    table.add_column("right (95 % interval)", no_wrap=True)
    table.add_column(f"0 %{'':{WHISKER - 8}}100 %", no_wrap=True, style="cyan")
    table.add_column("n", justify="right", no_wrap=True)
    table.add_column("calls", justify="right", no_wrap=True)
    table.add_column("cost", justify="right", no_wrap=True)
    if troubled:
        table.add_column("not answered")
    for row in rows:
        cells = [
            row["label"],
            row.get("player") or row.get("captain") or row.get("team") or "",
            f"{percent(row['value']):>7} {interval(row)}",
            whisker(row),
            str(row["n"]),
            f"{row['calls']:,}",
            money(row["cost_usd"]),
        ]
        table.add_row(*cells, *([_without_answer(row)] if troubled else []))
    return table


def remarks(figures: Figures) -> list[str]:
    lines = []
    if figures["simulated"]:
        lines.append(f"Simulated, not real: {', '.join(figures['simulated'])}.")
    if 0 < figures["questions"] < SMALL:
        lines.append(f"{figures['questions']} questions prove nothing: look at the width of the intervals.")
    missing = sum(row["missing"] for row in figures["accuracy"])
    if missing:
        lines.append(f"{missing} episodes are not played yet: run the file again to go on.")
    lines += [
        f"{failure['model']}: {failure['times']} calls failed ({failure['kind']}: {failure['message']})"
        for failure in figures["failures"]
    ]
    return lines


def percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def interval(row: dict[str, Any]) -> str:
    return "" if row["low"] is None else f"({100 * row['low']:.1f}–{100 * row['high']:.1f})"


def whisker(row: dict[str, Any], width: int = WHISKER) -> str:
    """The interval drawn on a line from 0 to 100 %."""
    if row["low"] is None:
        return ""
    low, value, high = (round(row[key] * (width - 1)) for key in ("low", "value", "high"))
    line = ["·"] * width
    line[low : high + 1] = "─" * (high - low + 1)
    line[value] = "●"
    return "".join(line)


def money(usd: float | None) -> str:
    if usd is None:
        return "unknown"
    return "$0" if usd == 0 else f"${usd:.4f}" if usd < 1 else f"${usd:,.2f}"


def _without_answer(row: dict[str, Any]) -> str:
    """Every ending but an answer, by name: nothing hides in a smaller n."""
    named = [f"{count} {outcome}" for outcome, count in sorted(row["outcomes"].items()) if outcome != "answered"]
    named += [f"{row['missing']} not played"] if row["missing"] else []
    return ", ".join(named)
