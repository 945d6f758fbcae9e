"""What a question gives, and what many of them give where there is no more to know of each than one mark.

Nearly every answer of a large run is right or wrong at once, and a report holds as many against each other as there are
questions and ways of answering. So those have one number each, and whoever looks at one of them gets it as a `Value`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, ValuesView
from typing import NamedTuple


class Value(NamedTuple):
    """What one question gives: its mean over what is graded, and the least and the most it can be."""

    known: float | None
    """None: nothing of it is graded."""
    least: float
    most: float
    answers: int = 1
    """How many answers it is of; of these:"""
    waiting: int = 0
    """wait for a grade,"""
    judged: int = 0
    """have been settled by a judge, or by whoever is in its place,"""
    not_heard: int = 0
    """were not heard,"""
    nobody: int = 0
    """are to questions of which nobody has said what is right."""
    words: tuple[tuple[str, float], ...] = ()
    """What the ungraded answers say, as far as it is told, each with its part of the value: equal words to one question will
    have equal grades."""
    abstained: int = 0
    """How many of the plays gave no answer since it was not sure enough."""
    failed: int = 0
    """How many of the answers never came, since a call failed for good: they are not right."""
    never_came: tuple[str, ...] = ()
    """Who of those whose answers these are never answered anything, since every one failed: nobody knows how good they are."""
    again: int = 0
    """How many of those that wait are not waiting for a grade, but to be played again: that hangs on nothing they say."""

    @property
    def open(self) -> bool:
        return self.known is None or self.least < self.most

    @property
    def worst(self) -> float | None:
        """Were all of it wrong that waits; None: nobody will ever grade any of it."""
        return self.least if self.waiting else self.known

    @property
    def best(self) -> float | None:
        return self.most if self.waiting else self.known


class PlainValues(ValuesView[Value]):
    """The values of `PlainMarks`, so that who is given these alone knows it too."""


class PlainMarks(Mapping[str, Value]):
    """By question, where every one has a single answer that came to its grade at once: nothing waits, and nothing is open."""

    __slots__ = ("known",)

    def __init__(self, known: dict[str, float]) -> None:
        self.known = known

    def __getitem__(self, question: str) -> Value:
        mark = self.known[question]
        return Value(mark, mark, mark)

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)

    def __contains__(self, question: object) -> bool:
        return question in self.known

    def values(self) -> PlainValues:
        return PlainValues(self)
