"""A decade, a year and a count of years are three answers, whatever forms of the words are allowed."""

from __future__ import annotations

from itertools import combinations

import pytest

from moot.grade.group import grouped_by_words
from moot.grade.match import match
from moot.types import Answer, Case, Question

APART = [
    ("в 1960-е годы", "в 1960 году", "в 1961 году"),
    ("1990-е годы", "1990 год"),
    ("начало 1990-х годов", "начало 1990 года"),
    ("начало девяностых годов", "начало девяностого года"),
    ("60-е годы", "60 лет", "60 год"),
    ("60-х годов", "60 лет"),
    ("восьмидесятые годы", "восемьдесят лет", "восьмидесятый год"),
    ("20-е годы XX века", "20 год XX века"),
    ("1960-е", "1960-й"),
    ("шестидесятые", "шестидесятый"),
    ("12-й век", "12 веков"),
    ("12 век", "двенадцать веков"),
    ("пятый век", "пять веков"),
    ("XX век", "XX веков"),
    ("10 класс", "10 классов"),
    ("в 10 классе", "в 10 классах"),
    ("2 место", "2 места"),
    ("4 этаж", "4 этажа"),
    ("двадцать один год", "двадцать первый год"),
    ("два века", "второго века"),
]
TOGETHER = [
    ("1960 год", "1960 году"),
    ("1812 года", "1812 год"),
    ("1960-е годы", "1960-х годов", "1960 годы", "1960-е года"),
    ("второй век", "второго века"),
    ("2-й век", "2 век", "второго века"),
    ("12 веков", "двенадцати веков"),
    ("2 года назад", "2 годам назад"),
    ("60 лет назад", "60 годами назад"),
    ("с 1930 по 1940 годы", "с 1930 по 1940 год"),
    ("9 мая", "девятого мая"),
    ("21 класс", "21 классу"),
    ("пять деревень", "5 деревнями"),
    ("2,5 балла", "2,5 баллов"),
    ("5 человек", "пяти человек"),
]


def is_right(reference: str, answer: str, **allowed: bool) -> bool:
    return match(Case(Question("q", "Когда?", language="ru"), reference, **allowed), answer).value == 1.0


def groups(*texts: str) -> int:
    said = [Answer(f"p{place}", text) for place, text in enumerate(texts)]
    return len(grouped_by_words(Question("q", "Когда?", language="ru"), said).groups)


def test_votes_on_a_decade_are_none_on_its_first_year() -> None:
    said = ("в 1960-е годы", "в 1960 году", "в 1961 году", "в 1961 году", "в 1960-е годы")
    answers = [Answer(f"p{place}", text) for place, text in enumerate(said)]
    told = grouped_by_words(Question("q", "Когда это было?", language="ru"), answers)
    assert sorted(map(len, told.groups)) == [1, 2, 2]


@pytest.mark.parametrize("said", TOGETHER)
def test_forms_of_one_answer_are_one(said: tuple[str, ...]) -> None:
    for one, other in combinations(said, 2):
        assert groups(one, other) == 1, (one, other)
        assert is_right(one, other, lemmatize=True), (one, other)
        assert is_right(other, one, lemmatize=True), (other, one)


@pytest.mark.parametrize("said", APART)
def test_what_is_no_form_of_the_other_is_another_answer(said: tuple[str, ...]) -> None:
    for one, other in combinations(said, 2):
        assert groups(one, other) == 2, (one, other)
        assert not is_right(one, other, lemmatize=True), (one, other)
        assert not is_right(other, one, lemmatize=True), (other, one)
    assert groups(*said) == len(said)


def test_a_roman_number_is_one_that_centuries_have() -> None:
    """DVD, LCD and DC are none, nor is what is not well formed."""
    devices = [("DVD диск", "DVD диски"), ("LCD монитор", "LCD мониторы"), ("CD диск", "CD диски")]
    for one, other in [*devices, ("DC комикс", "DC комиксы"), ("VC фонд", "VC фонды"), ("IXI фонд", "IXI фонды")]:
        assert groups(one, other) == 1, (one, other)
    for number in ("IV", "IX", "XIX", "XX", "XXI", "XXX"):
        assert groups(f"{number} век", f"{number} веков") == 2, number
