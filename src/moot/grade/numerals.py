"""Number words to digits, so that "seven" and "7", "двадцать первый" and "21-й" are one spelling of one number.

English and Russian, below a thousand million million, cardinal and ordinal, the Russian in all its cases. A rank is no count:
"second" and "2nd" become 2th, "two" becomes 2, and whether they mean the same is for a judge. Only beside a year, a
century or a month digits are read as a rank anyway (1812 год, May 5), so the mark is left out there. Roman numerals stay
as they are, since what looks like one (I, C, mix) is more often something else; so do the Russian forms that are rather
another word (сорока, a magpie; семью, a family).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

SPELLED_OUT = ("en", "ru")
"""Languages whose words are read, both of them in either: an English name in a Russian answer is still English."""

_ORDINAL_DIGITS = re.compile(r"([0-9]+)(?:st|nd|rd|th|[ыо]?й|а?я|[ыо]?е|о?го|о?му|ым|ы?х)")
_MARKS = {"й", "я", "е", "х", "го", "му", "ый", "ой", "ая", "ое", "ые", "ого", "ому", "ым", "ых"}
"""What is left of "1-й" and "90-х" behind the digits, once punctuation is off; "м" stays, being a metre as well."""
_AND = ("and", "и")
_INSIDE_A_NUMBER = "./^,:"
_LONGEST_BEFORE_A_SCALE = 6
"""Digits: 1,200 million."""
_ORDINAL = "th"
"""What an ordinal ends on, however it was written."""
_YEAR_WORDS = "год года году годом годе годы годов годам г гг век века веку веком веке вв"
_MONTH_WORDS = (
    "january february march april may june july august september october november december января февраля марта апреля "
    "мая июня июля августа сентября октября ноября декабря"
)
_YEARS, _MONTHS = frozenset(_YEAR_WORDS.split()), frozenset(_MONTH_WORDS.split())

_SPACES = " \u00a0\u2009\u202f"
_THOUSANDS = re.compile(rf"(?<![\w.,])[1-9]\d{{0,2}}(?:[{_SPACES}]\d{{3}})++(?![\w{_SPACES}]*\d)")
_COMMA_THOUSANDS = re.compile(r"(?<![\w.,])[1-9]\d{0,2}(?:,\d{3})++(?!,?\d)")
_POINT_THOUSANDS = re.compile(r"(?<![\w.,])[1-9]\d{0,2}(?:\.\d{3})++(?!\.?\d)(?![A-Za-z])")
_WITH_POINTS = frozenset(("da", "de", "es", "id", "it", "nl", "pt", "tr"))
"""Languages in which a point parts thousands and a comma the fraction."""
_SEPARATORS = re.compile(rf"[,{_SPACES}]")


def thousands(text: str, language: str) -> str:
    """20 000 as 20000, and in English 20,000 too, in German 20.000: in Russian the comma of 3,125 is a decimal one.

    For the text as it was written: once punctuation is off, 3.125 looks like three thousand and something.
    """
    joined = _THOUSANDS.sub(lambda numeral: _SEPARATORS.sub("", numeral.group()), text)
    if language in _WITH_POINTS:
        return _POINT_THOUSANDS.sub(lambda numeral: numeral.group().replace(".", ""), joined)
    if language != "en":
        return joined
    return _COMMA_THOUSANDS.sub(lambda numeral: _SEPARATORS.sub("", numeral.group()), joined)


def scaled(text: str, language: str) -> str:
    """1.5 million as 1500000, in the two languages whose words are read; a part of one stays as it is: 1.2345678 million."""
    if language not in SPELLED_OUT or ("." not in text and "," not in text):
        return text
    return _SCALED.sub(lambda found: _multiplied(found, language), text)


def _multiplied(found: re.Match[str], language: str) -> str:
    if language == "en" and found["point"] == "," and len(found["part"]) == 3:
        return found.group()  # 1,500 million
    word = found["scale"].lower()
    number = Decimal(f"{found['whole'] or '0'}.{found['part']}") * _WORDS[word].value
    return str(int(number)) if number == int(number) else found.group()


class Numeral(NamedTuple):
    """What a word does to the number so far: add to it, or multiply it."""

    value: int
    multiplies: bool = False
    ordinal: bool = False


@dataclass(slots=True)
class Count:
    """A number being read. `group` counts up to the next thousand or million; below `room` there is place in it."""

    total: int = 0
    group: int = 0
    room: int = 1000
    scale: int = 10**15

    def take(self, word: Numeral) -> bool:
        """Count a word in, if it can follow those before: twenty-one, but not one-twenty."""
        if not word.multiplies:
            if not 0 < word.value < self.room:
                return False
            self.group += word.value
            self.room = 1 if word.value < 20 else 10 if word.value < 100 else 100
        elif word.value == 100:
            if self.group >= 100 or (self.total and not self.group):
                return False
            self.group, self.room = max(self.group, 1) * 100, 100
        else:
            if word.value >= self.scale or (self.total and not self.group):
                return False
            self.total += max(self.group, 1) * word.value
            self.group, self.room, self.scale = 0, 1000, word.value
        return True


def numerals(words: Sequence[str], language: str, behind: str = "") -> list[str]:
    """Normalised words, with every number among them in digits, as one word; a rank with its mark.

    `behind`: the sign before the first, which makes digits a part of a number that nothing multiplies alone: 1.5 million."""
    return [piece.text for piece in numerals_in_place(words, language, behind)]


class Piece(NamedTuple):
    """A number in digits, or another word, and the place of the first word it is made of."""

    start: int
    text: str


def numerals_in_place(words: Sequence[str], language: str, behind: str = "") -> list[Piece]:
    """The same, with the places."""
    result: list[Piece] = []
    place = 0
    if behind and behind[-1] in _INSIDE_A_NUMBER and _digits_of_a_scale(words, 0):
        result.append(Piece(0, words[0]))
        place = 1
    while place < len(words):
        number, after, ordinal = _number_at(words, place, language)
        result.append(Piece(place, f"{number}{_ORDINAL}" if ordinal and not _is_date(words, place, after) else number))
        place = after
    return result


class WordRead(NamedTuple):
    """A number in digits, or another word; the words that it is made of; and whether they have the form of a rank."""

    text: str
    words: Sequence[str]
    is_rank: bool


def ranks_and_counts(words: Sequence[str], language: str) -> list[WordRead]:
    """The same, where what has the form of a rank says so beside a year as well."""
    result: list[WordRead] = []
    place = 0
    while place < len(words):
        number, after, ordinal = _number_at(words, place, language)
        result.append(WordRead(number, words[place:after], ordinal))
        place = after
    return result


def _number_at(words: Sequence[str], place: int, language: str) -> tuple[str, int, bool]:
    number, after, ordinal = _spelled(words, place) if language in SPELLED_OUT else ("", place, False)
    return (number, after, ordinal) if number else _digits(words, place)


def is_counted(word: str) -> bool:
    """Whether a normalised word is read as digits."""
    return word in _WORDS


def is_count(word: str) -> bool:
    """Whether it is one of how many there are."""
    return (numeral := _WORDS.get(word.replace("ё", "е"))) is not None and not numeral.ordinal


def is_scale(word: str) -> int:
    """How much an English thousand, million or so multiplies; 0 of any other word."""
    numeral = _ENGLISH.get(word)
    return numeral.value if numeral is not None and numeral.multiplies and numeral.value >= 1000 else 0


def value_of(words: Sequence[str]) -> int | None:
    """What the number that begins with the first of these words is worth."""
    return _run(words, 0)[0] if words else None


def _is_date(words: Sequence[str], place: int, after: int) -> bool:
    """Whether the number stands beside a year, a century or a month, where digits without a mark are a rank too."""
    following = words[after] if after < len(words) else ""
    if following in _YEARS or following in _MONTHS:
        return True
    before = words[place - 1] if place else ""
    behind_of = words[after + 1] if following == "of" and after + 1 < len(words) else ""
    return before in _MONTHS or behind_of in _MONTHS


def _digits(words: Sequence[str], place: int) -> tuple[str, int, bool]:
    """The word as it is, but for an ordinal's mark: 21st, 1 й (as 1-й has become)."""
    word = words[place]
    if marked := _ORDINAL_DIGITS.fullmatch(word):
        return marked.group(1), place + 1, True
    after = place + 1
    if _is_digits(word) and after < len(words) and words[after] in _MARKS:
        return word, after + 1, True
    return word, after, False


def _is_digits(word: str) -> bool:
    return word.isascii() and word.isdigit()


def _spelled(words: Sequence[str], place: int) -> tuple[str, int, bool]:
    """The longest number in words that begins here, the place after it, and whether it is a rank; "" where none does."""
    value, after, ordinal = _run(words, place)
    if value is None:
        return "", place, False
    if 10 <= value <= 20 and after == place + 1 and words[place] in _ENGLISH and not ordinal:
        # nineteen eighty-four, twenty ten: a year in two halves, as only English says it
        half, end, half_ordinal = _run(words, after)
        if half is not None and 10 <= half <= 99 and words[after] in _ENGLISH:
            return f"{value}{half}", end, half_ordinal
    return str(value), after, ordinal


def _run(words: Sequence[str], place: int) -> tuple[int | None, int, bool]:
    """Number words that make one number, the place after them, and whether the last of them is an ordinal."""
    if place < len(words) and (first := _WORDS.get(words[place])) and first.value == 0:
        return 0, place + 1, first.ordinal
    count, start, ordinal = Count(), place, False
    if _digits_of_a_scale(words, place):  # 20 thousand
        count.group, count.room = int(words[place]), 1
        place += 1
    while place < len(words):
        at = place + 1 if place > start and _joins(words, place, count) else place
        word = _WORDS.get(words[at])
        if word is None or not count.take(word):
            break
        place, ordinal = at + 1, word.ordinal
        if ordinal:
            break
    return (count.total + count.group, place, ordinal) if place > start else (None, start, False)


def _digits_of_a_scale(words: Sequence[str], place: int) -> bool:
    """Digits that the next word multiplies; not the 5 of 1.5 million, which has lost its point."""
    if place + 1 >= len(words) or not _is_digits(words[place]) or words[place].startswith("0"):
        return False
    following = _WORDS.get(words[place + 1])
    if following is None or not following.multiplies or (place and _is_digits(words[place - 1])):
        return False
    if following.value == 100:
        return len(words[place]) <= 2 and not following.ordinal  # 2 hundred; a hundredth is a part
    return len(words[place]) <= (3 if following.value == 1000 else _LONGEST_BEFORE_A_SCALE)


def _joins(words: Sequence[str], place: int, count: Count) -> bool:
    """An "and" inside a number: a hundred and five, тысяча и одна. "Two and three" are two numbers."""
    if words[place] not in _AND or count.room < 100 or place + 1 >= len(words):
        return False
    following = _WORDS.get(words[place + 1])
    return following is not None and not following.multiplies and 0 < following.value < 100


_BELOW_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_SCALES_OF_ENGLISH = ("thousand", "million", "billion", "trillion")
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"


def _english() -> Iterator[tuple[str, Numeral]]:
    cardinals = dict(enumerate(_BELOW_TWENTY.split())) | dict(zip(range(20, 100, 10), _TENS.split(), strict=True))
    irregular = {1: "first", 2: "second", 3: "third", 5: "fifth", 8: "eighth", 9: "ninth", 12: "twelfth"}
    for value, word in cardinals.items():
        yield word, Numeral(value)
        regular = f"{word[:-1]}ieth" if word.endswith("y") else f"{word}th"
        yield irregular.get(value, regular), Numeral(value, ordinal=True)
    for value, word in (
        (100, "hundred"),
        *((10 ** (3 * place), word) for place, word in enumerate(_SCALES_OF_ENGLISH, 1)),
    ):
        yield word, Numeral(value, multiplies=True)
        yield f"{word}th", Numeral(value, multiplies=True, ordinal=True)


_CARDINALS = {
    0: "ноль ноля нолю нолем ноле нуль нуля нулю нулем нуле",
    1: "один одна одно одного одной одному одним одном одну одною",
    2: "два две двух двум двумя",
    3: "три трех трем тремя",
    4: "четыре четырех четырем четырьмя",
    5: "пять пяти пятью",
    6: "шесть шести шестью",
    7: "семь семи",
    8: "восемь восьми восемью восьмью",
    9: "девять девяти девятью",
    40: "сорок",
    80: "восемьдесят восьмидесяти восемьюдесятью восьмьюдесятью",
    90: "девяносто девяноста",
    100: "сто ста",
    200: "двести двухсот двумстам двумястами двухстах",
    300: "триста трехсот тремстам тремястами трехстах",
    400: "четыреста четырехсот четыремстам четырьмястами четырехстах",
    800: "восемьсот восьмисот восьмистам восемьюстами восьмистах",
}
_TEENS = {
    10: "десят",
    11: "одиннадцат",
    12: "двенадцат",
    13: "тринадцат",
    14: "четырнадцат",
    15: "пятнадцат",
    16: "шестнадцат",
    17: "семнадцат",
    18: "восемнадцат",
    19: "девятнадцат",
}
_STEMS = {1: "перв", 2: "втор", 4: "четверт", 5: "пят", 6: "шест", 7: "седьм", 8: "восьм", 9: "девят", 0: "нулев"}
_STEMS |= {
    **_TEENS,
    20: "двадцат",
    30: "тридцат",
    40: "сороков",
    50: "пятидесят",
    60: "шестидесят",
}
_STEMS |= {70: "семидесят", 80: "восьмидесят", 90: "девяност", 100: "сот", 200: "двухсот", 300: "трехсот"}
_STEMS |= {400: "четырехсот", 500: "пятисот", 600: "шестисот", 700: "семисот", 800: "восьмисот", 900: "девятисот"}
_ADJECTIVE = ("ый", "ой", "ая", "ое", "ого", "ому", "ым", "ом", "ую", "ою", "ые", "ых", "ыми")
_THIRD = "третий третья третье третьего третьему третьим третьем третьей третью третьи третьих третьими"
_THOUSAND = "тысяча тысячи тысяче тысячу тысячей тысячью тысяч тысячам тысячами тысячах"
_LARGE = {10**6: "миллион", 10**9: "миллиард", 10**12: "триллион"}
_OF_LARGE = ("", "а", "у", "ом", "е", "ы", "ов", "ам", "ами", "ах")
_SHORT = {1000: "тыс", 10**6: "млн", 10**9: "млрд", 10**12: "трлн"}


def _russian() -> Iterator[tuple[str, Numeral]]:
    for value, forms in _CARDINALS.items():
        yield from ((form, Numeral(value)) for form in forms.split())
    for value, stem in [*_TEENS.items(), (20, "двадцат"), (30, "тридцат")]:
        yield from ((stem + ending, Numeral(value)) for ending in ("ь", "и", "ью"))
    for digit, stem in ((5, "пят"), (6, "шест"), (7, "сем"), (9, "девят")):
        if digit < 9:
            fifty = (f"{stem}ьдесят", f"{stem}идесяти", f"{stem}ьюдесятью")
            yield from ((form, Numeral(digit * 10)) for form in fifty)
        hundreds = (f"{stem}ьсот", f"{stem}исот", f"{stem}истам", f"{stem}ьюстами", f"{stem}истах")
        yield from ((form, Numeral(digit * 100)) for form in hundreds)
    for value, stem in _STEMS.items():
        yield from ((stem + ending, Numeral(value, ordinal=True)) for ending in _ADJECTIVE)
    yield from ((form, Numeral(3, ordinal=True)) for form in _THIRD.split())
    yield from ((form, Numeral(1000, multiplies=True)) for form in _THOUSAND.split())
    for value, stem in _LARGE.items():
        yield from ((stem + ending, Numeral(value, multiplies=True)) for ending in _OF_LARGE)
    yield from ((form, Numeral(value, multiplies=True)) for value, form in _SHORT.items())
    for value, stem in ((1000, "тысячн"), *((value, f"{stem}н") for value, stem in _LARGE.items())):
        yield from ((stem + ending, Numeral(value, multiplies=True, ordinal=True)) for ending in _ADJECTIVE)


_ENGLISH = dict(_english())
_WORDS = {**dict(_russian()), **_ENGLISH}
ENGLISH_COUNTS = tuple(word for word, numeral in _ENGLISH.items() if not numeral.ordinal)
_MORE_NUMBERS = re.compile(
    r"сорока|семью|об(?:а|е|оих|оим|оими|еих|еим|еими)|пол|полтор(?:а|ы|аста)|полутора|полутораста"
    r"|половин(?:а|ы|е|у|ой)|трет(?:ь|ью)|четверт(?:ь|и|ью)"
    r"|сот(?:ня|ни|ню|не|ней|ням|нями|нях|ен)|десят(?:ок|к(?:а|у|ом|е|и|ов|ам|ами|ах))|дюжин(?:а|ы|у|е|ой|ам|ами|ах)?"
    r"|(?:дво|тро)(?:е|их|им|ими)|(?:четвер|пятер|шестер|семер|восьмер|девятер|десятер)(?:о|ых|ым|ыми)"
    r"|(?:два|три|четыре)жды|полсотни|пол(?:у)?тысячи|полмиллион(?:а|ов)|полмиллиарда|полдюжины|полдесятка|тыщ(?:а|и|у|ей|ам)?"
    r"|пар(?:а|ы|у|е|ой)|в(?:двое|трое|четверо|пятеро|шестеро|семеро|восьмеро|девятеро|десятеро)|(?:на|в)половину"
)
"""Of Russian, which are another word as well, or no whole number: not read as digits, and yet a number may be meant."""


def is_number_word(word: str) -> bool:
    """Whether a word in small letters may be a number, a rank or how many there are, in Russian or in English."""
    word = word.replace("ё", "е")
    return word in _WORDS or _MORE_NUMBERS.fullmatch(word) is not None


_SCALES = sorted((word for word, numeral in _WORDS.items() if numeral.multiplies and not numeral.ordinal), key=len)
_SCALED = re.compile(
    r"(?<![\w.,/^])(?P<whole>[0-9]*)(?P<point>[.,])(?P<part>[0-9]+) ?(?P<scale>"
    + "|".join(reversed(_SCALES))
    + r")(?![\w-])",
    re.IGNORECASE,
)
"""A number with a fraction and what multiplies it."""
