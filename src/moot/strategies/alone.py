"""A player by itself, for whoever needs to know what it says before it has heard anybody: lessons, baselines."""

from __future__ import annotations

from typing import get_args

from moot.strategies.natives import Drafts
from moot.strategies.solo import Solo

WAYS: tuple[Drafts, ...] = get_args(Drafts)
"""How a run can ask for a draft on somebody else's behalf."""


def alone(way: str | None) -> Solo | None:
    """Each player by itself, its draft asked for in this way; None: only its own strategy knows how to ask so."""
    return next((Solo(known) for known in WAYS if known == way), None)
