"""Counts in words, for the sentences that stand beside figures: a thing of which there is one is not several."""

from __future__ import annotations


def count(number: int, one: str, many: str | None = None) -> str:
    """``1 question``, ``1,200 questions``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def waiting_words(questions: int) -> str:
    """``1 question has an answer that waits for a grade``."""
    return f"{count(questions, 'question has', 'questions have')} an answer that waits for a grade"


def no_interval_words(questions: int) -> str:
    """Said of a figure of which nobody has taken how far what waits could move its interval."""
    return f"no interval: {waiting_words(questions)}"
