"""What is written in TeX and what is written without are one answer, where they say one thing."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.grade.group import Stages
from moot.grade.match import match
from moot.grade.tex import may_be_tex, plain, without_tex
from moot.team import Team
from moot.types import Answer, Case, Question

ALIKE = [
    ("1/2", r"\frac{1}{2}", r"\dfrac12", r"$\frac{1}{2}$", r"\(\tfrac{1}{2}\)"),
    ("1 1/2", r"1\frac{1}{2}", "3/2", r"\frac{3}{2}", "1½", r"1 \frac12"),
    ("10 1/2%", r"10\frac12\%", "21/2"),
    ("Evelyn", r"\text{Evelyn}"),
    ("(3, 4)", r"\left( 3, 4 \right)", "(3,4)"),
    ("(3, π/2)", r"\left( 3, \frac{\pi}{2} \right)", "(3, pi/2)"),
    ("6√2", r"6\sqrt{2}", r"6\sqrt2", "6sqrt(2)", "6*sqrt(2)", "6 √2"),
    ("√3/2", r"\frac{\sqrt{3}}{2}", "sqrt(3)/2"),
    ("3π/4", r"\frac{3\pi}{4}", "3pi/4", "3*pi/4"),
    ("90", r"90^\circ", "90°", r"90^{\circ}"),
    ("2^(n+1)", "2^{n+1}"),
    ("10,000", r"10,\!000", "10{,}000", "10000"),
    ("[0, ∞)", r"\left[0, \infty\right)", r"[0,\infty)", "[0, infinity)"),
    ("x ≤ 3", r"x \leq 3", "x <= 3"),
    ("5 cm", r"5\text{ cm}", r"5\,\mathrm{cm}"),
    ("12 and 15", r"12\text{ and }15"),
    (r"\begin{pmatrix} \frac12 \\ 2 \end{pmatrix}", r"\left.\begin{pmatrix}\dfrac12 \\ 2 \end{pmatrix}\right."),
]
APART = [
    ("1 1/2", "11/2"),
    (r"1\frac{1}{2}", "11/2"),
    (r"10\frac12\%", "101/2"),
    (r"x\frac{1}{2}", "x1/2"),
    (r"\frac12x", "1/(2x)"),
    (r"\frac{1}{2x}", "1/2*x"),
    (r"2^3\frac{1}{2}", "2^3 1/2"),
    ("2^{n+1}", "2^n+1"),
    ("2^{n+1}", "2n+1"),
    (r"\frac{3}{4}", "34"),
    (r"-\frac{1}{2}", "1/2"),
    (r"\sqrt{2}", "2"),
    (r"\sqrt{23}", r"\sqrt{2}3"),
    (r"\times", r"\cdot"),
    (r"\le", r"\leq"),
    (r"\frac", r"\dfrac"),
    ("(3,4)", "34"),
    ("(1,500)", "1, 500"),
    ("1 3/2", "5/2"),
]
UNLIKE_TEX = (
    r"\d+",
    r"C:\new\table",
    r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}",
    r"\frac",
    r"\sqrt[3]{2}",
    "}",
    "\\",
    "^{",
)


@pytest.mark.parametrize("spelled", ALIKE)
def test_a_formula_is_one_answer_however_it_is_written(spelled: tuple[str, ...]) -> None:
    for reference in spelled:
        for answer in spelled:
            assert match(Case(Question("q", "?"), reference), answer).value == 1.0, (reference, answer)


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_says_another_thing_is_another_answer(one: str, other: str) -> None:
    for reference, answer in ((one, other), (other, one)):
        assert match(Case(Question("q", "?"), reference), answer).value == 0.0
    assert match(Case(Question("q", "?"), "7", accepted=(one,), rejected=(other,)), one).value == 1.0


@pytest.mark.parametrize("text", UNLIKE_TEX)
def test_what_has_no_plain_spelling_has_none(text: str) -> None:
    assert plain(text) is None


async def test_a_vote_counts_both_ways_of_writing_as_one() -> None:
    said = (r"\frac{3}{4}", "3/4", r"\dfrac{3}{4}", "4/3")
    answers = [Answer(f"p{place}", text) for place, text in enumerate(said)]
    grouping = await Stages().group(Question("q", "?"), answers, Team("t", ()))
    assert [len(group) for group in grouping.groups] == [3, 1]


TOKENS = st.sampled_from(
    [*r"{}^_$ 12x+,(", *(rf"\{name}" for name in ("frac", "sqrt", "text", "pi", "circ", "left", ",", "%"))]
)


@given(st.lists(TOKENS, max_size=15).map("".join))
@settings(deadline=None, max_examples=200)
def test_any_sequence_of_signs_is_read_to_its_end(text: str) -> None:
    bare = plain(text)
    assert bare is None or "\\" not in bare
    assert without_tex(text) or not text.strip() or may_be_tex(text)


@pytest.mark.parametrize("part", ["{", r"\text", r"\frac", r"1\frac12", "^{", r"1 \frac{1}{2}x ", r"\sqrt{", " 1"])
def test_it_takes_the_time_of_its_length(part: str) -> None:
    started = time.process_time()
    plain(part * 2_000)
    assert time.process_time() - started < 5, "a fraction of a second on a quiet machine"
