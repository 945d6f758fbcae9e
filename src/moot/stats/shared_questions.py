"""Which options can be ranked beside each other, and on which questions: those that all of them have played.

What an option was not asked says nothing of it, be it that a run is not over, that nobody planned it, or that the option was
chosen on these very questions. It is neither wrong nor right; and the mean of what was played would flatter whoever played
the easier ones. So options are ranked on the questions that they share. Where all of them share too few, as many are ranked
as have enough in common: whoever has played most is not the best for that. Whoever ranks says who is not ranked, and where
only one is left there is no ranking.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from moot.stats.counted_words import count
from moot.stats.paired import FEW_QUESTIONS

ENOUGH = 0.25
"""Of the questions of whoever has most: so many must be left in common, or as many as are no longer called few."""
KEPT = 200
"""So many sets of common questions are looked at further; where there are more, those that most options have."""


@dataclass(frozen=True, slots=True)
class SharedQuestions:
    """What a ranking stands on."""

    names: tuple[str, ...]
    """Those that are ranked, in the order in which they were given."""
    questions: tuple[str, ...]
    """Those that all of them have played."""
    left_out: Mapping[str, int]
    """By option that is not ranked: how many questions it has played."""
    whole: bool
    """Whether every option has played every question that any of them has."""

    @property
    def none_ranked(self) -> bool:
        """Whether several have played, and no two of them share enough questions to be ranked."""
        return len(self.names) == 1 and any(self.left_out.values())

    @property
    def told(self) -> str | None:
        """Who is not ranked and why, in words; None where all are."""
        if not self.left_out:
            return None
        few = ", ".join(f"{name} ({count(played, 'question')})" for name, played in self.left_out.items())
        return f"not ranked, with too few questions that the others have: {few}"

    @property
    def why_none(self) -> str:
        """Said where none is ranked."""
        several = len(self.names) + sum(map(bool, self.left_out.values()))
        return f"fewer than two of {several:,} have enough questions in common to be ranked"


def shared_questions(
    played: Mapping[str, Collection[str]], questions: Collection[str] | None = None
) -> SharedQuestions:
    """From the questions that each option has played, of these: as many options as have enough in common.

    Of as many options those with most in common, and of as much the questions decide: no name and no place does.
    """
    if (every := _the_same(played, questions)) is not None:
        return SharedQuestions(tuple(played), tuple(sorted(every)), {}, True)
    asked = None if questions is None else set(questions)
    own = {
        name: frozenset(those) if asked is None else frozenset(asked.intersection(those))
        for name, those in played.items()
    }
    several = [those for those in own.values() if those]
    if not several:
        return SharedQuestions((), (), dict.fromkeys(own, 0), True)
    everything = frozenset[str]().union(*several)
    common = _common(several, everything)
    names = tuple(name for name, those in own.items() if common <= those)
    left_out = {name: len(those) for name, those in own.items() if name not in names}
    return SharedQuestions(names, tuple(sorted(common)), left_out, not left_out and len(common) == len(everything))


def enough_in_common(most: int) -> float:
    """So many of the questions that are to be compared, of whoever has `most`."""
    return min(ENOUGH * most, FEW_QUESTIONS)


def _the_same(played: Mapping[str, Collection[str]], questions: Collection[str] | None) -> Collection[str] | None:
    """The questions, where all options have played the same ones, and none that is not asked for: mostly it is so."""
    first, *others = map(_as_set, played.values()) if played else (frozenset[str](),)
    if not first or any(those != first for those in others):
        return None
    return first if questions is None or first <= _as_set(questions) else None


def _as_set(those: Collection[str]) -> Set[str]:
    return those.keys() if isinstance(those, Mapping) else those if isinstance(those, Set) else frozenset(those)


def _common(several: Sequence[frozenset[str]], everything: frozenset[str]) -> frozenset[str]:
    """The questions that are ranked on; none of the options is without any."""
    enough = enough_in_common(max(map(len, several)))
    whole = frozenset.intersection(*several)
    if whole and len(whole) >= enough:
        return whole
    order = sorted(everything)  # a bit for each question, the first one on the left
    own = [int("".join("1" if question in those else "0" for question in order), 2) for those in several]

    def rank(mask: int) -> tuple[int, int, int]:
        """More options, then more questions, then whatever questions come first."""
        return sum(mask & those == mask for those in own), mask.bit_count(), mask

    best = f"{max(_candidates(own, enough), key=rank):0{len(order)}b}"
    return frozenset(question for question, bit in zip(order, best, strict=True) if bit == "1")


def _candidates(own: Sequence[int], enough: float) -> Iterable[int]:
    """What some of the options have in common, where that is enough. Fewer are never enough again, however many join."""
    found: set[int] = set()
    for mask in sorted(set(own), key=lambda mask: (mask.bit_count(), mask), reverse=True):
        met = {mask, *(mask & common for common in found)}
        found |= {common for common in met if common and common.bit_count() >= enough}
        if len(found) > KEPT:
            votes = {common: (sum(common & those == common for those in own), common) for common in found}
            found = set(sorted(found, key=votes.__getitem__, reverse=True)[:KEPT])
    return found
