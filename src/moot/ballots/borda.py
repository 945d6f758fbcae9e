"""Borda's count: the first of n options gets n − 1 points, the last gets none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from moot.ballots.tally import Ballot, Tally, add_up, misread

MOST_RANKED = 5
"""How many options a voter may put in order. Beyond a handful, an order is noise."""


@dataclass(frozen=True, slots=True)
class RankedVoting:
    """An order of the best options: ``{option: position}``, position 1 for the best, no position twice or left out."""

    most_ranked: int = MOST_RANKED
    name: str = "ranked-voting"

    def problem(self, ballot: Mapping[int, float], options: int) -> str | None:
        return misread(ballot, options) or unordered(ballot, self.most_ranked)

    def points(self, ballot: Mapping[int, float], options: int) -> tuple[float, ...]:
        """Options without a place share the places left: each gets the mean of what those are worth."""
        left = (len(ballot) + 1 + options) / 2
        return tuple(options - ballot.get(option, left) for option in range(options))

    def count(self, ballots: Sequence[Ballot], options: int) -> Tally:
        tally = add_up(self, ballots, options)
        if options == 1 and tally.spoilt < tally.voters:
            return replace(tally, winners=(0,))  # n − 1 points are none, yet it was voted for
        return tally


def unordered(ballot: Mapping[int, float], most: int) -> str | None:
    """Why this is no order of one to `most` options; None if it is."""
    if not 1 <= len(ballot) <= most:
        return f"expected 1 to {most} options in order, found {len(ballot)}"
    if sorted(ballot.values()) != list(range(1, len(ballot) + 1)):
        return f"expected the positions 1 to {len(ballot)}, each once"
    return None
