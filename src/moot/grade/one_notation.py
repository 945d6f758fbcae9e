"""A number, an amount of money or an angle that is all there is, in one notation: 6x10^23 is 6e23, 10 dollars are $10.

A sign and a word say the same here, and so do a power of ten and its noughts. Nothing else is worked out, and nothing is read so
beside other words: degrees Celsius are none of arc, Canadian dollars are no other ones, and cents are no dollars.
"""

from __future__ import annotations

import re
from decimal import Decimal

from moot.grade.numerals import is_number_word

_MOST = 200
"""Characters. What is longer is more than one amount."""
_LARGEST = 100
"""Of a power of ten that is written out. Beyond it stays a power, in one spelling."""
_NUMBER = r"(?P<minus>[-−–]?) ?(?P<whole>[0-9]{1,20})(?:(?P<point>[.,])(?P<part>[0-9]{1,20}))?"
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−–", "0123456789-+--")
_RAISED = r"10 ?(?:(?:\^|\*\*) ?[({]?(?P<power>[-−–+]?[0-9]{1,3})[)}]?|(?P<raised>[⁻⁺]?[⁰¹²³⁴-⁹]{1,3}))"
_POWER = re.compile(rf"{_NUMBER}(?:[eE](?P<e>[-−–+]?[0-9]{{1,3}})| ?(?:[xXхХ×*·⋅]|\\times|\\cdot) ?{_RAISED})")
_POWER_ALONE = re.compile(rf"(?P<minus>[-−–]?){_RAISED}")
_IN_TEX = re.compile(r"\$(?P<inside>[^$]{3,200})\$|\\\((?P<round>[^$]{3,200})\\\)")
_MONEY = re.compile(
    r"(?P<amount>\S.{0,80}?) (?:(?P<dollar>dollars?|доллар(?:а|ов|ы)?)|(?P<euro>euros?|евро)|(?P<rouble>рубл(?:ь|я|ей|и)))",
    re.IGNORECASE,
)
_SIGNS = {"dollar": "$", "euro": "€", "rouble": "₽"}
_DEGREES = re.compile(
    r"(?P<amount>\S.{0,80}?)(?: |-)(?:degrees?|градус(?:а|ов|ы)?)(?: (?:(?P<celsius>celsius|цельсия|по цельсию|c)"
    r"|(?P<fahrenheit>fahrenheit|фаренгейта|по фаренгейту|f)))?",
    re.IGNORECASE,
)
_MINUS = re.compile(r"(?:minus|минус) ", re.IGNORECASE)
_DIGITS = re.compile(
    r"[-−–]?[0-9]{1,3}(?:[,  ]?[0-9]{3}){0,9}(?:[.,][0-9]{1,20})?|[-−–]?[0-9]{1,20}(?:[.,][0-9]{1,20})?"
)


def in_one_notation(text: str) -> str:
    """The text as it is, where it is more than such an amount, or none."""
    if len(text) > _MOST:
        return text
    bare = " ".join(text.split()).rstrip(".")
    return _written_out(bare) or _with_sign_of_money(bare) or _with_sign_of_degrees(bare) or text


def _written_out(text: str) -> str | None:
    if (tex := _IN_TEX.fullmatch(text)) is not None:
        text = (tex["inside"] or tex["round"]).strip()
    found = _POWER.fullmatch(text) or _POWER_ALONE.fullmatch(text)
    parts = {} if found is None else found.groupdict()
    if not parts or (parts.get("point") == "," and len(parts["part"]) == 3):
        return None  # 6,022 is six thousand to some
    number = Decimal(f"{parts.get('whole') or '1'}.{parts.get('part') or '0'}")
    exponent = int((parts.get("e") or parts["power"] or parts["raised"]).translate(_LOWERED))
    minus = "-" if parts["minus"] and number else ""
    if abs(exponent) > _LARGEST:
        return f"{minus}{'' if number == 1 else f'{_plain(number)}*'}10^{exponent}"
    return f"{minus}{_plain(number.scaleb(exponent))}"


def _plain(number: Decimal) -> str:
    written = f"{number:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def _with_sign_of_money(text: str) -> str | None:
    if (found := _MONEY.fullmatch(text)) is None or not _is_number(found["amount"]):
        return None
    return next(f"{sign}{found['amount']}" for name, sign in _SIGNS.items() if found[name])


def _with_sign_of_degrees(text: str) -> str | None:
    if (found := _DEGREES.fullmatch(text)) is None or not _is_number(found["amount"]):
        return None
    return f"{found['amount']}°{'C' if found['celsius'] else 'F' if found['fahrenheit'] else ''}"


def _is_number(amount: str) -> bool:
    """In digits, in words, or as 10 million; below nothing with a sign or in words."""
    amount = _MINUS.sub("", amount, count=1) if _MINUS.match(amount) else amount
    if not amount:
        return False
    first, *rest = amount.replace("-", " -", 1).split() if amount[:1] not in "-−–" else amount.split()
    words = [word.strip("-").lower() for word in rest]
    if _DIGITS.fullmatch(amount):
        return True
    if not _DIGITS.fullmatch(first) and not is_number_word(first.lower()):
        return False
    return all(word.isalpha() and is_number_word(word) for word in words)
