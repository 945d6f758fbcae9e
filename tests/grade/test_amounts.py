"""Numbers, money and angles in one notation; what only looks like it stays apart."""

from __future__ import annotations

import unicodedata
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.grade.amounts import amount, amount_key
from moot.grade.group import Stages
from moot.grade.match import alike, match
from moot.grade.normalise import answer_key
from moot.grade.unit_words import _BY_SYMBOL, _BY_WORD
from moot.team import Team
from moot.types import Answer, Case, Question

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


LEFT_OUT = [
    *[("10", "10 dollars", "$10"), ("90", "90 degrees", "90°", "ninety degrees"), ("6 million", "6 million dollars")],
    *[("6000000", "$6 million", "six million dollars"), ("5", "5 euros", "€5"), ("ten", "ten dollars")],
]
LEFT_OUT_IN_RUSSIAN = [("10", "10 рублей", "10 ₽"), ("6 млн", "6 млн долларов"), ("90", "девяносто градусов", "90°")]
NOT_LEFT_OUT = [
    ("10", "10 cents"),
    ("10", "20 dollars"),
    ("6", "6 million dollars"),
    ("second", "2 dollars"),
    ("25", "25 °C"),
    *[(percent, money) for percent in ("5 percent", "5 per cent", "5%") for money in ("$5", "5 dollars", "5°")],
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


@pytest.mark.parametrize("text", ["6,022e23", "2^10", "the 3e8 apples", "5 cents", "a few dollars", "ten to dollars"])
def test_nothing_else_is_worked_out(text: str) -> None:
    assert amount(text, "en") is None


def test_a_word_about_dollars_is_none_about_a_number_or_euros() -> None:
    keys = [answer_key(Question("q", "How much?"), text) for text in ("10 dollars", "10 euros", "10", "$10")]
    assert len(set(keys)) == 4


NOTATIONS = [
    (
        "120 miles",
        r"120 \text{ miles}",
        r"\boxed{120 \text{ miles}}",
        "$120$ miles",
        "**120** miles",
        "120 **miles**",
        "120 (miles)",
    ),
    (
        "5 kilograms",
        r"5 \text{ kilograms}",
        r"$5\,\mathrm{kg}$",
        r"\(5 \text{ kg}\)",
        "5 kg",
        "five kilograms",
        "`5 kg`",
    ),
    ("10 dollars", r"\text{10 dollars}", r"\$10", "$10$ dollars", "$10", "ten dollars", "10.00 dollars"),
    ("30 degrees", r"30 \text{ degrees}", r"$30^\circ$", r"30^{\circ}", "30°", "$30$ degrees"),
    ("120 dollars", "one hundred and twenty dollars", "$120", "one hundred twenty dollars"),
    ("120 degrees", "one hundred and twenty degrees"),
    ("120 metres per second", "one hundred and twenty metres per second", r"120 \text{ m/s}", "120 m/s"),
    ("3x10^8 m/s", "3e8 metres per second", r"$3 \times 10^8$ m/s"),
    ("-5 °C", "minus five degrees Celsius", r"$-5^\circ$C"),
    ("5 µg", "5 μg", "5 ug", "5 micrograms", r"$5\,\mu\text{g}$"),
    ("5 million dollars", "$5 m", "$5 million", r"\$5 million"),
    ("60 km/h", "60 KM/H"),
    ("5 m/s", "5 M/S"),
    ("2 hours", "2.0 hours", "2 h", "2 hrs."),
]
IN_RUSSIAN = [
    ("10 рублей", unicodedata.normalize("NFD", "10 рублей"), "10 ₽", "10 руб."),
    ("пятнадцать рублей", unicodedata.normalize("NFD", "пятнадцать рублей"), "15 рублей"),
    ("5 млн рублей", "5 млн. рублей", "5 миллионов рублей", "5000000 рублей"),
    ("5 тыс. рублей", "5000 рублей", "пять тысяч рублей"),
    ("5 кОм", "5 килоом"),
    ("10 мкФ", "10 микрофарад"),
    ("5 гПа", "5 гектопаскалей"),
    ("5 км", r"5 \text{ км}", "пять километров"),
    ("5 МВт·ч", "5 мегаватт-часов"),
    ("1,5 км", "1.5 километра"),
]
ANOTHER = [
    *[
        ("5 ml", "5 megalitres"),
        ("5 millilitres", "5 megalitres"),
        ("500 ML", "500 megalitres"),
        ("5 dB", "5 decibits"),
    ],
    *[("5 megaparsecs", "5 milliparsecs"), ("5 electronvolts", "5 exavolts"), ("3:00 PM", "3 petametres")],
    *[("3 PM", "3 petametres"), ("third", "third degree"), ("second", "second degree"), ("2nd", "second degree")],
    *[("first", "first dollar"), ("first dollar", "$1"), ("second degree", "2 degrees"), ("1990s", "1990 seconds")],
    *[("$5 m", "5 metres"), ("$10 T", "10 teslas"), ("$5 kg", "5 kilograms"), ("5", "5 kg"), ("5 km", "6 km")],
    *[("the W.H.O.", "who"), ("The U.S.", "us"), (f"1{'0' * 29}1e3", f"1{'0' * 29}2e3"), ("5 µg", "5 mg")],
    *[("5 metres per second", "5 metres per hour"), ("5 seconds", "5 m"), ("10 (m)", "10 million")],
]
ANOTHER_IN_RUSSIAN = [
    *[("5 гПа", "5 ГПа"), ("5 гПа", "5 гигапаскалей"), ("5 гектопаскалей", "5 гигапаскалей"), ("5 мОм", "5 мегаом")],
    *[("5 мегаватт-часов", "5 милливатт-часов"), ("второй", "второй градус"), ("5 рублей", "5 долларов")],
]


async def _groups(language: str, *texts: str) -> int:
    said = [Answer(f"p{place}", text) for place, text in enumerate(texts)]
    question = Question("q", "How much?", language=language)
    return len((await Stages().group(question, said, Team("t", (), grouper=Stages()))).groups)


@pytest.mark.parametrize(
    ("language", "spellings"), [*(("en", row) for row in NOTATIONS), *(("ru", row) for row in IN_RUSSIAN)]
)
async def test_one_amount_whatever_is_around_it(language: str, spellings: tuple[str, ...]) -> None:
    assert [pair for pair in permutations(spellings, 2) if right(*pair, language) != 1.0] == []
    assert [pair for pair in combinations(spellings, 2) if await _groups(language, *pair) != 1] == []


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [*(("en", *pair) for pair in ANOTHER), *(("ru", *pair) for pair in ANOTHER_IN_RUSSIAN)],
)
async def test_another_amount_or_none(language: str, one: str, other: str) -> None:
    assert (right(one, other, language), right(other, one, language)) == (0.0, 0.0)
    assert await _groups(language, one, other) == 2


@pytest.mark.parametrize(
    ("language", "spellings"), [*(("en", row) for row in LEFT_OUT), *(("ru", row) for row in LEFT_OUT_IN_RUSSIAN)]
)
async def test_a_number_may_stand_without_its_dollars_or_degrees(language: str, spellings: tuple[str, ...]) -> None:
    """In words as with the sign."""
    assert [pair for pair in permutations(spellings, 2) if right(*pair, language) != 1.0] == []
    assert await _groups(language, *spellings) == 1


@pytest.mark.parametrize(("one", "other"), NOT_LEFT_OUT)
async def test_nothing_else_is_left_out(one: str, other: str) -> None:
    assert (right(one, other), right(other, one)) == (0.0, 0.0)
    assert await _groups("en", one, other) == 2


async def test_a_number_without_its_unit_joins_no_two_units() -> None:
    assert await _groups("en", "5", "5 dollars", "5 euros") == 3
    assert await _groups("en", "5", "$5", "5 dollars", "5 €") == 3


def test_two_words_of_two_units_are_never_one() -> None:
    """Every prefix with every unit, and whatever sign says them."""
    for table in (_BY_WORD, _BY_SYMBOL):
        keys = {word: amount_key(f"5 {word}", "en") for word in table}
        assert [word for word, key in keys.items() if key is not None and key != f"5e0 {table[word]}"] == []


@pytest.mark.parametrize("text", ["0 MÀ", "10 Å", "5 калорий", "Łódź", "ёж"])
def test_composed_letters_and_others_are_one(text: str) -> None:
    apart = unicodedata.normalize("NFD", text)
    assert (right(text, apart, "ru"), right(apart, text, "ru")) == (1.0, 1.0)


PIECES = "0123456789.,eExX×*·^+-−{}()$° \\"
WORDS = ["10", "\\times", "\\cdot", "dollars", "euros", "degrees", "Celsius", "million", "ten", "²³", "⁻⁴", "W.", "who"]


@given(st.lists(st.sampled_from([*PIECES, *WORDS]), max_size=14).map("".join), st.text(max_size=12))
def test_whatever_is_written_is_read(pieces: str, more: str) -> None:
    for text in (pieces, pieces + more, more):
        read = amount(text, "en")
        assert read is None or read == amount(f" **{text.strip()}** ", "en") or "*" in text, (
            "marks around it say nothing"
        )
        assert right("6e23", text) in (0.0, 1.0)
