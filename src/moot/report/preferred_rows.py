"""The rows of a short report where only preferences tell how good long answers are: what there is in place of a share right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moot.measures.numbers import NOTHING, plain
from moot.report.figures import Figures

PREFERRED = "preferred (95 % interval), to"


def with_preferred(figures: Figures) -> Figures:
    """The same, where nothing is graded and long answers were compared: each row of a team says how often it is preferred to
    the one that is told, and nothing is told of grades that no long answer has."""
    found = figures.get("preferences")
    if not found or any(row["value"] is not None for row in figures["accuracy"]):
        return figures
    options = {(row["label"], row["team"], row["captain"], row.get("cohort")): row for row in found["options"]}
    rows = []
    for row in figures["accuracy"]:
        option = options.get((row["label"], row.get("team"), row.get("captain"), row.get("cohort")))
        beside = {"ungraded": 0, "long_answers": 0, "preferred": preferred_told(option)}
        kept = {key: value for key, value in row.items() if key != "bounds"}
        rows.append({**kept, **beside, "n": option["questions"] if option else figures["questions"]})
    headline = figures.get("headline") or {}
    about = {"headline": {**headline, "of": headline["preferred"]["of"]}} if headline.get("preferred") else {}
    return {**figures, "accuracy": rows, **about}


def preferred_told(option: Mapping[str, Any] | None) -> str:
    """Nothing of a player alone, with whom others are compared."""
    if option is None or option["value"] is None:
        return NOTHING
    ends = "" if option["low"] is None else f" ({plain(option['low'])}–{plain(option['high'])})"
    return f"{plain(option['value'])} %{ends}, {option['against']}"
