"""Letters and words that name an answer: look-alikes, an option's own words, yes and no."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from moot.types import Question

YES_NO: Mapping[str, str] = {"yes": "yes", "no": "no", "да": "yes", "нет": "no", "true": "yes", "false": "no"}
"""The words that settle a question of yes or no, in small letters."""

_LOOK_ALIKE = dict(zip("АВЕКМНОРСТХ", "ABEKMHOPCTX", strict=True))
_CYRILLIC_ORDER = "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЭЮ"
_EDGES = " \t\r\n*_`\"'«»“”„$(){}[]\\"
_FRAME = re.compile(
    r"(?:<[a-z]{1,10}>|[<>#|]{1,6}(?=\s{1,20}[^\W\d])|\s){0,8}(.*?)(?:</[a-z]{1,10}>|(?<=\s)[<>#|]{1,6}|\s){0,8}",
    re.DOTALL,
)
"""Tags, and signs that white space sets apart: without it ">5" would be "5", and "C#" would be "C"."""
_QUOTES = ('""', "''", "``", "«»", "“”", "„“")


def latin(letter: str, letters: str) -> str:
    """The Latin letter that a Cyrillic one looks like: Russian models type А, С, Е for A, C, E.

    В could be the look-alike of B or the third of А, Б, В; where both name an option there is no telling.
    """
    if letter.isascii():
        return letter
    looks = _LOOK_ALIKE.get(letter, "?")
    counted = _CYRILLIC_ORDER.find(letter)
    if 0 <= counted < len(letters) and letters[counted] != looks:
        return "?"
    return looks


def plain(text: str) -> str:
    """An option's words as they compare: case, spacing, a full stop and quotes around them are no difference."""
    words = " ".join(text.casefold().split()).removesuffix(".")
    return words[1:-1] if len(words) > 2 and words[0] + words[-1] in _QUOTES else words


def known_letter(letter: str, question: Question) -> str | None:
    """The letter of an option; None for a letter that names none."""
    option_letter = latin(letter.upper(), question.letters)
    return option_letter if option_letter in question.letters else None


@lru_cache(maxsize=256)
def _by_words(choices: tuple[str, ...], letters: str) -> dict[str, str]:
    """The letter of each option by its own words; options in the same words have none."""
    words = [plain(choice) for choice in choices]
    return {wording: letter for wording, letter in zip(words, letters, strict=True) if words.count(wording) == 1}


def whole_option(words: str, question: Question) -> str | None:
    """The option whose own words these are."""
    letter_by_words = _by_words(question.choices, question.letters)
    bare = _FRAME.fullmatch(words.strip(_EDGES))
    return letter_by_words.get(plain(words)) or letter_by_words.get(
        plain(bare.group(1).strip(_EDGES) if bare else words)
    )


_WHO = r"(?:it|he|she|they|that|this|there|we|you|i)"
_TAG = rf"{_WHO} (?:is|was|are|were|am|does|did|do|has|have|had|can|could|will|would|should)"
_TRUE = r"(?:it|that|this)(?: is|['’]s) (?:correct|right|true|so)"
_FALSE = r"(?:it|that|this)(?: is|['’]s) (?:not (?:correct|right|true|so)|incorrect|false|wrong|untrue)"
_DENIED = rf"{_TAG}(?:n['’]t| not)|{_WHO} (?:cannot|can['’]t|won['’]t)|{_WHO}['’](?:s|re|m) not"
_YES_OR_NO = re.compile(
    rf"\s*(?:(?P<yes>yes),? (?:{_TAG}|{_TRUE})|(?P<no>no),? (?:{_DENIED}|{_FALSE})"
    r"|(?P<da>да),? (?:это )?(?:так|верно|правда)|(?P<net>нет),? (?:это )?(?:не (?:так|верно|правда)|неверно|неправда))[.!]?\s*",
    re.IGNORECASE,
)


def short_yes_no(text: str) -> str:
    """Yes of "Yes, it is.", where the rest says no more than that again. Of anything else the rest may be what counts."""
    found = _YES_OR_NO.fullmatch(text)
    return text if found is None else next(word for word in found.groups() if word)
