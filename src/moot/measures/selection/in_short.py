"""The methods of `moot select` on one screen: those that chose the same team are one row, and the rest waits to be asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from moot.measures.section import Column, Section
from moot.measures.selection.figures import Row
from moot.measures.selection.sections import HowChosen, may_be_best, ungraded_word

MOST_ROWS = 5


def in_short(rows: Sequence[Row], how: HowChosen, *, taken: Mapping[str, Any] | None = None) -> Section:
    """`taken`: the row whose team is to be taken, which is always shown."""
    chosen = [row for row in rows if row["kind"] == "selector"]
    groups = _alike(chosen)
    several = len({row["k"] for row in chosen}) > 1
    shown = _telling(groups, taken)
    table_rows = [{**group[0], "method": _named(group)} for group in shown]
    columns = (
        Column("method", "method"),
        *([Column("k", "k")] if several else []),
        Column("size", "size"),
        Column("selection_accuracy", "chosen on", "share"),
        Column("test_accuracy", "test (95 % interval)", "share", "low", "high"),
        *([Column("calls", "calls", "calls")] if any(row["calls"] for row in chosen) else []),
    )
    words = how.words
    words += [ungraded_word(group[0]) for group in shown if group[0].get("ungraded")]
    words += may_be_best([row for row in chosen if taken is None or row["k"] == taken["k"]])
    left_out = len(groups) - len(shown)
    words.append(
        f"{f'{left_out} more rows, d' if left_out else 'D'}ifferences, counts, aggregators, each alone: --all."
    )
    return Section("selection", "Teams by method", tuple(dict.fromkeys(words)), columns, table_rows)


def _alike(rows: Sequence[Row]) -> list[list[Row]]:
    """Rows of one size that chose the same teams; the first of them stands for all."""
    groups: dict[tuple[int, str], list[Row]] = {}
    first = {(row["k"], row["method"]): row["same_as"] for row in rows}
    for row in rows:
        k, method = row["k"], row["method"]
        while first.get((k, method)):
            method = first[k, method]
        groups.setdefault((k, method), []).append(row)
    return list(groups.values())


def _named(group: Sequence[Row]) -> str:
    others = len(group) - 1
    return f"{group[0]['method']}{f', {others} other' if others else ''}{'s' if others > 1 else ''}"


def _telling(groups: Sequence[list[Row]], taken: Mapping[str, Any] | None) -> list[list[Row]]:
    """As many as fit, in their order: the one to take, one alone, which any team is held against, those that nobody beats,
    and the most accurate where they were chosen."""

    def weight(group: Sequence[Row]) -> tuple[bool, bool, bool, float]:
        first = group[0]
        to_take = any(row is taken for row in group)
        return to_take, first["size"] == 1, not first.get("beaten_by"), first["selection_accuracy"] or 0.0

    kept = sorted(groups, key=weight, reverse=True)[:MOST_ROWS]
    return [group for group in groups if any(group is each for each in kept)]
