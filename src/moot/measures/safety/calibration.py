"""What the vendors report beside what was measured: a set-up that falls far behind its vendor may be set up wrongly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.measures.cells import Stored
from moot.measures.safety.by_model import values_alone
from moot.measures.source import Source
from moot.stats.graded import accuracy_row

Row = dict[str, Any]
NOT_SAID = "the file says no accuracy for it"


def calibration_rows(source: Source, cells: Sequence[Stored]) -> Iterator[Row]:
    """Every player alone whose model's vendor the file names; one row for each set that the vendor speaks of.

    A vendor's figure is taken as it is: nobody knows its interval. So the difference has that of our own.
    """
    vendors = source.config.get("vendors", {})
    players = source.config.get("players", {})
    for cell in cells:
        vendor = vendors.get(players.get(cell["player"], {}).get("model"))
        if vendor is None or not cell["traits"].alone:
            continue
        accuracy = vendor.get("accuracy")
        reported = accuracy if isinstance(accuracy, Mapping) else {None: accuracy}
        named = {"model": cell["player"], "label": cell["label"], "vendor": vendor.get("name")}
        for dataset, share in reported.items():
            yield {**named, "dataset": dataset, "reported": share, **_beside(source, cell, dataset, share)}


def _beside(source: Source, cell: Stored, dataset: str | None, share: float | None) -> Row:
    asked = [
        episode
        for episode in source.seen(cell)
        if dataset is None or source.cases[episode.key[0]].question_set == dataset
    ]
    row = accuracy_row(values_alone(asked))
    nothing: Row = {"difference": None, "difference_low": None, "difference_high": None, "within": None}
    if share is None:
        return {**row, **nothing, "why": NOT_SAID}
    if row["value"] is None or row["low"] is None:
        return {**row, **nothing, **({} if row["value"] is None else {"difference": row["value"] - share})}
    ends = {"difference_low": row["low"] - share, "difference_high": row["high"] - share}
    return {**row, "difference": row["value"] - share, **ends, "within": row["low"] <= share <= row["high"]}
