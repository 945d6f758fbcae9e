"""How long the final text may be, by the client's word. The team answers as it was measured to; what it says is cut afterwards.

Players of several models have several tokenizers, and none of them wrote all that is read here. So tokens are counted by a rule
that hangs on the text alone, and rather counts too many: see `tokens_end`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

LETTERS_IN_TOKEN = 4
OTHER_LETTERS_IN_TOKEN = 2
"""Letters beyond ASCII, such as Cyrillic."""

_TOKEN = re.compile(
    rf"[A-Za-z]{{1,{LETTERS_IN_TOKEN}}}|[0-9]{{1,3}}|[^\W\d_\u2e80-\U0010ffff]{{1,{OTHER_LETTERS_IN_TOKEN}}}|\S"
)
"""Space goes with what follows it. From U+2E80 on stand the scripts of East Asia and pictures: each sign counts."""

CutBy = Literal["max_tokens", "stop"]


@dataclass(frozen=True, slots=True)
class FinalText:
    """What is left of a text, and what has cut it."""

    text: str
    cut_by: CutBy | None = None


@dataclass(frozen=True, slots=True)
class FinalBounds:
    """Where the final text ends at the latest."""

    most_tokens: int | None = None
    stops: Sequence[str] = ()

    def cut(self, text: str) -> FinalText:
        """At the first of the stops, which is not part of it; at so many tokens."""
        end, cut_by = len(text), None
        found = [place for stop in self.stops if (place := text.find(stop)) >= 0]
        if found:
            end, cut_by = min(found), _by("stop")
        if self.most_tokens is not None and (most := tokens_end(text[:end], self.most_tokens)) < end:
            end, cut_by = most, _by("max_tokens")
        return FinalText(text[:end], cut_by)


def _by(bound: CutBy) -> CutBy:
    return bound


def tokens_end(text: str, most: int) -> int:
    """Where so many tokens of a text end: each begun four letters of ASCII, two of other alphabets or three digits are one, and
    every other sign."""
    end = 0
    for number, token in enumerate(_TOKEN.finditer(text)):
        if number == most:
            return end
        end = token.end()
    return len(text)
