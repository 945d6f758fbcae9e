"""One spelling for one answer: case, accents, punctuation, quotes, articles and ё are not differences."""

from __future__ import annotations

import re
import unicodedata

_PUNCTUATION = re.compile(r"[^\w\s]|_")
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_STRESS = "\u0301"


def normalise(text: str) -> str:
    """Lower case, without diacritics, punctuation and articles, white space folded.

    ё becomes е, and the stress mark that Russian quiz texts use is dropped; й keeps its breve, being another letter.
    A text that is nothing but an article or punctuation stays as it is: "A" is a grade of vitamin too.
    """
    folded = text.casefold().replace("ё", "е").replace(_STRESS, "")
    plain = folded if folded.isascii() else "".join(_plain(character) for character in folded)
    words = _ARTICLES.sub(" ", _PUNCTUATION.sub(" ", plain)).split()
    return " ".join(words) or " ".join(folded.split())


def _plain(character: str) -> str:
    if character.isascii() or "а" <= character <= "я":
        return character
    return "".join(part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part))
