"""A formula is compared by its structure: what its brackets and braces hold together, and what its commas part."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.grade.formula import formula
from moot.grade.group import Stages
from moot.grade.match import match
from moot.grade.normalise import answer_key, spelled
from moot.team import Team
from moot.types import Answer, Case, Question

APART = [
    ("1.5 million", "1.5"),
    ("1.5 million", "1.5 thousand"),
    ("1.5 thousand", "1.5"),
    ("$1.5 million", "$1.5"),
    ("2/5 million", "2/5"),
    (".5 million", ".5"),
    ("1,500 million", "1.5 million"),
    (r"\sqrt{x+1}", r"\sqrt{x}+1"),
    (r"\frac{1}{x+1}", r"\frac{1}{x}+1"),
    (r"\frac{3}{4-x}", r"\frac{3}{4}-x"),
    (r"\frac{1}{2}\sqrt{3}", r"\frac{1}{2\sqrt{3}}"),
    (r"\frac{4}{3}\pi r^3", r"\frac{4}{3\pi}r^3"),
    (r"\sqrt{2}\pi", r"\sqrt{2\pi}"),
    (r"\frac{1}{2}(x+1)", r"\frac{1}{2(x+1)}"),
    ("x^{2}y", "x^{2y}"),
    ("x^{2}3", "x^{23}"),
    ("e^{x}y", "e^{xy}"),
    ("e^{2x}", "e^2x"),
    ("a_{n+1}", "a_n+1"),
    ("a_{n+1}", "a_{n}+1"),
    (r"\frac{1}{2} a t^2", r"\frac{1}{2} t^2"),
    (r"\frac{a b}{c}", r"\frac{b}{c}"),
    (r"\sqrt{a b}", r"\sqrt{b}"),
    ("a b", "b"),
    ("2 a b", "2 b"),
    (r"\frac{1}{2}x", "1/2x"),
    ("1/(2x)", "1/2x"),
    (r"\ln\frac{2}{3}", r"\frac{\ln 2}{3}"),
    (r"\log_{2}{8}", r"\log 28"),
    (r"y/\frac{2}{n}", r"\frac{y}{2n}"),
    ("b-(2-x)", "b(2-x)"),
    (r"\binom{12}{3}", r"\binom{1}{23}"),
    (r"\overline{AB}", "AB"),
    (r"\vec{a b}", r"\vec{b}"),
    ("e^{i\\pi}", "e^i\\pi"),
    ("2^{10}", "1024"),
    ("3^{1/2}", "3^1/2"),
    ("x_1", "x1"),
    ("10_{2}", "102"),
    ("(x+1)/2", "x+1/2"),
    (r"\frac{1}{2\pi}\text{ units}", r"\frac{1}{2}\pi\text{ units}"),
    ("1,2,3", "1.2.3"),
    ("1,2,3", "123"),
    ("(3,4)", "3.4"),
    ("(3, 4)", "(4, 3)"),
    ("[1,5]", "(1,5)"),
    ("[1, 5]", "{1, 5}"),
    ("(1,5)", "{1,5}"),
    (r"\{1,2\}", "(1,2)"),
    ("[1,5]", "(1, 5)"),
    ("[1, 5)", "[1, 5]"),
    ("(1,2) ∪ (3,4)", "(1,2) ∪ [3,4]"),
    ("1,-2", "1,2"),
    ("(0,2π)", "(0,2)"),
    ("0.02%", "0.02"),
    ("3 p.m.", "3 a.m."),
    ("Cl-", "Cl"),
    ("Cl^-", "Cl"),
    ("0.02%", "2%"),
    ("0.5 %", "0.5"),
    ("0.02", "**0.02%**"),
    ("0.02", "the 0.02%"),
    ("0.02", r"\(0.02%\)"),
    ("10 N·m", "10nm"),
    ("5 m·s", "5ms"),
    ("N·m", "nm"),
    ("a × n", "an"),
    ("x - sin x", "x sin x"),
    (r"\frac{h}{mv}", "hv/m"),
]
ALIKE = [
    ("1.5 million", "1,500,000", "1500000", "1.50 million", "$1.5 million"),
    ("2.5 thousand people", "2500 people"),
    (r"\frac34\pi", "3π/4", r"3\pi/4", r"\frac{3\pi}{4}", "(3/4)π", "3*pi/4"),
    ("e^{2x}", "e^(2x)", "$e^{2x}$"),
    ("10⁶", "10^6", "10^{6}", "$10^6$"),
    ("O(n²)", "O(n^2)", "$O(n^{2})$"),
    ("H_2O", "H2O", "H₂O", r"\mathrm{H_2O}", r"\text{H}_2\text{O}", "H_{2}O"),
    ("CO_2", r"\mathrm{CO}_2", "CO2"),
    ("(3√2)/2", r"\frac{3\sqrt2}{2}", r"\frac{3\sqrt{2}}{2}", r"\frac{3}{2}\sqrt{2}", "3√2/2", "3*sqrt(2)/2"),
    ("-$5", "-5", r"-\$5", "$-5", "−$5.00"),
    ("1,-2", "1, -2", "$1,-2$"),
    ("1,2,3", "1, 2, 3", "$1,2,3$"),
    ("-1,0,1", "-1, 0, 1"),
    ("0.5,1.5", "0.5, 1.5"),
    (r"\frac12,\frac34", "1/2, 3/4", "1/2,3/4"),
    ("(1,2),(3,4)", "(1, 2), (3, 4)", "$(1,2),(3,4)$"),
    (r"(1,2)\cup(3,4)", "(1, 2) ∪ (3, 4)", r"(1, 2) \cup (3, 4)", "(1,2)∪(3,4)"),
    (r"(-\infty,-3]\cup(3,\infty)", "(-∞, -3] ∪ (3, ∞)"),
    (r"\left(-\frac{1}{2},\frac{3}{4}\right)", "(-1/2, 3/4)", "(-1/2,3/4)"),
    (r"(0,2\pi)", "(0, 2π)", "(0,2pi)", r"$(0, 2\pi)$"),
    ("$(3,4)$", "(3, 4)", r"\left(3,4\right)"),
    ("$[2,5)$", "[2, 5)", "[2,5)"),
    (r"\left(\frac{3}{5},\frac{8}{3}\right]", "(3/5, 8/3]"),
    ("3x^2", "3 x^2", "3*x^2", r"3 \cdot x^{2}"),
    ("10 m/s²", "10 m/s^2", r"10\text{ m/s}^2"),
    (r"6.02 \times 10^{23}", "6.02 × 10²³", "6.02*10^23"),
    (r"\frac{x+2}{7}", "(x+2)/7", r"\dfrac{x + 2}{7}"),
    (r"\frac{n(n+1)}{2}", "n(n+1)/2"),
    (r"\sin^2 x", "sin^2(x)", "sin² x"),
    (r"\log_2 8", r"\log_2(8)", "log_2 8", r"\log_{2}{8}"),
    (r"\frac{-1}{2}", r"-\frac{1}{2}", "-1/2"),
    (r"\frac{1}{3}\pi r^2", "(1/3)πr^2", r"\frac{\pi r^2}{3}"),
    (r"\sqrt[3]{4}", r"\sqrt[3]4"),
    (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", r"\begin{pmatrix}1\\2\end{pmatrix}"),
    ("(5)", "5", "[5]", "{5}"),
    ("E = mc^2", "E=mc^{2}", "E = mc²"),
    (r"\frac{1}{2} a t^2", r"\frac12at^2", "(1/2)at^2"),
    ("a U-boat", "U-boat"),
    ("3 p.m.", "3 PM", "3 P.M."),
    ("Cl-", "Cl^-", "Cl⁻"),
    (r"25\text{ cm}", r"25\,\mathrm{cm}", r"25\mathrm{cm}", "25 cm"),
    (r"1.5 \times 10^14 \text{ photons}", "1.5 × 10^14 photons", r"1.5 \times 10^{14}\text{ photons}"),
    ("$.38 + .60$", ".38 + .60"),
    (r"\sqrt 13", r"\sqrt{13}", "√13"),
    (r"\frac{h}{mv}", "h/(mv)"),
    (r"\frac{1}{RC}", "1/(RC)"),
    (r"\frac{mv^2}{qB}", "mv^2/(qB)"),
    (r"\frac{PV}{nR}", "PV/(nR)", r"\frac{P V}{n R}"),
    (r"\frac{dy}{dx}", "dy/dx"),
    (r"\frac{AB}{CD}", "AB/CD"),
    (r"\frac{\text{kg}}{\text{mol}}", "kg/mol"),
    (
        "0.5%",
        "**0.5%**",
        "`0.5%`",
        "“0.5%”",
        r"\boxed{0.5\%}",
        r"\(0.5%\)",
        "the 0.5%",
        "+0.5%",
        "~0.5%",
        "0.5%,",
        "[0.5%]",
    ),
    ("(2, 3)", "**(2, 3)**", "`(2, 3)`", "_(2, 3)_", '"**(2, 3)**"', "**`(2, 3)`**."),
    ("[1, 5]", "**[1, 5]**"),
    (r"$9.7 \times 10^{-15}$", r"**$9.7 \times 10^{-15}$**"),
    (r"\begin{pmatrix}1\\2\end{pmatrix}", r"**\begin{pmatrix}1\\2\end{pmatrix}**"),
    (r"\cos\theta", "cos(θ)", "cos θ", "cosθ"),
    (r"\sin x", "sin(x)", "sin x"),
    (r"\sin 2x", "sin(2x)", "sin 2x"),
    (r"2\sin x\cos x", "2sin(x)cos(x)", "2 sin x cos x"),
    ("x ∈ ℝ", "x ∈ R", r"x \in \mathbb{R}"),
    ("n ∈ ℤ", "n ∈ Z"),
    ("ϕ/2", "φ/2"),
    ("ε₀", "ϵ₀"),
    ("ϑ/2", "θ/2"),
    (r"\approx 3.14", "≈ 3.14", "3.14"),
    (r"\alpha", "alpha"),
    ("1/15 Ω", r"$\frac{1}{15}$ $\Omega$", r"\frac{1}{15} \Omega"),
    (r"8 $\mu \mathrm{T}$", r"8$\mu\mathrm{T}$", r"(8 $\mu \mathrm{T}$)"),
    ("(3x + 3) / {3(3x + 2)}", r"\boxed{(3x + 3) / {3(3x + 2)}}"),
    ("V = 2.2 ft^3, P_t = 140 psia", "(V = 2.2 ft^3, P_t = 140 psia)"),
    (r"q = h\DeltaT / A", r"\(q = h\DeltaT / A\)", r"The q = h\DeltaT / A"),
    ("(a) 150 V, (b) 750 A, (c) 200 A", "The (a) 150 V, (b) 750 A, (c) 200 A."),
    (r"+134$\mathrm{kJ} \mathrm{mol}^{-1}$", r"+134$\mathrm{kJ}\mathrm{mol}^{-1}$"),
    (r"\d+", r"(\d+)", r"`\d+`"),
    (r"\n", r"'\n'"),
    (r"10\ \text{N}\cdot\text{m}", "10 N·m", "10 Nm"),
]
BRACKETS_LEFT_OUT = [("[0, 1]", "0, 1"), ("(3,4)", "3, 4"), (r"\{1,2\}", "1,2"), ("(B, C)", "B, C")]


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_is_built_otherwise_is_another_answer(one: str, other: str) -> None:
    for reference, answer in ((one, other), (other, one)):
        case = Case(Question("q", "?"), reference)
        assert match(case, reference).value == 1.0
        assert match(case, answer).value == 0.0
    assert spelled(one, "en") != spelled(other, "en"), "a vote would count them as one"
    assert answer_key(Question("q", "?"), one) != answer_key(Question("q", "?"), other), (
        "a judge's word would stand for both"
    )


@pytest.mark.parametrize("spellings", ALIKE)
def test_what_is_built_alike_is_one_answer(spellings: tuple[str, ...]) -> None:
    for reference in spellings:
        for answer in spellings:
            assert match(Case(Question("q", "?"), reference), answer).value == 1.0, (reference, answer)


@pytest.mark.parametrize(
    ("reference", "answer", "value"),
    [
        ("-r", "-R", 0.0),
        ("-r", "-r", 1.0),
        ("--help", "help", 0.0),
        ("help", "--help", 0.0),
        ("help", "`--help`", 0.0),
        ("help", "—help", 1.0),
        ("Paris", "--Paris", 1.0),
        ("++a", "a", 0.0),
        ("a", "++a", 0.0),
        ("++count", "count", 0.0),
        ("++a", "a++", 0.0),
        ("++a", "`++a`", 1.0),
        ("5", "++5", 1.0),
        ("--help", "—help", 1.0),
        ("--help", "`--help`", 1.0),
        ("(n-1)!", "n-1", 0.0),
        ("(2n)!", "2n", 0.0),
        ("(2n)!", "$(2n)!$", 1.0),
    ],
)
def test_a_sign_of_the_reference_is_what_is_typed(reference: str, answer: str, value: float) -> None:
    assert match(Case(Question("q", "?"), reference), answer).value == value


@pytest.mark.parametrize(
    ("one", "other", "value"),
    [("2%", "0.02", 1.0), ("12.5%", "0.125", 1.0), ("2%", "2", 1.0), ("150%", "1.5", 0.0), ("-2%", "-0.02", 1.0)],
)
def test_a_share_and_its_percentage(one: str, other: str, value: float) -> None:
    for reference, answer in ((one, other), (other, one)):
        assert match(Case(Question("q", "?"), reference), answer).value == value


@pytest.mark.parametrize(("one", "other"), BRACKETS_LEFT_OUT)
def test_who_leaves_out_the_brackets_has_said_the_same(one: str, other: str) -> None:
    for reference, answer in ((one, other), (other, one)):
        assert match(Case(Question("q", "?"), reference), answer).value == 1.0


@pytest.mark.parametrize(
    ("one", "other", "value"),
    [
        ("2,5 миллиона", "2500000", 1.0),
        ("2,5 миллиона", "2 500 000", 1.0),
        ("2,5 миллиона", "2,5 тысячи", 0.0),
        ("2,5 миллиона", "2,5", 0.0),
        ("1,5 тысячи рублей", "1500 рублей", 1.0),
        ("(2,5)", "2,5", 1.0),
        ("3,5", "3.5", 1.0),
        ("1,5 км", "15 км", 0.0),
    ],
)
def test_a_decimal_comma(one: str, other: str, value: float) -> None:
    for reference, answer in ((one, other), (other, one)):
        assert match(Case(Question("q", "?", language="ru"), reference), answer).value == value


@given(st.integers(1, 999), st.integers(1, 999), st.sampled_from([("thousand", 1000), ("million", 10**6)]))
@settings(deadline=None, max_examples=50)
def test_a_number_with_a_scale_is_what_it_is_worth_and_nothing_else(
    whole: int, part: int, scale: tuple[str, int]
) -> None:
    word, times = scale
    text = f"{whole}.{part:03d} {word}"
    worth = (whole * 1000 + part) * times // 1000
    assert match(Case(Question("q", "?"), text), f"{worth:,}").value == 1.0
    assert match(Case(Question("q", "?"), text), f"{whole}.{part:03d}").value == 0.0


QUANTITIES = st.sampled_from(["x", "y", "a", "n", "2", "3", "10", r"\pi"])


def _both(children: st.SearchStrategy[tuple[str, object]]) -> st.SearchStrategy[tuple[str, object]]:
    def of(name: str, form: str) -> st.SearchStrategy[tuple[str, object]]:
        parts = st.tuples(children, children)
        return parts.map(lambda two: (form.format(two[0][0], two[1][0]), (name, two[0][1], two[1][1])))

    return st.one_of(
        of("sum", "{{({0})}}+{{({1})}}"),
        of("over", r"\frac{{{0}}}{{{1}}}"),
        of("power", "({0})^{{{1}}}"),
        of("over", r"({0})/\frac{{{1}}}{{1}}"),
        children.map(lambda one: (rf"\sqrt{{{one[0]}}}", ("root", one[1]))),
    )


FORMULAS = st.recursive(QUANTITIES.map(lambda name: (name, name)), _both, max_leaves=5)
PLACES = {"x": 1.37, "y": 2.11, "a": 0.71, "n": 3.3, "2": 2.0, "3": 3.0, "10": 10.0, r"\pi": 3.14159265}


def _worth(built: object) -> float:
    if isinstance(built, str):
        return PLACES[built]
    assert isinstance(built, tuple)
    values = [_worth(part) for part in built[1:]]
    if built[0] == "root":
        return float(values[0] ** 0.5)
    one, other = values
    return float(one + other if built[0] == "sum" else one / other if built[0] == "over" else min(one**other, 1e90))


@given(FORMULAS, FORMULAS)
@settings(deadline=None, max_examples=300)
def test_formulas_of_one_spelling_have_one_worth(one: tuple[str, object], other: tuple[str, object]) -> None:
    """By numbers in the place of quantities: what is equal must be worth the same, however it was built."""
    try:
        worths = _worth(one[1]), _worth(other[1])
    except OverflowError:
        return
    if match(Case(Question("q", "?"), one[0]), other[0]).value == 1.0:
        assert worths[0] == pytest.approx(worths[1], rel=1e-6)


BRACES = st.lists(st.sampled_from([*"xya2+-/", r"\sqrt", r"\frac", "^", "{", "}", r"\pi", "_", "(", ")"]), max_size=9)


@given(BRACES.map("".join))
@settings(deadline=None, max_examples=200)
def test_any_signs_are_read_to_their_end(text: str) -> None:
    once = formula(text)
    assert once is None or formula(once) in (once, None)
    assert spelled(text, "en") is not None


async def test_a_vote_tells_intervals_apart() -> None:
    said = ("[1,5]", "[1, 5]", "(1, 5)", r"\left[1,5\right]")
    answers = [Answer(f"p{place}", text) for place, text in enumerate(said)]
    grouping = await Stages().group(Question("q", "?"), answers, Team("t", ()))
    assert [len(group) for group in grouping.groups] == [3, 1]


@pytest.mark.parametrize(
    ("said", "sizes"),
    [
        (("H2O and CO2", "H₂O and CO₂"), [2]),
        (("T₁", "T1"), [2]),
        (("B12", "B₁₂"), [2]),
        (("(1, 2)", "1, 2"), [2]),
        (("sin x", "sin(x)"), [2]),
        (("≈ 5", "5"), [2]),
        (("+5 V", "5 V"), [2]),
        (("8.9 m/s^2", "**8.9 m/s^2**"), [2]),
        (("5%", "0.05"), [2]),
        (("5%", "5"), [2]),
        (("5%", "5", "0.05"), [1, 1, 1]),
        (("[1, 5]", "1, 5", "(1, 5)"), [1, 1, 1]),
        (("(x+1)/2", "x+1/2"), [1, 1]),
    ],
)
async def test_a_vote_takes_for_one_what_grading_does(said: tuple[str, ...], sizes: list[int]) -> None:
    for order in (said, said[::-1]):
        answers = [Answer(f"p{place}", text) for place, text in enumerate(order)]
        grouping = await Stages().group(Question("q", "?"), answers, Team("t", ()))
        assert sorted(map(len, grouping.groups), reverse=True) == sizes
