"""The report in a terminal: one table, and a plain word about what it can and cannot say."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from moot.report.figures import Figures

SMALL = 30
"""Fewer questions than this prove next to nothing, and the report says so."""


def print_report(figures: Figures, console: Console) -> None:
    console.print(_accuracy_table(figures))
    for line in remarks(figures):
        console.print(Text(line, style="dim"))


def _accuracy_table(figures: Figures) -> Table:
    table = Table(title=f"{figures['experiment']}: {figures['questions']} questions", title_justify="left")
    table.add_column("strategy")
    table.add_column("who")
    table.add_column("right", justify="right")
    table.add_column("95 % interval", justify="right")
    table.add_column("", no_wrap=True)
    table.add_column("n", justify="right")
    table.add_column("not answered", justify="right")
    table.add_column("calls", justify="right")
    table.add_column("cost", justify="right")
    for row in figures["accuracy"]:
        table.add_row(
            row["label"],
            row.get("player") or row.get("team") or "",
            percent(row["value"]),
            interval(row),
            whisker(row),
            str(row["n"]),
            _without_answer(row["outcomes"], row["missing"]),
            f"{row['calls']:,}",
            money(row["cost_usd"]),
        )
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
    return "–" if row["low"] is None else f"{100 * row['low']:.1f}–{100 * row['high']:.1f}"


def whisker(row: dict[str, Any], width: int = 24) -> str:
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


def _without_answer(outcomes: dict[str, int], missing: int) -> str:
    """Every ending but an answer, by name: nothing hides in a smaller n."""
    named = [f"{count} {outcome}" for outcome, count in sorted(outcomes.items()) if outcome != "answered"]
    named += [f"{missing} not played"] if missing else []
    return ", ".join(named) or "0"
