"""What of a file is offered to those who ask, and which of it is asked where nobody says: the option that did best.

It goes by the name of its team. Who asks a team must not have to know how it decides, nor to follow when another way turns
out to be better.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from moot.errors import UsageError
from moot.experiment.learning import why_not_alone
from moot.experiment.plan import Cell
from moot.live.served_names import as_spelled, other_names
from moot.models.closest import closest


@dataclass(frozen=True, slots=True)
class ServedOffer:
    """One option of a file in front, and perhaps others."""

    first: str
    """As `served_names` has it: ``four/talkative@ann``."""
    why: str
    """What it is and why it is this one, in words for whoever starts the server."""
    beside: tuple[str, ...] | None = ()
    """Names of what is served beside it; None: all that the file has."""
    from_run: bool = False
    """It is the best of the file's run, as the report's headline has it."""


def title_of(name: str, cell: Cell) -> str:
    """What the option in front is served under: the name of its team. A player alone has no team."""
    return name if cell.player is not None else cell.team.name


def offered(cells: Mapping[str, Cell], offer: ServedOffer) -> dict[str, Cell]:
    """By name, the one in front first. `cells`: all of the file."""
    title = title_of(offer.first, cells[offer.first])
    beside = cells if offer.beside is None else {name: cells[name] for name in offer.beside}
    return {title: cells[offer.first], **beside}


def refuse_learner(cell: Cell, able: Mapping[str, Cell]) -> None:
    """Where a cell is meant that learns in a run. `able`: what of the file can be asked one question at a time."""
    if cell.traits.learns:
        raise UsageError(f"{why_not_alone(cell)}; or --only with what can be asked as it is: {', '.join(able)}")


def cell_asked(name: str, cells: Mapping[str, Cell], every: Mapping[str, Cell], usual: str) -> Cell:
    """Who is meant by a name, of those that are served. `every`: all that the file has. `usual`: the name of the one in front."""
    if name in cells:
        return cells[name]
    if name == title_of(usual, cells[usual]):
        return cells[usual]
    cell = {**other_names(every), **every}.get(as_spelled(name))
    expected = ", ".join(cells)
    if cell is None:
        raise UsageError(f"there is no team {name!r}; expected one of {expected}{closest(name, cells)}")
    if cell.id not in {served.id for served in cells.values()}:
        raise UsageError(
            f"{name!r} is in the file and is not served here; expected one of {expected}, "
            f"or a server that was started with --all or --only {shlex.quote(name)}"
        )
    return cell
