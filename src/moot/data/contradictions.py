"""Questions that are the same and have different references: no player can be right about both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from moot.grade.normalise import spelled
from moot.types import UNKNOWN, Case

MOST_TOLD = 3


@dataclass(frozen=True, slots=True)
class Contradiction:
    """One question that is asked under several ids, and not with the same reference: one of them is wrong."""

    ids: tuple[str, str]
    references: tuple[str, str]

    def __str__(self) -> str:
        one, other = self.references
        return (
            f"the questions {self.ids[0]!r} and {self.ids[1]!r} are the same, and their references contradict each other:"
            f" {one!r:.80} and {other!r:.80}"
        )

    @classmethod
    def among(cls, cases: Iterable[Case]) -> Iterator[Contradiction]:
        """Each later case against the first of its words."""
        first: dict[str, Case] = {}
        for case in cases:
            if not case.known or case.question.is_long:
                continue  # of two texts that differ both may be good
            earlier = first.setdefault(case.question.wording, case)
            if earlier is not case and not _right(earlier) & _right(case):
                ids = (earlier.question.id, case.question.id)
                yield cls(ids, (_reference(earlier), _reference(case)))


def _reference(case: Case) -> str:
    """In words: choices may stand in another order."""
    if case.answer is None:
        return UNKNOWN
    choices, letters = case.question.choices, case.question.letters
    return choices[letters.index(case.answer)] if choices and case.answer in tuple(letters) else case.answer


def _right(case: Case) -> set[str]:
    """All that is, as far as spelling goes."""
    return {spelled(text, case.question.language) for text in (_reference(case), *case.accepted)}


def contradiction_words(cases: Iterable[Case]) -> list[str]:
    """The first few, and how many more there are."""
    found = list(Contradiction.among(cases))
    more = len(found) - MOST_TOLD
    return [*map(str, found[:MOST_TOLD]), *([f"and {more:,} more references contradict others"] if more > 0 else [])]
