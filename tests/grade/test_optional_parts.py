"""What a Russian reference has in round brackets may be left out, where nothing hangs on it."""

from __future__ import annotations

import pytest

from moot.grade.match import match
from moot.types import Case, Question

GRADES = [
    *[("Наполеон (Бонапарт)", "Наполеон", 1.0), ("Наполеон (Бонапарт)", "Наполеон Бонапарт", 1.0)],
    *[("(Большой) театр", "театр", 1.0), ("(Лев) Толстой (писатель)", "Лев Толстой", 1.0)],
    *[("(Лев) Толстой (писатель)", "Толстой", 1.0), ("Наполеон (Бонапарт).", "наполеон", 1.0)],
    *[("Наполеон (Бонапарт)", "Бонапарт", 0.0), ("(не) виновен", "виновен", 0.0), ("Пётр (I)", "Пётр", 0.0)],
    *[("Александр (2)", "Александр", 0.0), ("стол(ы)", "стол", 0.0), ("(Бонапарт)", "", 0.0), ("f (x)", "f", 0.0)],
    *[("Наполеон (или Кутузов)", "Наполеон", 0.0), ("Наполеон", "Наполеон (Бонапарт)", 0.0)],
]


@pytest.mark.parametrize(("reference", "answer", "value"), GRADES)
def test_what_stands_in_brackets_may_be_left_out(reference: str, answer: str, value: float) -> None:
    assert match(Case(Question("q", "?", language="ru"), reference), answer).value == value


def test_of_what_is_rejected_nothing_is_left_out() -> None:
    case = Case(Question("q", "?", language="ru"), "Наполеон", rejected=("Наполеон (Третий)",))
    assert match(case, "Наполеон").value == 1.0
    assert match(case, "Наполеон Третий").value == 0.0


def test_elsewhere_brackets_are_read_as_they_are() -> None:
    assert match(Case(Question("q", "?"), "Napoleon (Bonaparte)"), "Napoleon").value == 0.0
