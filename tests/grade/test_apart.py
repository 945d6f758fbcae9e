"""A mark between two numbers in words parts them, as it parts digits."""

from __future__ import annotations

import pytest

from moot.grade.embedding import read
from moot.grade.group import Stages
from moot.grade.match import match
from moot.grade.normalise import spelled
from moot.team import Team
from moot.types import Answer, Case, Question

PAIRS = [
    *[("10, 20", "ten, twenty", "1020"), ("17, 19", "seventeen, nineteen", "1719"), ("20, 5", "twenty, five", "25")],
    *[("40 / 2", "forty / two", "42"), ("40 + 2", "forty + two", "42"), ("40. 2", "forty. Two", "42")],
    *[("40; 2", "forty; two", "42"), ("40: 2", "forty: two", "42"), ("40 (2)", "forty (two)", "42")],
    *[("40 - 2", "forty - two", "42"), ("10; 20", "ten; twenty", "1020"), ("(10, 20)", "(ten, twenty)", "(1020)")],
    *[("100, 1", "one hundred, one", "101"), ("20, 1000", "twenty, thousand", "20,000"), ("x, 10", "x, ten", "x10")],
    *[("12, 15", "twelve,fifteen", "1215"), ("1, 3rd", "one, third", "1/3"), ("1000, 5", "one thousand, five", "1005")],
    *[("1000, 2000", "one thousand, two thousand", "3000"), ("30 & 2", "thirty & two", "32")],
    *[("20 → 30", "twenty → thirty", "2030"), ("19, 84", "nineteen, eighty-four", "1984")],
]
RUSSIAN = [
    *[("20, 3", "двадцать, три", "23"), ("100/5", "сто/пять", "105"), ("100; 5", "сто; пять", "105")],
    *[("1900, 45", "тысяча девятьсот, сорок пять", "1945"), ("10, 20", "десять, двадцать", "1020")],
]
BOTH = [*[(*row, "en") for row in PAIRS], *[(*row, "ru") for row in RUSSIAN]]


def is_right(reference: str, answer: str, language: str = "en") -> bool:
    return match(Case(Question("q", "?", language=language), reference), answer).value == 1.0


@pytest.mark.parametrize(("digits", "words", "one", "language"), BOTH)
def test_two_numbers_in_words_are_the_two_in_digits(digits: str, words: str, one: str, language: str) -> None:
    assert is_right(digits, words, language)
    assert is_right(words, digits, language)
    assert not is_right(one, words, language)
    assert not is_right(words, one, language)


@pytest.mark.parametrize(("digits", "words", "one", "language"), BOTH)
async def test_votes_count_them_as_they_are_graded(digits: str, words: str, one: str, language: str) -> None:
    said = [Answer(name, text) for name, text in (("ann", words), ("bob", one), ("cid", digits))]
    question = Question("q", "?", language=language)
    grouping = await Stages().group(question, said, Team("three", (), grouper=Stages()))
    assert sorted(map(sorted, grouping.groups)) == [["ann", "cid"], ["bob"]]


@pytest.mark.parametrize(
    ("one", "other"), [("twenty, one", "twenty-one"), ("twenty, one", "Twenty one"), ("сто, два", "сто два")]
)
def test_words_alone_do_not_make_them_one(one: str, other: str) -> None:
    assert not is_right(one, other)
    assert not is_right(other, one)


SAME = [
    ("1200", "one thousand, two hundred"),
    *[
        ("1,200,305", "one million, two hundred thousand, three hundred and five"),
        ("42", "forty-two."),
        ("21", "**twenty** one"),
    ],
    *[
        ("July 4, 1776", "July four, 1776"),
        ("5, please", "five, please"),
        ("401(k)", "401k"),
        ("3.5", "three point five"),
    ],
    *[("5%", "five percent."), ("0.05", "5 percent."), ("2/3", "two-thirds"), ("1984", "nineteen eighty-four")],
]


@pytest.mark.parametrize(("reference", "answer"), SAME)
def test_what_is_one_number_stays_one(reference: str, answer: str) -> None:
    assert is_right(reference, answer)
    assert is_right(answer, reference)


def test_russian_tenths_may_follow_a_comma() -> None:
    assert spelled("три целых, пять десятых", "ru") == "3.5"


def test_likeness_reads_them_apart() -> None:
    assert set(read("ten, twenty").numbers) == {"10", "20"}
    assert set(read("twenty-one").numbers) == {"21"}
