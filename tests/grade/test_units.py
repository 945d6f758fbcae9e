"""Signs of units: 5 is right where $5 is, €5 never is, in grades, in votes and where words alone group."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import permutations

import pytest

from moot.engine.match_record import Matches, equal_words
from moot.grade.group import Stages
from moot.grade.match import alike, match
from moot.grade.normalise import answer_key
from moot.grade.units import units
from moot.prompts import Prompts
from moot.team import Team
from moot.types import Answer, Case, Question

QUESTION = Question("q", "How much?")

TWO = [
    ("€5", "$5"),
    ("£100", "€100"),
    ("£100", "¥100"),
    ("5€", "5 $"),
    ("−€5", "-$5"),
    ("$5 million", "€5 million"),
    ("€5,000,000", "$5 million"),
    ("$5–$10", "€5–€10"),
    ("$5 (€4)", "€5 ($4)"),
    *[(dollars, other) for dollars in ("A$5", "C$5", "HK$5", "NZ$5") for other in ("$5", "US$5", "5 dollars", "€5")],
    ("A$5", "C$5"),
    ("A$5 to A$10", "$5 to 10"),
    ("It costs A$100", "It costs $100"),
    ("5 percent", "$5"),
    ("5 per cent", "5°"),
    ("5 percent", "5‰"),
    (r"\$5", "€5"),
    ("5¢", "$5"),
    ("5‰", "5%"),
    ("5%", "5°"),
    ("50%", "$50"),
    ("$0.02", "2%"),
    ("6′", "6″"),
    ("6'", '6"'),
    ("5°", "5′"),
    ("5°30′", "5′30″"),
    (r"90^\circ", "90%"),
    ("♯C", "♭C"),
    ("5 km", "5 miles"),
]
ONE = [
    ("A$5", "AU$5"),
    ("US$5", "$5"),
    ("a $5 note", "$5 note"),
    ("20%", "20 percent"),
    ("20%", "twenty percent"),
    ("20 Percent", r"20\%"),
    ("3%", "3 процента"),
    ("20 % ", "20 per cent"),
    ("5 €", "€5"),
    ("$5,000,000", "$5 million"),
    ("$5 to $10", "$5 to 10"),
    (r"$\$5$", "$5"),
    ("$5$", "5"),
    ("6'", "6′"),
    ("6''", '6"'),
    ("5'10\"", "5′10″"),
    (r"5\%", "5 %"),
    (r"90^{\circ}", "90°"),
    ("'5'", "5"),
    ('"6"', "6"),
]
WITHOUT = [
    ("20 percent", "20"),
    ("20 percent", "0.2"),
    ("$5", "5"),
    ("A$5", "5"),
    ("HK$5", "5"),
    ("5%", "5"),
    ("5‰", "5"),
    ("90°", "90"),
    ("6′", "6"),
    ("♯C", "C"),
    ("0.02", "2%"),
]


def worth(reference: str, answer: str) -> float | None:
    return match(Case(QUESTION, reference), answer).value


def groups(*texts: str) -> set[frozenset[str]]:
    answers = [Answer(text, text) for text in texts]
    team = Team("t", (), Prompts("en"))
    return {frozenset(group) for group in asyncio.run(Stages().group(QUESTION, answers, team)).groups}


def by_words(*texts: str) -> set[frozenset[str]]:
    """As a report groups drafts that nobody grouped in play."""
    found = Matches([], {}).groups(QUESTION, 0, [Answer(text, text) for text in texts])
    return {frozenset(group) for group in found}


def apart(texts: Sequence[str]) -> set[frozenset[str]]:
    return {frozenset([text]) for text in texts}


@pytest.mark.parametrize(("one", "other"), TWO)
def test_two_units_are_two_answers(one: str, other: str) -> None:
    assert (worth(one, other), worth(other, one)) == (0.0, 0.0)
    assert not alike(one, other, "en")
    assert groups(one, other) == by_words(one, other) == apart([one, other])
    assert not equal_words(QUESTION, [one], other)


@pytest.mark.parametrize(("one", "other"), ONE)
def test_one_unit_however_it_is_written_is_one_answer(one: str, other: str) -> None:
    assert (worth(one, other), worth(other, one)) == (1.0, 1.0)
    assert groups(one, other) == {frozenset([one, other])}


@pytest.mark.parametrize(("one", "other"), WITHOUT)
def test_a_number_may_stand_without_its_unit(one: str, other: str) -> None:
    assert (worth(one, other), worth(other, one)) == (1.0, 1.0)
    assert groups(one, other) == {frozenset([one, other])}


@pytest.mark.parametrize("texts", list(permutations(("5", "$5", "€5"))))
def test_a_number_without_a_unit_is_of_neither_party_where_two_units_are(texts: tuple[str, ...]) -> None:
    assert groups(*texts) == by_words(*texts) == apart(texts)


@pytest.mark.parametrize("texts", list(permutations(("20%", "20 percent", "20"))))
def test_percent_in_words_is_percent_in_a_vote(texts: tuple[str, ...]) -> None:
    assert groups(*texts) == {frozenset(texts)}


def test_percent_in_words_is_percent_in_a_vote_of_russian_answers() -> None:
    question = Question("q", "Сколько?", language="ru")
    answers = [Answer(text, text) for text in ("3", "3%", "три процента", "3 процента")]
    told = asyncio.run(Stages().group(question, answers, Team("t", (), Prompts("ru")))).groups
    assert len(told) == 1


@pytest.mark.parametrize(
    "texts", [("5%", "5", "0.05"), ("5 percent", "5", "0.05"), ("5", "A$5", "$5"), ("5", "A$5", "C$5")]
)
def test_what_a_part_of_a_hundred_or_a_dollar_may_be_is_not_handed_on(texts: tuple[str, ...]) -> None:
    for order in permutations(texts):
        told = groups(*order)
        assert not any({texts[1], texts[2]} <= group for group in told)


def test_what_the_author_rejects_is_rejected_with_its_unit() -> None:
    case = Case(QUESTION, "five dollars", accepted=("$5",), rejected=("€5",))
    assert (match(case, "$5").value, match(case, "€5").value) == (1.0, 0.0)


def test_a_word_about_one_is_none_about_the_other() -> None:
    """Of a judge or a person: equal answers are judged once."""
    keys = {text: answer_key(QUESTION, text) for text in ("$5", "€5", "5", "5 $")}
    assert keys["$5"] == keys["5 $"]
    assert len(set(keys.values())) == 3


@pytest.mark.parametrize(
    "text", ["$x + 5$", "the 1990's", "Rock 'n' Roll", "O'Neill 5", "5'000", "x' = 5", '"The 5"', ""]
)
def test_quotes_and_formulas_are_no_units(text: str) -> None:
    assert units(text) == ()
