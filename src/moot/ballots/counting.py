"""No ballots are asked for: what counts is whose final solution is whose. The most frequent solution wins."""

from __future__ import annotations

from dataclasses import dataclass

from moot.ballots.plurality import SimpleVoting


@dataclass(frozen=True, slots=True)
class SolutionCounting(SimpleVoting):
    """Every agent stands for the solution that it stated: ``{its option: 1}``, or None if it stated none."""

    name: str = "solution-counting"
