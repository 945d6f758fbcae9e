"""Five percent are 5 %, and a share of 0.05, in words and in digits, in both languages."""

from __future__ import annotations

import pytest

from moot.grade.group import Stages
from moot.grade.match import match
from moot.team import Team
from moot.types import Answer, Case, Question

SAME = [
    *[("five percent", "0.05", "en"), ("fifty per cent", "0.5", "en"), ("minus five percent", "-0.05", "en")],
    *[("пять процентов", "0,05", "ru"), ("двадцать пять процентов", "0,25", "ru"), ("5%", "0.05", "en")],
]
APART = [
    *[("five percent", "0.5", "en"), ("fifty percent", "0.05", "en"), ("five percent", "-0.05", "en")],
    *[("five percent, ten", "0.05", "en"), ("пять процентов", "0,5", "ru"), ("one percent", "1%0", "en")],
]


async def are_one(one: str, other: str, language: str) -> tuple[bool, bool, bool]:
    question = Question("q", "?", language=language)
    graded = [match(Case(question, a), b).value == 1.0 for a, b in ((one, other), (other, one))]
    said = [Answer("ann", one), Answer("bob", other)]
    grouping = await Stages().group(question, said, Team("two", (), grouper=Stages()))
    return graded[0], graded[1], len(grouping.groups) == 1


@pytest.mark.parametrize(("words", "share", "language"), SAME)
async def test_percent_in_words_are_a_share(words: str, share: str, language: str) -> None:
    assert await are_one(words, share, language) == (True, True, True)


@pytest.mark.parametrize(("words", "share", "language"), APART)
async def test_no_other_share(words: str, share: str, language: str) -> None:
    assert await are_one(words, share, language) == (False, False, False)
