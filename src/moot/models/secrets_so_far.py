"""A reply as it is written, without the secrets that stand in it: what may be the beginning of one is not told."""

from __future__ import annotations

import re
from collections.abc import Sequence

from moot.models.spelt import Spelt
from moot.models.spelt_letters import DEEP
from moot.models.turns import Steps, ended

_LONG = 64
"""Characters that are held back: fewer are looked through again with every word that comes, more with every quarter more."""
AT_ONCE = 2**16
"""Characters that are taken at once. The end of each is looked through for beginnings, which takes as long as all the rest."""


class UnsecretWords:
    """Of one reply. Where a secret stands in it nothing more is told: the whole reply has it hidden."""

    def __init__(self, secrets: Sequence[Spelt]) -> None:
        self._secrets = [secret for secret in secrets if secret.length]
        firsts = "".join(sorted({letter for secret in self._secrets for letter in secret.firsts} - {"\\"}))
        # Of many backslashes in a row the last ones alone can belong to a letter.
        self._starts = re.compile(rf"[{re.escape(firsts)}]|\\{{1,{DEEP}}}(?!\\)") if self._secrets else None
        self._held = ""
        self._before = ""
        """The last character that was told."""
        self._looked_through = 0
        self._found = False

    def take(self, words: str) -> str:
        """What can be told now."""
        return ended(self.taking(words))

    def taking(self, words: str) -> Steps[str]:
        """The same in steps, of however many words."""
        if self._starts is None or len(words) <= AT_ONCE:
            return (yield from self._taking(words))
        sure = []
        for start in range(0, len(words), AT_ONCE):
            sure.append((yield from self._taking(words[start : start + AT_ONCE])))
        return "".join(sure)

    def _taking(self, words: str) -> Steps[str]:
        if self._found or self._starts is None:
            return "" if self._found else words
        text = self._held + words
        if self._looked_through > _LONG and 4 * len(text) < 5 * self._looked_through:
            self._held = text
            return ""
        sure = len(text)
        for secret in self._secrets:
            told = yield from secret.telling_of(text, self._before, self._starts)
            if told.found:
                self._found = True
                self._held = ""
                return ""
            sure = min(sure, told.sure)
            if len(text) >= AT_ONCE:
                yield
        self._held = text[sure:]
        self._looked_through = len(self._held)
        self._before = text[sure - 1] if sure else self._before
        return text[:sure]
