"""What of a file is offered to those who ask, and which of it is asked where nobody says: the option that did best.

It goes by the name of its team. Who asks a team must not have to know how it decides, nor to follow when another way turns
out to be better.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moot.config.type_words import told
from moot.errors import UsageError
from moot.experiment.learning import why_not_alone
from moot.experiment.plan import Cell
from moot.live.served_names import as_spelled, other_names, several_meant
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
    simulated: tuple[str, ...] = ()
    """Models that were not real in that run."""


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


def left_out_words(learners: Mapping[str, Cell]) -> str:
    """That some of a file cannot be asked; nothing where all of it can. `learners`: by name."""
    if not learners:
        return ""
    of_table: dict[tuple[str, str], str] = {}
    for name, cell in learners.items():  # whoever is its captain
        of_table.setdefault((cell.team.name, cell.label), name)
    names = list(of_table.values())
    learns = "learns" if len(names) == 1 else "learn"
    return f"left out: {', '.join(names)}, which {learns} in a run (moot fit writes what was learnt)"


def could_be_words(several: Sequence[str]) -> str:
    return f"could be any of {', '.join(several)}; expected one of these"


def cell_asked(
    name: str, cells: Mapping[str, Cell], every: Mapping[str, Cell], usual: str, learners: Mapping[str, Cell]
) -> Cell:
    """Who is meant by a name, of those that are served. `every`: all of the file that can be. `usual`: the name of the one in
    front. `learners`: what learns in a run."""
    if name in cells:
        return cells[name]
    if name == title_of(usual, cells[usual]):
        return cells[usual]
    whole = {**every, **learners}
    cell = {**other_names(whole), **whole}.get(as_spelled(name))
    expected = ", ".join(cells)
    if cell is None:
        if several := several_meant(name, whole):
            raise UsageError(f"{told(name)} {could_be_words(several)}")
        raise UsageError(f"there is no team {told(name)}; expected one of {expected}{closest(name, cells)}")
    if cell.id in {learner.id for learner in learners.values()}:
        raise UsageError(f"{told(name)} is in the file and is not served: {why_not_alone(cell)}; or one of {expected}")
    if cell.id not in {served.id for served in cells.values()}:
        raise UsageError(
            f"{told(name)} is in the file and is not served here; expected one of {expected}, "
            f"or a server that was started with --all or --only {shlex.quote(name)}"
        )
    return cell
