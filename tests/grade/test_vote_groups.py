"""A group of votes holds no two answers that the grader grades differently."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.grade.group import Stages
from moot.grade.match import match
from moot.team import Team
from moot.types import Answer, Case, Grouping, Question


async def grouped(*texts: str, language: str = "en") -> Grouping:
    said = [Answer(str(seat), text) for seat, text in enumerate(texts)]
    return await Stages().group(Question("q", "?", language=language), said, Team("team", (), grouper=Stages()))


def grade(reference: str, answer: str, **flags: bool) -> float | None:
    return match(Case(Question("q", "?"), reference, **flags), answer).value


ORDER = [
    *[
        ("3' to 5'", "5' to 3'"),
        ("dy/dx", "dx/dy"),
        ("2 to 3", "3 to 2"),
        ("3 of 5", "5 of 3"),
        ("1, 2", "2, 1"),
        ("x y", "y x"),
    ],
    *[
        ("10 5", "5 10"),
        ("from 1914 to 1918", "from 1918 to 1914"),
        ("Brazil 2 Italy 1", "Brazil 1 Italy 2"),
        ("DC/AC", "AC/DC"),
    ],
    *[("left to right", "right to left"), ("man bites dog", "dog bites man"), ("A > B", "B > A"), ("A to B", "B to A")],
    *[
        ("wins before losses", "losses before wins"),
        ("cats and black dogs", "black cats and dogs"),
        ("CO2 O2", "O2 CO2"),
    ],
    *[("из Москвы в Киев", "из Киева в Москву"), ("человек кусает собаку", "собака кусает человека")],
    *[("subject: verb", "verb: subject"), ("input → output", "output → input"), ("Moscow-London", "London-Moscow")],
    ("Paris, London, Rome of old", "Rome, London, Paris of old"),
]
FORMS = [
    *[
        ("Cs", "C"),
        ("DC", "AC"),
        ("dc", "ac"),
        ("M", "is"),
        ("Ca", "can"),
        ("Ca", "CAN"),
        ("US", "we"),
        ("As", "a"),
        ("Ts", "T"),
    ],
    *[("Am", "be"), ("AIDS", "aid"), ("101_2", "101"), ("best", "good"), ("largest", "large"), ("larger", "largest")],
    *[("убивший", "убитый"), ("лучший", "хороший"), ("больше", "много"), ("is", "was")],
]
JOINED = [
    *[("Olympic Games", "Games, Olympic"), ("Romeo and Juliet", "Juliet and Romeo"), ("wild geese", "wild goose")],
    *[("Committee, International Olympic", "International Olympic Committee"), ("Rowling, Joanne", "Joanne Rowling")],
    *[("Пушкин Александр Сергеевич", "Александр Сергеевич Пушкин"), ("олимпийских игр", "Олимпийские игры")],
    *[("red, green and blue", "blue, red and green"), ("cats", "cat"), ("the AIDS epidemics", "AIDS epidemic")],
]


@pytest.mark.parametrize(("one", "other"), [*ORDER, *FORMS])
async def test_order_and_forms_that_say_something_part_two_groups(one: str, other: str) -> None:
    assert len((await grouped(one, other)).groups) == 2
    assert len((await grouped(one, other, language="ru")).groups) == 2


@pytest.mark.parametrize(("one", "other"), JOINED)
async def test_order_and_forms_that_say_nothing_are_one_group(one: str, other: str) -> None:
    language = "en" if one.isascii() else "ru"
    assert (await grouped(one, other, language=language)).stages == ("lemmas",)


@pytest.mark.parametrize(("one", "other"), FORMS)
def test_no_question_that_allows_other_forms_takes_these_for_one(one: str, other: str) -> None:
    assert grade(one, other, lemmatize=True) == 0.0
    assert grade(other, one, lemmatize=True) == 0.0


async def test_as_many_percent_are_one_group_with_what_is_there() -> None:
    assert len((await grouped("50", "50%")).groups) == 1
    assert len((await grouped("0.5", "50%")).groups) == 1
    assert len((await grouped("0.5", "50")).groups) == 2
    for told in (("0.5", "50%", "50"), ("50", "0.5", "50%"), ("50%", "50", "0.5")):
        assert len((await grouped(*told)).groups) == 3


SHORT = """
0.5|50|50%|0.50|.5|1/2|half|one half|50 %|fifty|5|-5|minus five|5 km|5km|5 KM|5 mW|5 MW|5MW|5 mw|15 percent|15%|15|2.5
4 July 1776|July 4, 1776|July 4|4 July|44 BC|44 B.C.|44|USA|U.S.A.|us|A & B|A and B|A B|3 PM|3pm|3 AM|two point five
1e-3|0.001|6.02e23|x+1|x-1|[1, 5]|(1, 5)|1, 5|{1, 5}|Na+|Na^+|Na-|Na|a|++a|a++|--force|force|-r|-R|3!|3|0.25|a quarter
second|2nd|2|second place|x = 5|x == 5|(x+1)/2|x+1/2|one third|1/3|2/3|third|A-Team|A Team|team|1/4|quarter|25%
J.R.R. Tolkien|J. R. R. Tolkien|J R R Tolkien|JRR Tolkien|U. S. A.|u s a|R&B|R & B|R and B|R B|6.02*10^23|a half|A-B|15:00
"""
BROAD = sorted(
    {*(text for row in (*ORDER, *FORMS, *JOINED) for text in row), *SHORT.replace("\n", "|").strip("|").split("|")}
)


@pytest.mark.parametrize("one", BROAD)
async def test_what_is_one_group_has_one_grade(one: str) -> None:
    for other in BROAD:
        joined = await grouped(one, other)
        if len(joined.groups) == 1 and one != other:
            flags = {"lemmatize": True, "free_order": True} if joined.stages == ("lemmas",) else {}
            assert grade(one, other, **flags) == grade(other, one, **flags) == 1.0, (one, other, joined.stages)


async def test_what_two_readings_join_is_no_group_of_what_each_sets_apart() -> None:
    for said in (
        ("J.R.R. Tolkien", "J R R Tolkien", "JRR Tolkien"),
        ("JRR Tolkien", "J R R Tolkien", "J.R.R. Tolkien"),
    ):
        told = await grouped(*said)
        together = [{said[int(seat)] for seat in group} for group in told.groups]
        assert not any({"J R R Tolkien", "JRR Tolkien"} <= group for group in together)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(BROAD), min_size=3, max_size=6, unique=True))
async def test_whoever_joins_a_group_is_one_with_all_of_it(said: list[str]) -> None:
    told = await grouped(*said)
    for group, stage in zip(told.groups, told.stages, strict=True):
        if stage == "normalised":
            for one, other in combinations([said[int(seat)] for seat in group], 2):
                assert grade(one, other) == grade(other, one) == 1.0
