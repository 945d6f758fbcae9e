"""Where a file has several sets of questions: accuracy on each, on each group of sets, and the mean over all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from second_way.compare import ANY_TEXT
from second_way.intervals import Limits, ends_interval, mean, mean_limits
from second_way.raw import Cell, Raw
from second_way.shares import Grade, Grades, accuracy_row, completed, value_of

Row = dict[str, Any]


def sets(raw: Raw) -> Mapping[str, Any]:
    names = list(dict.fromkeys(row["set"] for row in raw.questions.values() if row["set"] is not None))
    if len(names) < 2:
        return {}
    written = raw.config["questions"]
    groups = {entry["file"].removesuffix(".jsonl"): entry.get("group") for entry in written}
    figures: dict[str, list[Row]] = {"question_sets": [], "set_groups": [], "mean_over_sets": []}
    for cell in raw.cells:
        grades = {name: _on_set(raw, cell, name) for name in names}
        rows = [{"question_set": name, "group": groups[name], **accuracy_row(grades[name])} for name in names]
        figures["question_sets"] += [{**_named(cell), **row} for row in rows]
        for group in dict.fromkeys(groups[name] for name in names if groups[name] is not None):
            of_group = [row for row in rows if row["group"] == group]
            figures["set_groups"].append({**_named(cell), "group": group, **_mean(of_group, grades)})
        figures["mean_over_sets"].append({**_named(cell), **_mean(rows, grades)})
    return figures


def _named(cell: Cell) -> Row:
    row: Row = {"strategy": cell.strategy, "label": cell.label}
    if cell.player is not None:
        return {**row, "player": cell.player}
    row |= {"team": cell.team, "captain": cell.captain}
    return {**row, "cohort": cell.cohort} if cell.cohort else row


def _on_set(raw: Raw, cell: Cell, name: str) -> Grades:
    grades: dict[str, list[Grade]] = {}
    for episode in raw.episodes(cell):
        if raw.questions[episode.question]["set"] == name:
            grades.setdefault(episode.question, []).append(episode.right)
    return grades


def _mean(rows: Sequence[Row], grades: Mapping[str, Grades]) -> Row:
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
    value = mean([row["value"] for row in rows])
    (low, _), (_, high) = (mean_limits([_end(row, grades[row["question_set"]], end) for row in rows]) for end in (0, 1))
    if low is None or high is None:
        return {"value": value, "low": None, "high": None, "n": len(rows), **beside}
    return {"value": value, "low": min(value, low), "high": max(value, high), "n": len(rows), **beside}


def _end(row: Row, grades: Grades, end: int) -> tuple[float, Limits, int]:
    """A set with everything that waits at its worst (0) or at its best (1), its limits, and how many questions are graded:
    what waits is no chance, so all sets stand at that end together."""
    values = [value_of(plays) for plays in grades.values()]
    if not any(value.waits for value in values):
        return row["value"], (row["low"], row["high"]), row["n"]
    ends = completed(values)
    return mean(ends[end]), ends_interval(*ends)[end], row["n"]
