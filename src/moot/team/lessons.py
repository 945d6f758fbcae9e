"""Lessons: what a team may learn from before it decides, where its strategy says that it learns."""

from __future__ import annotations

from dataclasses import dataclass

from moot.types import Answer, Question

FOLDS = 10
"""Into so many the questions of a run are dealt: each is decided by the lessons of the others. Were all other questions the
lessons of each, then of two players who are right equally often the one who is right here would have one right fewer
elsewhere: who follows the best of the others would follow whoever is wrong. A fold hides less, and what is learnt is the same
for all of it."""


@dataclass(frozen=True, slots=True)
class LessonVerdict:
    """What a strategy made of the drafts of another question, and what that was worth."""

    answered: bool
    holders: tuple[str, ...] | None
    """Who had drafted its answer; nobody: it is new. None: not known."""
    right: float | None
    """None: nobody could grade it."""
    end: tuple[float, ...] = ()
    """How it ended, in numbers (`moot.decide.talk_chance`), where nobody drafts alone and nothing else tells how sure it is."""


NOT_PLAYED = LessonVerdict(answered=False, holders=None, right=None)


@dataclass(frozen=True, slots=True)
class Lesson:
    """Another question of the same run: what the players said alone, and what that was worth."""

    question: Question
    drafts: tuple[Answer, ...]
    rights: tuple[float | None, ...]
    """The grade of each draft, in their order; None: nobody could grade it, which is not wrong."""
    groups: tuple[tuple[str, ...], ...]
    """Players whose drafts mean the same."""
    unit: str | None = None
    """What it belongs together with, where that is told: such questions are one piece of evidence."""
    verdict: LessonVerdict | None = None
    """For whoever tells how sure a strategy is that asks on after the drafts; None: it was not played to its end."""
    category: str = ""
    """Of the question, where it has one: who is right, and how often, may hang on it."""
