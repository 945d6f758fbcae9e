"""How a question was put by hand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AskedWith:
    """How a question was put by hand, so that somebody can go on from it later."""

    team: str | None = None
    """The team's file; None: the embedded team."""
    strategy: str | None = None
    """As it was asked for; None: the usual."""
