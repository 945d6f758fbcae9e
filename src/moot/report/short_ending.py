"""Three lines: what happened, how it stands, what to type. For who was interrupted, and who had nothing to do.

What was chosen on some of these questions is told in a line more: that belongs to every ending that shows a figure.
"""

from __future__ import annotations

from moot.measures.accuracy.sections import chosen_on_words
from moot.report.figures import Figures
from moot.report.stored_runs import headline_words


def short_ending(figures: Figures, width: int, first: str, following: str) -> list[str]:
    headline = headline_words(figures.get("headline"), width)
    return [first, headline, *(_fitting(lengths, width) for lengths in _chosen_on(figures)), following]


def short_ending_lengths(figures: Figures, first: str, following: str) -> list[list[str]]:
    """The same lines for screens of every width: each in all its lengths, the longest first."""
    headline = figures.get("headline")
    lengths = [headline_words(headline)]
    while len(shorter := headline_words(headline, len(lengths[-1]) - 1)) < len(lengths[-1]):
        lengths.append(shorter)
    return [[first], lengths, *_chosen_on(figures), [following]]


def _chosen_on(figures: Figures) -> list[list[str]]:
    """One line, if any, in all its lengths."""
    said = list(chosen_on_words(figures))
    if not said:
        return []
    who = ", ".join(words.partition(":")[0] for words in said)
    return [[" ".join(said), f"Chosen on some of these questions: {who}.", "Some of it was chosen on these questions."]]


def _fitting(lengths: list[str], width: int) -> str:
    return next((line for line in lengths if len(line) <= width), lengths[-1])
