"""The oracle: would the summariser be right, if it read this team on this question?

A selector that needs it asks through a `Meter`, which counts the calls and stops at the budget. Without a summariser
model the oracle is the weighted vote of the team's labels: arithmetic, no calls, and the result says so.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from moot.decide.weights import log_odds
from moot.select.labels import Floats, LabelMatrix, Places, Proposer, SelectionSplit
from moot.select.voting import lots, worth_of_votes
from moot.team.together import together

AskTeam = Callable[[tuple[Proposer, ...], str], Awaitable[float]]
"""One question: the proposers whose responses are read, the question's id; 1 if right, 0 if not, NaN: nobody can say."""


BY_VOTE = "no summariser model: the ensemble's word is the weighted vote of the team's labels, 0 calls"


class Oracle(Protocol):
    @property
    def calls_each(self) -> int:
        """Model calls that one team on one question takes; 0 for arithmetic."""

    @property
    def words(self) -> str:
        """What it is, for the reader of a table."""

    async def right(self, teams: Places, questions: Places) -> Floats:
        """For each question, by its place in the split, and the team in the same row: 1 if right, 0 if not.

        NaN where nobody could grade the word: it is not wrong, and no part of a mean (`graded_mean`).
        """


@dataclass(frozen=True, slots=True)
class VoteOracle:
    """The weighted vote of labels, with weights that were learnt on the selection split."""

    labels: LabelMatrix
    weights: Floats
    seed: int = 0
    calls_each: int = 0
    words: str = BY_VOTE
    _lots: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_lots", lots(self.labels, self.seed))

    @classmethod
    def of(cls, split: SelectionSplit, labels: LabelMatrix | None = None, *, two_class: bool = False) -> VoteOracle:
        """The vote on the split itself, or on other questions (`labels`) with the weights of the split."""
        learnt = split.labels
        weights = log_odds(learnt.accuracy, learnt.known, learnt.alternatives, two_class=two_class)
        return cls(labels or learnt, weights, split.seed)

    async def right(self, teams: Places, questions: Places) -> Floats:
        return worth_of_votes(self.labels, teams.T, questions, self.weights[teams.T], self._lots)


@dataclass(frozen=True, slots=True)
class AskedOracle:
    """An oracle made of a plain async function, called for every question; the calls run side by side."""

    labels: LabelMatrix
    ask: AskTeam
    words: str = "a summariser model reads the team's responses"
    calls_each: int = 1

    async def right(self, teams: Places, questions: Places) -> Floats:
        everybody, names = self.labels.proposers, self.labels.questions
        asked = (
            self.ask(tuple(everybody[member] for member in team), names[place])
            for team, place in zip(teams, questions, strict=True)
        )
        return np.array(await together(asked), dtype=float)


def graded_mean(right: Floats) -> float | None:
    """The mean over what is graded; None where nothing is."""
    graded = right[~np.isnan(right)]
    return float(graded.mean()) if len(graded) else None


async def one_team(oracle: Oracle, team: Sequence[int], questions: Places) -> Floats:
    """The same team on all these questions."""
    return await oracle.right(np.tile(np.asarray(team, dtype=np.intp), (len(questions), 1)), questions)


class OutOfCalls(Exception):
    """The next question would go beyond the budget. A selector looks at `left` before each step, and ends in words."""


@dataclass
class Meter:
    """Counts what a selector spends, and stops it before it spends more than it may."""

    oracle: Oracle
    budget: int | None = None
    calls: int = 0

    async def right(self, team: Sequence[int], questions: Places) -> Floats:
        """One team on many questions."""
        self._take(len(questions))
        return await one_team(self.oracle, team, questions)

    async def each(self, teams: Places, questions: Places) -> Floats:
        """A team of its own for every question."""
        self._take(len(questions))
        return await self.oracle.right(teams, questions)

    def _take(self, questions: int) -> None:
        price = questions * self.oracle.calls_each
        if self.budget is not None and self.calls + price > self.budget:
            raise OutOfCalls
        self.calls += price

    @property
    def left(self) -> int | None:
        """Questions that may still be asked; None where nothing bounds them."""
        if self.budget is None or not self.oracle.calls_each:
            return None
        return (self.budget - self.calls) // self.oracle.calls_each
