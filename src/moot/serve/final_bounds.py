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

    def so_far(self) -> BoundedWords:
        """For a text that is told as it is written."""
        return BoundedWords(self)


class BoundedWords:
    """So much of a text that is not whole yet as is sure to be left of it."""

    def __init__(self, bounds: FinalBounds) -> None:
        self._bounds = bounds
        self._held = ""
        """What may be the beginning of a stop."""
        self._begun = [_BegunStop(stop) for stop in bounds.stops]
        self._tokens = 0
        """Those that are over: the last one may grow."""
        self._open = ""
        """From the beginning of the last token on."""
        self._told = 0
        """How much of that is told."""
        self._space: list[str] = []
        """Behind the last token. It goes with what follows, however long that takes to come."""
        self._over = False

    def take(self, words: str) -> str:
        """What is sure now and was not before."""
        if self._over:
            return ""
        text = self._held + words
        stops = self._bounds.stops
        begun = len(text) - max((stop.after(words) for stop in self._begun), default=0)
        found = min((place for stop in stops if (place := text.find(stop)) >= 0), default=len(text))
        end = min(begun, found)
        self._held = text[end:]
        told = self._in_tokens(text[:end])
        self._over = self._over or found < begun  # or a longer stop would begin before it
        return told

    def _in_tokens(self, words: str) -> str:
        most = self._bounds.most_tokens
        if most is None:
            return words
        body = words.rstrip()
        if not body:
            self._space.append(words)
            return ""
        self._open += "".join((*self._space, body))
        self._space = [words[len(body) :]]
        tokens = list(_TOKEN.finditer(self._open))
        left = most - self._tokens
        self._over = len(tokens) > left
        last = tokens[min(left, len(tokens)) - 1]
        told = self._open[self._told : last.end()]
        self._tokens += len(tokens) - 1
        self._told = last.end() - last.start()
        self._open = self._open[last.start() :]
        return told


class _BegunStop:
    """How much of a stop stands at the end of a text that comes in pieces. Each character is looked at once or twice."""

    def __init__(self, stop: str) -> None:
        self._stop = stop
        self._shorter = [0]
        """By how much has come, less one: how much of it is a beginning too."""
        size = 0
        for character in stop[1:]:
            size = self._longer(size, character)
            self._shorter.append(size)
        self._size = 0

    def after(self, words: str) -> int:
        """How many last characters begin it, when these have come too."""
        most = len(self._stop) - 1
        if len(words) > most:
            words, self._size = words[len(words) - most :], 0
        for character in words:
            self._size = self._longer(self._size, character)
            if self._size > most:
                self._size = self._shorter[most]
        return self._size

    def _longer(self, size: int, character: str) -> int:
        while size and self._stop[size] != character:
            size = self._shorter[size - 1]
        return size + 1 if self._stop[size] == character else 0


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
