"""What a report's own figures must say of each other, where they are drawn at random or are words: exact properties."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from second_way.claims import check_words
from second_way.intervals import ALPHA, holm
from second_way.raw import Raw

Figures = Mapping[str, Any]


def properties(raw: Raw, figures: Figures) -> Iterator[str]:
    if "headline" in figures:
        yield from (f"headline: {wrong}" for wrong in check_words(raw, figures["headline"]))
    yield from _places(figures)
    for place, row in _rows(figures):
        yield from _agree(place, row)
        yield from _unadjusted(place, row)


def unplanned(figures: Figures, planned: Mapping[str, Any]) -> Iterator[str]:
    """Families that a report corrects for, and `moot plan` does not know of, or knows to be smaller.

    Of a primary that is declared too late no plan can know: it counts on the file's being played as it stands.
    """
    sizes = {family["family"]: family["comparisons"] for family in planned["families"]}
    beaten = next((family["players"] for family in planned["families"] if family["family"] == "headline"), 0)
    late = (headline := figures.get("headline") or {}).get("chosen") == "declared late"
    singles = len((headline.get("over_best_single") or {}).get("each", ()))
    if singles > beaten and not late:
        yield f"headline: {singles} players to beat, planned for {beaten}"
    if late:
        sizes["headline"] = headline["options"]
    for place, row in _rows(figures):
        path = re.sub(r"\[\d+\]", "", place).removeprefix("teams.").split(".")
        name = "headline" if path == ["headline", "over_captain"] else path[0]
        tested = any(row[key] is not None for key in row if key.endswith("p_holm"))
        if tested and row["family"] > sizes.get(name, 0):
            yield f"{place}: a family of {row['family']}, planned for {sizes.get(name, 'no such family')}"


PAID = frozenset({"headline.over_best_single"})
"""Whose p pays for all that it was chosen from: there is nothing left to adjust."""


def _unadjusted(place: str, row: Mapping[str, Any]) -> Iterator[str]:
    """Every p that is printed stands in a family, and beside it the p that pays for all of them, with its interval."""
    if place in PAID:
        return
    for key in row:
        if key == "p" or key.endswith("_p"):
            if not {f"{key}_holm", "family"} <= row.keys():
                yield f"{place}: {key} without the one that pays for its family"
            elif not any(end.endswith("low_holm") for end in row):
                yield f"{place}: {key} without the interval that pays for its family"


def _places(figures: Figures) -> Iterator[str]:
    """Holm over the first and last places of all rows, from the p that stand there."""
    rows = figures.get("position_bias", ())
    tested = [(row, end) for row in rows for end in ("first", "last") if row[f"{end}_p"] is not None]
    for (row, end), (p_holm, _) in zip(tested, holm([row[f"{end}_p"] for row, end in tested]), strict=True):
        if not math.isclose(row[f"{end}_p_holm"], p_holm, rel_tol=1e-9):
            yield f"position_bias: {end}_p_holm {row[f'{end}_p_holm']}, from the p of all rows {p_holm}"
        low, high = (row[f"{end}_{side}_holm"] for side in ("low", "high"))
        if low is not None:
            if not low <= row[f"{end}_low"] + 1e-9 or not high >= row[f"{end}_high"] - 1e-9:
                yield f"position_bias: {end}: the adjusted interval is narrower than its own"
            if (p_holm <= ALPHA) != (low > 0 or high < 0):
                yield f"position_bias: {end}: p_holm {p_holm}, but {low} to {high}"


def _rows(value: Any, place: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(value, Mapping):
        yield place, value
        for key, item in value.items():
            yield from _rows(item, f"{place}.{key}" if place else key)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _rows(item, f"{place}[{number}]")


def _agree(place: str, row: Mapping[str, Any]) -> Iterator[str]:
    """An interval holds its value; a difference that is none of a hypothesis leaves out zero exactly where p is small;
    bounds are no narrower than nothing; what is not known says why."""
    low, high = row.get("low"), row.get("high")
    main = (
        ("value", "accuracy") if "difference_low" in row else ("difference", "similarity", "value", "accuracy", "slope")
    )
    value = next((row[key] for key in main if key in row), None)
    if value is not None and low is not None and not low - 1e-9 <= value:
        yield f"{place}: {value} lies below its interval from {low}"
    if value is not None and high is not None and not value <= high + 1e-9:
        yield f"{place}: {value} lies above its interval up to {high}"
    tested = (
        main[0] == "difference"
        and "difference" in row
        and row.get("p") is not None
        and low is not None
        and high is not None
    )
    if tested and (row["p"] <= ALPHA) != (low > 0 or high < 0):
        yield f"{place}: p = {row['p']}, but {low} to {high}"
    if row.get("small") is False and row.get("clusters", 30) < 30:
        yield f"{place}: not small, with {row['clusters']} clusters"
    bounds = row.get("bounds")
    if bounds and bounds["low"] is not None and bounds["high"] is not None and bounds["low"] > bounds["high"] + 1e-12:
        yield f"{place}: bounds {bounds}"
