"""Ranks, decades and counts of one number, which in Russian have one dictionary form: год 60, 60-е годы and 60 лет.

The ending of the number says which it is, where it has one (12-й век, второго века), and else the form of the noun behind it:
12 век is a rank and 12 веков a count, 1960 год a year and 1960 годы a decade. What the form leaves open is neither.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

from moot.grade.lemmas import russian_forms
from moot.grade.normalise import normalise, spelled, too_long
from moot.grade.numerals import WordRead, ranks_and_counts

_RANK, _COUNT, _DECADE = "rank", "count", "decade"
_MAY_BE = re.compile(r"[а-яё]", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,15}|(?=[ivx])x{0,3}(?:ix|iv|v?i{0,3})")
"""Roman ones as centuries and classes have them: what has an l, c, d or m is rather DVD, LCD or DC."""
_CYRILLIC = re.compile(r"[а-я]{2,60}")
_ENDING = re.compile(r"[0-9]*(?P<ending>[а-я]{0,60})")
_OF_SEVERAL = re.compile(r"(?:.*ы)?(?:х|ми)|.*ые|третьи(?:х|ми)?")
"""1990-х, шестидесятые."""
_OF_ONE_OR_SEVERAL = re.compile(r"м|.*ым|е|(?:трет|тысячн)ьим")
"""2-е место and 20-е годы; шестидесятым."""
_JOINS_NUMBERS = frozenset(["и", "или", "по", "до", "либо"])
_MONTH = re.compile(r"(?:январ|феврал|март|апрел|ма|июн|июл|август|сентябр|октябр|ноябр|декабр)[а-я]?")
_YEARS = frozenset(["годы", "годов", "годам", "годами", "годах", "гг"])
_OBLIQUE_YEARS = frozenset(("годам", "годами", "годах"))
"""К 60 годам, which are so many and a decade."""
_OF_A_YEAR = 1000
"""From here on 1812 года is that year rather than so many."""


def differ_as_ranks(one: str, other: str, language: str) -> bool:
    """Whether a number is surely a rank in the one, and a count or a decade in the other."""
    if too_long(one) or too_long(other) or not (_MAY_BE.search(one) and _MAY_BE.search(other)):
        return False
    loose = spelled(one, language) == spelled(other, language)
    here, there = _said(one, language, loose=loose), _said(other, language, loose=loose)
    return any(
        len(here[number]) == len(there[number])
        and any(own and said and own.isdisjoint(said) for own, said in zip(here[number], there[number], strict=True))
        for number in here.keys() & there.keys()
    )


@lru_cache(maxsize=5_000)
def _said(text: str, language: str, *, loose: bool) -> Mapping[str, Sequence[frozenset[str]]]:
    """What each number may be, in their order; nothing, where nobody can tell.

    `loose`: for texts of the same words, of which 2 века are two centuries or of the second, as it is written out."""
    read = ranks_and_counts(normalise(text).split(), language)
    found: dict[str, list[frozenset[str]]] = defaultdict(list)
    for place, word in enumerate(read):
        if _NUMBER.fullmatch(word.text) is not None:
            noun = read[place + 1].text if place + 1 < len(read) else ""
            several = any(_NUMBER.fullmatch(before.text) for before in read[max(0, place - 2) : place]) and (
                read[place - 1].text in _JOINS_NUMBERS or _NUMBER.fullmatch(read[place - 1].text) is not None
            )
            found[word.text].append(frozenset() if several else frozenset(_readings(word, noun, loose=loose)))
    return found


def _readings(number: WordRead, noun: str, *, loose: bool) -> set[str]:
    forms = _forms(noun)
    if _MONTH.fullmatch(noun) is not None:
        return set()
    if number.is_rank:
        return _of_rank(number, forms)
    if not forms:
        return set()
    return _of_number(number, noun, forms, loose=loose)


def _of_rank(number: WordRead, forms: set[str]) -> set[str]:
    last = number.words[-1]
    ending = _ENDING.fullmatch(last)
    if ending is None or not ending["ending"]:
        return set()
    if _OF_SEVERAL.fullmatch(ending["ending"]) is not None:
        return {_DECADE}
    if _OF_ONE_OR_SEVERAL.fullmatch(ending["ending"]) is None:
        return {_RANK}
    if forms:
        return {_DECADE} if "several" in forms else {_RANK}
    is_decade = number.text.isdigit() and int(number.text) >= _OF_A_YEAR and ending["ending"] == "е"
    return {_DECADE} if is_decade else {_RANK, _DECADE}


def _of_number(number: WordRead, noun: str, forms: set[str], *, loose: bool) -> set[str]:
    value = int(number.text) if number.text.isdigit() else 0
    last = 0 if 10 <= value % 100 <= 20 else value % 10
    counts_one = (last == 1 and bool(forms & {"one", "of one"})) or (last in (2, 3, 4) and "of one" in forms)
    if counts_one and not any(map(str.isdigit, number.words[0])):
        return {_COUNT}  # двадцать один год, два века
    found = {_COUNT} if counts_one else set()
    if "one" in forms or ("of one" in forms and (last not in (2, 3, 4) or loose or value >= _OF_A_YEAR)):
        found.add(_RANK)
    if "several" in forms and "of one" not in forms:
        found |= _of_years(value, noun) if noun in _YEARS else {_COUNT}
    return found


def _of_years(value: int, years: str) -> set[str]:
    """60 годы are a decade; 1941 годы is the end of a list."""
    if value % 10:
        return {_COUNT, _RANK}
    return {_DECADE, _COUNT} if years in _OBLIQUE_YEARS else {_DECADE}


def _forms(noun: str) -> set[str]:
    """Whether it is of one, in the genitive or not, or of several; nothing of another word."""
    if _CYRILLIC.fullmatch(noun) is None:
        return set()
    return {"several" if form.several else "of one" if form.genitive else "one" for form in russian_forms(noun)}
