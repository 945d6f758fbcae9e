"""Who answered, by the name that it is served under and asked by: a report and a request call a team alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from moot.experiment.side_names import side_of_row
from moot.measures.cells import Stored
from moot.measures.served.plays import CellName, name_of


def served_titles(cells: Iterable[Stored]) -> dict[CellName, str]:
    """``three/vote``; with its captain, ``three/vote@ann``, where the team has had several for it. `cells`: all of the file,
    be it that nobody asked them."""
    known = list(cells)
    captains: dict[tuple[str | None, ...], set[str | None]] = defaultdict(set)
    for cell in known:
        captains[_table(cell)].add(cell["captain"])
    return {name_of(cell): _title(cell, alone=len(captains[_table(cell)]) == 1) for cell in known}


def _table(cell: Stored) -> tuple[str | None, ...]:
    return cell["label"], cell["team"], cell["player"], cell["cohort"]


def _title(cell: Stored, *, alone: bool) -> str:
    side = side_of_row(cell, team=True)
    if cell["player"]:
        return str(replace(side, team=None))
    return str(replace(side, who=None) if alone else side)
