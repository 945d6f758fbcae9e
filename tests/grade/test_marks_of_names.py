"""Names, proportions and units with other marks: Łódź is Lodz, 1 : 2 is 1:2, and Том & Джерри is Том и Джерри."""

from __future__ import annotations

import pytest

from moot.grade.match import match
from moot.types import Case, Question

SAME = [
    *[("Łódź", "Lodz", "en"), ("Øresund", "Oresund", "en"), ("Æsop", "Aesop", "en"), ("Þór", "Thor", "en")],
    *[("1:2", "1 : 2", "en"), ("1:2:3", "1 : 2 : 3", "en"), ("15 bps", "15bps", "en"), ("120 mmHg", "120 mm Hg", "en")],
    *[("Том & Джерри", "Том и Джерри", "ru"), ("Beauty & the Beast", "Beauty and the Beast", "en")],
    *[("The Good, the Bad & the Ugly", "The Good, the Bad and the Ugly", "en"), ("16 GiB", "16GiB", "en")],
]
APART = [
    *[
        ("Ø", "O", "en"),
        ("1:2", "1, 2", "en"),
        ("1:2", "12", "en"),
        ("1 : 2", "2:1", "en"),
        ("flags & MASK", "flags and MASK", "en"),
    ],
    *[("120 mmHg", "120 mm", "en"), ("Том & Джерри", "Том или Джерри", "ru"), ("a: 2", "a2", "en")],
]


def is_right(reference: str, answer: str, language: str) -> bool:
    return match(Case(Question("q", "?", language=language), reference), answer).value == 1.0


@pytest.mark.parametrize(("one", "other", "language"), SAME)
def test_same(one: str, other: str, language: str) -> None:
    assert is_right(one, other, language)
    assert is_right(other, one, language)


@pytest.mark.parametrize(("one", "other", "language"), APART)
def test_apart(one: str, other: str, language: str) -> None:
    assert not is_right(one, other, language)
    assert not is_right(other, one, language)
