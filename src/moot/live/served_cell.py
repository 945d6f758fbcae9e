"""What a cell is called as it is played for somebody who waits: what it waits for shapes an episode, so it is another."""

from __future__ import annotations

from dataclasses import replace

from moot.experiment.plan import Cell
from moot.strategies import served
from moot.types import digest


def served_cell(ident: str) -> str:
    """By the id that it has in a run."""
    return digest([ident, "served"])


def as_served(cell: Cell) -> Cell:
    """The cell as it is played for somebody who waits. How sure an answer is hangs on all players: then all are heard."""
    played = served(cell.strategy) if cell.rule is None else cell.strategy
    return replace(cell, id=served_cell(cell.id), strategy=played)
