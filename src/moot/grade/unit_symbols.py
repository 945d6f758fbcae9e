"""The symbols of units, with and without prefixes, and the names of those that only their capitals tell apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

PREFIXES = {
    **dict(
        zip(
            "yzafpnmcdhkMGTPEZY",
            (
                *(
                    "yocto",
                    "zepto",
                    "atto",
                    "femto",
                    "pico",
                    "nano",
                    "milli",
                    "centi",
                    "deci",
                    "hecto",
                    "kilo",
                    "mega",
                    "giga",
                ),
                *("tera", "peta", "exa", "zetta", "yotta"),
            ),
            strict=True,
        )
    ),
    **dict.fromkeys("uµμ", "micro"),
}
_SMALL, _LARGE = "yzafpnuµμmcd", "hkMGTPEZY"
UNITS = {
    "m": ("metre", "yzafpnuµμmcdhkMGTEZY"),  # 3 Pm is rather an hour of the afternoon
    "g": ("gram", "yzafpnuµμmcdhkMGTPEZY"),
    "s": ("second", _SMALL + "kM"),  # the four Ps
    "A": ("ampere", "afpnuµμmkM"),
    "K": ("kelvin", "pnuµμmkMG"),
    "Hz": ("hertz", "pnuµμmkMGTPE"),
    "N": ("newton", "fpnuµμmkMG"),
    "Pa": ("pascal", "pnuµμmhkMGTP"),
    "J": ("joule", "yzafpnuµμmkMGTPEZY"),
    "W": ("watt", "afpnuµμmkMGTPEZ"),
    "V": ("volt", "afpnuµμmkMGT"),
    "Ω": ("ohm", "nuµμmkMGT"),
    "Ohm": ("ohm", "nuµμmkMGT"),
    "ohm": ("ohm", "nuµμmkMGT"),
    "ohms": ("ohm", "nuµμmkMGT"),
    "F": ("farad", "afpnuµμmkM"),  # 100 PF is rather picofarad in capitals: nothing has a petafarad
    "H": ("henry", "pnuµμmkM"),
    "Wb": ("weber", "nuµμmkM"),
    "mol": ("mole", "pnuµμmkM"),
    "cal": ("calorie", "mkMG"),
    "Ah": ("amperehour", "uµμmkM"),
    "rad": ("radian", "nuµμmkM"),
    "Jy": ("jansky", "nuµμmkM"),
    "Da": ("dalton", "mkMG"),
    "var": ("voltampere reactive", "mkMG"),
    "Torr": ("torr", "uµμmkM"),
    "S": ("siemens", "fpnuµμmkM"),
    "T": ("tesla", "fpnuµμmk"),
    "C": ("coulomb", "fpnuµμmkM"),
    "l": ("litre", "pnuµμmcdhk"),  # 500 ML is rather a bottle in capitals than a lake
    "L": ("litre", "pnuµμmcdhk"),
    "eV": ("electronvolt", "pnuµμmkMGTPEZ"),
    "M": ("molar", "nuµμm"),
    "b": ("bit", "kKMGTPEZY"),
    "B": ("byte", "kKMGTPEZY"),
    "bps": ("bit/s", "kKMGT"),
    "Bps": ("byte/s", "kKMGT"),
    "ib": ("bit", "KMGTPEZY"),
    "iB": ("byte", "KMGTPEZY"),
    "ibps": ("bit/s", "KMGT"),
    "iBps": ("byte/s", "KMGT"),
    "bit": ("bit", "kKMGTPEZY"),
    "t": ("tonne", "kMGT"),
    "a": ("year", "kMG"),
    "pc": ("parsec", "kMG"),
    "Bq": ("becquerel", "pnuµμmkMGTP"),
    "Gy": ("gray", "nuµμmkM"),
    "Sv": ("sievert", "nuµμmkM"),
    "Ci": ("curie", "pnuµμmkM"),
    "Wh": ("watthour", "uµμmkMGTP"),
    "VA": ("voltampere", "uµμmkMG"),
    "bar": ("bar", "uµμmkMG"),
}  # fmt: skip
"""A unit's symbol, its name and the prefixes that it is met with: others would only make words of everyday ambiguous."""
RUSSIAN_PREFIXES = {"п": "pico", "н": "nano", "мк": "micro", "м": "milli", "к": "kilo", "М": "mega", "Г": "giga"}
RUSSIAN_PREFIXES |= {"Т": "tera", "П": "peta"}
RUSSIAN_UNITS = {
    "м": "metre",
    "г": "gram",
    "А": "ampere",
    "Гц": "hertz",
    "Н": "newton",
    "Па": "pascal",
    "Дж": "joule",
    "Вт": "watt",
    "В": "volt",
    "Ом": "ohm",
    "Ф": "farad",
    "Гн": "henry",
    "Тл": "tesla",
    "Кл": "coulomb",
    "Вб": "weber",
    "с": "second",
    "моль": "mole",
    "кал": "calorie",
    "рад": "radian",
    "л": "litre",
    "эВ": "electronvolt",
    "бар": "bar",
    "Бк": "becquerel",
    "Гр": "gray",
    "Зв": "sievert",
    "К": "kelvin",
}


def _symbols() -> Iterator[tuple[str, str]]:
    for symbol, (name, prefixes) in UNITS.items():
        if len(symbol) > 1 and not symbol.startswith("i"):
            yield symbol, name
        binary = symbol.startswith("i")
        for prefix in prefixes:
            named = PREFIXES.get(prefix, "kilo")
            yield prefix + symbol, f"{named[:2]}bi{name}" if binary else f"{named}{name}"
    for symbol, name in RUSSIAN_UNITS.items():
        if len(symbol) > 1:
            yield symbol, name
        yield from ((prefix + symbol, RUSSIAN_PREFIXES[prefix] + name) for prefix in RUSSIAN_PREFIXES)
    yield "Nm", "N*m"


def _told_by_case() -> Mapping[str, str]:
    by_letters: dict[str, dict[str, str]] = defaultdict(dict)
    for symbol, name in _symbols():
        by_letters[symbol.casefold()][symbol] = name
    return {
        symbol: name
        for symbols in by_letters.values()
        if len(set(symbols.values())) > 1
        for symbol, name in symbols.items()
    }


NAMES = _told_by_case()
"""Of each such symbol: mW is a milliwatt, and MW a megawatt."""
