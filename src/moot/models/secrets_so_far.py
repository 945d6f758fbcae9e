"""A reply as it is written, without the secrets that stand in it: what may be the beginning of one is not told."""

from __future__ import annotations

import re
from collections.abc import Sequence

from moot.models.spelt import Spelt, SureSoFar
from moot.models.spelt_letters import DEEP, LONGEST_BEFORE
from moot.models.turns import Stepwise, ended

_LONG = 64
"""Characters that are held back: fewer are looked through again with every word that comes, more with every quarter more."""
_SHORT = 256
"""Up to here each beginning is looked at by itself; a longer text is searched as a whole one is."""
AT_ONCE = 2**16
"""Characters that are best taken at once: the end of each is looked through for beginnings, which takes as long as all else."""


class UnsecretWords:
    """Of one reply. Where a secret stands in it nothing more is told: the whole reply has it hidden."""

    def __init__(self, secrets: Sequence[Spelt]) -> None:
        self._secrets = [secret for secret in secrets if secret.length]
        firsts = "".join(sorted({letter for secret in self._secrets for letter in secret.firsts} - {"\\"}))
        # Of many backslashes in a row the last ones alone can belong to a letter.
        self._starts = re.compile(rf"[{re.escape(firsts)}]|\\{{1,{DEEP}}}(?!\\)") if self._secrets else None
        self._held = ""
        self._before = ""
        """The last characters that were told."""
        self._looked_through = 0
        self._found = False

    def take(self, words: str) -> str:
        """What can be told now."""
        return ended(self.taking(words))

    def taking(self, words: str) -> Stepwise[str]:
        """The same in steps."""
        if self._found or self._starts is None:
            return "" if self._found else words
        text = self._held + words
        if self._looked_through > _LONG and 4 * len(text) < 5 * self._looked_through:
            self._held = text
            return ""
        if len(text) <= _SHORT:
            told = self._told_of(text, self._starts)
        else:
            told = yield from self._telling_of(text, self._starts)
        if told.found:
            self._found = True
            self._held = ""
            return ""
        sure = told.sure
        self._held = text[sure:]
        self._looked_through = len(self._held)
        self._before = (self._before + text[max(0, sure - LONGEST_BEFORE) : sure])[-LONGEST_BEFORE:]
        return text[:sure]

    def _told_of(self, text: str, starts: re.Pattern[str]) -> SureSoFar:
        sure = len(text)
        for found in starts.finditer(text):
            at = found.start()
            for secret in self._secrets:
                if text[at] not in secret.firsts:
                    continue
                stands = secret.stands_at(text, at, self._before, begun=at < sure)
                if stands:
                    return SureSoFar(found=True, sure=0)
                if stands is None:
                    sure = min(sure, at)
        return SureSoFar(found=False, sure=sure)

    def _telling_of(self, text: str, starts: re.Pattern[str]) -> Stepwise[SureSoFar]:
        sure = len(text)
        for secret in self._secrets:
            told = yield from secret.telling_of(text, self._before, starts)
            if told.found:
                return told
            sure = min(sure, told.sure)
            if len(text) >= AT_ONCE:
                yield
        return SureSoFar(found=False, sure=sure)
