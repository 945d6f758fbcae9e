"""Which of several rows is the highest, if that can be said of any."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
EQUAL = 9
"""Digits by which two shares are the same."""


def top_row(rows: Sequence[Row], named: Collection[str] = ()) -> Row | None:
    """The highest, where all have played the same number of questions, all of them, and no grade that is awaited or disputed
    could make another one higher; of whom every play failed is none of them. `named`: whom the verdict names. Of equals it is
    one of these, so that both name the same."""
    rows = [row for row in rows if not none_came(row)]
    plays = {sum(row["outcomes"].values()) for row in rows}
    if len(plays) != 1 or any(row["value"] is None or row["missing"] for row in rows):
        return None
    top = max(
        rows,
        key=lambda row: (round(_ends(row)[0], EQUAL), not {row.get("player"), row.get("captain")}.isdisjoint(named)),
    )
    settled = all(_ends(top)[0] >= _ends(row)[1] - 10.0**-EQUAL for row in rows if row is not top)
    return top if settled else None


def none_came(row: Row) -> bool:
    """Whether every play of it failed, which says nothing about how good it is."""
    return set(row["outcomes"]) == {"failed"}


def _ends(row: Row) -> tuple[float, float]:
    """The least and the most that it can come to once all is graded."""
    bounds = row.get("bounds") or {"low": row["value"], "high": row["value"]}
    return float(bounds["low"]), float(bounds["high"])
