"""A reply as it is written, without the secrets that stand in it: what may be the beginning of one is not told."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

LONGEST_LETTER = 44
"""Characters in which JSON within JSON may write one letter: backslashes and a number, or two where it has two halves."""

_BACKSLASH = "\\"
_HALF_A_NUMBER = re.compile(r"\\{1,16}(?:u[0-9a-fA-F]{0,3})?$")


class UnsecretWords:
    """Of one reply. Where a secret stands in it nothing more is told: the whole reply has it hidden."""

    def __init__(self, spellings: Sequence[str], read: Callable[[str], str]) -> None:
        """`read`: a text with the letters that are written by their numbers in it."""
        self._spellings = spellings
        self._read = read
        self._held = ""
        self._found = False

    def take(self, words: str) -> str:
        """What can be told now."""
        if self._found or not self._spellings:
            return "" if self._found else words
        text = self._held + words
        if self._stands_in(text) or (_BACKSLASH in text and self._stands_in(self._read(text))):
            self._found = True
            return ""
        hold = self._begun_in(text)
        if _BACKSLASH in text:
            half = _HALF_A_NUMBER.search(text)
            end = len(text) if half is None else half.start()
            hold = max(hold, len(text) - end + LONGEST_LETTER * self._begun_in(self._read(text[:end])))
        told = max(0, len(text) - hold)
        self._held = text[told:]
        return text[:told]

    def _stands_in(self, text: str) -> bool:
        return any(spelling in text for spelling in self._spellings)

    def _begun_in(self, text: str) -> int:
        """How many last characters of a text begin a secret."""
        return max(_begun(spelling, text) for spelling in self._spellings)


def _begun(spelling: str, text: str) -> int:
    most = min(len(spelling) - 1, len(text))
    return next((size for size in range(most, 0, -1) if text.endswith(spelling[:size])), 0)
