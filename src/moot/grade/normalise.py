"""One spelling for one answer: case, accents, punctuation, quotes, articles and ё are not differences."""

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


@lru_cache(maxsize=20_000)
def normalise(text: str) -> str:
    """Lower case, without diacritics, punctuation and articles, white space folded.

    ё becomes е, and the stress mark that Russian quiz texts use is dropped; й keeps its breve, being another letter.
    An article is one only before another word: "A" and "vitamin A" keep theirs. So do a number its sign, and C++ and
    C# what sets them apart from C. A text that is nothing but punctuation stays as it is.
    """
    folded = _folded(text.replace(_KEPT_MINUS, " "))
    words = _PUNCTUATION.sub(_kept, _MINUS.sub(_KEPT_MINUS, folded)).split()
    return _ARTICLES.sub("", " ".join(words)) or " ".join(folded.split())


@lru_cache(maxsize=20_000)
def spelled(text: str, language: str) -> str:
    """Normalised, with numbers in digits: "twenty-one" is "21", and 20 000 is 20000. For comparing, never for showing."""
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


def _plain(character: str) -> str:
    if character.isascii() or "а" <= character <= "я":
        return character
    return "".join(part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part))
