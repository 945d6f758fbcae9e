"""The option with the most votes wins; where several have the most, all of them do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from moot.ballots.tally import Ballot, Tally, add_up, misread

Option = TypeVar("Option", bound=Hashable)


def plurality(votes: Iterable[Option]) -> tuple[Option, ...]:
    """The winners, in the order in which they were first voted for; nobody without votes."""
    counts = Counter(votes)
    most = max(counts.values(), default=0)
    return tuple(option for option, count in counts.items() if count == most)


@dataclass(frozen=True, slots=True)
class SimpleVoting:
    """One vote for one option: ``{3: 1}``."""

    name: str = "simple-voting"

    def problem(self, ballot: Mapping[int, float], options: int) -> str | None:
        if wrong := misread(ballot, options):
            return wrong
        if len(ballot) != 1:
            return f"expected exactly one option, found {len(ballot)}"
        if set(ballot.values()) != {1}:
            return "expected one vote for the option, neither more nor less"
        return None

    def points(self, ballot: Mapping[int, float], options: int) -> tuple[float, ...]:
        return tuple(float(option in ballot) for option in range(options))

    def count(self, ballots: Sequence[Ballot], options: int) -> Tally:
        return add_up(self, ballots, options)
