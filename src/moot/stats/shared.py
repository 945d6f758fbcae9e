"""Which options can be ranked beside each other, and on which questions: those that all of them have played.

What an option was not asked says nothing of it, be it that a run is not over, that nobody planned it, or that the option was
chosen on these very questions. It is neither wrong nor right; and the mean of what was played would flatter whoever played
the easier ones. So options are ranked on the questions that they share. One that would leave too few of these is not
ranked, rather than that all the others are ranked by the little that it has played; whoever ranks says so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from moot.stats.paired import FEW_QUESTIONS

ENOUGH = 0.25
"""Of the questions of whoever has most: so many must be left in common, or as many as are no longer called few."""


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
    def told(self) -> str | None:
        """Who is not ranked and why, in words; None where all are."""
        if not self.left_out:
            return None
        few = ", ".join(
            f"{name} ({played:,} question{'s' if played != 1 else ''})" for name, played in self.left_out.items()
        )
        return f"not ranked, with too few questions that the others have: {few}"


def shared(played: Mapping[str, Collection[str]], questions: Collection[str] | None = None) -> SharedQuestions:
    """From the questions that each option has played, of these. From the fullest on, as long as enough are in common."""
    asked = None if questions is None else set(questions)
    own = {name: set(those) if asked is None else asked.intersection(those) for name, those in played.items()}
    most = max(map(len, own.values()), default=0)
    common: set[str] = set().union(*own.values())
    everything = len(common)
    ranked, left_out = set(), {}
    for name in sorted(own, key=lambda name: -len(own[name])):
        both = common & own[name]
        if both and len(both) >= min(ENOUGH * most, FEW_QUESTIONS):
            common = both
            ranked.add(name)
        else:
            left_out[name] = len(own[name])
    names = tuple(name for name in own if name in ranked)
    whole = len(names) == len(own) and len(common) == everything
    return SharedQuestions(names, tuple(sorted(common)) if names else (), left_out, whole)
