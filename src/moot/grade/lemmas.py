"""Word forms to their dictionary form: "Олимпийских игр" and "Олимпийские игры" are one answer.

Russian through pymorphy3; other languages through simplemma, which loads the one dictionary that is needed. Both are
loaded at the first word, since most runs need neither.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any, NamedTuple

from moot.grade.normalise import spelled, too_long

_RUSSIAN = re.compile(r"[а-я]")


LONGEST_WORD = 60
"""Letters. No dictionary has a longer one, and analysers that take words apart do not come to an end with some."""


_SHORTEST_INFLECTED = 3
"""Letters. Shorter words of Latin script are symbols as often: Cs is no form of C, nor M one of is."""
_ABBREVIATION = re.compile(r"(?<![^\W_])[A-Z]{2,5}(?![^\W_])")
_ENGLISH_DEGREES = re.compile(r"best|better|worst|worse|most|more|least|less|[a-z]{1,60}(?:(?<=est)|(?<=er))")
_CONJUNCTION = re.compile(r"\s(and|or|и|или|und|oder|et|ou|&)(?=\s)", re.IGNORECASE)
_ORDERED = re.compile(r"[/:=<>→←↔\-‐‑–—]")
"""Signs between words that say which of them comes first."""
_DIRECTION_WORDS = (
    "to from into onto than then over under before after above below behind beside of by with for at against versus vs "
    "из в на до от после перед над под за к ко с со у о об чем затем потом для через без"
)
_DIRECTIONS = frozenset(_DIRECTION_WORDS.split())
_FREE_PAIR = 2


def lemmas(text: str, language: str) -> list[str]:
    """The words of a text in their dictionary forms, in their order; numbers in digits, and abbreviations as they are."""
    kept = {word.lower() for word in _ABBREVIATION.findall(text)} if " " not in text or not text.isupper() else set()
    return [word if word in kept else lemma(word, language) for word in spelled(text, language).split()]


def lemma_key(text: str, language: str) -> str:
    """The same for two texts that say the same in so many words, whatever their forms and order.

    The order is free of a pair, of a name and of what "and" or a comma joins. Of anything else it may be what is said, as in left
    to right and man bites dog.
    """
    plain = spelled(text, language)
    if too_long(text):
        return plain
    if _tells_by_order(text, plain):
        return " ".join(lemmas(text, language))
    conjunctions = sorted(word.lower() for word in _CONJUNCTION.findall(text))
    members = [part for each in _CONJUNCTION.sub(",", text).split(",") for part in each.split(";")]
    if len(members) == 2 and not conjunctions:
        members = [f"{members[1]} {members[0]}"]  # Games, Olympic
    return "; ".join(sorted(_member_key(member, language) for member in members) + conjunctions)


def _tells_by_order(text: str, plain: str) -> bool:
    words = plain.split()
    if _ORDERED.search(text) is not None or not set(words).isdisjoint(_DIRECTIONS):
        return True
    return any(not word.isalpha() or (len(word) == 1 and word.isascii()) for word in words)


def _member_key(text: str, language: str) -> str:
    words = lemmas(text, language)
    is_name = all(word[:1].isupper() for word in re.findall(r"[^\W_]+", text))
    return " ".join(sorted(words) if len(words) <= _FREE_PAIR or is_name else words)


@lru_cache(maxsize=100_000)
def lemma(word: str, language: str) -> str:
    """The script decides before the language does: a Russian word in an English answer is still Russian."""
    if len(word) > LONGEST_WORD:
        return word
    if _RUSSIAN.search(word):
        return _russian_lemma(word).replace("ё", "е")
    if word.isalpha() and word.isascii() and len(word) >= _SHORTEST_INFLECTED:
        return _other(word, "en" if language == "ru" else language)
    return word


def _russian_lemma(word: str) -> str:
    """Who killed and who was killed are two: participles keep their own form, and so do degrees."""
    parsed = _russian().parse(word)[0]
    if "Supr" in parsed.tag or parsed.tag.POS == "COMP":
        return word
    if parsed.tag.POS == "PRTF":
        first = parsed.inflect({"nomn", "sing", "masc"})
        return str(first.word) if first is not None else word
    return str(parsed.normal_form)


class NounForm(NamedTuple):
    several: bool
    genitive: bool


@lru_cache(maxsize=20_000)
def russian_forms(word: str) -> frozenset[NounForm]:
    """What forms of its noun a Russian word may be; none, where it is rather no noun."""
    parsed = _russian().parse(word)
    if parsed[0].tag.POS != "NOUN":
        return frozenset()
    nouns = (each.tag for each in parsed if each.tag.POS == "NOUN" and each.normal_form == parsed[0].normal_form)
    return frozenset(NounForm(tag.number == "plur", tag.case == "gent") for tag in nouns)


@cache
def _russian() -> Any:
    from pymorphy3 import MorphAnalyzer

    return MorphAnalyzer()


def _other(word: str, language: str) -> str:
    import simplemma

    if language == "en" and _ENGLISH_DEGREES.fullmatch(word):
        return word  # who is best is not who is good
    try:
        return str(simplemma.lemmatize(word, lang=language)).casefold()
    except ValueError:  # a language without a dictionary: the word stays as it is
        return word
