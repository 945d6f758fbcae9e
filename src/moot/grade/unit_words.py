"""What a unit says, in words or by its symbol, in English or Russian: kilometres per hour, km/h and км/ч are one.

A reading has the prefix and the unit, as the standard names them, and no case is folded off a symbol: mW is no MW.
What is in no table has no reading. Of a letter alone it is only one of the readings: 5 m may be five million, 5 T five tonnes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from moot.grade.unit_symbols import PREFIXES, RUSSIAN_PREFIXES, RUSSIAN_UNITS, UNITS


class UnitRead(NamedTuple):
    """`name`: the same for whatever says the same. `is_letter`: a letter alone, which may be something else.
    `has_letter`: so is a part of it, and in other capitals it is mostly no other unit: 5 M/S."""

    name: str
    is_letter: bool = False
    has_letter: bool = False


_METRIC = {
    "metre": "metre", "meter": "metre", "gram": "gram", "gramme": "gram", "second": "second", "ampere": "ampere", "amp": "ampere",
    "kelvin": "kelvin", "hertz": "hertz", "newton": "newton", "pascal": "pascal", "joule": "joule", "watt": "watt",
    "volt": "volt",
    "ohm": "ohm", "tesla": "tesla", "coulomb": "coulomb", "litre": "litre", "liter": "litre", "electronvolt": "electronvolt",
    "electron volt": "electronvolt", "bit": "bit", "byte": "byte", "tonne": "tonne", "parsec": "parsec", "becquerel": "becquerel",
    "sievert": "sievert", "gray": "gray", "farad": "farad", "weber": "weber", "mole": "mole", "calorie": "calorie", "bar": "bar",
    "watthour": "watthour", "watt hour": "watthour", "dalton": "dalton", "jansky": "jansky", "radian": "radian",
    "siemens": "siemens", "henry": "henry", "henrie": "henry", "curie": "curie", "molar": "molar", "torr": "torr",
    "amperehour": "amperehour",
    "ampere hour": "amperehour", "amp hour": "amperehour", "decibel": "decibel",
}  # fmt: skip
_OTHERS = {
    "min": "minute", "minute": "minute", "minutes": "minute", "hour": "hour", "hours": "hour", "hr": "hour", "hrs": "hour",
    "mi": "mile", "mile": "mile", "miles": "mile", "yd": "yard", "yard": "yard", "yards": "yard", "oz": "ounce", "ounce": "ounce",
    "ounces": "ounce", "lb": "pound", "lbs": "pound", "pound": "pound", "pounds": "pound", "gal": "gallon", "gallon": "gallon",
    "gallons": "gallon", "ha": "hectare", "hectare": "hectare", "hectares": "hectare", "ft": "foot", "foot": "foot",
    "feet": "foot", "in": "inch", "inch": "inch", "inches": "inch", "sec": "second", "secs": "second", "henries": "henry",
    "day": "day", "days": "day", "mph": "mile/hour", "kph": "kilometre/hour", "dollar": "$", "dollars": "$", "euro": "€",
    "euros": "€", "rouble": "₽", "roubles": "₽", "ruble": "₽", "rubles": "₽", "degree": "°", "degrees": "°",
    "usd": "$", "eur": "€", "rub": "₽",
    **{f"{country} {dollar}": "$" for country in ("us", "u.s.", "united states") for dollar in ("dollar", "dollars")},
    "mmhg": "millimetre of mercury", "mm hg": "millimetre of mercury",
}  # fmt: skip
_OF_RUSSIAN = {
    "метр": "metre", "грамм": "gram", "секунд": "second", "ампер": "ampere", "герц": "hertz", "ньютон": "newton",
    "паскал": "pascal", "джоул": "joule", "ватт": "watt", "вольт": "volt", "литр": "litre", "электронвольт": "electronvolt",
    "бит": "bit", "байт": "byte", "тонн": "tonne", "беккерел": "becquerel", "зиверт": "sievert", "кельвин": "kelvin",
    "тесл": "tesla", "кулон": "coulomb", "вебер": "weber", "калори": "calorie", "ом": "ohm", "фарад": "farad", "генри": "henry",
    "сименс": "siemens", "мол": "mole", "парсек": "parsec", "ватт час": "watthour", "децибел": "decibel",
}  # fmt: skip
_OTHERS_OF_RUSSIAN = {
    "минут": "minute", "час": "hour", "гектар": "hectare", "мил": "mile", "фут": "foot", "дюйм": "inch", "фунт": "pound",
    "доллар": "$", "рубл": "₽", "градус": "°",
}  # fmt: skip
_RUSSIAN_PREFIX_WORDS = {
    "пико": "pico", "нано": "nano", "микро": "micro", "милли": "milli", "санти": "centi", "деци": "deci", "гекто": "hecto",
    "кило": "kilo", "мега": "mega", "гига": "giga", "тера": "tera", "пета": "peta",
}  # fmt: skip
_ENDINGS = ["", *"ауеыьяюий", "ом", "ов", "ам", "ами", "ах", "ем", "ей", "ям", "ями", "ях"]
_BINARY = {"kibi", "mebi", "gibi", "tebi", "pebi", "exbi"}
_MORE_SYMBOLS = {
    "dB": "decibel", "h": "hour", "€": "€", "₽": "₽", "$": "$", "°": "°", "°C": "°C", "°F": "°F", "v": "volt", "w": "watt",
    "j": "joule", "n": "newton", "Km": "kilometre", "KM": "kilometre", "Kg": "kilogram", "KG": "kilogram",
    "руб": "₽", "евро": "€", "ч": "hour", "мин": "minute", "сек": "second", "га": "hectare", "т": "tonne", "бит": "bit",
    "байт": "byte", "дБ": "decibel", "с": "second", "Гбайт": "gigabyte", "Мбайт": "megabyte", "Кбайт": "kilobyte",
    "кбайт": "kilobyte", "Тбайт": "terabyte", "КБ": "kilobyte", "кБ": "kilobyte", "МБ": "megabyte", "ГБ": "gigabyte",
    "ТБ": "terabyte", "р": "₽", "Гбит": "gigabit", "Мбит": "megabit", "Кбит": "kilobit",
    "Втч": "watthour", "кВтч": "kilowatthour", "МВтч": "megawatthour", "ГВтч": "gigawatthour", "мВтч": "milliwatthour",
    "гПа": "hectopascal", "см": "centimetre", "дм": "decimetre", "дл": "decilitre", "сл": "centilitre",
}  # fmt: skip
"""KM is met with as much as km, and no other unit has its letters; nor have v, w, j and n."""
_NO_SYMBOLS = frozenset(("am", "as", "at"))
"""Hours of the morning, and words."""
_CELSIUS = re.compile(
    r"(?i:°|degrees?|градус(?:а|ов|ы|ам)?) ?(?i:of )?"
    r"(?P<scale>(?i:c|f|celsius|centigrade|fahrenheit|(?:по )?(?:цельси[яю]|фаренгейт[ау]))|С|(?<=°)с|(?<=° )с)"
)
"""С and с as a Russian keyboard has them."""
_RATE = re.compile(r"(?P<unit>.{1,36}?)(?: per |(?<=[^\W_]) ?/ ?| в | на )(?P<per>.{1,36})")
_POWERED = re.compile(
    r"(?P<words>(?:square|sq\.?|квадратн(?:ый|ого|ых)|кв\.?)(?P<two> )|(?:cubic|cu\.?|кубическ(?:ий|ого|их)|куб\.?) )?"
    r"(?P<unit>[^\W\d_²³]{1,20})"
    r"(?P<power>(?P<squared> squared| в квадрате|²| ?\^2|2)|(?: cubed| в кубе|³| ?\^3|3))?"
)
"""m², m^2 and m2, and square metres."""
_HOURS = re.compile(r"(?<=(?:watt|ватт))s?[ -](?=hour|час)|(?<=amp)(?:ere)?s?[ -](?=hour)")
_TIMES_HOURS = re.compile(r"(?<=W|A) ?[·*⋅-]? ?(?=h\Z)|(?<=Вт) ?[·*⋅-]? ?(?=ч\Z)")
_LONGEST = 40


def _words() -> Iterator[tuple[str, str]]:
    prefixes = ["", *sorted({*PREFIXES.values()}), *sorted(_BINARY)]
    for prefix in prefixes:
        for word, name in _METRIC.items():
            if prefix not in _BINARY or name in ("bit", "byte"):
                yield f"{prefix}{word}", f"{prefix}{name}"
                yield f"{prefix}{word}s", f"{prefix}{name}"
    yield from _OTHERS.items()
    for prefix, english in {"": "", **_RUSSIAN_PREFIX_WORDS}.items():
        for stem, name in _OF_RUSSIAN.items():
            yield from ((f"{prefix}{stem}{ending}", f"{english}{name}") for ending in _ENDINGS)
    for stem, name in _OTHERS_OF_RUSSIAN.items():
        yield from ((f"{stem}{ending}", name) for ending in _ENDINGS)
    yield from ((f"доллар{ending} сша", "$") for ending in _ENDINGS)


def _symbols() -> Iterator[tuple[str, str]]:
    for symbol, (name, prefixes) in UNITS.items():
        if not symbol.startswith("i"):
            yield symbol, name
        for prefix in prefixes:
            named = PREFIXES.get(prefix, "kilo")
            yield prefix + symbol, f"{named[:2]}bi{name}" if symbol.startswith("i") else f"{named}{name}"
    for symbol, name in RUSSIAN_UNITS.items():
        yield symbol, name
        yield from ((prefix + symbol, RUSSIAN_PREFIXES[prefix] + name) for prefix in RUSSIAN_PREFIXES)


def _by_symbol() -> dict[str, str]:
    """What two units have for a symbol is nobody's."""
    names: dict[str, set[str]] = {}
    for symbol, name in _symbols():
        names.setdefault(symbol, set()).add(name.replace("bit/s", "bit/second").replace("byte/s", "byte/second"))
    told = {
        symbol: next(iter(found)) for symbol, found in names.items() if len(found) == 1 and symbol not in _NO_SYMBOLS
    }
    return {**_MORE_SYMBOLS, **told}


_BY_WORD = dict(_words())
_BY_SYMBOL = _by_symbol()


@lru_cache(maxsize=5_000)
def read_unit(text: str) -> UnitRead | None:
    """The unit that is all of a text."""
    if not text or len(text) > _LONGEST:
        return None
    if (degrees := _CELSIUS.fullmatch(text)) is not None:
        return UnitRead("°C" if degrees["scale"].lower().removeprefix("по ")[0] in "cсц" else "°F")
    if (name := _name(text)) is not None:
        return UnitRead(name, len(text) == 1 and text.isalpha())
    if (alone := _powered(text)) is not None:
        return UnitRead(alone.name, has_letter=alone.is_letter)
    if (rate := _RATE.fullmatch(text)) is None:
        return None
    unit, per = _powered(rate["unit"]), _powered(rate["per"])
    if unit is None or per is None:
        return None
    return UnitRead(f"{unit.name}/{per.name}", has_letter=unit.is_letter or per.is_letter)


def _powered(text: str) -> UnitRead | None:
    """A unit, or its square or cube; no rate."""
    if (name := _name(text)) is not None:
        return None if "/" in name else UnitRead(name, len(text) == 1)
    if (found := _POWERED.fullmatch(text)) is None or bool(found["words"]) == bool(found["power"]):
        return None
    name = _name(found["unit"])
    if name is None or not name.isalpha():
        return None
    return UnitRead(f"{name}^{2 if found['two'] or found['squared'] else 3}", len(found["unit"]) == 1)


def _name(text: str) -> str | None:
    bare = text.removesuffix(".")
    symbol = _TIMES_HOURS.sub("", bare)
    return _BY_SYMBOL.get(symbol) or _BY_WORD.get(_HOURS.sub(" ", bare.lower()))
