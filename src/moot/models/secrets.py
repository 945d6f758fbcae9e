"""What nobody may read: a key, the values of headers that are named for one, a proxy's password.

They go out with a request and nowhere else. But a server, or the wire, may repeat what it was sent, in an error or even in
a reply; so everything that comes back passes here before it is kept or shown.
"""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote, quote_plus, unquote

from moot.models.secrets_so_far import UnsecretWords
from moot.types import Reply

HIDDEN = "…"

NO_WORD = 12
"""A secret shorter than this is taken out of a reply where it stands by itself: inside of a word it is that word."""

NO_KEY = frozenset(
    ("none", "null", "empty", "dummy", "unused", "x", "xx", "xxx", "-", "na", "n/a", "no-key", "not-needed", "ollama")
)
"""What is sent to servers that want a key and look at none. A model may say such a word."""

_NAMED_SECRET = re.compile(r"auth|key|token|secret|passw|credential|cookie|session|signature", re.IGNORECASE)

_BACKSLASH = "\\"
_ESCAPE = re.compile(r"\\{1,16}u([0-9a-fA-F]{4})")

TELLING = 8
"""So many first characters of a secret are one as well: a message may have been cut in the middle of it."""


class Secrets:
    """The secrets of one model. Printing this shows none of them."""

    def __init__(self, secrets: Iterable[str | None], *, in_messages: Iterable[str | None] = ()) -> None:
        """`in_messages`: what is hidden in errors alone, where nobody misses it; no secret by its name."""
        plain = {text for secret in secrets if secret for text in (secret, unquote(secret))}
        spellings = {spelling for text in plain if text.casefold() not in NO_KEY for spelling in _spellings(text)}
        others = {text for text in in_messages if text and len(text) >= NO_WORD}
        self._known = sorted(spellings | others, key=len, reverse=True)  # one may be a part of another
        self._spellings = tuple(sorted(spellings))
        self._by_number = [_ByNumber(text) for text in sorted(plain, key=len, reverse=True) if text in spellings]
        standing = (_standing(secret) for secret in sorted(spellings, key=len, reverse=True))
        self._in_replies: list[re.Pattern[str] | _ByNumber] = [*standing, *self._by_number]

    def words_so_far(self) -> UnsecretWords:
        """For a reply that is told as it is written."""
        return UnsecretWords(self._spellings, lambda text: _ESCAPE.sub(_letter, text).replace(_BACKSLASH, ""))

    def hidden_in(self, words: str) -> str:
        """A message without the secrets, nor the beginning of one."""
        if self._known and _BACKSLASH in words:
            for by_number in self._by_number:
                words = by_number.sub(HIDDEN, words)
            words = _ESCAPE.sub(_letter, words)
        for secret in self._known:
            words = _hide(secret, words)
        return words

    def without(self, reply: Reply) -> Reply:
        """The reply without the secrets; nearly always that is the reply itself."""
        if not self._in_replies:
            return reply
        if not self._stand_in(_texts(reply)):
            # Token by token a reply may say what its text does not: in other choices, in bytes, in fields of its own.
            held = reply.logprobs is not None and self._stand_in(_spoken_in(reply.logprobs))
            return replace(reply, logprobs=None) if held else reply

        def hide(text: str) -> str:
            for secret in self._in_replies:
                text = secret.sub(HIDDEN, text)
            return text

        return replace(
            reply,
            text=hide(reply.text),
            finish=hide(reply.finish),
            thoughts=reply.thoughts and hide(reply.thoughts),
            version=reply.version and hide(reply.version),
            logprobs=None,  # the same text again, token by token
        )

    def _stand_in(self, texts: Iterable[str]) -> bool:
        return any(secret.search(text) for text in texts for secret in self._in_replies)


def secret_headers(headers: Mapping[str, str]) -> list[str]:
    """The values of those headers whose name says that they are secret; of one with a scheme, such as Bearer, the rest."""
    values = [value for name, value in headers.items() if _NAMED_SECRET.search(name)]
    return [*values, *(value.partition(" ")[2].strip() for value in values)]


def _spellings(secret: str) -> set[str]:
    """As it stands in an address, a page, a JSON that was written into another text, and packed as headers are."""
    raw = secret.encode("utf-8", "surrogateescape")
    in_json = json.dumps(secret)[1:-1]
    spelt = {secret, in_json, in_json.replace("/", "\\/"), html.escape(secret)}
    spelt |= {quote(secret, safe="/"), quote(secret, safe=""), quote_plus(secret)}
    if len(raw) >= NO_WORD:  # of a short one it is a word like others
        spelt |= {packed(raw).decode().rstrip("=") for packed in (b64encode, urlsafe_b64encode)}
    return spelt


class _ByNumber:
    """A secret as JSON may write it too, any letter by its number, and JSON within JSON: `sk\\u002d…`."""

    def __init__(self, secret: str) -> None:
        whole = "".join(rf"(?:\\{{0,16}}{re.escape(letter)}|\\{{1,16}}u{_units(letter)})" for letter in secret)
        self._written = re.compile(whole if len(secret) >= NO_WORD else rf"(?<!\w){whole}(?!\w)")
        self._bare = secret.replace(_BACKSLASH, "")

    def search(self, text: str) -> bool:
        """Most texts hold no backslash, and most that do are told to be harmless by a quicker look."""
        if _BACKSLASH not in text:
            return False
        bare = _ESCAPE.sub(_letter, text).replace(_BACKSLASH, "")
        return (not self._bare.isascii() or self._bare in bare) and self._written.search(text) is not None

    def sub(self, hidden: str, text: str) -> str:
        return self._written.sub(hidden, text) if self.search(text) else text


def _units(letter: str) -> str:
    """Its number in hexadecimal digits of either case; beyond the first plane the two halves, each announced."""
    halves = letter.encode("utf-16-be", "surrogatepass")
    numbers = [halves[place : place + 2].hex() for place in range(0, len(halves), 2)]
    return r"\\{1,16}u".join(f"(?i:{number})" for number in numbers)


def _letter(escape: re.Match[str]) -> str:
    """What a message says by a number, as it would be read. Half a letter stays as it is written."""
    letter = chr(int(escape[1], 16))
    return escape[0] if 0xD800 <= ord(letter) < 0xE000 or not letter.isprintable() else letter


def _standing(secret: str) -> re.Pattern[str]:
    whole = re.escape(secret)
    return re.compile(whole if len(secret) >= NO_WORD else rf"(?<!\w){whole}(?!\w)")


def _texts(reply: Reply) -> tuple[str, ...]:
    return (reply.text, reply.finish, reply.thoughts or "", reply.version or "")


def _spoken_in(logprobs: Any) -> Iterator[str]:
    """Every text within, at whatever depth; and what tokens and bytes that stand in one list say together."""
    left = [logprobs]
    while left:
        value = left.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            left += [*value, *value.values()]
        elif isinstance(value, list | tuple):
            left += value
            entries = [entry for entry in value if isinstance(entry, Mapping)]
            yield "".join(entry["token"] for entry in entries if isinstance(entry.get("token"), str))
            yield "".join(each for each in value if isinstance(each, str))
            yield _from_bytes(value)
            yield "".join(_from_bytes(entry["bytes"]) for entry in entries if isinstance(entry.get("bytes"), list))


def _from_bytes(numbers: Sequence[Any]) -> str:
    return bytes(each for each in numbers if isinstance(each, int) and 0 <= each < 256).decode("utf-8", "replace")


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
