"""Where a file has several sets of questions: accuracy on each, on each group of sets, and the mean over all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from second_way.compare import ANY_TEXT
from second_way.intervals import mean, mean_limits
from second_way.raw import Cell, Raw
from second_way.shares import Grade, accuracy_row

Row = dict[str, Any]


def sets(raw: Raw) -> Mapping[str, Any]:
    names = list(dict.fromkeys(row["set"] for row in raw.questions.values() if row["set"] is not None))
    if len(names) < 2:
        return {}
    written = raw.config["questions"]
    groups = {entry["file"].removesuffix(".jsonl"): entry.get("group") for entry in written}
    figures: dict[str, list[Row]] = {"question_sets": [], "set_groups": [], "mean_over_sets": []}
    for cell in raw.cells:
        rows = [{"question_set": name, "group": groups[name], **_on_set(raw, cell, name)} for name in names]
        figures["question_sets"] += [{**_named(cell), **row} for row in rows]
        for group in dict.fromkeys(groups[name] for name in names if groups[name] is not None):
            of_group = [row for row in rows if row["group"] == group]
            figures["set_groups"].append({**_named(cell), "group": group, **_mean(of_group)})
        figures["mean_over_sets"].append({**_named(cell), **_mean(rows)})
    return figures


def _named(cell: Cell) -> Row:
    row: Row = {"strategy": cell.strategy, "label": cell.label}
    if cell.player is not None:
        return {**row, "player": cell.player}
    row |= {"team": cell.team, "captain": cell.captain}
    return {**row, "cohort": cell.cohort} if cell.cohort else row


def _on_set(raw: Raw, cell: Cell, name: str) -> Row:
    grades: dict[str, list[Grade]] = {}
    for episode in raw.episodes(cell):
        if raw.questions[episode.question]["set"] == name:
            grades.setdefault(episode.question, []).append(episode.right)
    return accuracy_row(grades)


def _mean(rows: Sequence[Row]) -> Row:
    """Each set counts alike; one of which nothing is graded leaves none."""
    beside: Row = {}
    if any("bounds" in row for row in rows):
        beside["ungraded"] = sum(row.get("ungraded", 0) for row in rows)
        beside["bounds"] = {
            side: mean([row["bounds"][side] if "bounds" in row else row["value"] for row in rows])
            for side in ("low", "high")
        }
    if any(row["value"] is None for row in rows):
        return {"value": None, "low": None, "high": None, "n": 0, **beside, "why": ANY_TEXT}
    low, high = mean_limits([(row["value"], (row["low"], row["high"]), row.get("clusters", row["n"])) for row in rows])
    return {"value": mean([row["value"] for row in rows]), "low": low, "high": high, "n": len(rows), **beside}
