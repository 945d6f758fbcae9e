"""Millions and billions, whole or with a fraction, shortened or not, are the digits that they are worth."""

from __future__ import annotations

from itertools import permutations

import pytest

from moot.grade.match import match
from moot.types import Case, Question

SAME = [
    ("2 billion", "2,000,000,000", "two billion", "2.0 billion", "2,000 million"),
    *[("$2 billion", "$2,000,000,000", "2 billion"), ("5 trillion", "5,000,000,000,000", "five trillion")],
    *[("$100k", "$100,000", "$100K", "$100 thousand"), ("$5m", "$5,000,000", "$5 million", "$5M")],
    *[("$1.2bn", "$1.2 billion", "$1,200 million"), ("€3m", "€3,000,000"), ("$5m-$10m", "$5 million-$10 million")],
    *[("half a million", "500,000"), ("a dozen", "12", "twelve"), ("two dozen", "24"), ("half a dozen", "6")],
    *[("2 hundred", "200"), ("two and a half million", "2,500,000", "2.5 million"), ("2.5 trillion", "2,500 billion")],
]
RUSSIAN = [
    *[
        ("2 миллиарда", "2 000 000 000", "два миллиарда", "2 млрд"),
        ("1,5 млн", "1500000", "1,5 миллиона", "полтора миллиона"),
    ],
    *[
        ("100 тыс.", "100 000", "сто тысяч"),
        ("5 трлн", "пять триллионов"),
        ("полтора", "1,5"),
        ("полмиллиона", "500 000"),
    ],
    *[("полторы тысячи", "1500", "1,5 тыс."), ("$5 млн", "$5 000 000")],
]
APART = [
    *[
        ("2 billion", "2 million"),
        ("2 billion", "2"),
        ("$5m", "$5bn"),
        ("$5m", "$5"),
        ("5m", "5,000,000"),
        ("$5m$", "5 million"),
    ],
    *[("1 hundredth", "100"), ("half a million", "1/2"), ("dozens", "12"), ("$5k + 3$", "5000+3"), ("half", "500000")],
    *[("The Dirty Dozen", "12"), ("$2 billion", "€2 billion"), ("20, million", "20000000"), ("1.5", "1.5 billion")],
]


def is_right(reference: str, answer: str, language: str) -> bool:
    return match(Case(Question("q", "?", language=language), reference), answer).value == 1.0


@pytest.mark.parametrize(("language", "spellings"), [*(("en", row) for row in SAME), *(("ru", row) for row in RUSSIAN)])
def test_one_number(language: str, spellings: tuple[str, ...]) -> None:
    wrong = [pair for pair in permutations(spellings, 2) if not is_right(*pair, language)]
    assert wrong == []


@pytest.mark.parametrize(("one", "other"), APART)
def test_two_numbers(one: str, other: str) -> None:
    assert not is_right(one, other, "en")
    assert not is_right(other, one, "en")


@pytest.mark.parametrize(
    "scale", ["тыс.", "млн", "млрд", "трлн", "полсотни", "полтысячи", "полмиллиона", "миллиардов", "вдвое", "пара"]
)
def test_a_scale_in_brackets_is_never_left_out(scale: str) -> None:
    for reference, shorter in (
        (f"двести ({scale})", "двести"),
        (f"двести ({scale})", "200"),
        (f"сто ({scale})", "100"),
    ):
        assert not is_right(reference, shorter, "ru")
