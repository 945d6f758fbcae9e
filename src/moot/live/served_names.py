"""The names under which the teams and strategies of a file answer when they are served."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from moot.experiment.plan import Cell, Plan
from moot.experiment.side_names import ClaimError, SideName, cells_named, parse_side


def served_names(experiment: Plan) -> dict[str, Cell]:
    """Cells by the names they are served under, as `side_names` reads them.

    ``six/talkative`` is the team with its captain; where everybody is captain in turn it is the first, and each has a
    name of its own beside it: ``six/talkative@ann``. A player alone is ``solo@ann``. What the file declares its primary
    comes first.
    """
    named = _names_in_order(experiment)
    first = declared_name(experiment)
    return named if first is None else {first: named[first], **named}


def declared_name(experiment: Plan) -> str | None:
    """Under which name the file's primary is served; of several captains it could be, the first."""
    primary = experiment.spec.primary
    if primary is None:
        return None
    try:
        meant = {row["id"] for row in cells_named(primary, [cell.row() for cell in experiment.cells])}
    except ClaimError:
        return None
    names = [name for name, cell in _names_in_order(experiment).items() if cell.id in meant]
    # Of two names of one line-up the one that says its captain, if the declaration does.
    wanted = parse_side(primary).who
    return next(
        (name for name in names if wanted is not None and parse_side(name).who == wanted), next(iter(names), None)
    )


def _names_in_order(experiment: Plan) -> dict[str, Cell]:
    named: dict[str, Cell] = {}
    lineups = Counter((cell.team.name, cell.label) for cell in experiment.cells if cell.player is None)
    for cell in experiment.cells:
        if cell.player is not None:
            named[str(SideName(cell.label, cell.player))] = cell
            continue
        table = SideName(cell.label, team=cell.team.name)
        named.setdefault(str(table), cell)
        if lineups[cell.team.name, cell.label] > 1:
            named[str(replace(table, who=cell.captain or cell.team.cohort))] = cell
    return named
