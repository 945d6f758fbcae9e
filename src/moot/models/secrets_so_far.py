"""A reply as it is written, without the secrets that stand in it: what may be the beginning of one is not told."""

from __future__ import annotations

import re
from collections.abc import Sequence

from moot.models.spelt import Spelt
from moot.models.spelt_letters import DEEP

_LONG = 64
"""Characters that are held back: fewer are looked through again with every word that comes, more with every quarter more."""


class UnsecretWords:
    """Of one reply. Where a secret stands in it nothing more is told: the whole reply has it hidden."""

    def __init__(self, secrets: Sequence[Spelt]) -> None:
        self._secrets = [secret for secret in secrets if secret.length]
        firsts = "".join(sorted({letter for secret in self._secrets for letter in secret.firsts} - {"\\"}))
        # Of many backslashes in a row the last ones alone can belong to a letter.
        self._starts = re.compile(rf"[{re.escape(firsts)}]|\\{{1,{DEEP}}}(?!\\)") if self._secrets else None
        self._held = ""
        self._looked_through = 0
        self._found = False

    def take(self, words: str) -> str:
        """What can be told now."""
        if self._found or self._starts is None:
            return "" if self._found else words
        text = self._held + words
        if self._looked_through > _LONG and 4 * len(text) < 5 * self._looked_through:
            self._held = text
            return ""
        told = len(text)
        for start in self._starts.finditer(text):
            at = start.start()
            for secret in self._secrets:
                if text[at] not in secret.firsts:
                    continue
                if secret.reached(text, at).letters == secret.length:
                    self._found = True
                    return ""
                if at < told and secret.begun(text, at):
                    told = at
        self._held = text[told:]
        self._looked_through = len(self._held)
        return text[:told]
