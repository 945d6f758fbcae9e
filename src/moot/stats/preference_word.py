"""What one judge, or a person, says of which of two texts is better."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PreferenceWord:
    """One judge's word on two texts, or what needs none (`judge` is None)."""

    question: str
    pair: Hashable
    play: Hashable
    """Which of the plays of this question it is about: a repeat."""
    judge: str | None
    liked: float
    """1: the side's text is preferred, 0: the other, 0.5: a tie."""
    place: int = 0
    """1: the side's text stood first, -1: second; 0 where nobody was asked."""
    doublings: float = 0.0
    """How often the side's text is twice as long as the other; bounded by whoever makes the word."""
    habit: str | None = None
    """Under whose habits it falls, where several judges are taken to have the same; None: the judge's own."""
    supposed: bool = False
    """Nobody has said it: it is put in as won or as lost, to see what it might turn. No habit is told from it, or touches it."""

    @property
    def has_habit(self) -> bool:
        """Whether a judge, or a person, has said it."""
        return self.judge is not None and not self.supposed
