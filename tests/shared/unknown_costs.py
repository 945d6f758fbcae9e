"""Where a row withholds what a question takes, since too many of its plays lack a call, nothing else of a report may tell it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Row = Mapping[str, Any]
WHO = ("label", "team", "captain", "player", "cohort")
TAKEN = (
    *("calls_per_question", "usd_per_question", "calls_against", "usd_against", "cost"),
    *("cost_ratio", "calls_ratio", "tokens_ratio"),
)
"""What a question takes, and how many times as much."""


def unknown_rows(figures: Row) -> list[Row]:
    return [row for row in figures["accuracy"] if row["calls_per_question"] is None and row.get("cost_n") == 0]


def told_of_unknown_cost(figures: Row) -> list[str]:
    """Ratios, and costs beside others, of whatever nobody knows the cost of."""
    if not (unknown := unknown_rows(figures)):
        return []
    told = list(_told(figures, "", figures["accuracy"], unknown))
    headline = figures.get("headline") or {}
    single = (headline.get("over_best_single") or {}).get("single")
    alone = [row for row in figures["accuracy"] if row.get("player") == single]
    if alone and all(row in unknown for row in alone) and headline["cost_ratio"] is not None:
        told.append(f".headline.cost_ratio, beside {single}")
    return told


def _told(value: Any, place: str, rows: list[Row], unknown: list[Row]) -> Iterator[str]:
    if isinstance(value, Mapping):
        if any(value.get(key) is not None for key in TAKEN) and _of_unknown(value, rows, unknown):
            yield f"{place}: { ({key: value[key] for key in TAKEN if value.get(key) is not None}) }"
        for key, each in value.items():
            yield from _told(each, f"{place}.{key}", rows, unknown)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _told(each, f"{place}[{number}]", rows, unknown)


def _of_unknown(value: Row, rows: list[Row], unknown: list[Row]) -> bool:
    """By the title of either side, or by whom the row names: then all that it may mean have to be unknown."""
    titles = {title for row in unknown for title in _titles(row)}
    if any(value.get(key) in titles for key in ("of", "against")):
        return True
    named = {key: value[key] for key in WHO if key in value}
    meant = [row for row in rows if all(row.get(key) == who for key, who in named.items())] if "label" in named else []
    return bool(meant) and all(row in unknown for row in meant)


def _titles(row: Row) -> Iterator[str]:
    seat = row.get("player") or row.get("captain")
    title = f"{row['label']}@{seat}" if seat else str(row["label"])
    title += f"/{row['cohort']}" if row.get("cohort") else ""
    yield from (title, f"{row.get('team')}/{title}")
