"""Consensus: how many of *all* agents must stand behind a solution. Who is silent does not stand behind it."""

from __future__ import annotations

from moot.errors import UsageError
from moot.models.closest import closest

CONSENSUS = ("majority-consensus", "supermajority-consensus", "unanimity-consensus")


def reached(name: str, supporters: int, agents: int) -> bool:
    """More than one half; more than 66 %, which two of three are; everybody. Nobody agrees where nobody is."""
    if not 0 <= supporters <= agents:
        raise ValueError(f"expected 0 to {agents} supporters, found {supporters}")
    match name:
        case "majority-consensus":
            return 2 * supporters > agents
        case "supermajority-consensus":
            return 100 * supporters > 66 * agents
        case "unanimity-consensus":
            return supporters == agents > 0
    raise UsageError(f"consensus {name!r} is unknown; expected one of {', '.join(CONSENSUS)}{closest(name, CONSENSUS)}")
