"""Units in words behind a number, as their symbols are read: 10 kilograms are 10 kg, and 5 метров в секунду 5 м/с.

A symbol of one letter may be something else (5 m is five million to some, and 5 B no bit), so such a unit has one form in words
(5 metres are 5 metre), and is its symbol only beside a text that has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from moot.grade.numerals import is_count
from moot.grade.unit_symbols import NAMES, PREFIXES

_MOST = 1_000
"""Characters. Longer texts are no quantities."""


class UnitWord(NamedTuple):
    """How a unit in words is read, and its symbol."""

    read: str
    symbol: str


_METRIC = {
    "metre": "m", "meter": "m", "gram": "g", "gramme": "g", "second": "s", "ampere": "A", "amp": "A", "kelvin": "K",
    "hertz": "Hz",
    "newton": "N", "pascal": "Pa", "joule": "J", "watt": "W", "volt": "V", "ohm": "Ω", "tesla": "T", "coulomb": "C", "litre": "l",
    "liter": "l", "electronvolt": "eV", "bit": "b", "byte": "B", "tonne": "t", "parsec": "pc", "becquerel": "Bq", "sievert": "Sv",
    "gray": "Gy", "farad": "F", "weber": "Wb", "mole": "mol", "calorie": "cal", "bar": "bar", "decibel": "dB", "watt-hour": "Wh",
    "watt hour": "Wh", "watthour": "Wh", "dalton": "Da", "jansky": "Jy", "radian": "rad",
}  # fmt: skip
_OTHERS = {
    "minute": "min", "hour": "h", "hr": "h", "mile": "mi", "yard": "yd", "ounce": "oz", "pound": "lb", "gallon": "gal",
    "hectare": "ha", "bit per second": "bps",
}  # fmt: skip
_ODD = {
    "feet": "ft",
    "foot": "ft",
    "inches": "in",
    "inch": "in",
    "seconds": "s",
    "sec": "s",
    "secs": "s",
    "henries": "H",
    "henrys": "H",
    "lbs": "lb",
}
_NOT_ALONE = frozenset(("second", "bar", "bit", "pound", "mole", "foot", "gray"))
"""In the singular another word: a twenty-second, and 5 bit."""
_FORMS = {"s": "sec", "h": "hour", "m": "metre", "g": "gram", "l": "litre", "A": "ampere"}
"""What a unit of one letter is called, whatever its spelling; two seconds must not become a second."""
_OF_RUSSIAN = {
    "метр": "м", "грамм": "г", "секунд": "с", "ампер": "А", "герц": "Гц", "ньютон": "Н", "паскал": "Па", "джоул": "Дж",
    "ватт": "Вт", "вольт": "В", "литр": "л", "электронвольт": "эВ", "бит": "бит", "байт": "байт", "тонн": "т", "беккерел": "Бк",
    "зиверт": "Зв", "кельвин": "К", "тесл": "Тл", "кулон": "Кл", "вебер": "Вб", "калори": "кал", "минут": "мин", "час": "ч",
    "гектар": "га", "ватт-час": "Втч",
}  # fmt: skip
_RUSSIAN_PREFIXES = {
    "пико": "п", "нано": "н", "микро": "мк", "милли": "м", "санти": "с", "деци": "д", "гекто": "г", "кило": "к", "мега": "М",
    "гига": "Г", "тера": "Т",
}  # fmt: skip
_ENDINGS = (
    "",
    "а",
    "у",
    "ом",
    "е",
    "ы",
    "ов",
    "ам",
    "ами",
    "ах",
    "ь",
    "я",
    "ю",
    "ем",
    "ей",
    "и",
    "ям",
    "ями",
    "ях",
    "й",
    "ью",
)


def _words() -> Iterator[tuple[str, str]]:
    prefixes = {"": "", **{name: symbol for symbol, name in PREFIXES.items() if symbol not in "µμ"}}
    for prefix, sign in prefixes.items():
        for name, symbol in _METRIC.items():
            if prefix or name not in _NOT_ALONE:
                yield prefix + name, sign + symbol
            yield f"{prefix}{name}s", sign + symbol
    for name, symbol in _OTHERS.items():
        if name not in _NOT_ALONE:
            yield name, symbol
        yield f"{name}s", symbol
    yield from _ODD.items()
    for prefix, sign in {"": "", **_RUSSIAN_PREFIXES}.items():
        for stem, symbol in _OF_RUSSIAN.items():
            yield from ((f"{prefix}{stem}{ending}", sign + symbol) for ending in _ENDINGS)


def _reading(word: str, symbol: str) -> UnitWord:
    if symbol in NAMES:
        return UnitWord(NAMES[symbol], symbol)
    if len(symbol) > 1:
        return UnitWord(symbol, symbol)
    russian = next((stem for stem, sign in _OF_RUSSIAN.items() if sign == symbol and not symbol.isascii()), None)
    english = next((name for name, sign in (*_METRIC.items(), *_OTHERS.items(), *_ODD.items()) if sign == symbol), word)
    return UnitWord(_FORMS.get(symbol) or russian or english, symbol)


_READ = {word: _reading(word, symbol) for word, symbol in _words()}
_NAME = re.compile(r"[^\W\d_]{2,30}")
_HOURS = re.compile(r"[ -](?:hours?|час(?:а|ов)?)(?![^\W_])", re.IGNORECASE)
_BEFORE = re.compile(r"(?:[0-9⁰¹²³⁴-⁹½¼¾][)}]{0,2}|(?<![^\W_])(?P<count>[^\W\d_]{2,20}))[\s~-]{1,3}\Z")
_LOOKED_BACK = 25
_RATE = re.compile(r"(?: per |/| в )(?P<per>[^\W\d_]{1,12})(?![^\W_])(?P<squared> squared)?", re.IGNORECASE)
_LETTER = re.compile(r"(?<=[0-9])\s?(?P<letter>[^\W\d_])(?![^\W_])")
_SMALL_TOO = frozenset("VWJN")
"""Letters that are no other unit's when they are small."""
_PER = {"sec": "s", "s": "s", "second": "s", "hour": "h", "h": "h", "hr": "h", "minute": "min", "min": "min"}
_PER |= {
    "metre": "m",
    "meter": "m",
    "litre": "l",
    "liter": "l",
    "секунду": "с",
    "с": "с",
    "час": "ч",
    "ч": "ч",
    "минуту": "мин",
}
_WITH_RATE = frozenset(("km", "cm", "mm", "mi", "ft", "kg", "mg", "ml", "км", "см", "мм", "кг", "мг", "мл"))
"""Symbols, of 60 km per hour."""
_AS_ONE = {"mi/h": "mph", "b/s": "bit/s", "B/s": "byte/s"}


class Quantity(NamedTuple):
    """A unit in words behind a number: where it stands, and how it is read."""

    start: int
    end: int
    unit: UnitWord
    rate: str


def with_unit_words(text: str) -> str:
    """A text in which units in words, behind a number, are read as their symbols."""
    return _replaced(text, lambda found: found.unit.read)


def lettered_as(text: str, other: str) -> str:
    """The same with the symbol where that is a letter which the other text has, in its case, behind a number."""
    letters = {letter["letter"] for letter in _LETTER.finditer(other)}
    letters |= {letter.upper() for letter in letters if letter.upper() in _SMALL_TOO}
    letters |= {"l"} & {letter.lower() for letter in letters}
    if not letters:
        return text
    return _replaced(text, lambda found: found.unit.symbol if found.unit.symbol in letters else None)


def has_unit_of_a_letter(text: str) -> bool:
    """Whether it has a unit in words behind a number, the symbol of which is a letter."""
    return any(len(found.unit.symbol) == 1 and not found.rate for found in _quantities(text))


def _replaced(text: str, reading: Callable[[Quantity], str | None]) -> str:
    parts, end = [], 0
    for found in _quantities(text):
        if (read := reading(found)) is not None:
            rate = f"{_in_rate(found.unit)}/{found.rate}" if found.rate else read
            parts += [text[end : found.start], _AS_ONE.get(rate, rate)]
            end = found.end
    return "".join((*parts, text[end:])) if parts else text


def _in_rate(unit: UnitWord) -> str:
    return unit.symbol if len(unit.symbol) == 1 else unit.read


def _quantities(text: str) -> Iterator[Quantity]:
    if len(text) > _MOST:
        return
    for name in _NAME.finditer(text):
        word, end = name.group().lower(), name.end()
        if "watt" in word or "ватт" in word:
            hours = _HOURS.match(text, end)
            word, end = (
                (f"{word}-hour" if word.isascii() else f"{word}-час", hours.end()) if hours is not None else (word, end)
            )
        unit = _READ.get(word) or (UnitWord(word, word) if word in _WITH_RATE else None)
        if unit is None:
            continue
        before = _BEFORE.search(text[max(0, name.start() - _LOOKED_BACK) : name.start()])
        if before is None or (before["count"] and not is_count(before["count"].lower())):
            continue
        per = _RATE.match(text, end)
        rate = _PER.get(per["per"].lower(), "") if per is not None else ""
        if per is not None and rate:
            end = per.end()
            rate += "^2" if per["squared"] else ""
        if not rate and word in _WITH_RATE:
            continue
        yield Quantity(name.start(), end, unit, rate)
