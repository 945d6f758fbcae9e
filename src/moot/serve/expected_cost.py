"""What a question is going to cost, by what those before it did: so much of a key's day is held for it while it is played.

The books know what was called; of questions that were let in a moment ago nothing is called yet, and a debate calls most of
what it will late. So a question is held at the dearest that its team has been asked so far, in proportion to its length where
it is longer. Of a team that nobody has asked yet nothing is known, and its first question goes alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

AROUND = 2_000
"""Characters that stand around a question in a prompt, about."""


@dataclass(slots=True)
class DearestQuestion:
    usd: float = 0.0
    usd_per_character: float = 0.0


class ExpectedCosts:
    """By the name of the team."""

    def __init__(self) -> None:
        self._dearest: dict[str, DearestQuestion] = {}

    def usd(self, team: str, characters: int) -> float:
        dearest = self._dearest.get(team)
        if dearest is None:
            return math.inf
        return max(dearest.usd, dearest.usd_per_character * (AROUND + characters))

    def learn(self, team: str, characters: int, usd: float) -> None:
        dearest = self._dearest.setdefault(team, DearestQuestion())
        dearest.usd = max(dearest.usd, usd)
        dearest.usd_per_character = max(dearest.usd_per_character, usd / (AROUND + characters))
