"""Units that only their capitals tell apart: 5 mW is no 5 MW, and 5 Pa is no 5 pA, where KM and km are one.

Case is no difference between two answers, but behind a number it may be a thousand million. So a symbol whose letters have more
than one reading, each with a prefix or a unit of its own, is written out where it is read: 5 MW is 5 megawatt. What is in no
spelling of the standard (16 gb, 5 mhz) tells nothing by its case, and is read as the text beside it has the same letters. One
that has its small letters (5 MM) is those where there is no other. Of a letter alone nothing is said: 5 M and 5 m are both five
million, and 5 T is five tonnes to many.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from moot.grade.numerals import ENGLISH_COUNTS
from moot.grade.unit_symbols import NAMES

_LONGEST = max(map(len, NAMES))
WRITTEN_OUT = frozenset(NAMES.values())
_LETTERS = frozenset(symbol.casefold() for symbol in NAMES)
_AS_THE_STANDARD_HAS_IT = frozenset(symbol for symbol in NAMES if not symbol.startswith("K") or symbol.startswith("Ki"))
"""KB is met with as much as kB, and its K is no prefix."""
_MOST = 1_000
"""Characters. Longer texts are no quantities."""

_NUMBER_WORD = "|".join(sorted(ENGLISH_COUNTS, key=len, reverse=True))
_OPENED = r"(?:\\(?:text|mathrm|textrm|mbox|rm)(?![A-Za-z])\s?\{?\s?)?"
_SYMBOL = rf"[^\W\d_]{{1,{_LONGEST}}}(?![^\W\d_])"
_QUANTITY = re.compile(
    rf"(?:(?<=[0-9⁰¹²³⁴-⁹½¼¾])[)}}]{{0,2}}|(?<![^\W_])(?:{_NUMBER_WORD})(?![^\W_]))"
    rf"(?:\s|[~$-]|\\[,;: !]){{0,4}}{_OPENED}{_SYMBOL}"
    rf"(?:[\s}}]{{0,2}}(?:\^\{{?-?[0-9]\}}?|[⁻¹²³]{{1,2}})?[\s}}]{{0,2}}(?:[/*·⋅×]|\bper\b|\\cdot)\s?{_OPENED}{_SYMBOL}){{0,3}}",
    re.IGNORECASE,
)
_WRITTEN_NAMES = "|".join(sorted((name for name in WRITTEN_OUT if name.isalpha()), key=len, reverse=True))
_WRITTEN_NAMES = _WRITTEN_NAMES.replace("metre", "met(?:re|er)").replace("litre", "lit(?:re|er)")
_IN_WORDS = re.compile(
    rf"(?P<number>(?:[0-9⁰¹²³⁴-⁹½¼¾]|(?<![^\W_])(?:{_NUMBER_WORD}))[\s~-]{{1,3}})"
    rf"(?P<name>{_WRITTEN_NAMES})s?(?![^\W_])",
    re.IGNORECASE,
)
"""5 megawatts, which are 5 MW, and 5 millimeters."""
_IN_QUANTITY = re.compile(r"(?<!\\)(?<![^\W\d_])[^\W\d_]+")
_OF_AUSTRALIA = re.compile(r"(?<![^\W_$])[Aa](?=\\?\$ ?[0-9])")
"""Of A$5, which is no article."""
_ONE_OHM = str.maketrans("Ω", "Ω")


def with_units(text: str) -> str:
    """A text in which such units behind a number are written out."""
    text = _OF_AUSTRALIA.sub("AU", text) if "$" in text else text
    if "Hg" in text:
        text = text.replace("mm Hg", "mmHg")
    return _IN_WORDS.sub(_as_written_out, _QUANTITY.sub(_written_out, text.translate(_ONE_OHM)))


def _as_written_out(quantity: re.Match[str]) -> str:
    name = quantity["name"].lower()
    return quantity["number"] + (f"{name[:-2]}re" if name.endswith(("meter", "liter")) else name)


def in_case_of(text: str, other: str) -> str:
    """A text whose units, where they are in no spelling of the standard, are spelled as the other text has their letters."""
    if len(text) > _MOST or len(other) > _MOST or not any(map(_is_loose, _symbols_of(text))):
        return text
    spellings: dict[str, set[str]] = defaultdict(set)
    for symbol in _symbols_of(other):
        spellings[symbol.casefold()].add(symbol)
    one_each = {letters: next(iter(found)) for letters, found in spellings.items() if len(found) == 1}

    def as_there(symbol: re.Match[str]) -> str:
        written = symbol.group()
        return one_each.get(written.casefold(), written) if _is_loose(written) else written

    return _QUANTITY.sub(lambda quantity: _IN_QUANTITY.sub(as_there, quantity.group()), text)


def has_loose_unit(text: str) -> bool:
    """Whether a unit's case says nothing where it could: 16 gb."""
    return len(text) <= _MOST and (any(map(_is_loose, _symbols_of(text))))


def _symbols_of(text: str) -> Iterator[str]:
    for quantity in _QUANTITY.finditer(text):
        yield from _IN_QUANTITY.findall(quantity.group())


def _is_loose(symbol: str) -> bool:
    return symbol.casefold() in _LETTERS and symbol not in _AS_THE_STANDARD_HAS_IT


def _written_out(quantity: re.Match[str]) -> str:
    return _IN_QUANTITY.sub(lambda symbol: _name(symbol.group()), quantity.group())


def _name(symbol: str) -> str:
    return NAMES.get(symbol) or NAMES.get(symbol.lower(), symbol)
