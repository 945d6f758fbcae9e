"""A ballot as a look at what was on it, so that voters stand beside all others whom a place may sway."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from moot.measures.position.bias import Look

Kind = Literal["choice", "ranking", "points", "approved"]


@dataclass(frozen=True, slots=True)
class Paper:
    """A ballot as it was shown and filled in. `choice` None: spoilt."""

    question: str
    order: Sequence[int]
    choice: Mapping[int, float] | None
    kind: Kind = "choice"
    lot: Hashable = None
    """Whose paper it is, and in which repeat: a voter keeps its order from one turn to the next."""

    @property
    def favourites(self) -> tuple[int, ...]:
        """What the voter likes best: what it ranks first, gives most points to, or approves of; several share the vote."""
        if not self.choice:
            return ()
        best = min(self.choice.values()) if self.kind == "ranking" else max(self.choice.values())
        return tuple(option for option, value in self.choice.items() if value == best)

    @property
    def look(self) -> Look:
        """Spoilt ballots and those that favour nobody (`empty`) are counted apart."""
        apart = "spoilt" if self.choice is None else None if self.favourites else "empty"
        return Look(self.question, tuple(self.order), self.favourites, apart, self.lot)
