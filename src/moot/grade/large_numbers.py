"""Thousands and millions as they are shortened, halved and counted in dozens: $5m, half a million, полтора миллиона, two dozen.

Behind a sign of money a letter alone is a scale; elsewhere it may be a metre, and says nothing.
"""

from __future__ import annotations

import re
from decimal import Decimal

_MONEY = re.compile(
    r"(?P<amount>[$€£¥₽] ?[0-9]{1,12}(?:,[0-9]{3}(?![0-9])){0,4}(?:[.,][0-9]{1,9})?) ?"
    r"(?P<scale>[kK]|[mM][nN]?|MM|[bB][nN]?|T|[tT][rR]?[nN])(?![\w^$])"
)
_OF_TEX = re.compile(r"\$(?!\s?[0-9])")
"""A dollar that no number follows closes a formula."""
_SCALES = {"k": "thousand", "m": "million", "b": "billion", "t": "trillion"}
_SCALE = r"(?P<scale>1(?:000){1,4})"
_HALF_OF = re.compile(rf"(?:(?P<whole>[0-9]{{1,3}}) (?:and|с|и) )?(?:half|половиной) {_SCALE}(?= [^\W\d_]|\Z)")
_ONE_AND_HALF = re.compile(rf"пол(?:тор[аы]|утора)(?: {_SCALE})?(?= [^\W\d_]|\Z)")
_DOZEN = re.compile(r"(?:(?P<many>[0-9]{1,3}) |(?P<half>half ))?dozen(?= [^\W\d_]|\Z)")
_HALVES = {"полсотни": 50, "полтысячи": 500, "полмиллиона": 500_000, "полмиллиарда": 500_000_000}
_MAY_BE = ("half", "dozen", "пол")


def with_scale_of_money(text: str) -> str:
    """$5m as $5 million, $1.2bn as $1.2 billion; not the formula $5m$."""
    if _MONEY.search(text) is None or _OF_TEX.search(text) is not None:
        return text
    return _MONEY.sub(lambda found: f"{found['amount']} {_SCALES[found['scale'][0].lower()]}", text)


def halves_and_dozens(spelled: str) -> str:
    """Half a million as 500000, two and a half million as 2500000, two dozen as 24, of what is spelled with numbers in digits."""
    if not any(sign in spelled for sign in _MAY_BE):
        return spelled
    if (found := _HALF_OF.match(spelled)) is not None:
        number = (Decimal(found["whole"] or 0) + Decimal("0.5")) * int(found["scale"])
    elif (found := _ONE_AND_HALF.match(spelled)) is not None:
        number = Decimal("1.5") * int(found["scale"] or 1)
    elif (found := _DOZEN.match(spelled)) is not None:
        number = Decimal(6 if found["half"] else 12 * int(found["many"] or 1))
    else:
        word, apart, rest = spelled.partition(" ")
        return f"{_HALVES[word]}{apart}{rest}" if word in _HALVES else spelled
    written = str(int(number)) if number == int(number) else str(number)
    return written + spelled[found.end() :]
