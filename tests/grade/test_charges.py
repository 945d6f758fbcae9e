r"""A letter is no article where a mark joins it to what follows, and a sign behind a name belongs to it."""

from __future__ import annotations

from itertools import combinations

import pytest

from moot.grade.match import match
from moot.grade.normalise import answer_key
from moot.types import Case, Question


def is_right(reference: str, answer: str, language: str = "en") -> bool:
    return match(Case(Question("q", "?", language=language), reference), answer).value == 1.0


NO_ARTICLE = [
    *[("a-1", "1"), ("a - 1", "1"), ("a−1", "1"), ("(a-1)", "1"), ("a-5", "5"), ("an-1", "1"), ("a_1", "1")],
    *[("$a_1$", "1"), ("a_{1}", "1"), ("a_0", "0"), ("a:2", "2"), ("A-10", "10"), ("A-380", "380"), ("A.1", "1")],
    *[("A-bomb", "bomb"), ("A-Team", "Team"), ("a-1 and a+1", "1 and a+1"), ("a -1", "-1"), ("a_n", "n")],
]
ARTICLES = [
    *[("a bomb", "bomb"), ("A bomb", "the bomb"), ("an apple", "apple"), ("The Beatles", "Beatles"), ("a 10", "10")],
    *[("A-Team", "A Team"), ("The A-Team", "The A Team"), ("A-10", "A 10"), ("a “word”", "word"), ("a-1", "A-1")],
    ("a: Paris", "Paris"),
]


@pytest.mark.parametrize(("one", "other"), NO_ARTICLE)
def test_an_article_is_followed_by_white_space_and_a_word(one: str, other: str) -> None:
    assert not is_right(one, other)
    assert not is_right(other, one)
    assert answer_key(Question("q", "?"), one) != answer_key(Question("q", "?"), other)


@pytest.mark.parametrize(("one", "other"), ARTICLES)
def test_an_article_is_no_difference(one: str, other: str) -> None:
    assert is_right(one, other)
    assert is_right(other, one)


SAME = [
    *[("Na+", r"Na^+", r"\text{Na}^+", r"\mathrm{Na}^+", r"\mathrm{Na^+}", r"$\ce{Na+}$", "Na⁺", "$Na^+$", "Na^{+}")],
    *[(r"Ca^{2+}", "Ca²⁺", "Ca2+", r"\text{Ca}^{2+}", "Ca^2+"), ("Fe3+", "Fe³⁺", r"Fe^{3+}", r"Fe^{+3}")],
    *[(r"SO_4^{2-}", "SO₄²⁻", "SO4 2-", "SO42-", r"\mathrm{SO_4^{2-}}", "SO4^2-"), (r"PO_4^{3-}", "PO43-", "PO₄³⁻")],
    *[(r"\mathbb{R}^+", "ℝ⁺", "R^+", "R+", r"\mathbb{R}^{+}"), (r"\pi^+", "π⁺", "π^+"), (r"e^{-}", "e^-", "e⁻", "e-")],
    *[("Cl-", "Cl^-", "Cl⁻", r"\text{Cl}^-", "cl-"), ("CH3COO-", "CH3COO⁻", "CH₃COO⁻"), (r"NH_4^+", "NH4+", "NH₄⁺")],
    *[("A-", "A -", "A−", "A –", "a-"), ("A+", "A +", "a+"), ("AB-", "AB -", "ab-"), ("HIV-", "HIV−", "hiv-")],
    *[("Ca2+ ions", r"Ca^{2+} ions", "Ca²⁺ ions", r"$Ca^{2+}$ ions"), ("Na+ and K+", "Na^+ and K^+", "Na⁺ and K⁺")],
    *[("the SO_4^{2-} ion", "the SO₄²⁻ ion", "SO4^2- ion"), ("K^+ channel", "K⁺ channel", "K+ channel")],
    *[("C++", "C ++"), ("BBB+", "BBB +"), ("K+, Na+", r"K^+, Na^+"), (r"x \to 0^+", "x→0⁺", "x -> 0^+")],
]
APART = [
    *[(r"\pi^+", r"\pi^-", r"\pi", r"\pi^0"), (r"\mathbb{R}^+", r"\mathbb{R}", r"\mathbb{R}^-", r"\mathbb{R}_+", "ℝ*")],
    *[(r"\mathbb{Z}^*", r"\mathbb{Z}", r"\mathbb{Z}^+"), ("0^+", "0^-", "0"), (r"\mu^+", r"\mu^-", r"\mu")],
    *[("e^{+}", "e^{-}", "e"), ("W^+", "W^-", "W"), ("Na^+", "Na"), ("K^+", "K"), (r"NH_4^+", "NH_4")],
    *[(r"H_3O^+", "H_3O"), (r"\text{Cl}^-", r"\text{Cl}", "Cl+"), ("CH3COO⁻", "CH3COO"), (r"x \to 0^+", r"x \to 0^-")],
    *[(r"Ca^{2+}", r"Ca^{3+}", "Ca", "Ca+", r"Ca^{2-}"), (r"O^{2-}", "O2", "O2-", "O-"), ("AB-", "AB", "AB+")],
    *[
        ("BBB-", "BBB", "BBB+"),
        ("AA-", "AA", "AA+"),
        ("HIV-", "HIV"),
        ("ER-", "ER"),
        ("CD4-", "CD4", "CD4+"),
        ("Rh-", "Rh"),
    ],
    *[("A +", "A -", "A"), ("O -", "O +", "O"), ("AB +", "AB", "AB -"), ("C ++", "C", "C +"), ("hiv", "HIV-")],
    *[
        ("Ca^{2+} ions", "Ca^{2-} ions", "Ca^{3+} ions", "Ca ions"),
        ("Ca²⁺ ions", "Ca²⁻ ions"),
        ("K+ channel", "K channel"),
    ],
    *[("K^+, Na^+", "K^+, Na^-"), ("Fe2+ and Fe3+", "Fe2- and Fe3-", "Fe3+ and Fe2+"), ("D_s^+", "D_s^-")],
    *[("10₂", "102"), ("101₂", "1012"), ("Rh- mother", "Rh mother"), (r"\lim_{x\to0^+} f", r"\lim_{x\to0^-} f")],
]
DASHES = [
    ("un-", "un"),
    ("pre-", "pre"),
    ("Co-", "Co"),
    ("Paris -", "Paris"),
    ("X- and Y-linked", "X and Y linked"),
    ("5+", "5+"),
]


@pytest.mark.parametrize("spellings", SAME)
def test_a_sign_behind_a_name_is_one_however_it_is_written(spellings: tuple[str, ...]) -> None:
    for one, other in combinations(spellings, 2):
        assert is_right(one, other), (one, other)
        assert is_right(other, one), (other, one)


@pytest.mark.parametrize("apart", APART)
def test_a_sign_behind_a_name_tells_two_answers_apart(apart: tuple[str, ...]) -> None:
    for one, other in combinations(apart, 2):
        assert not is_right(one, other), (one, other)
        assert not is_right(other, one), (other, one)


@pytest.mark.parametrize(("one", "other"), DASHES)
def test_the_dash_of_a_prefix_and_of_a_sentence_says_nothing(one: str, other: str) -> None:
    assert is_right(one, other)
    assert is_right(other, one)


PRODUCTS = [
    *[(r"2\pi r", "2πr"), (r"2\theta r", "2θr"), (r"3\pi x", "3πx"), (r"2\pi rh", "2πrh"), (r"\theta r", "θr")],
    *[("2 pi r", r"2\pi r"), (r"\pi r^2", "πr²")],
]


@pytest.mark.parametrize(("one", "other"), PRODUCTS)
def test_a_greek_letter_is_a_factor_with_tex_and_without(one: str, other: str) -> None:
    assert is_right(one, other)
    assert is_right(other, one)
