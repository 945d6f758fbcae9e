"""Numbers, dates and names that are said in words or with other marks, in one spelling: minus five is -5, and U.S.A. is USA.

Each has one value that anybody would write down for it. Nothing is worked out beyond that: one third is 1/3, and no 0.333.
"""

from __future__ import annotations

import re

_INITIALS = re.compile(
    r"(?<![\w.])(?:[A-ZА-Я]\. ?){1,11}[A-ZА-Я]\.(?!\w)|(?<![\w.])(?:[A-ZА-Я]\.){2,12}[A-ZА-Я](?![\w.])"
)
_AMPERSAND = re.compile(r"(?<=[^\W_])\s?&\s?(?=[^\W_])")
_JOINED = re.compile(
    r"(?<![\w'’-])(?P<one>[\w'’-]{1,100})(?:\s?&\s?|\s(?:[aA]nd|и)\s)(?:[tT]he )?(?=(?P<other>[\w'’-]{1,100}))"
)
_ATTACHED_UNITS = (
    "km cm mm nm µm μm um kg mg µg μg ml cl dl kl hz khz mhz ghz thz kw mw gw tw kwh mwh kv mv ma pa kpa mpa hpa kj mj ev kev "
    "mev gev kb mb gb tb pb bps kbps mbps gbps kib mib gib tib mmhg ohm ohms kohm mah pf nf "
    "mph kph kmh rpm ft lb lbs oz yd min sec hr hrs ha kcal cal mol mmol db am pm ms ns ps "
    "км см мм нм мкм кг мг мл гц кгц мгц ггц вт квт мвт гвт кв па кпа мпа гпа дж кдж мдж га мин сек кб мб гб тб"
)
_ATTACHED = re.compile(
    rf"(?<![\w.,^])(?P<number>[0-9]{{1,12}}(?:[.,:][0-9]{{1,12}})?)(?P<unit>{'|'.join(_ATTACHED_UNITS.split())})(?![^\W_])",
    re.IGNORECASE,
)
_FULL_HOUR = re.compile(r"(?<![0-9:.])(?P<hour>[0-9]{1,2}):00 ?(?P<half>[ap])\.?m\b\.?", re.IGNORECASE)
_EXPONENT = re.compile(r"\s*\$?(?P<number>[-−]?[0-9]{1,12}(?:\.[0-9]{1,20})?)[eE](?P<power>[-+−]?[0-9]{1,3})\$?\.?\s*")
_WRITTEN_OUT = 6
"""Up to a million and down to a millionth what stands behind the e is written out; beyond, as a power of ten."""


def with_and(text: str, word: str = "and") -> str:
    """A & B as A and B; in TeX the sign is one of tables."""
    return _AMPERSAND.sub(f" {word} ", text) if "&" in text and "\\" not in text else text


def joins_names(text: str) -> bool:
    """Whether each & or "and" of a text stands between two that begin as names do. Elsewhere & may be a sign of a program:
    flags & MASK has a number for its value, and flags and MASK is true or not."""
    joined = [*_JOINED.finditer(text)]
    return bool(joined) and all(_is_name(pair["one"]) and _is_name(pair["other"]) for pair in joined)


def _is_name(word: str) -> bool:
    return word[:1].isupper() and "_" not in word


def with_one_spelling(text: str) -> str:
    """A text as it was written, with the marks of names, units and numbers as most set them."""
    if "." in text:
        text = _INITIALS.sub(lambda initials: re.sub("[. ]", "", initials.group()), text)
    if not any("0" <= character <= "9" for character in text):
        return text
    text = _FULL_HOUR.sub(r"\g<hour> \g<half>m", text)
    text = _ATTACHED.sub(r"\g<number> \g<unit>", text)
    number = _EXPONENT.fullmatch(text) if "e" in text or "E" in text else None
    return (
        text
        if number is None
        else _of_exponent(number["number"].replace("−", "-"), int(number["power"].replace("−", "-")))
    )


def _of_exponent(number: str, power: int) -> str:
    if abs(power) > _WRITTEN_OUT:
        return f"10^{power}" if number == "1" else f"{number}*10^{power}"
    sign, (whole, _, part) = "-" if number.startswith("-") else "", number.lstrip("-").partition(".")
    if power < 0:
        whole, part = whole.zfill(1 - power), part
        whole, part = whole[:power], whole[power:] + part
    else:
        part = part.ljust(power, "0")
        whole, part = whole + part[:power], part[power:]
    return f"{sign}{whole.lstrip('0') or '0'}{'.' if part else ''}{part}"


_MONTHS = (
    "january february march april may june july august september october november december jan feb mar apr jun jul aug "
    "sep sept oct nov dec"
)
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS.split(), key=len, reverse=True))})"
_DAY = r"(?P<day>[12]?[0-9]|3[01])(?:th)?"
_MONTH_FIRST = re.compile(rf"(?<![0-9] )(?<![^\W_]){_MONTH} {_DAY}(?![^\s])")
_DAY_OF_MONTH = re.compile(rf"(?<![^\s]){_DAY} (?:of )?{_MONTH}(?![^\s])")
_FULL_NAMES = {name[:3]: name for name in _MONTHS.split()[:12]}
_RUSSIAN_YEAR = re.compile(
    r"(?P<date>(?<![^\s])[0-9]{1,2} (?:января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря)"
    r" [0-9]{4}) (?:года|г)(?![^\s])"
)
_MINUS = re.compile(r"(?:minus|negative|минус) (?=\.?[0-9])")
_POINT = re.compile(r"(?P<sign>-?)(?P<whole>[0-9]{1,9}) point (?P<part>[0-9](?: [0-9])*)(?= [^\W\d_]|\Z)")
_TENTHS = re.compile(
    r"(?P<sign>-?)(?P<whole>[0-9]{1,9}) цел(?:ых|ая|ую|ой)[ \ue002](?P<part>[0-9]{1,4}) (?P<of>10{1,4})th"
)
_PERCENT = re.compile(r"(?P<number>-?[0-9]{0,15}\.?[0-9]{1,15}) ?(?:percent|per cent|процент(?:а|ов)?)")
_PARTS = {
    "half": 2,
    "halves": 2,
    "quarter": 4,
    "quarters": 4,
    "thirds": 3,
    "fourths": 4,
    "fifths": 5,
    "sixths": 6,
    "sevenths": 7,
    "eighths": 8,
    "ninths": 9,
    "tenths": 10,
    "hundredths": 100,
    "thousandths": 1000,
    "половина": 2,
    "треть": 3,
    "трети": 3,
    "третей": 3,
    "четверть": 4,
    "четверти": 4,
    "четвертей": 4,
    **{f"{of}th": of for of in (3, 4, 5, 6, 7, 8, 9, 10, 100, 1000)},
}
_ALONE = frozenset(("half", "quarter", "половина", "четверть"))
"""What is a part of one without a number before it; a third is one in a row as well."""
_FRACTION = re.compile(r"(?P<sign>-?)(?:(?P<whole>[0-9]{1,6}) (?:and|с|и) )?(?:(?P<part>[0-9]{1,6}) )?(?P<of>\w+)")


def as_number(spelled: str) -> str:
    """What is spelled with its numbers in digits, and signs, points and parts of one as digits are written with them."""
    if not any(character.isdigit() for character in spelled):
        return "1/2" if spelled in ("half", "половина") else "1/4" if spelled in ("quarter", "четверть") else spelled
    spelled = _MINUS.sub("-", spelled, count=1) if _MINUS.match(spelled) else spelled
    if (point := _POINT.match(spelled)) is not None:
        spelled = f"{point['sign']}{point['whole']}.{point['part'].replace(' ', '')}{spelled[point.end() :]}"
    if (tenths := _TENTHS.fullmatch(spelled)) is not None and len(tenths["part"]) < len(tenths["of"]):
        return f"{tenths['sign']}{tenths['whole']}.{tenths['part'].zfill(len(tenths['of']) - 1)}"
    return fraction_in_words(spelled) or spelled


def fraction_in_words(spelled: str) -> str | None:
    """Two thirds as 2/3, and two and a half as 2 1/2. None: it is no part in words."""
    found = _FRACTION.fullmatch(spelled)
    if found is None or (of := _PARTS.get(found["of"])) is None:
        return None
    if found["part"] is None and found["of"] not in _ALONE:
        return None
    part = int(found["part"] or 1)
    if part >= of:
        return None
    return f"{found['sign']}{found['whole'] + ' ' if found['whole'] else ''}{part}/{of}"


def percent_in_words(spelled: str) -> str | None:
    """The number of what is as many percent, said in words and all there is."""
    found = _PERCENT.fullmatch(spelled)
    return found["number"] if found is not None else None


def dated(spelled: str) -> str:
    """The day before its month."""
    if not any(character.isdigit() for character in spelled):
        return spelled
    text = _DAY_OF_MONTH.sub(lambda date: f"{date['day']} {_full(date['month'])}", spelled)
    text = _MONTH_FIRST.sub(lambda date: f"{date['day']} {_full(date['month'])}", text)
    return _RUSSIAN_YEAR.sub(r"\g<date>", text)


def _full(month: str) -> str:
    return _FULL_NAMES[month[:3]]
