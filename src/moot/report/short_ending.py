"""Three lines: what happened, how it stands, what to type. For who was interrupted, and who had nothing to do."""

from __future__ import annotations

from moot.report.figures import Figures
from moot.report.stored_runs import headline_words


def short_ending(figures: Figures, width: int, first: str, following: str) -> list[str]:
    return [first, headline_words(figures.get("headline"), width), following]


def short_ending_lengths(figures: Figures, first: str, following: str) -> list[list[str]]:
    """The same lines for screens of every width: each in all its lengths, the longest first."""
    headline = figures.get("headline")
    lengths = [headline_words(headline)]
    while len(shorter := headline_words(headline, len(lengths[-1]) - 1)) < len(lengths[-1]):
        lengths.append(shorter)
    return [[first], lengths, [following]]
