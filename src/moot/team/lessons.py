"""Lessons: what a team may learn from before it decides, where its strategy says that it learns."""

from __future__ import annotations

from dataclasses import dataclass

from moot.types import Answer, Question


@dataclass(frozen=True, slots=True)
class Lesson:
    """Another question of the same run: what the players said alone, and what that was worth."""

    question: Question
    drafts: tuple[Answer, ...]
    rights: tuple[float | None, ...]
    """The grade of each draft; None: nobody could grade it."""
    groups: tuple[tuple[str, ...], ...]
    """Players whose drafts mean the same."""
    unit: str | None = None
    """What it belongs together with, where that is told: such questions are one piece of evidence."""
