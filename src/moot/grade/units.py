"""Signs of units, which normalising takes off: 5 for a reference of $5, yet never €5 for it.

A number may stand without its unit, and is graded as if it had one. Where both texts name units, and not the same ones, they
are two answers: currencies, parts of a hundred and of a thousand, degrees, minutes and seconds of arc or feet and inches, and a
note raised or lowered. Units in words differ as words do, but for percent, which is as often a word as a sign. A$5 is
neither C$5 nor $5, by the letters before the sign.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_LIKELY = re.compile(r"[$%‰‱°˚′″'’\"”♯♭♮]|\\(?:circ|euro|pounds)|[^\x00-\x7f]|per ?cent", re.IGNORECASE)
_MOST = 1_000
"""Characters. Longer texts are no amounts."""
_SPELT = (
    (re.compile(r"\^? ?\{? ?\\circ(?![A-Za-z]) ?\}?"), "°"),
    (re.compile(r"\\euro(?![A-Za-z])"), "€"),
    (re.compile(r"\\pounds(?![A-Za-z])"), "£"),
    (re.compile(r"\\%"), "%"),
    (re.compile(r"(?<![^\W\d_])(?:per ?cent|процент(?:а|у|ом|е|ы|ов|ам|ами|ах)?)(?![^\W\d_])", re.IGNORECASE), "%"),
)
_RING = str.maketrans({"˚": "°", "″": '"', "”": '"', "’": "'", "′": "'"})
_DOLLAR_IN_TEX = "\ue001"
"""Of a backslash and a dollar, which is one in TeX; it is nobody's letter."""
_LAST_DOLLAR = re.compile(r"\$\s?[-−–]?\s?\.?[0-9][^$]*\Z")
_OF_TEX = re.compile(r"(?<!\\)\$")
_PRIME = re.compile(r"(?<=[0-9])\s?('{2}|[\"'])(?![^\W_]|[0-9]{3}(?![0-9]))|(?<=[0-9])'(?=[0-9]{1,2}(?![0-9]))")
_DOLLAR_OF = re.compile(r"(?<![^\W_])[A-Z](?=[$\ue001] ?[0-9])")
"""Of A$5, which is no article."""


def differ_in_unit(one: str, other: str) -> bool:
    """Whether both name units, and neither only leaves some of the other's out."""
    return _differ(units(one), units(other))


def _differ(here: tuple[str, ...], there: tuple[str, ...]) -> bool:
    return bool(here and there) and not (_left_out(here, there) or _left_out(there, here))


def _left_out(fewer: tuple[str, ...], several: tuple[str, ...]) -> bool:
    """$5 to 10, which is $5 to $10."""
    rest = iter(several)
    return all(any(_may_be_one(unit, other) for other in rest) for unit in fewer)


def _may_be_one(unit: str, other: str) -> bool:
    return unit == other or (unit[-1] == other[-1] == "$" and "$" in (unit, other))


def units(text: str) -> tuple[str, ...]:
    """The signs of units in a text, in their order, each in one spelling."""
    if len(text) > _MOST or _LIKELY.search(text) is None:
        return ()
    return _units(text)


@lru_cache(maxsize=20_000)
def _units(text: str) -> tuple[str, ...]:
    plain = text.replace("\\$", _DOLLAR_IN_TEX)
    for pattern, sign in _SPELT:
        plain = pattern.sub(sign, plain)
    plain = unicodedata.normalize("NFKC", plain.translate(_RING))
    if plain.count("$") % 2 == 0 and _LAST_DOLLAR.search(plain) is None:
        plain = _OF_TEX.sub("", plain)  # around a formula
    plain = plain.replace(_DOLLAR_IN_TEX, "$")
    whose = {letter.end(): letter.group() for letter in _DOLLAR_OF.finditer(plain)}
    found = [(place, whose.get(place, "") + sign) for place, sign in enumerate(plain) if _is_unit(sign)]
    quotes = {mark for mark in "'\"" if plain.count(mark) % 2 == 0 and not plain.count(mark + mark)}
    found += [
        (prime.start(), "″" if prime.group().strip() in ('"', "''") else "′")
        for prime in _PRIME.finditer(plain)
        if prime.group().strip() not in quotes
    ]
    return tuple(sign for _, sign in sorted(found))


def _is_unit(sign: str) -> bool:
    return sign in "%‰‱°♯♭♮" or unicodedata.category(sign) == "Sc"
