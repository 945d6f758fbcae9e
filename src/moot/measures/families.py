"""How many comparisons a report will correct for, before anything is played."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from moot.experiment.plan import Plan
from moot.measures.cells import Stored, stored_cell, table_of


def family_sizes(plan: Plan, hypotheses: int) -> dict[str, int]:
    """By the family's key in the figures: how many rows with a p it will have, once all has been played and graded.

    Each strategy under each captain against the captain alone, and against each strategy before it; and over captains,
    where there are several.
    """
    cells = [stored_cell(cell.row()) for cell in plan.cells]
    tables: dict[str, list[Stored]] = {}
    for cell in cells:
        if cell["player"] is None:
            tables.setdefault(table_of(cell), []).append(cell)
    sizes = [_of_table(table_cells) for table_cells in tables.values()]
    return {
        "gains": sum(gains for gains, _ in sizes),
        "comparisons": sum(comparisons for _, comparisons in sizes),
        "hypotheses": hypotheses,
    }


def _of_table(cells: Sequence[Stored]) -> tuple[int, int]:
    captains: dict[str, set[str]] = {}
    for cell in cells:
        captains.setdefault(cell["label"], set()).update({cell["captain"]} if cell["captain"] else ())
    gains = sum(map(_rows, captains.values()))
    return gains, sum(_rows(one & other) for one, other in combinations(captains.values(), 2))


def _rows(captains: set[str]) -> int:
    """A row for each, and one over all of them."""
    return len(captains) + (len(captains) > 1)
