"""Two texts each of which is one amount and nothing else, in whatever notation: 6x10^23 and 6e23, 10 dollars and $10.

This is one more way to be equal beside that by words. Both are read, whatever TeX, Markdown or brackets is around them, as a
number and a unit that is in the table. Nothing is worked out from one unit to another, and nothing is read so beside other words:
degrees Celsius are none of arc, Canadian dollars are no other ones, and cents are no dollars.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from moot.grade.normalise import spelled
from moot.grade.unit_words import UnitRead, read_unit
from moot.grade.units import units
from moot.grade.wrapping import unwrapped

_MOST = 200
"""Characters. What is longer is more than one amount."""
_MOST_WORDS = 6
"""Of a unit."""
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−–", "0123456789-+--")
_RAISED = r"10 ?(?:(?:\^|\*\*) ?[({]?(?P<power>[-−–+]?[0-9]{1,3})[)}]?|(?P<raised>[⁻⁺]?[⁰¹²³⁴-⁹]{1,3}))"
_NUMBER = r"(?P<minus>[-−–]?) ?(?P<whole>[0-9]{1,40})(?:(?P<point>[.,])(?P<part>[0-9]{1,40}))?"
_POWER = re.compile(rf"{_NUMBER}(?:[eE](?P<e>[-−–+]?[0-9]{{1,3}})| ?[xXхХ×*·⋅] ?{_RAISED})")
_POWER_ALONE = re.compile(rf"(?P<minus>[-−–]?){_RAISED}")
_BOXED = re.compile(r"\\boxed ?\{(.*)\}")
_POWER_IN_BRACES = re.compile(r"\^ ?\{ ?([-+]?[0-9]{1,3}) ?\}")
_COMMANDS = re.compile(r"\\(?:text|mathrm|textrm|textbf|mathbf|mbox|textit|operatorname) ?\{([^{}]{0,80})\}")
_SIGNS_OF_TEX = (
    (re.compile(r"\\[()\[\]]"), ""),
    (re.compile(r"\\(?:[,;:! ]|quad(?![A-Za-z]))|~"), " "),
    (re.compile(r"\^? ?\{? ?\\(?:circ|degree)(?![A-Za-z]) ?\}?"), "°"),
    (re.compile(r"\\(?:cdot|times)(?![A-Za-z])"), "×"),
    (re.compile(r"\\mu(?![A-Za-z]) ?"), "µ"),
    (re.compile(r"\\Omega(?![A-Za-z])"), "Ω"),
    (re.compile(r"\{,\}"), ","),
)
_DOLLAR = "\ue001"
_MARKED = re.compile(r"(?<![\w*`])(\*{1,3}|_{1,3}|`)(?=[^\s*_`])([^*_`]{1,80})(?<=[^\s*_`])\1(?![\w*`])")
_BRACKETS = re.compile(r"(?P<before>.*)\((?P<inside>[^()]{1,80})\)")
_APART = re.compile(r"(?<=[0-9])-?(?=[^\W\d_]|[°$€₽])(?![eExXхХ] ?[-−–+]?[0-9])")
_MONEY = re.compile(
    r"(?P<minus>[-−–]? ?)(?:(?i:US) ?(?=\$))?(?P<sign>[$€₽]|(?i:(?!US)[A-Z]{1,3}\$|USD|EUR|RUB)) ?(?P<rest>[-−–]? ?[0-9].*)"
)
_SIGNS = {"USD": "$", "EUR": "€", "RUB": "₽", "AU$": "A$", "CA$": "C$"}
"""Of whoever's dollars, A$ and HK$, the letters are part of the sign; of US$ they say nothing."""
_MINUS = re.compile(r"(?:minus|минус|[-−–]) ?(?=\S)", re.IGNORECASE)
_VALUE = re.compile(r"[^\W_](?:[\w ,./’'-]*[\w.])?")
_READ = re.compile(r"(?P<whole>[0-9]+)(?:\.(?P<part>[0-9]+))?")
_SCALE_OF_MONEY = re.compile(r"[0-9.,]+ ?[A-Za-z]{1,2}")
_YEAR = re.compile(r"(?P<in>[Вв] )?(?P<year>[12][0-9]{3})(?: ?(?P<word>год[ауе]?|г))?(?P<point>\.?)")
_LEFT_OUT = frozenset("$€₽°")
_SECONDS_OR_CELSIUS = {"second", "°C"}
"""Of 5 с and 5 °С, whose letter is the same."""
_NO_UNIT = re.compile(r"[0-9](?:s\Z|B\W{0,9}\Z)|(?<![0-9.,^])[0-9]{1,2}[KК]\W{0,9}\Z")
"""1990s, and 7B and 4K, which are rather thousand millions and thousands; 300K and 2.7K are temperatures."""
_RANK = "second"
_MAY_BE = re.compile(r"[0-9⁰-⁹]|[^\W\d_]{2}")


class Amount(NamedTuple):
    """A number, exactly, and its unit. `in_powers`: it was written with a power of ten."""

    minus: bool
    digits: str
    exponent: int
    unit: UnitRead | None
    in_powers: bool


def is_same_amount(one: str, other: str, language: str) -> bool:
    """Whether they are one amount, of which at least the notation may differ."""
    if (pair := _both(one, other, language)) is None:
        return False
    here, there = pair
    if here.unit is None or there.unit is None:
        return here.unit is there.unit and (here.in_powers or there.in_powers) and here[:3] == there[:3]
    here_alone, there_alone = here.unit.is_letter, there.unit.is_letter
    return here[:3] == there[:3] and here.unit.name == there.unit.name and not (here_alone or there_alone)


def may_be_same_amount(one: str, other: str, language: str) -> bool:
    """The same where a letter alone is one of the units, and may be something else; or where a number stands without its
    dollars, euros, roubles or degrees, which it may as it does without their sign; or a year without that word."""
    year, same = _year(one), _year(other)
    if year is not None and same is not None and one != other and _are_years(year, same):
        return year["year"] == same["year"]
    if (pair := _both(one, other, language)) is None:
        return False
    here, there = pair
    if here[:3] != there[:3]:
        return False
    if here.unit is None or there.unit is None:
        unit, bare = (here.unit, other) if there.unit is None else (there.unit, one)
        return unit is not None and _may_be_left_out(unit) and not units(bare)  # 5 percent has no unit here
    return (here.unit.is_letter or there.unit.is_letter) and here.unit.name == there.unit.name


def _may_be_left_out(unit: UnitRead) -> bool:
    return unit.name in _LEFT_OUT or unit.name.endswith("$")  # A$


def _year(text: str) -> re.Match[str] | None:
    return _YEAR.fullmatch(unwrapped(text)) if len(text) <= _MOST else None


def _are_years(one: re.Match[str], other: re.Match[str]) -> bool:
    """1500 г may be grams as well, unless the other says that it is a year."""
    unclear = (_may_be_grams(one), _may_be_grams(other))
    return not any(unclear) or (not all(unclear) and all(year["word"] or year["in"] for year in (one, other)))


def _may_be_grams(year: re.Match[str]) -> bool:
    """Unlike 1500 г. and в 1500 г."""
    return year["word"] == "г" and not year["point"] and not year["in"]


def one_may_be_grams(one: str, other: str) -> bool:
    """Of two years in the same words: 1500 is 1500 г., and no 1500 г."""
    year, same = _year(one), _year(other)
    return year is not None and same is not None and _may_be_grams(year) != _may_be_grams(same)


def are_two_amounts(one: str, other: str, language: str) -> bool:
    """Whether each says what it is of, and not the same; or each is a number, one of them in powers, and not the same."""
    if (pair := _both(one, other, language)) is None:
        return False
    here, there = pair
    if here.unit is None or there.unit is None:
        return here.unit is there.unit and (here.in_powers or there.in_powers) and here[:3] != there[:3]
    if {here.unit.name, there.unit.name} == _SECONDS_OR_CELSIUS:
        return True
    unclear = any(unit.is_letter or unit.has_letter for unit in (here.unit, there.unit))
    return here.unit.name != there.unit.name and not unclear


def may_be_several(text: str, language: str) -> bool:
    """Whether its unit is a letter alone, or one that a number may stand without: 5 m, 5 dollars, 1812 год."""
    if (year := _year(text)) is not None and year["word"] is not None:
        return True
    read = amount(text, language)
    return read is not None and read.unit is not None and (read.unit.is_letter or _may_be_left_out(read.unit))


def amount_key(text: str, language: str) -> str | None:
    """What amounts that are the same have in common."""
    read = amount(text, language)
    if read is None or (read.unit is not None and read.unit.is_letter):
        return None
    return f"{'-' if read.minus else ''}{read.digits}e{read.exponent} {read.unit.name if read.unit is not None else ''}"


def _both(one: str, other: str, language: str) -> tuple[Amount, Amount] | None:
    if one == other or (here := amount(one, language)) is None or (there := amount(other, language)) is None:
        return None
    return here, there


def amount(text: str, language: str) -> Amount | None:
    """Nothing, where a text is more than that or no amount."""
    return _amount(text, language) if len(text) <= _MOST and _MAY_BE.search(text) is not None else None


@lru_cache(maxsize=20_000)
def _amount(text: str, language: str) -> Amount | None:
    bare = _bare(unwrapped(text))
    if bare is None:
        return None
    if (money := _MONEY.fullmatch(bare)) is not None:
        return _of_money(money, language)
    if (alone := _power(bare)) is not None:
        return _as_amount(alone, None)
    words = bare.split()
    for count in range(min(_MOST_WORDS, len(words) - 1), 0, -1):
        number, unit = " ".join(words[:-count]), read_unit(" ".join(words[-count:]))
        if unit is None or (
            count == 1 and words[-1].lower() == _RANK and not any(map(str.isdigit, number)) and number.lower() != "one"
        ):
            continue
        if unit.is_letter and _NO_UNIT.search(text) is not None:
            continue
        if (value := _power(number) or _value(number, language)) is not None:
            return _as_amount(value, unit)
    value = _value(bare, language)
    return None if value is None else _as_amount(value, None)


def _of_money(money: re.Match[str], language: str) -> Amount | None:
    """With its sign before the number it is money, and of no other unit: $5 m are five million, and $10 T no tesla."""
    minus, rest, sign = money["minus"].strip(), money["rest"], money["sign"].upper()
    sign = _SIGNS.get(sign, sign)
    words = rest.split()
    if len(words) > 1 and (unit := read_unit(" ".join(words[1:]))) is not None and unit.name == sign:
        rest = words[0]
    if _SCALE_OF_MONEY.fullmatch(rest):
        value = _value(rest, language, read=spelled(f"{sign[-1]}{rest}", language))
    else:
        value = _power(rest) or _value(rest, language)
    if value is None or (minus and value.minus):
        return None
    return _as_amount(value._replace(minus=bool(minus) or value.minus), UnitRead(sign))


class _Value(NamedTuple):
    minus: bool
    whole: str
    part: str
    exponent: int
    in_powers: bool


def _as_amount(value: _Value, unit: UnitRead | None) -> Amount:
    digits = (value.whole + value.part).lstrip("0")
    exponent = value.exponent - len(value.part) + len(digits) - len(digits.rstrip("0"))
    digits = digits.rstrip("0")
    return Amount(value.minus and bool(digits), digits, exponent if digits else 0, unit, value.in_powers)


def _power(text: str) -> _Value | None:
    found = _POWER.fullmatch(text) or _POWER_ALONE.fullmatch(text)
    parts = {} if found is None else found.groupdict()
    if not parts or (parts.get("point") == "," and len(parts["part"]) == 3):
        return None  # 6,022 is six thousand to some
    exponent = int((parts.get("e") or parts["power"] or parts["raised"]).translate(_LOWERED))
    return _Value(bool(parts["minus"]), parts.get("whole") or "1", parts.get("part") or "", exponent, in_powers=True)


def _value(text: str, language: str, read: str | None = None) -> _Value | None:
    """In digits, in words, or as 10 million; no rank, nor part of one in words, which may be a rank."""
    minus = _MINUS.match(text)
    text = text[minus.end() :] if minus is not None else text
    if _VALUE.fullmatch(text) is None:
        return None
    found = _READ.fullmatch(read or spelled(text, language))
    return None if found is None else _Value(minus is not None, found["whole"], found["part"] or "", 0, in_powers=False)


def _bare(text: str) -> str | None:
    """Without the TeX, the Markdown and the brackets; nothing, where some is left. A sign of money stays before its number."""
    text = " ".join(text.split()).rstrip(".,;")
    while (boxed := _BOXED.fullmatch(text.strip("$ "))) is not None:
        text = boxed[1]
    text = text.replace("\\$", _DOLLAR)
    if "\\" in text or "~" in text or "{" in text:
        for pattern, sign in _SIGNS_OF_TEX:
            text = pattern.sub(sign, text)
        text = _COMMANDS.sub(r"\1", _POWER_IN_BRACES.sub(r"^\1", text))
    if text.count("$") % 2 == 0:
        text = text.replace("$", "")
    text = text.replace(_DOLLAR, "$")
    for mark in "*_`":
        text = _MARKED.sub(r"\2", text) if mark in text else text
    if (brackets := _BRACKETS.fullmatch(text.strip())) is not None:
        text = f"{brackets['before']} {brackets['inside']}"
    text = " ".join(_APART.sub(" ", text).split()).rstrip(".,;")
    text = text.replace("° ", "°") if text.endswith(("° C", "° F", "° С", "° с")) else text
    return None if not text or any(mark in text for mark in "\\{}`()") else text
