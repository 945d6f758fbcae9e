"""What nobody may read: a key, the values of headers, a proxy's password.

They go out with a request and nowhere else. But a server, or the wire, may repeat what it was sent, in an error or even in
a reply; so everything that comes back passes here before it is kept or shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import unquote

from moot.types import Reply

HIDDEN = "…"

NO_WORD = 12
"""Characters from which on a secret is taken out of replies too: a shorter one may be a word that a model says."""

TELLING = 8
"""So many first characters of a secret are one as well: a message may have been cut in the middle of it."""


class Secrets:
    """The secrets of one model. Printing this shows none of them."""

    def __init__(self, secrets: Iterable[str | None]) -> None:
        spellings = {spelling for secret in secrets if secret for spelling in (secret, unquote(secret))}
        self._known = sorted(spellings, key=len, reverse=True)  # one may be a part of another
        self._no_words = [secret for secret in self._known if len(secret) >= NO_WORD]

    def hidden_in(self, words: str) -> str:
        """A message without the secrets, nor the beginning of one."""
        for secret in self._known:
            words = _hide(secret, words)
        return words

    def without(self, reply: Reply) -> Reply:
        """The reply without the secrets; nearly always that is the reply itself."""
        if not any(secret in text for secret in self._no_words for text in _texts(reply)):
            return reply

        def hide(text: str) -> str:
            for secret in self._no_words:
                text = text.replace(secret, HIDDEN)
            return text

        return replace(
            reply,
            text=hide(reply.text),
            finish=hide(reply.finish),
            thoughts=reply.thoughts and hide(reply.thoughts),
            version=reply.version and hide(reply.version),
            logprobs=None,  # the same text again, token by token
        )


def _texts(reply: Reply) -> tuple[str, ...]:
    return (reply.text, reply.finish, reply.thoughts or "", reply.version or "")


def _hide(secret: str, words: str) -> str:
    if len(secret) <= TELLING:
        return words.replace(secret, HIDDEN)
    first, *others = words.split(secret[:TELLING])
    rest = secret[TELLING:]
    return first + "".join(HIDDEN + other[_shared(rest, other) :] for other in others)


def _shared(one: str, other: str) -> int:
    """How many first characters are the same."""
    pairs = zip(one, other, strict=False)
    return next((number for number, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
