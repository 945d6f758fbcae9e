"""What a cell is called as it is played for somebody who waits: what it waits for shapes an episode, so it is another."""

from __future__ import annotations

from moot.types import digest


def served_cell(ident: str) -> str:
    """By the id that it has in a run."""
    return digest([ident, "served"])
