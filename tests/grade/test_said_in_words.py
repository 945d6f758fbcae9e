"""What is said in words or with other marks has one spelling, and nothing else takes it."""

from __future__ import annotations

from itertools import combinations

import pytest

from moot.grade.group import Stages
from moot.grade.match import match
from moot.team import Team
from moot.types import Answer, Case, Question


def is_right(reference: str, answer: str, language: str = "en", kind: str = "open") -> bool:
    return match(Case(Question("q", "?", language=language, kind=kind), reference), answer).value == 1.0


async def are_one_group(one: str, other: str, language: str = "en") -> bool:
    said = [Answer("ann", one), Answer("bob", other)]
    question = Question("q", "?", language=language)
    return len((await Stages().group(question, said, Team("two", (), grouper=Stages()))).groups) == 1


SAME = {
    "en": [
        *[
            ("minus five", "-5", "Minus 5", "negative five", "−5"),
            ("minus two point five", "-2.5"),
            ("minus 5 degrees", "-5 degrees"),
        ],
        *[("one third", "1/3", "One-third"), ("two thirds", "2/3", "two-thirds", r"\frac{2}{3}")],
        *[("three quarters", "3/4", "three-quarters", "three fourths"), ("half", "1/2", "one half", "a half", "½")],
        *[
            ("two and a half", "2 1/2", "2½", "5/2"),
            ("three tenths", "3/10"),
            ("half", "0.5"),
            ("three quarters", "0.75"),
        ],
        *[("two point five", "2.5"), ("three point one four", "3.14"), ("zero point five", "0.5", ".5")],
        *[
            ("15 percent", "15%", "15 %", "fifteen percent", "15 per cent"),
            ("50 percent", "0.5"),
            ("0.02 percent", "0.02%"),
        ],
        *[
            ("5 km", "5km", "5 KM"),
            ("5.5 km", "5.5km"),
            ("5 mW", "5mW"),
            ("5 km/h", "5km/h"),
            ("16 GB", "16GB"),
            ("3 PM", "3pm"),
        ],
        *[("3 PM", "3:00 PM", "3 p.m.", "3:00pm"), ("3:30 PM", "3:30pm"), ("U.S.A.", "USA", "U.S.A"), ("U.S.", "US")],
        *[
            ("44 B.C.", "44 BC"),
            ("79 A.D.", "79 AD"),
            ("44 B.C.E.", "44 BCE"),
            ("J.R.R. Tolkien", "J. R. R. Tolkien", "JRR Tolkien"),
        ],
        *[
            ("A & B", "A and B"),
            ("Johnson & Johnson", "Johnson and Johnson"),
            ("R&B", "R & B", "R and B"),
            ("AT&T", "AT & T"),
        ],
        *[
            ("johnson & johnson", "Johnson and Johnson"),
            ("Тимон & Пумба", "Тимон and Пумба"),
            ("War & Peace", "war and peace"),
        ],
        *[("July 4", "4 July", "July 4th", "4th of July", "the 4th of July", "fourth of July", "Jul 4")],
        *[
            (
                "July 4, 1776",
                "4 July 1776",
                "July 4th, 1776",
                "4th July 1776",
                "the fourth of July, 1776",
                "4 Jul. 1776",
            )
        ],
        *[
            ("1e-3", "0.001", "1E-3"),
            ("6.02e23", r"6.02\times 10^{23}", "6.02*10^23", "6.02×10²³"),
            ("1e3", "1000"),
            ("2.5e3", "2500"),
        ],
        *[("1e9", "10^9"), ("-1.5e-2", "-0.015"), ("1.5e1", "15"), ("Dec. 25", "December 25", "25 December")],
    ],
    "ru": [
        *[
            ("минус пять", "-5"),
            ("15 процентов", "15%", "15 %", "пятнадцать процентов"),
            ("половина", "1/2"),
            ("одна треть", "1/3"),
        ],
        *[("две трети", "2/3"), ("три четверти", "3/4"), ("две целых пять десятых", "2,5", "2.5"), ("5 км", "5км")],
        *[("4 июля 1776", "4 июля 1776 года", "4 июля 1776 г."), ("две пятых", "2/5"), ("3 целых 14 сотых", "3,14")],
    ],
}
APART = {
    "en": [
        *[
            ("minus five", "5", "five minus"),
            ("one third", "1", "13", "third", "3", "1/4"),
            ("third", "1/3"),
            ("one second", "1/2"),
        ],
        *[
            ("half", "2", "1.5", "half past two"),
            ("1/2", "0.5"),
            ("quarter to five", "1/4"),
            ("two point five", "25", "2 5", "2.05"),
        ],
        *[("15 percent of men", "15 of men", "15"), ("15%", "0.5"), ("1 percent", "0.1"), ("0.02 percent", "0.02")],
        *[
            ("5 km", "5 m", "5"),
            ("B12", "B 12"),
            ("3 PM", "3 AM", "15 PM"),
            ("3:30 PM", "3 PM"),
            ("44 BC", "44 AD", "44"),
        ],
        *[
            ("A and B", "A B", "A or B"),
            ("A & B", "A or B"),
            ("AT&T", "ATT"),
            ("flags & MASK", "flags and MASK"),
            ("x & y", "x and y"),
            ("foo & bar", "foo and bar"),
            ("Foo & bar", "Foo and bar"),
            ("FLAG_A & FLAG_B", "FLAG_A and FLAG_B"),
            ("A & b & C", "A and b and C"),
            ("6 & 5", "6 and 5"),
            ("U.S.A.", "USE"),
            ("July 4", "July 14", "July", "4", "4 June"),
        ],
        *[
            ("4 July 1776", "7 April 1776", "4 July 1777"),
            ("July 1776", "17 July 76"),
            ("May 5", "5"),
            ("Mr. 5", "March 5"),
        ],
        *[
            ("1e-3", "1e3", "13", "0.01"),
            ("6.02e23", "6.02e-23", "6.02*10^22", "6.02"),
            ("1e3", "e3", "13"),
            ("2 point 5 million", "2.5"),
        ],
        *[
            ("two and a half", "2/2", "21/2"),
            ("five fourths", "4/5"),
            ("July 4, 5", "July 45"),
            ("two thirds", "3/2", "23"),
        ],
    ],
    "ru": [
        *[("минус пять", "5"), ("одна треть", "третий", "1"), ("две трети", "3/2"), ("15 процентов мужчин", "15")],
        *[("4 июля 1776", "4 июля"), ("половина", "2"), ("две целых пять десятых", "25", "2,05")],
    ],
}


@pytest.mark.parametrize(("language", "same"), [(language, row) for language in SAME for row in SAME[language]])
async def test_it_is_one_answer_and_one_group(language: str, same: tuple[str, ...]) -> None:
    for one, other in combinations(same, 2):
        assert is_right(one, other, language), (one, other)
        assert is_right(other, one, language), (other, one)
        assert await are_one_group(one, other, language), (one, other)


@pytest.mark.parametrize(("language", "apart"), [(language, row) for language in APART for row in APART[language]])
async def test_it_is_two_answers_and_two_groups(language: str, apart: tuple[str, ...]) -> None:
    for one, other in combinations(apart, 2):
        assert not is_right(one, other, language), (one, other)
        assert not is_right(other, one, language), (other, one)
        assert not await are_one_group(one, other, language), (one, other)


async def test_what_half_is_worth_is_not_handed_on() -> None:
    said = [Answer(name, text) for name, text in (("ann", "1/2"), ("bob", "half"), ("cid", "0.5"))]
    told = await Stages().group(Question("q", "?"), said, Team("three", (), grouper=Stages()))
    assert not any({"ann", "cid"} <= set(group) for group in told.groups)


YES_NO = [
    *[
        ("yes", "Yes, it is.", True),
        ("yes", "yes he did", True),
        ("no", "No, it isn't.", True),
        ("no", "No, they did not", True),
    ],
    *[
        ("no", "No, he cannot.", True),
        ("yes", "No, it isn't.", False),
        ("no", "Yes, it is.", False),
        ("yes", "Yes, it is not", False),
    ],
    *[("yes", "Yes, because it is so, but no", False), ("no", "No, it is", False), ("no", "Yes, no doubt", False)],
]


@pytest.mark.parametrize(("reference", "answer", "right"), YES_NO)
def test_a_yes_that_is_said_twice_is_yes(reference: str, answer: str, right: bool) -> None:
    assert is_right(reference, answer, kind="yes-no") is right


@pytest.mark.parametrize("text", ["2EE3", "1ef5", "4ea9", "3e.5", "3e/5", "5e:7", "$1e,000", "3e-", "1e+", "2e--3"])
def test_what_is_no_power_of_ten_is_read_as_it_stands(text: str) -> None:
    assert is_right(text, text)
    assert not is_right(text, "2")
