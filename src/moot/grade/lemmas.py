"""Word forms to their dictionary form: "Олимпийских игр" and "Олимпийские игры" are one answer.

Russian through pymorphy3; other languages through simplemma, which loads the one dictionary that is needed. Both are
loaded at the first word, since most runs need neither.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

from moot.grade.normalise import spelled, too_long

_RUSSIAN = re.compile(r"[а-я]")


LONGEST_WORD = 60
"""Letters. No dictionary has a longer one, and analysers that take words apart do not come to an end with some."""


def lemmas(text: str, language: str) -> list[str]:
    """The words of a text in their dictionary forms, in their order; numbers in digits."""
    return [lemma(word, language) for word in spelled(text, language).split()]


def lemma_key(text: str, language: str) -> str:
    """The same for two texts that say the same in so many words, whatever their forms and order."""
    return spelled(text, language) if too_long(text) else " ".join(sorted(lemmas(text, language)))


@lru_cache(maxsize=100_000)
def lemma(word: str, language: str) -> str:
    """The script decides before the language does: a Russian word in an English answer is still Russian."""
    if len(word) > LONGEST_WORD:
        return word
    if _RUSSIAN.search(word):
        return str(_russian().parse(word)[0].normal_form).replace("ё", "е")
    if word.isalpha() and word.isascii():
        return _other(word, "en" if language == "ru" else language)
    return word


@cache
def _russian() -> Any:
    from pymorphy3 import MorphAnalyzer

    return MorphAnalyzer()


def _other(word: str, language: str) -> str:
    import simplemma

    try:
        return str(simplemma.lemmatize(word, lang=language)).casefold()
    except ValueError:  # a language without a dictionary: the word stays as it is
        return word
