"""Which cells a side of a hypothesis is about: also of a cohort, which has a table of its own, members alone, or neither."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from moot.experiment.claims import cohort_of_several
from moot.experiment.side_names import SideName, cells_meant
from moot.measures.cells import Stored
from moot.measures.source import Source


def cells_of_side(source: Source, cells: Sequence[Stored], side: SideName) -> list[Stored] | str:
    """Of a cohort its own table, its members alone, or a table led by one of them; none where it has played nothing of this.
    Or why nobody can tell which cohort is meant. A name that nobody has is a `ClaimError`."""
    meant = [cast(Stored, cell) for cell in cells_meant(side, cells)]
    if side.cohort is None:
        return meant
    teams = [name for name, team in source.config.get("teams", {}).items() if side.cohort in team.get("cohorts", {})]
    if len(teams) > 1 and all(cell["player"] for cell in meant):
        return cohort_of_several(side, teams)
    seated = members(source, side.cohort, meant) or set()
    cohort_cells = [cell for cell in meant if cell.get("cohort") == side.cohort]
    return cohort_cells or [cell for cell in meant if (cell["player"] or cell["captain"]) in seated]


def members(source: Source, cohort: str | None, cells: Iterable[Stored]) -> set[str] | None:
    """Of the cohort of that team whose cells these are; of players alone, of every team's. None: there is no cohort to be a
    member of."""
    if cohort is None:
        return None
    named, teams = source.config.get("teams", {}), {cell["team"] for cell in cells if not cell["player"]}
    seated = [team for name, team in named.items() if not teams or name in teams]
    return {name for team in seated for name in team.get("cohorts", {}).get(cohort, ())}
