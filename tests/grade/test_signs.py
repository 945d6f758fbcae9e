"""Signs that bear meaning: answers in the same words are two answers where these differ, and one where others do."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from moot.grade.group import Stages
from moot.grade.judge import needs_judge
from moot.grade.match import match
from moot.grade.normalise import normalise, spelled
from moot.team import Team
from moot.types import Answer, Case, Question


def before(text: str) -> str:
    """The words alone, as answers were compared before signs were: nothing may be equal that was not equal then."""
    folded = text.replace("\ue000", " ")
    if folded.isascii():
        folded = folded.lower()
    else:
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", folded).casefold())
        folded = "".join(map(_bare, folded.replace("ё", "е").replace("\u0301", "")))
    signed = re.sub(r"(?<!\w)[-−–](?=\d)", "\ue000", folded)
    words = re.sub(r"(?P<kept>(?<=[^\W_])[+#]+(?!\w))|\ue000|[^\w\s]|_", _kept, signed).split()
    return re.sub(r"\b(?:a|an|the)\s+(?=\S)", "", " ".join(words)) or " ".join(folded.split())


STROKED = {"ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ı": "i"}


def _bare(character: str) -> str:
    if character.isascii() or "а" <= character <= "я":
        return character
    if character in STROKED:
        return STROKED[character]
    return "".join(part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part))


def _kept(found: re.Match[str]) -> str:
    return "-" if found.group() == "\ue000" else found.group("kept") or " "


APART = [
    *[("2.5", other) for other in ("2/5", "2^5", "2-5", "2 5", "2:5", "2*5")],
    *[("1/2", "1.2"), ("1/2", "1-2"), ("7/2", "7.2"), ("3*4", "3/4"), ("½", "1.2")],
    *[("x > 3", "x < 3"), ("x ≥ 3", "x ≤ 3"), ("x >= 3", "x <= 3"), ("a ≠ b", "a = b"), ("x - 1", "x + 1")],
    *[("-x", "x"), ("−π", "π"), ("-√3", "√3"), ("-.5", ".5"), ("-$5", "$5"), ("- 5", "5"), ("√2", "2"), (".5", "5")],
    *[("|x|", "x"), ("n!", "n"), ("5!/3", "5/3"), ("10⁶", "106"), ("10⁻³", "10³"), ("2³", "23"), ("x/2", "x*2")],
    *[("(0, 1]", "[0, 1)"), ("x ∈ (0, 1]", "x ∈ [0, 1)"), ("¬p", "p"), ("~p", "p"), ("!a", "a"), ("p∧q", "p∨q")],
    *[("a && b", "a || b"), ("a + b", "a - b"), ("P(A) < P(B)", "P(A) > P(B)"), ("2^10", "2^-10"), ("A → B", "A ← B")],
    *[("x-1", "x+1"), ("x^2+1", "x^2-1"), ("(-∞, 3)", "(∞, 3)"), ("3 < x < 5", "3 > x > 5"), ("f'(x)", "f(x)")],
    *[("5 > 3", "5 < 3"), ("O(n log n)", "O(n+log n)"), ("1.5 × 10⁻³", "1.5 × 10³"), ("±5", "5"), ("*p", "p")],
    *[
        ("i++", "i--"),
        ("-\\frac{1}{2}", "\\frac{1}{2}"),
        ("(a + b) * c", "a + b * c"),
        ("1.2, 3", "1, 2.3"),
        ("A♭", "A♯"),
    ],
    *[
        ("1,500", "1.500"),
        ("3 - x", "3 x"),
        ("sin x + cos x", "sin x - cos x"),
        ("≤5", "≥5"),
        ("A-", "A"),
        ("2½", "21/2"),
    ],
]
APART += [
    ("-sqrt(3)", "sqrt(3)"),
    ("-Infinity", "Infinity"),
    ("GNP = NNP + D", "GNP = NNP - D"),
    ("P = MR > MC", "P = MR = MC"),
]
ALIKE = [
    *[("AC/DC", "AC DC"), ("J. R. R. Tolkien", "J R R Tolkien"), ("rock'n'roll", "rock n roll"), ("Wi-Fi", "Wi Fi")],
    *[
        ("(Paris)", "Paris"),
        ("[Paris]", "Paris"),
        ("12 April, 1961", "12 April 1961"),
        ("April 12, 1961", "April 12 1961"),
    ],
    *[("1914–1918", "1914-1918"), ("1914 — 1918", "1914-1918"), ("St. Petersburg", "St Petersburg"), ("No. 5", "No 5")],
    *[
        ("5.", "5"),
        ('"5"', "5"),
        ("«5»", "5"),
        ("**5**", "5"),
        ("'x'", "x"),
        ("$5$", "5"),
        ("(5)!", "5"),
    ],
    *[("50%", "50"), ("$5", "5"), ("€ 5", "5"), ("90°", "90"), ("20 °C", "20 C"), ("2,5", "2.5"), ("0,125", "0.125")],
    *[
        ("m²", "m²"),
        ("H₂O", "H2O"),
        ("CO₂", "CO2"),
        ("½", "1/2"),
        ("U.S.A.", "U S A"),
        ("AT&T", "AT T"),
        ("R&B", "R B"),
    ],
    *[("Boeing-747", "Boeing 747"), ("F-16", "F 16"), ("Т-34", "Т 34"), ("COVID-19", "Covid 19"), ("e-mail", "E mail")],
    *[("21-й", "21 й"), ("км/ч", "км ч"), ("d'Artagnan", "d Artagnan"), ("Yahoo!", "Yahoo"), ("M*A*S*H", "M*A*S*H")],
    *[("x≤3", "x <= 3"), ("x ≥ 3", "x>=3"), ("a != b", "a≠b"), ("3×4", "3 * 4"), ("3·4", "3*4"), ("x^{2}", "x^2")],
    *[("x > -3", "x>-3"), ("-x", "− x"), ("x + 1", "x +1"), ("~5", "5"), ("≈ 5", "5"), ("+5", "5")],
    *[("1984 (novel)", "1984, novel"), ("5, 6 and 7", "5 6 and 7"), ("12.04.1961", "12/04/1961"), ("x = 5", "x=5")],
    *[
        ("pH = 7", "pH 7"),
        ("- Paris", "Paris"),
        ("Tom & Jerry", "Tom Jerry"),
        ("5 (five)", "5 five"),
        ("#5", "5"),
        ("well-being", "well being"),
        ("J.R.R.", "J R R"),
    ],
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_differs_in_a_sign_that_bears_meaning_is_for_a_judge(one: str, other: str) -> None:
    for reference, answer in ((one, other), (other, one)):
        case = Case(Question("q", "?"), reference)
        assert match(case, reference).value == 1.0
        assert match(case, answer).value == 0.0
        assert needs_judge(case, answer)


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_signs_that_bear_none_are_no_difference(one: str, other: str) -> None:
    assert match(Case(Question("q", "?"), one), other).value == 1.0
    assert match(Case(Question("q", "?"), other), one).value == 1.0
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    ("language", "one", "other", "value"),
    [
        ("en", "20,000", "20000", 1.0),
        ("en", "20,000", "20 000", 1.0),
        ("en", "1,234.5", "1234.5", 1.0),
        ("en", "3,125", "3.125", 0.0),
        ("ru", "3,125", "3.125", 1.0),
        ("ru", "3,125", "3 125", 0.0),
        ("ru", "20 000", "20000", 1.0),
        ("en", "twenty-one < x", "21 < x", 1.0),
        ("en", "twenty-one < x", "21 > x", 0.0),
        ("ru", "двадцать первый", "21-й", 1.0),
        ("de", "331.885", "331885", 1.0),
        ("de", "1.234.567,5", "1 234 567,5", 1.0),
        ("de", "331.885", "331,885", 0.0),
        ("de", "0.125", "0,125", 1.0),
        ("en", "331.885", "331885", 0.0),
        ("ru", "331.885", "331885", 0.0),
    ],
)
def test_numbers_as_the_language_writes_them(language: str, one: str, other: str, value: float) -> None:
    assert match(Case(Question("q", "?", language=language), one), other).value == value


@pytest.mark.parametrize(
    ("reference", "answer", "value"),
    [
        ("3!", "3", 0.0),
        ("$3!$", "3", 0.0),
        ("3!", "3!", 1.0),
        ("42", "42!", 1.0),
        ("Yahoo!", "Yahoo", 1.0),
        ("x==1", "x=1", 0.0),
        ("x = 1", "x == 1", 0.0),
        ("x==1", "x == 1", 1.0),
    ],
)
def test_a_sign_that_mostly_says_nothing_does_in_a_reference_that_is_a_formula(
    reference: str, answer: str, value: float
) -> None:
    assert match(Case(Question("q", "?"), reference), answer).value == value


@pytest.mark.parametrize(("rejected", "answer", "value"), [("x < 3", "x < 3", 0.0), ("x < 3", "x > 3", 1.0)])
def test_what_is_rejected_is_rejected_with_its_sign(rejected: str, answer: str, value: float) -> None:
    assert match(Case(Question("q", "?"), "x > 3", rejected=(rejected,)), answer).value == value


async def test_a_vote_does_not_count_them_as_one() -> None:
    said = ("2.5", "2/5", "2,5", "x < 3", "3 < x", "x > 3", "5 > x")
    answers = [Answer(f"p{place}", text) for place, text in enumerate(said)]
    grouping = await Stages().group(Question("q", "?"), answers, Team("t", ()))
    assert [len(group) for group in grouping.groups] == [2, 1, 1, 1, 1, 1]
    assert grouping.groups[0] == ("p0", "p2")


PARTS = st.sampled_from(
    [
        *[
            "0",
            "5",
            "12",
            "x",
            "y",
            "n",
            "a",
            "b",
            "π",
            "э",
            "²",
            "⁶",
            "½",
            "⁻",
            "A",
            "Paris",
            "км",
            "the",
            "1961",
            "-5",
            "C++",
            "é",
        ],
        *" .,:;/^*+-−–—<>=≤≠|!~'\"()[]{}$€%°#&√∞∧→_\\×·'",
    ]
)
TEXTS = st.lists(PARTS, max_size=9).map("".join) | st.lists(PARTS, max_size=7).map(" ".join) | st.text(max_size=20)


@pytest.mark.long
@given(TEXTS)
@example("x + -5")
@example("x+√3")
@example("n! + 1")
@example("5 - -3")
@example("a + b")
@settings(deadline=None, max_examples=1_000)
def test_nothing_is_equal_that_was_not(text: str) -> None:
    """The words are in the key: whatever has the same key had the same words."""
    assert before(normalise(text)) == before(text)
    assert normalise(normalise(text)) == normalise(text)


@given(TEXTS, TEXTS)
@settings(deadline=None, max_examples=500)
def test_nothing_matches_that_did_not(one: str, other: str) -> None:
    if match(Case(Question("q", "?"), one), other).value == 1.0 and normalise(one) == normalise(other):
        assert before(one) == before(other)


def test_words_without_such_signs_are_as_they_were() -> None:
    for text in (
        "The Seine.",
        "Rimsky-Korsakov",
        "«Ёлка»!",
        "Jean-Paul Sartre",
        "U.S.A.",
        "«War & Peace» (novel)",
        "Vitamin A",
    ):
        assert normalise(text) == before(text)
    assert spelled("Twenty-one guns", "en") == "21 guns"
