"""The different answers to each question: who gave which, and what each is worth.

A rule that decides from drafts sees this and nothing else: who said the same, who said another thing, who was silent. A
label means something only within its question, so none is kept. The answers to a question stand in the order of the
seats of those who gave them first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from moot.later import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Places = NDArray[np.intp]
else:  # names for those who read: whoever has none of them in hand need not load what they are of
    Bools = Floats = Places = Any

SILENT = -1
"""The code of who gave no answer."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Questions × places of different answers × players."""

    players: tuple[str, ...]
    support: Bools
    """Questions × places × players: who gave the answer at this place."""
    worth: Floats
    """Questions × places: from 0 to 1; NaN where nobody has graded it, and 0 where there is no answer."""
    categories: tuple[str, ...] = field(default=(), repr=False)
    """Of each question; empty where none is known."""

    def __post_init__(self) -> None:
        questions, places, players = self.support.shape
        if self.worth.shape != (questions, places) or players != len(self.players):
            raise ValueError(f"{self.support.shape} answers of {len(self.players)} players, {self.worth.shape} grades")
        if self.categories and len(self.categories) != questions:
            raise ValueError(f"{len(self.categories)} categories of {questions} questions")

    def __len__(self) -> int:
        return len(self.support)

    @property
    def given(self) -> Bools:
        """Questions × places: whether there is an answer."""
        given: Bools = np.any(self.support, axis=2)
        return given

    @property
    def counts(self) -> Floats:
        """Questions × places: by how many it was given."""
        counts: Floats = self.support.sum(axis=2).astype(float)
        return counts

    @property
    def spoke(self) -> Bools:
        """Questions × players."""
        spoke: Bools = np.any(self.support, axis=1)
        return spoke

    @property
    def settled(self) -> Bools:
        """Of which questions it is known which of the answers is right, or that none is."""
        known: Bools = np.any(self.worth >= 1.0, axis=1) | ~np.any(np.isnan(self.worth), axis=1)
        return known

    @property
    def waiting(self) -> Bools:
        """To which questions somebody gave an answer that nobody has graded, be it beside one that is right."""
        open_ones: Bools = np.any(np.isnan(self.worth), axis=1)
        return open_ones

    def graded(self, questions: Places) -> Candidates:
        """Only these, which are settled: what has no grade beside an answer that is right, and means another thing, is not."""
        known = self.at(questions)
        return replace(known, worth=np.nan_to_num(known.worth))

    @property
    def accuracy(self) -> Floats:
        """Of each player, over the settled questions: what its answers were worth; silence is worth nothing."""
        known = self.at(np.flatnonzero(self.settled))
        if not len(known):
            return np.zeros(len(self.players))
        worth: Floats = np.einsum("qpi,qp->i", known.support, np.nan_to_num(known.worth)) / len(known)
        return worth

    def at(self, questions: Places) -> Candidates:
        """Only these questions."""
        categories = tuple(self.categories[place] for place in questions) if self.categories else ()
        return replace(self, support=self.support[questions], worth=self.worth[questions], categories=categories)

    def only(self, players: Sequence[int]) -> Candidates:
        """The same questions, had only these players been asked. Places stay: an answer that none of them gave is none."""
        support = self.support[:, :, list(players)]
        worth = np.where(support.any(axis=2), self.worth, 0.0)
        return replace(self, players=tuple(self.players[place] for place in players), support=support, worth=worth)

    def worth_of(self, chosen: Places) -> Floats:
        """What the answers at these places, one a question, are worth; `SILENT` is worth nothing."""
        worth = self.worth[np.arange(len(self)), np.maximum(chosen, 0)]
        return np.where(chosen == SILENT, 0.0, worth)


def candidates_of(
    players: Sequence[str], codes: NDArray[np.integer], worth: Floats, categories: Sequence[str] = ()
) -> Candidates:
    """From players × questions of codes, equal where two say the same to a question, and what each answer is worth."""
    seats, questions = codes.shape
    places = max(1, _most_answers(codes))
    support = np.zeros((questions, places, seats), dtype=np.bool_)
    graded = np.zeros((questions, places))
    filled = np.zeros(questions, dtype=np.intp)
    for seat in range(seats):
        first = codes[seat] != SILENT
        for earlier in range(seat):
            first &= codes[seat] != codes[earlier]
        asked = np.flatnonzero(first)
        support[asked, filled[asked]] = (codes[:, asked] == codes[seat, asked]).T
        graded[asked, filled[asked]] = worth[seat, asked]
        filled[asked] += 1
    return Candidates(tuple(players), support, graded, tuple(categories))


def _most_answers(codes: NDArray[np.integer]) -> int:
    """How many different answers any question has."""
    if not codes.size:
        return 0
    ordered = np.sort(codes, axis=0)
    new = np.ones(ordered.shape, dtype=np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    return int((new & (ordered != SILENT)).sum(axis=0).max())


def candidates_by_name(
    players: Sequence[str],
    groups: Sequence[Sequence[Sequence[str]]],
    rights: Sequence[Mapping[str, float | None]],
    categories: Sequence[str] = (),
) -> Candidates:
    """From the groups of each question, as players' names, and what each player's answer is worth (None: not graded)."""
    seat = {name: place for place, name in enumerate(players)}
    codes = np.full((len(players), len(groups)), SILENT, dtype=np.intp)
    worth = np.zeros(codes.shape)
    for question, (several, graded) in enumerate(zip(groups, rights, strict=True)):
        for number, group in enumerate(several):
            seats = [seat[name] for name in group if name in seat]
            codes[seats, question] = number
            grade = _worth([graded.get(name) for name in group])
            worth[seats, question] = np.nan if grade is None else grade
    return candidates_of(players, codes, worth, categories)


def _worth(grades: Sequence[float | None]) -> float | None:
    """Of a group: the best grade that any of its wordings has, since they mean the same."""
    known = [grade for grade in grades if grade is not None]
    return max(known) if known else None
