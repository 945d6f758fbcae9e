"""What nobody may read: a key, the values of headers that are named for one, a proxy's password.

They go out with a request and nowhere else. But a server, or the wire, may repeat what it was sent, in an error or even in
a reply; so everything that comes back passes here before it is kept or shown.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from html import unescape
from typing import Any
from urllib.parse import SplitResult, unquote

from moot.models import border
from moot.models.cut_out import CUT_OUT
from moot.models.overheard import Tell, TellInSteps
from moot.models.secret_names import is_no_key, names_a_secret
from moot.models.secrets_so_far import AT_ONCE, UnsecretWords
from moot.models.spelt import TELLING, Spelt, packed_parts
from moot.models.spelt_letters import BACKSLASH, how_odd
from moot.models.turns import Stepwise, ended, in_turns
from moot.types import Reply

HIDDEN = "…"

NO_WORD = 12
"""A secret shorter than this is taken out of a reply where it stands by itself: inside of a word it is that word."""
NO_WORD_PACKED = 8
"""Letters or digits: what is packed in fewer is a word or a number like others, and what is shorter than `NO_WORD` is looked for
where it was packed alone."""
_BEFORE_DIGITS = ("", "0x", "0X")

NO_BEGINNING = 4
"""Characters. Fewer at the end of a text are a word that ends so, and no beginning of a secret that goes on elsewhere."""

MOST_READ = 8
"""So often is a message read anew that writes letters by their numbers, and the numbers by theirs."""

_ESCAPE = re.compile(r"\\{1,16}u([0-9a-fA-F]{4})")


class Secrets:
    """The secrets of one model. Printing this shows none of them."""

    def __init__(
        self,
        keys: Iterable[str | None],
        *,
        passwords: Iterable[str | None] = (),
        in_messages: Iterable[str | None] = (),
    ) -> None:
        """`passwords`: secret whatever they say, where a key may say that there is none. `in_messages`: what is hidden in
        errors alone, where nobody misses it; no secret by its name."""
        secrets = (*(key for key in keys if key and not is_no_key(key)), *passwords)
        plain = {text for secret in secrets if secret for text in (secret, unquote(secret))}
        known = sorted(plain, key=len, reverse=True)
        self._spelt = sorted((each for text in known for each in _spellings(text)), key=lambda each: -len(each.text))
        others = {text for text in in_messages if text and len(text) >= NO_WORD}
        self._others = sorted(others, key=len, reverse=True)  # one may be a part of another

    def words_so_far(self) -> UnsecretWords:
        """For a reply that is told as it is written."""
        return UnsecretWords(self._spelt)

    def untold_to(self, tell: Tell) -> TellInSteps:
        """For whoever listens to a reply as it is written: hears it without the secrets."""
        so_far = self.words_so_far()

        def telling(words: str) -> Stepwise[None]:
            for start in range(0, len(words), AT_ONCE):
                if sure := (yield from so_far.taking(words[start : start + AT_ONCE])):
                    tell(sure)
                    yield

        return telling

    def hidden_in(self, words: str) -> str:
        """A message without the secrets, nor the beginning of one."""
        if not self._spelt and not self._others:
            return words
        words = self._hidden_in(words, cut=True)
        if BACKSLASH in words:
            words = self._hidden_in(_ESCAPE.sub(_letter, words), cut=True)
        read = words
        for _ in range(MOST_READ):
            if (further := unescape(unquote(_ESCAPE.sub(_letter, read)))) == read:
                break
            read = self._hidden_in(further, cut=True)
            words = words if read == further else read
        for text in self._others:
            words = _hide(text, words)
        return words

    def shortened(self, text: str, most: int) -> str:
        """The first characters of a text that is longer. They are cut when its secrets are hidden: a part of one is none to
        whoever looks later. One that is short enough is looked through with the whole reply."""
        if len(text) <= most:
            return text
        if self._spelt:
            text = self._without_a_beginning(self._hidden_in(text[: most + border.BEHIND_A_CUT], cut=True), most=1)
        return border.cut(text, most) if len(text) > most else text

    def name(self, value: object) -> str | None:
        """What names something, in so many characters; None for what is no text, or an empty one."""
        text = border.uncut_name(value)
        return None if text is None else border.storable(self.shortened(text, border.LONGEST_NAME))

    def beginning_of(self, text: str, most: int) -> str:
        """Of what is quoted in a message. What is quoted may have been cut on its way."""
        hidden = self.hidden_in(text[: most + border.BEHIND_A_CUT])
        return self._without_a_beginning(hidden, most=1 if len(hidden) > most else NO_BEGINNING)[:most]

    def _without_a_beginning(self, text: str, *, most: int) -> str:
        """Without what is at its end the beginning of a secret, where that has so many characters."""
        told = self.words_so_far().take(text)
        return text if len(text) - len(told) < most else told + HIDDEN

    def _hidden_in(self, text: str, *, cut: bool = False) -> str:
        return ended(self._hiding(text, cut=cut))

    def _hiding(self, text: str, *, cut: bool = False, hidden: str = HIDDEN) -> Stepwise[str]:
        odd = how_odd(text)
        for secret in self._spelt:
            text = yield from secret.hiding(text, hidden, odd, cut=cut)
        return text

    def without(self, reply: Reply) -> Reply:
        """The reply without the secrets; nearly always that is the reply itself. Where one was stands `CUT_OUT`."""
        return ended(self._without(reply))

    async def taken_from(self, reply: Reply) -> Reply:
        """The same, of a reply that may be long: others have their turn in between."""
        return await in_turns(self._without(reply)) if self._spelt else reply

    def _without(self, reply: Reply) -> Stepwise[Reply]:
        if not self._spelt:
            return reply
        if not (yield from self._stand_in(_texts(reply))):
            # Token by token a reply may say what its text does not: in other choices, in bytes, in fields of its own.
            held = reply.logprobs is not None and (yield from self._stand_in(_spoken_in(reply.logprobs)))
            return replace(reply, logprobs=None) if held else reply

        return replace(
            reply,
            text=(yield from self._hiding(reply.text, hidden=CUT_OUT)),
            finish=(yield from self._hiding(reply.finish)),
            thoughts=reply.thoughts and (yield from self._hiding(reply.thoughts, hidden=CUT_OUT)),
            version=reply.version and (yield from self._hiding(reply.version)),
            logprobs=None,  # the same text again, token by token
        )

    def _stand_in(self, texts: Iterable[str]) -> Stepwise[bool]:
        for text in texts:
            odd = how_odd(text)
            for secret in self._spelt:
                for place in secret.steps(text, odd):
                    if place is not None:
                        return True
                    yield
            yield
        return False


NO_SECRETS = Secrets(())
"""Of a model that is shown none."""


def secret_headers(headers: Mapping[str, str]) -> list[str]:
    """The values of those headers whose name says that they are secret; of one with a scheme, such as Bearer, the rest."""
    return [each for name, value in headers.items() if names_a_secret(name) for each in parts_of_header(value)]


def parts_of_header(value: str) -> list[str]:
    """The whole value; what stands behind a scheme; and what the scheme Basic packs, with the password by itself."""
    scheme, _, rest = value.partition(" ")
    rest = rest.strip()
    parts = [value, rest]
    if scheme.casefold() == "basic":
        with suppress(ValueError):
            pair = b64decode(rest, validate=True).decode("utf-8")
            parts += [pair, pair.partition(":")[2]]
    return parts


def secrets_of_proxy(proxy: SplitResult) -> list[str]:
    """The password, and with the user as both are sent: packed together."""
    if not proxy.password:
        return []
    return [proxy.password, f"{unquote(proxy.username or '')}:{unquote(proxy.password)}"]


def _spellings(secret: str) -> Iterator[Spelt]:
    """As it is, in any letters; in hexadecimal digits; and packed, by itself or with something else, as headers are."""
    yield Spelt(secret, alone=len(secret) < NO_WORD)
    for raw in {secret.encode("utf-8", "surrogateescape"), *_in_one_byte_each(secret)}:
        if len(raw) >= NO_WORD:
            yield from (Spelt(part, packed=True) for part in packed_parts(raw))
            yield from (Spelt(digits, as_it_is=True) for digits in (raw.hex(), raw.hex().upper()))
            continue
        if len(packed := b64encode(raw).decode().rstrip("=")) >= NO_WORD_PACKED:
            yield Spelt(packed, packed=True, alone=True)
        if len(digits := raw.hex()) >= NO_WORD_PACKED:
            written = {before + each for before in _BEFORE_DIGITS for each in (digits, digits.upper())}
            yield from (Spelt(each, as_it_is=True, alone=True) for each in sorted(written))


def _in_one_byte_each(secret: str) -> Iterator[bytes]:
    """As headers of HTTP are packed of old."""
    with suppress(UnicodeEncodeError):
        yield secret.encode("latin-1")


def _letter(escape: re.Match[str]) -> str:
    """What a message says by a number, as it would be read. Half a letter stays as it is written."""
    letter = chr(int(escape[1], 16))
    return escape[0] if 0xD800 <= ord(letter) < 0xE000 or not letter.isprintable() else letter


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
