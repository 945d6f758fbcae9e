"""Words that a share without habits leaves out, and whether they would overturn it.

Who said them is somebody whose habits cannot be told yet: more of the same words, and they are counted. So a share above a half
is no claim where it would not stay there once they are: where these words by themselves are surely on the other side, or where
the mean over everybody would be, went they on as they began on every question. Of few words little is known of how they go on:
so one question more that was won is taken with them, and one that was lost, and a single question turns nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from moot.stats.preference import Preferences, PreferenceWord, raw_rate
from moot.stats.preference_share import Rate
from moot.stats.quantiles import ALPHA

Overturning = Literal["together", "by themselves"]
"""By the mean over everybody, with these words on every question; or that stays, but they alone are surely on the other side."""
FEWEST_QUESTIONS = 2
"""One vote against a share of 65 % would turn it beside a single judge, and take every third claim that is true."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Of one pair."""

    words: Sequence[PreferenceWord]
    part: float
    """What they would have of a question that everybody has judged."""

    @property
    def rate(self) -> Rate:
        """As judged."""
        return raw_rate(self.words)

    @property
    def questions(self) -> int:
        return len({word.question for word in self.words})

    def overturn(self, share: float) -> Overturning | None:
        """How a share on one side of a half would not stay there; None: it would, by all that is known."""
        if self.questions < FEWEST_QUESTIONS:
            return None
        value, limits = self.rate.value, self.rate.limits(ALPHA)
        low, high = limits or (0.0, 1.0)
        going_on = (value * self.questions + 1) / (self.questions + 2)
        together = (1 - self.part) * share + self.part * going_on
        if together <= 0.5 if share > 0.5 else together >= 0.5:
            return "together"
        return "by themselves" if (high < 0.5 if share > 0.5 else low > 0.5) else None


def left_out_of(fitted: Preferences, pair: Hashable) -> LeftOut | None:
    """None: all words are counted that a judge has said."""
    kept = {id(word) for word in fitted.counted_of(pair).words}
    asked = [word for word in fitted.words if word.pair == pair and word.judge is not None]
    out = [word for word in asked if id(word) not in kept]
    if not out:
        return None
    theirs, others = (_judges_a_question(words) for words in (out, [word for word in asked if id(word) in kept]))
    return LeftOut(out, theirs / (theirs + others))


def _judges_a_question(words: Sequence[PreferenceWord]) -> float:
    judges: dict[str, set[str | None]] = {}
    for word in words:
        judges.setdefault(word.question, set()).add(word.judge)
    return fmean(map(len, judges.values())) if judges else 0.0
