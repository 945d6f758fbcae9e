"""One spelling for one answer: case, accents, punctuation, quotes, articles and ё are not differences.

Answers are compared where others wait, in a server's loop as well, and are written by whoever likes: a megabyte of marks
over one letter would take hours. So there is a length from which a text is not taken apart any more. It equals itself
alone then, which can make nothing right that is not; and whoever grades says that it was not compared (`too_long`).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from moot.grade.numerals import numerals, thousands

_STRESS = "\u0301"
_MINUS = re.compile(r"(?<!\w)[-−–](?=\d)")
_KEPT_MINUS = "\ue000"
"""A sign before a number on its way past the punctuation; it is nobody's letter."""
_PUNCTUATION = re.compile(rf"(?P<kept>(?<=[^\W_])[+#]+(?!\w))|{_KEPT_MINUS}|[^\w\s]|_")
_ARTICLES = re.compile(r"\b(?:a|an|the)\s+(?=\S)")


LONGEST_COMPARED = 10_000
"""Characters, white space folded. No answer to a question that has a reference is nearly as long."""

_REMEMBERED = 1_000
"""Characters up to which a text is worth remembering: thousands are, and must fit into memory."""


def too_long(text: str) -> bool:
    """Whether a text is too long to be compared but letter by letter."""
    return len(text) > LONGEST_COMPARED and len(" ".join(text.split())) > LONGEST_COMPARED


def normalise(text: str) -> str:
    """Lower case, without diacritics, punctuation and articles, white space folded.

    ё becomes е, and the stress mark that Russian quiz texts use is dropped; й keeps its breve, being another letter.
    An article is one only before another word: "A" and "vitamin A" keep theirs. So do a number its sign, and C++ and
    C# what sets them apart from C. A text that is nothing but punctuation stays as it is; so does one that is too long.
    """
    if len(text) <= _REMEMBERED:
        return _remembered(text)
    folded = " ".join(text.split())
    return folded if len(folded) > LONGEST_COMPARED else _normalised(folded)


@lru_cache(maxsize=20_000)
def _remembered(text: str) -> str:
    return _normalised(text)


def _normalised(text: str) -> str:
    folded = _folded(text.replace(_KEPT_MINUS, " "))
    words = _PUNCTUATION.sub(_kept, _MINUS.sub(_KEPT_MINUS, folded)).split()
    return _ARTICLES.sub("", " ".join(words)) or " ".join(folded.split())


def spelled(text: str, language: str) -> str:
    """Normalised, with numbers in digits: "twenty-one" is "21", and 20 000 is 20000. For comparing, never for showing."""
    if len(text) <= _REMEMBERED:
        return _spelled(text, language)
    return normalise(text) if too_long(text) else _spelled.__wrapped__(" ".join(text.split()), language)


@lru_cache(maxsize=20_000)
def _spelled(text: str, language: str) -> str:
    return " ".join(numerals(normalise(thousands(text, language)).split(), language))


def _kept(match: re.Match[str]) -> str:
    return "-" if match.group() == _KEPT_MINUS else match.group("kept") or " "


def _folded(text: str) -> str:
    """Case and diacritics off. Compatibility forms first (ﬁ, Ⅳ, ℌ): they may hide capitals and marks."""
    if text.isascii():
        return text.lower()
    composed = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    plain = composed.replace("ё", "е").replace(_STRESS, "")
    return "".join(map(_plain, plain))


@lru_cache(maxsize=5_000)
def _plain(character: str) -> str:
    if character.isascii() or "а" <= character <= "я":
        return character
    return "".join(part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part))
