"""One spelling for one answer: what is no difference, and what is one."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from moot.grade.normalise import normalise, spelled

ALIKE = [
    ("Paris", "paris."),
    ("The Beatles", "Beatles"),
    ("the «Beatles»", "beatles"),
    ("an apple", "apple"),
    ("“War and Peace”", "War and Peace"),
    ("Jean-Paul Sartre", "jean paul  sartre"),
    ("Citroën", "CITROEN"),
    ("Пётр", "петр"),
    ("ЁЛКА", "елка"),
    ("замо́к", "замок"),
    ("е\u0308лка", "елка"),
    ("Straße", "STRASSE"),
    ("−5", "-5"),
    ("ﬁn", "fin"),
    ("line\nbreak", "line break"),
    ("vitamin A", "Vitamin «A»"),
]
APART = [
    ("край", "краи"),
    ("и\u0306", "и"),
    ("5", "-5"),
    ("1.5", "15"),
    ("1999", "1998"),
    ("vitamin A", "vitamin"),
    ("C", "C++"),
    ("C#", "C"),
    ("Plan A", "Plan B"),
    ("theatre", "atre"),
    ("Anna", "na"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_alike(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(("one", "other"), APART)
def test_apart(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


@pytest.mark.parametrize(("text", "kept"), [("A", "a"), ("the", "the"), ("An", "an"), ("?!", "?!"), (" ", "")])
def test_what_is_left_of_little(text: str, kept: str) -> None:
    assert normalise(text) == kept


WORDS = st.lists(
    st.text(st.characters(categories=("Ll", "Lu", "Nd"), max_codepoint=0x52F), min_size=1, max_size=8), min_size=1
)
PHRASES = WORDS.map(" ".join)


@given(st.text(max_size=30))
@example("ℌ")
@example("İ")
@example("a a b")
@example("- -5 _a_ c+# +#")
@example("\ue0005")
@settings(deadline=None, max_examples=150)
def test_twice_is_once(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(PHRASES)
@example("A 00")
@example("B 00 c")
@settings(deadline=None)
def test_case_punctuation_and_articles_are_no_difference(text: str) -> None:
    plain = normalise(text)
    assert normalise(text.casefold()) == plain
    words = re.findall(r"[^\W_]+", plain)
    articles = ("the {}", "The “{}”", "a {}") if any(len(word) > 1 for word in words) else ()  # a b: quantities
    for around in ("«{}»", '"{}".', " ({})! ", *articles):
        assert normalise(around.format(text)) == plain


@given(PHRASES)
@settings(deadline=None)
def test_the_way_a_letter_is_composed_is_no_difference(text: str) -> None:
    assert normalise(unicodedata.normalize("NFD", text)) == normalise(unicodedata.normalize("NFC", text))


@given(st.text(st.sampled_from("абвёей "), min_size=1))
def test_yo_is_ye_and_short_i_stays(text: str) -> None:
    assert normalise(text.replace("ё", "е")) == normalise(text)
    assert normalise(text).count("й") == text.count("й")


@given(st.integers(min_value=-(10**9), max_value=10**9))
def test_numbers_keep_their_digits_and_sign(number: int) -> None:
    assert normalise(f"{number}.") == str(number)


@pytest.mark.parametrize(
    ("text", "language", "one"),
    [
        ("Twenty-one guns", "en", "21 guns"),
        ("20,000 Leagues", "en", "20000 leagues"),
        ("двадцать первый", "ru", "21th"),
        ("«Семь» самураев", "ru", "7 самураев"),
        ("vitamin A", "en", "vitamin a"),
        ("−5", "en", "-5"),
        ("?!", "en", "?!"),
    ],
)
def test_numbers_have_one_spelling(text: str, language: str, one: str) -> None:
    assert spelled(text, language) == one
