"""Number words to digits: every number there and back in both languages, and what must stay a word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.grade.normalise import normalise
from moot.grade.numerals import numerals, thousands

ENGLISH_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
)
RUSSIAN_WORDS = (
    "ноль один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать четырнадцать "
    "пятнадцать шестнадцать семнадцать восемнадцать девятнадцать двадцать тридцать сорок пятьдесят шестьдесят семьдесят "
    "восемьдесят девяносто сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот"
)
ENGLISH, RUSSIAN = ENGLISH_WORDS.split(), RUSSIAN_WORDS.split()

UP_TO_A_MILLION = st.integers(0, 1_000_000)
WORDS = st.sampled_from(["cat", "peter", "iii", "oh", "кот", "петр", "сорока", "семью", "c", "mix", "-5", "1920s"])


def english(number: int, joint: str = " ") -> str:
    if number == 1_000_000:
        return "one million"
    if number >= 1000:
        rest = f" {english(number % 1000, joint)}" if number % 1000 else ""
        return f"{english(number // 1000, joint)} thousand{rest}"
    if number >= 100:
        rest = f"{joint}{english(number % 100)}" if number % 100 else ""
        return f"{ENGLISH[number // 100]} hundred{rest}"
    if number >= 20:
        rest = f"-{ENGLISH[number % 10]}" if number % 10 else ""
        return f"{ENGLISH[number // 10 + 18]}{rest}"
    return ENGLISH[number]


def russian(number: int) -> str:
    if number == 1_000_000:
        return "миллион"
    if number >= 1000:
        many = number // 1000
        ending = (
            "тысяч" if 10 < many % 100 < 20 else {1: "тысяча", 2: "тысячи", 3: "тысячи", 4: "тысячи"}.get(many % 10)
        )
        count = russian(many)
        if many % 100 not in (11, 12):
            count = count.removesuffix("один") + "одна" if many % 10 == 1 else count
            count = count.removesuffix("два") + "две" if many % 10 == 2 else count
        rest = f" {russian(number % 1000)}" if number % 1000 else ""
        return f"{count} {ending or 'тысяч'}{rest}"
    if number >= 100:
        rest = f" {russian(number % 100)}" if number % 100 else ""
        return f"{RUSSIAN[number // 100 + 27]}{rest}"
    if number >= 20:
        rest = f" {RUSSIAN[number % 10]}" if number % 10 else ""
        return f"{RUSSIAN[number // 10 + 18]}{rest}"
    return RUSSIAN[number]


def read(text: str, language: str = "en") -> list[str]:
    return numerals(normalise(text).split(), language)


@given(UP_TO_A_MILLION, st.sampled_from([" ", " and "]))
def test_english_there_and_back(number: int, joint: str) -> None:
    assert read(english(number, joint)) == [str(number)]


@given(UP_TO_A_MILLION)
def test_russian_there_and_back(number: int) -> None:
    assert read(russian(number), "ru") == [str(number)]


@pytest.mark.parametrize("spell", [english, russian])
def test_every_number_below_two_thousand(spell: object) -> None:
    assert [read(spell(n)) for n in range(2000)] == [[str(n)] for n in range(2000)]  # type: ignore[operator]


@given(st.lists(st.one_of(WORDS, UP_TO_A_MILLION.map(str)), max_size=6), st.sampled_from(["en", "ru", "fr"]))
def test_digits_and_other_words_stay(words: list[str], language: str) -> None:
    assert numerals(words, language) == words


@given(st.lists(st.text(max_size=8), max_size=6), st.sampled_from(["en", "ru", "fr"]))
def test_any_words_at_all(words: list[str], language: str) -> None:
    once = numerals(words, language)
    assert len(once) <= len(words)
    assert all(once) == all(words)


@given(UP_TO_A_MILLION, WORDS)
def test_a_number_among_words(number: int, word: str) -> None:
    assert read(f"{word} {russian(number)} {word}") == [word, str(number), word]


ALIKE = [
    ("seven", "7"),
    ("семь", "7"),
    ("twenty-one", "21"),
    ("first", "1st"),
    ("twenty-first", "21st"),
    ("one hundred and fifth", "105th"),
    ("первый", "1-й"),
    ("первая", "1-я"),
    ("двадцать первого", "21-го"),
    ("третьего", "3-го"),
    ("второй", "2-й"),
    ("second", "2nd"),
    ("the hundredth", "100th"),
    ("тысяча восемьсот двенадцатый год", "1812 год"),
    ("в тысяча девятьсот сорок пятом году", "в 1945 году"),
    ("1812-й год", "1812 год"),
    ("двадцатый век", "20 век"),
    ("20-й век", "20 век"),
    ("пятое мая", "5 мая"),
    ("5-го мая", "5 мая"),
    ("May fifth", "May 5"),
    ("July 4th", "July 4"),
    ("the 4th of July", "4 of July"),
    ("Двенадцать стульев", "12 стульев"),
    ("двухсот", "200"),
    ("семидесятых", "70-х"),
    ("Тысяча и одна ночь", "1001 ночь"),
    ("a thousand and one nights", "1001 nights"),
    ("Nineteen Eighty-Four", "1984"),
    ("nineteen hundred", "1900"),
    ("twenty ten", "2010"),
    ("20 thousand leagues", "twenty thousand leagues"),
    ("20 тысяч лье", "двадцать тысяч лье"),
    ("5 million", "пять миллионов"),
    ("no one", "no 1"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_one_spelling(one: str, other: str) -> None:
    assert read(one, "ru") == read(other, "ru")
    assert read(one, "en") == read(other, "en")


APART = [
    ("two and three", ["2", "and", "3"]),
    ("one two three", ["1", "2", "3"]),
    ("thirty forty", ["30", "40"]),
    ("один и два", ["1", "и", "2"]),
    ("Peter III", ["peter", "iii"]),
    ("vitamin C", ["vitamin", "c"]),
    ("5 м", ["5", "м"]),
    ("1.5 million", ["1.5", "1000000"]),
    ("hundreds", ["hundreds"]),
]

RANKS_AND_COUNTS = [
    ("second", "two"),
    ("second", "2"),
    ("2nd", "2"),
    ("twenty-first", "twenty-one"),
    ("the Third Man", "Three Men"),
    ("World War Two", "the Second World War"),
    ("hundredth", "hundred"),
    ("второй", "два"),
    ("второй", "2"),
    ("2-й", "2"),
    ("третья", "три"),
    ("двадцать первый", "двадцать один"),
    ("пятого", "пяти"),
    ("семидесятых", "70"),
    ("тысячный", "1000"),
]


@pytest.mark.parametrize(("rank", "count"), RANKS_AND_COUNTS)
@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_rank_is_no_count(rank: str, count: str, language: str) -> None:
    assert sorted(read(rank, language)) != sorted(read(count, language))


@given(st.integers(1, 999), st.sampled_from(["st", "nd", "rd", "th", "-й", "-я", "-го"]))
def test_a_rank_in_digits_is_no_count(number: int, mark: str) -> None:
    assert read(f"{number}{mark}") != read(str(number))
    assert len(read(f"{number}{mark}")) == 1


@pytest.mark.parametrize(("text", "words"), APART)
def test_what_is_no_one_number(text: str, words: list[str]) -> None:
    assert read(text) == words


def test_a_language_without_a_table_keeps_its_words() -> None:
    assert read("mille et un 21st", "fr") == ["mille", "et", "un", "21th"]
    assert read("one ten", "nl") == ["one", "ten"]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("20,000 Leagues", "en", "20000 Leagues"),
        ("1,234,567", "en", "1234567"),
        ("20 000 лье", "ru", "20000 лье"),
        ("20\u00a0000", "ru", "20000"),
        ("3,125", "ru", "3,125"),
        ("3.125", "en", "3.125"),
        ("0,125", "en", "0,125"),
        ("1,2", "en", "1,2"),
        ("100, 200", "en", "100, 200"),
        ("1812 500", "en", "1812 500"),
        ("1,0000", "en", "1,0000"),
    ],
)
def test_thousands(text: str, language: str, expected: str) -> None:
    assert thousands(text, language) == expected
