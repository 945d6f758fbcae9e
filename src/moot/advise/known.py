"""What is known of the players before anything is advised: their graded answers, what these cost, and how long they took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from moot.decide.candidates import SILENT, Candidates, Floats, Places, candidates_of
from moot.decide.learning import folds_of

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class KnownDrafts:
    """Players × questions. All of it is graded: what waits for a grade is left out by whoever reads it."""

    players: tuple[str, ...]
    codes: NDArray[np.integer]
    """Equal where two say the same to a question; `SILENT` where nothing is said."""
    worth: Floats
    """From 0 to 1; silence is worth nothing."""
    units: tuple[str, ...] = field(repr=False)
    """What each question is a part of: its cluster, or itself."""
    choices: int | None = None
    """Among how many answers a player chooses; None: answers are free."""
    usd: Floats | None = field(default=None, repr=False)
    """What each answer cost; NaN where that is not known. None: of none."""
    seconds: Floats | None = field(default=None, repr=False)
    """How long each answer took; NaN where that is not known. None: of none."""
    unreached: Flags | None = field(default=None, repr=False)
    """Which answers are missing since the player could not be reached, and is asked again by the next run. None: none."""
    kinds: tuple[str, ...] = field(default=(), repr=False)
    """Of each question; empty where all are of one, or it is not known."""

    def __post_init__(self) -> None:
        shape = self.codes.shape
        if shape != (len(self.players), len(self.units)) or self.worth.shape != shape:
            raise ValueError(f"{shape} answers of {len(self.players)} players to {len(self.units)} questions")

    @property
    def size(self) -> int:
        return len(self.units)

    @property
    def different_units(self) -> int:
        return len(set(self.units))

    def at(self, questions: Places) -> KnownDrafts:
        """Only these questions."""
        return replace(
            self,
            codes=self.codes[:, questions],
            worth=self.worth[:, questions],
            units=tuple(self.units[place] for place in questions),
            usd=None if self.usd is None else self.usd[:, questions],
            seconds=None if self.seconds is None else self.seconds[:, questions],
            unreached=None if self.unreached is None else self.unreached[:, questions],
            kinds=tuple(self.kinds[place] for place in questions) if self.kinds else (),
        )

    def known_throughout(self) -> KnownDrafts:
        """A price or a time that is not known of every question is known of none: else it would hang on the half in which it is
        missing whether it counts."""
        return replace(self, usd=_throughout(self.usd), seconds=_throughout(self.seconds))

    def seated_by_answers(self) -> KnownDrafts:
        """The players in an order that their answers make, and their names only where these are the same: ties of a search
        fall to a seat, and other names must not change what is advised."""
        same = np.array([(self.codes == row).sum(axis=0) for row in self.codes], dtype=np.int64)
        silent = self.codes == SILENT

        def mark(seat: int) -> tuple[str, str]:
            content = self.worth[seat].astype(np.float64).tobytes() + same[seat].tobytes() + silent[seat].tobytes()
            return sha256(content).hexdigest(), self.players[seat]

        order = sorted(range(len(self.players)), key=mark)
        return replace(
            self,
            players=tuple(self.players[seat] for seat in order),
            codes=self.codes[order],
            worth=self.worth[order],
            usd=None if self.usd is None else self.usd[order],
            seconds=None if self.seconds is None else self.seconds[order],
            unreached=None if self.unreached is None else self.unreached[order],
        )

    def without_one_of(self, seats: Sequence[int]) -> Flags | None:
        """On which questions one of these could not be reached: what they come to there may be anything. None: on none."""
        return None if self.unreached is None else np.logical_or.reduce(self.unreached[list(seats)])

    def candidates(self, seats: Sequence[int]) -> Candidates:
        """The different answers of these players alone. Kinds of questions stand as their categories."""
        chosen = list(seats)
        names = [self.players[seat] for seat in chosen]
        return candidates_of(names, self.codes[chosen], self.worth[chosen], self.kinds)


def _throughout(values: Floats | None) -> Floats | None:
    return None if values is None else np.where(np.isnan(values).any(axis=1, keepdims=True), np.nan, values)


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The questions that are searched on, and those kept apart for what is claimed. Units are never divided."""

    search: Places
    claim: Places


def parted_in_two(units: Sequence[str]) -> Parts:
    """By the hash of the units: the same questions make the same halves, in whatever order they come."""
    half = folds_of(units, 2, role="advise")
    return Parts(np.flatnonzero(half == 0), np.flatnonzero(half == 1))
