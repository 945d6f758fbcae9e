"""Numbers, money and angles in one notation; what only looks like it stays apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.grade.match import alike, match
from moot.grade.normalise import answer_key
from moot.grade.one_notation import in_one_notation
from moot.types import Case, Question

SAME = [
    ("6*10^23", "6x10^23"),
    ("6×10^23", "6x10^23"),
    ("6x10^23", "6e23"),
    ("6.02 x 10^23", "6.02×10²³"),
    (r"$6.02 \times 10^{23}$", "6.02e23"),
    (r"\(6.02 \cdot 10^{23}\)", "6.02·10^23."),
    ("3e8", "300000000"),
    ("300,000,000", "3·10^8"),
    ("3E+8", "3.0×10^8"),
    ("-3e8", "-300000000"),
    ("1e6", "10^6"),
    ("10⁶", "1000000"),
    ("10^-3", "0.001"),
    ("1.5e-3", "0.0015"),
    ("0.0015", "1.5 × 10⁻³"),
    ("6x10^500", "6×10⁵⁰⁰"),
    ("$10", "10 dollars"),
    ("10 dollars", "ten dollars"),
    ("$10 million", "10 million dollars"),
    ("$1.50", "1.50 dollars"),
    ("€5", "5 euros"),
    ("5 €", "5 euro"),
    ("30 degrees", "30°"),
    ("30 degree", "30 degrees"),
    ("minus 5 degrees", "-5°"),
    ("30°C", "30 degrees Celsius"),
    ("86 °F", "86 degrees Fahrenheit"),
]
OTHER = [
    ("3e8", "3e9"),
    ("3e8", "3e-8"),
    ("3e8", "-3e8"),
    ("3e8", "38"),
    ("6x10^23", "6x10^24"),
    ("6x10^500", "6x10^501"),
    ("$10", "10 cents"),
    ("10 dollars", "10 cents"),
    ("10 dollars", "10 euros"),
    ("$5", "5 euros"),
    ("€5", "5 dollars"),
    ("£5", "5 dollars"),
    ("$10", "10 Canadian dollars"),
    ("10 million dollars", "$10"),
    ("30 degrees", "30 °C"),
    ("30°", "30 degrees Celsius"),
    ("30 degrees Celsius", "30 degrees Fahrenheit"),
    ("30 degrees", "30%"),
    ("30°", "30 radians"),
    ("30 degrees", "40°"),
    ("W.H.O.", "who"),
    ("W.H.O.", "Who"),
    ("U.S.", "us"),
    ("I.T.", "it"),
]
RUSSIAN = [
    ("5 долларов", "$5"),
    ("10 рублей", "10 ₽"),
    ("30 градусов", "30°"),
    ("6х10^23", "6·10^23"),
    ("€5", "пять евро"),
]


def right(reference: str, answer: str, language: str = "en") -> float | None:
    return match(Case(Question("q", "How much?", language=language), reference), answer).value


@pytest.mark.parametrize(("one", "other"), SAME)
def test_one_amount_in_two_notations(one: str, other: str) -> None:
    assert (right(one, other), right(other, one)) == (1.0, 1.0)
    assert alike(one, other, "en")


@pytest.mark.parametrize(("one", "other"), RUSSIAN)
def test_in_russian(one: str, other: str) -> None:
    assert (right(one, other, "ru"), right(other, one, "ru")) == (1.0, 1.0)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_two_amounts_are_two(one: str, other: str) -> None:
    assert (right(one, other), right(other, one)) == (0.0, 0.0)
    assert not alike(one, other, "en")


@pytest.mark.parametrize(
    ("one", "other"), [("W.H.O.", "WHO"), ("U.S.A.", "usa"), ("N.A.S.A.", "nasa"), ("U. S.", "U.S."), ("who", "Who")]
)
def test_initials_without_their_points(one: str, other: str) -> None:
    assert (right(one, other), right(other, one)) == (1.0, 1.0)


@pytest.mark.parametrize(
    "text", ["6,022e23", "2^10", "the 3e8", "3e8 m/s", "5 pounds", "a few dollars", "ten to dollars"]
)
def test_nothing_else_is_worked_out(text: str) -> None:
    assert in_one_notation(text) == text


def test_a_word_about_dollars_is_none_about_a_number_or_euros() -> None:
    question = Question("q", "How much?")
    keys = [answer_key(question, text) for text in ("10 dollars", "10 euros", "10")]
    assert len(set(keys)) == 3
    assert keys[0] == answer_key(question, "$10")


PIECES = "0123456789.,eExX×*·^+-−{}()$° \\"
WORDS = ["10", "\\times", "\\cdot", "dollars", "euros", "degrees", "Celsius", "million", "ten", "²³", "⁻⁴", "W.", "who"]


@given(st.lists(st.sampled_from([*PIECES, *WORDS]), max_size=14).map("".join), st.text(max_size=12))
def test_whatever_is_written_is_read(pieces: str, more: str) -> None:
    for text in (pieces, pieces + more, more):
        once = in_one_notation(text)
        assert in_one_notation(once) == once, "read again it says the same"
        assert right("6e23", text) in (0.0, 1.0)
