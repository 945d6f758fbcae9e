"""Approval: a voter names every option that it can live with, and the option with the most approvals wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moot.ballots.tally import Ballot, Tally, add_up, misread


@dataclass(frozen=True, slots=True)
class ApprovalVoting:
    """Any number of options, none and all among them: ``{0: 1, 2: 1}``."""

    name: str = "approval-voting"

    def problem(self, ballot: Mapping[int, float], options: int) -> str | None:
        if wrong := misread(ballot, options):
            return wrong
        if any(approval != 1 for approval in ballot.values()):
            return "expected 1 for each option approved and nothing for the others"
        return None

    def points(self, ballot: Mapping[int, float], options: int) -> tuple[float, ...]:
        return tuple(float(option in ballot) for option in range(options))

    def count(self, ballots: Sequence[Ballot], options: int) -> Tally:
        return add_up(self, ballots, options)
