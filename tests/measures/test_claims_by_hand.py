"""What a hypothesis comes to, step by step: multiplied out, divided, one figure or several, and means between bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from moot.experiment.claims import Expression, SideName, Term, parse
from moot.measures.claims.composed import NOWHERE, OfOne, OfSeveral, powers_of_one, span_of
from moot.measures.claims.figure import Ratio, figure_of, two_shares
from moot.measures.claims.linear import MEANS, Combination, Linear, combination, linear, linear_bounds
from moot.measures.claims.normal_form import against_number, spelt
from moot.measures.claims.polynomials import Quotient, divided, expression_of, quotient, sign_of, sums_in
from moot.stats.completions import Between
from moot.stats.graded import Value
from moot.stats.guarded_share import guarded
from moot.stats.paired import difference, split_signs
from moot.stats.proportion import share

A, B, C = (Term("accuracy", SideName(name)) for name in "abc")
NET, COST = Term("net", SideName("a")), Term("cost", SideName("a"))


def left(text: str) -> Expression:
    for name in "abc":
        text = text.replace(name.upper(), f"accuracy({name})")
    return parse(f"{text} > 0.125").left


def top(text: str) -> dict[tuple[Term, ...], float]:
    found = quotient(left(text))
    assert found is not None
    return dict(found.top)


# --- multiplied out -----------------------------------------------------------------------------------------------------


def test_sums_of_products() -> None:
    assert top("A * 0.5 + 0.5 * A") == {(A,): 1.0}
    assert top("B * A - 2 * A * B + 3") == {(A, B): -1.0, (): 3.0}
    assert top("(A + B) * (A - B)") == {(A, A): 1.0, (B, B): -1.0}
    assert top("0.1 * A + 0.2 * A - 0.3 * A") == {}
    assert quotient(left("A / 0")) is quotient(left("A / (B - B)")) is None
    assert quotient(left("1 / (A / (B - B))")) is None
    assert quotient(left("A + B + C + 1")) is not None
    many = " * ".join(["(A + 2 * B + 3 * C + 4)"] * 6)
    assert quotient(left(many)) is None, "84 products nobody writes"


def test_one_sum_by_another() -> None:
    a, b, c = ({(term,): 1.0} for term in (A, B, C))
    assert quotient(left("A / B")) == Quotient(a, (b,))
    assert quotient(left("A / (B / C)")) == Quotient({(A, C): 1.0}, (b,), (c,))
    assert quotient(left("A / B * (C / A)")) == Quotient({(A, C): 1.0}, (b, a))
    assert quotient(left("A / C - B / C")) == Quotient({(A,): 1.0, (B,): -1.0}, (c,))
    assert quotient(left("A / B + C / A")) == Quotient({(A, A): 1.0, (B, C): 1.0}, (b, a))
    assert quotient(left("A / (B * C) - 1")) == Quotient({(A,): 1.0, (B, C): -1.0}, ({(B, C): 1.0},))


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("A", 1),
        ("-2 * A", -1),
        ("A + B * C", 1),
        ("A - B", 0),
        ("1 - A", 1),
        ("A - 1", -1),
        ("1 - A * B", 1),
        ("A * B - A", -1),
        ("A * A - A", 0),
        ("0.9 - A", 0),
        ("net(a)", 0),
        ("1 - cost(a)", 0),
        ("cost(a) * 3", 1),
        ("safety_multiple(a)", 1),
        ("gap_closure(a)", 0),
    ],
)
def test_on_which_side_of_nothing_a_sum_lies(text: str, sign: int) -> None:
    assert sign_of(top(text)) == sign


def test_sums_by_each_other() -> None:
    assert divided(top("A * B + B * B"), top("B")) == top("A + B")
    assert divided(top("A * A - B * B"), top("A - B")) == top("A + B")
    assert divided(top("2 * A * B * C"), top("4 * C")) == top("0.5 * A * B")
    assert divided(top("A + 1"), top("B")) is None
    assert divided(top("A * B + 1"), top("B")) is None
    assert [*sums_in(left("(A - B) * C / (1 + 1)"))] == [top("A - B"), top("A"), top("B"), top("C")]


def test_a_sum_as_one_would_write_it() -> None:
    for text, written in {
        "A * 2 - 1": "2 * accuracy(a) - 1",
        "0 - A": "-accuracy(a)",
        "A * B - 3 * A + B": "accuracy(a) * accuracy(b) - 3 * accuracy(a) + accuracy(b)",
        "1 + B - A": "-accuracy(a) + accuracy(b) + 1",
    }.items():
        assert spelt(expression_of(top(text))) == written
    assert spelt(left("A - (B - C)")) == "accuracy(a) - (accuracy(b) - accuracy(c))"
    assert spelt(left("A * (B + 0.25)")) == "accuracy(a) * (accuracy(b) + 0.25)"
    assert spelt(left("A + (B + C)")) == "accuracy(a) + accuracy(b) + accuracy(c)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("accuracy(a) > accuracy(b) + 0.1", "accuracy(a) - accuracy(b) > 0.1"),
        ("0.1 < accuracy(a) - accuracy(b)", "accuracy(a) - accuracy(b) > 0.1"),
        ("100 * accuracy(a) > 60", "accuracy(a) > 0.6"),
        ("-2 * accuracy(a) > -1", "accuracy(a) < 0.5"),
        ("0.5 < accuracy(a)", "accuracy(a) > 0.5"),
        ("2 * accuracy(a) - 2 * accuracy(b) > 0.4", "accuracy(a) - accuracy(b) > 0.2"),
        ("accuracy(b) - accuracy(a) < 0", "accuracy(b) - accuracy(a) < 0"),
        ("accuracy(a) + accuracy(b) - 1 > 0.2", "accuracy(a) + accuracy(b) - 1 - -1 > 1.2"),
        ("accuracy(a) / accuracy(b) > 1", "accuracy(a) - accuracy(b) > 0"),
        ("accuracy(a) / accuracy(b) > 1.2", "accuracy(a) - 1.2 * accuracy(b) > 0"),
        ("accuracy(a) * accuracy(b) > accuracy(b) * accuracy(b)", "accuracy(a) - accuracy(b) > 0"),
        ("accuracy(a) / (accuracy(b) - 1) > -1", "accuracy(a) + accuracy(b) < 1"),
        ("accuracy(a) * accuracy(b) > 0.25", "accuracy(a) * accuracy(b) > 0.25"),
        ("accuracy(a) / net(b) > 1", "accuracy(a) / net(b) > 1"),
        ("net(a) - net(b) > 3", "net(a) - net(b) > 3"),
    ],
)
def test_one_claim_has_one_form_however_it_is_spelt(text: str, words: str) -> None:
    assert against_number(parse(text)).words == words


def test_what_both_sides_were_divided_by_is_kept() -> None:
    plain, ratio = (against_number(parse(text)) for text in ("accuracy(a) > 0.5", "accuracy(a) / accuracy(b) > 1"))
    assert (plain.written, plain.divisors, plain.terms) == (None, (), (A,))
    assert (ratio.divisors, ratio.terms) == ((B,), (A, B))
    assert ratio.written is not None
    nothing = against_number(parse("accuracy(a) * accuracy(b) - accuracy(b) * accuracy(a) > 0.5"))
    assert (nothing.words, nothing.threshold) == ("0 * accuracy(a) > 0.5", 0.5)


# --- one figure, and several --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fixed:
    """Ends that move outwards as the level falls below 5 %."""

    value: float
    low: float | None
    high: float | None
    told: bool = True

    def limits(self, alpha: float = 0.05) -> tuple[float | None, float | None]:
        if self.low is None or self.high is None:
            return None, None
        return self.low - (0.05 - alpha), self.high + (0.05 - alpha)

    def p(self, threshold: float) -> float | None:
        return max(0.0, 1 - abs(threshold - self.value)) if self.told else None


def test_powers_of_one_figure() -> None:
    assert powers_of_one(left("A * A * 2 - A + 0.25"), A) == (2.0, -1.0, 0.25)
    assert powers_of_one(left("A * A * A"), A) == (1.0, 0.0, 0.0, 0.0)
    assert powers_of_one(left("A / A"), A) is powers_of_one(left("A - A"), A) is None
    assert powers_of_one(left("A - A + 1"), A) is None
    assert (span_of(A), span_of(COST), span_of(NET)) == ((0.0, 1.0), (0.0, math.inf), NOWHERE)


def test_a_square_is_beyond_a_threshold_where_its_figure_is() -> None:
    square = OfOne(Fixed(0.4, 0.3, 0.5), (1.0, 0.0, 0.0), (0.0, 1.0))
    assert square.value == pytest.approx(0.16)
    assert square.limits() == pytest.approx((0.09, 0.25))
    assert square.limits(0.04) == pytest.approx((0.29**2, 0.51**2))
    assert square.p(0.25) == pytest.approx(0.9)
    assert (square.p(1.21), square.p(-1.0)) == (0.0, 0.0), "no share is there"
    signed = OfOne(Fixed(-0.1, -0.3, 0.2), (1.0, 0.0, 0.0), NOWHERE)
    assert signed.limits() == pytest.approx((0.0, 0.09)), "it turns at nothing"
    assert signed.p(0.04) == pytest.approx(0.9), "whichever of both roots is nearer"
    turned = OfOne(Fixed(0.5, 0.3, 0.6), (1.0, -1.0, 2.0), (0.0, 1.0))
    assert turned.limits() == pytest.approx((1.75, 1.79))
    open_ = OfOne(Fixed(0.4, None, None), (1.0, 0.0, 0.0), (0.0, math.inf))
    assert open_.limits() == (0.0, None), "a square is never below nothing"
    untold = OfOne(Fixed(0.4, None, None, told=False), (1.0, 0.0, 0.0), (0.0, 1.0))
    assert (untold.limits(), untold.p(0.04), untold.p(-1.0)) == ((None, None), None, None)


BOX = {A: Fixed(0.4, 0.3, 0.5), B: Fixed(0.7, 0.6, 0.9)}


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("A + B", 0.9 - 0.05, 1.4 + 0.05),
        ("A - B", 0.3 - 0.9 - 0.05, 0.5 - 0.6 + 0.05),
        ("A * B", 0.275 * 0.575, 0.525 * 0.925),
        ("(A - 1) * B", (0.275 - 1) * 0.925, (0.525 - 1) * 0.575),
        ("A / B", 0.275 / 0.925, 0.525 / 0.575),
        ("A / (B - 0.7)", None, None),
        ("A / (B - 0.575)", None, None),
        ("2 * A", 0.55, 1.05),
    ],
)
def test_several_figures_lie_in_a_box(text: str, low: float | None, high: float | None) -> None:
    """Each at half of the level, so that its ends are 0.025 further out."""
    found = OfSeveral(1.0, left(text), BOX).limits()
    assert found == (None, None) if low is None else found == pytest.approx((low, high))


def test_a_figure_without_an_end_is_as_far_as_it_may_be() -> None:
    @dataclass(frozen=True)
    class HalfOpen(Fixed):
        def limits(self, alpha: float = 0.05) -> tuple[float | None, float | None]:
            return self.low, None

    half = HalfOpen(0.4, 0.3, None)
    assert OfSeveral(0.4, left("A * B"), {A: half, B: BOX[B]}).limits() == pytest.approx((0.3 * 0.575, 0.925))
    assert OfSeveral(0.4, left("A + cost(a)"), {A: half, COST: half}).limits() == (pytest.approx(0.6), None)
    none = OfSeveral(0.4, left("A + B"), {A: Fixed(0.4, None, None), B: BOX[B]})
    assert (none.limits(), none.p(0.5)) == ((None, None), None)


def test_the_p_of_a_box_is_the_level_from_which_it_leaves_the_threshold_out() -> None:
    """The low end of the sum is 0.9 - 2 · (0.05 - alpha / 2), the high one 1.4 + the same."""
    box = OfSeveral(1.1, left("A + B"), BOX)
    assert box.p(0.85) == pytest.approx(0.05, rel=1e-6)
    assert box.p(1.25) == pytest.approx(1.4 + 0.1 - 1.25, rel=1e-6)
    assert box.p(1.5) == 1e-12
    assert OfSeveral(1.1, left("A - B"), BOX).p(-0.4) == pytest.approx(-0.4 - (0.3 - 0.9) + 0.1, rel=1e-6)
    wide = {A: Fixed(0.4, -9.0, 9.0), B: Fixed(0.7, -9.0, 9.0)}
    assert OfSeveral(1.1, left("A + B"), wide).p(1.0) == 1.0


# --- means between bounds -------------------------------------------------------------------------------------------------


def test_sums_and_differences_of_figures() -> None:
    assert linear(left("A + 2 * (B - 0.5)")) == Linear({A: 1.0, B: 2.0}, -1.0)
    assert linear(left("(A - B) / 4")) == Linear({A: 0.25, B: -0.25}, 0.0)
    assert linear(left("3 * 2 - A")) == Linear({A: -1.0}, 6.0)
    assert linear(left("A * B")) is linear(left("A / B")) is linear(left("A / 0")) is linear(left("1 / A")) is None
    assert linear(left("A + cost(a)")) is linear(left("cost(a) + A")) is None
    assert linear(left("A + cost(a)"), MEANS) == Linear({A: 1.0, COST: 1.0})
    assert (Linear({A: 2.0, NET: 3.0}).per_question(A, 7), Linear({NET: 3.0}).per_question(NET, 7)) == (2.0, 21.0)


NAMES = [f"q{n}" for n in range(6)]


def ratio(*values: float, **more: object) -> Ratio:
    return Ratio(dict(zip(NAMES, values, strict=True)), **more)  # type: ignore[arg-type]


def test_a_sum_of_shares_is_a_mean_on_the_scale_of_its_range() -> None:
    """Of the first and twice the second less one: from -1 to 2, so the middle is a half, and both ends lie 1.5 off."""
    parts = linear(left("A + 2 * B - 1"))
    assert parts is not None
    ratios = {A: ratio(1, 1, 0, 0, 1, 0), B: ratio(1, 0, 0, 1, 1, 1)}
    found = combination(parts, ratios, NAMES)
    assert isinstance(found, Combination)
    values = [one + 2 * other - 1 for one, other in zip(ratios[A].tops.values(), ratios[B].tops.values(), strict=True)]
    scaled = difference(split_signs([(value - 0.5) / 1.5 for value in values]))
    assert scaled is not None
    assert (found.value, found.middle, found.reach, found.n, found.clusters) == (sum(values) / 6, 0.5, 1.5, 6, None)
    low, high = scaled.mean.limits(0.1)
    assert found.limits(0.1) == pytest.approx((0.5 + 1.5 * low, 0.5 + 1.5 * high))
    assert found.p(0.3) == pytest.approx(scaled.mean.p((0.3 - 0.5) / 1.5))
    assert (found.p(found.value), found.p(found.value + 1e-13)) == (1.0, 1.0)
    minus = combination(linear(left("0 - A")) or Linear(), {A: ratios[A]}, NAMES)
    assert isinstance(minus, Combination)
    assert (minus.middle, minus.reach, minus.value) == (-0.5, 0.5, -0.5)
    assert combination(Linear({A: 0.0}, 3.0), {A: ratios[A]}, NAMES) == 3.0
    one = combination(Linear({A: 1.0}), {A: Ratio({"q0": 1.0})}, ["q0"])
    assert isinstance(one, Combination)
    assert (one.limits(), one.p(0.5)) == ((None, None), None)


def test_a_net_is_a_sum_and_money_has_no_bound_but_twice_the_dearest() -> None:
    net = combination(Linear({NET: 1.0}), {NET: ratio(1, -1, 0, 1, 1, 0, most=2.0)}, NAMES)
    assert isinstance(net, Combination)
    assert (net.value, net.middle, net.reach) == (2.0, 0.0, 12.0)
    money = combination(Linear({COST: -2.0}, 1.0), {COST: ratio(0.5, 1.0, 0.0, 0.0, 0.25, 0.25)}, NAMES)
    assert isinstance(money, Combination)
    assert (money.value, money.middle, money.reach) == (pytest.approx(1 - 2 * 2 / 6), -1.0, 2.0)


def test_while_answers_wait_each_end_has_its_own_values() -> None:
    """The first counts for the figure and the second against it: at worst the one is wrong and the other right."""
    waits = {"worst": dict.fromkeys(NAMES, 0.0), "best": dict.fromkeys(NAMES, 1.0), "waiting": 1}
    ratios = {A: ratio(1, 1, 0, 0, 1, 0, **waits), B: ratio(1, 0, 0, 1, 1, 1, **waits)}
    found = combination(Linear({A: 1.0, B: -2.0}), ratios, NAMES)
    assert isinstance(found, Between)
    assert (found.value, found.worst.value, found.best.value) == (pytest.approx(0.5 - 2 * 4 / 6), -2.0, 1.0)
    plain = {A: ratio(1, 1, 0, 0, 1, 0), B: ratio(1, 0, 0, 1, 1, 1, **waits)}
    beside = combination(Linear({A: 1.0, B: 1.0}), plain, NAMES)
    assert isinstance(beside, Between)
    assert (beside.worst.value, beside.best.value) == (0.5, 1.5)


def test_bounds_over_all_questions() -> None:
    open_ = {"q6": Value(None, 0.0, 1.0), "q0": Value(0.5, 0.25, 0.75)}
    ratios = {A: ratio(1, 1, 0, 0, 1, 0, open=open_), B: ratio(1, 0, 0, 1, 1, 1)}
    asked = [*NAMES, "q6"]
    least, most = (2 + 0.25) / 7, (2 + 0.75 + 1) / 7
    found = linear_bounds(Linear({A: 1.0, B: -1.0}, 0.5), ratios, asked)
    assert found == pytest.approx({"low": 0.5 + least - 4 / 7, "high": 0.5 + most - 4 / 7})
    turned = linear_bounds(Linear({A: -1.0}), {A: ratios[A]}, asked)
    assert turned == pytest.approx({"low": -most, "high": -least})
    assert linear_bounds(Linear({B: 1.0}), {B: ratios[B]}, NAMES) is None
    net = {NET: ratio(1, -1, 0, 1, 1, 0, turns={"q2": (2.0, 0.0), "q6": (1.0, 3.0)})}
    assert linear_bounds(Linear({NET: 2.0}), net, asked) == {"low": 2.0 * (2 - 3), "high": 2.0 * (2 + 3)}


def test_figures_of_one_share_two_and_of_none() -> None:
    right = Ratio({f"q{n}": float(n % 3 > 0) for n in range(40)})
    other = Ratio({f"q{n}": float(n % 5 > 2) for n in range(40)})
    asked = [*right.tops]
    one = figure_of(A, {A: right}, asked, 0, 500)
    assert not isinstance(one, str)
    usual = share([(value, 1.0) for value in right.tops.values()])
    assert usual is not None
    assert (one.value, one.test, one.small, one.limits(0.1)) == (usual.value, "score", False, usual.limits(0.1))
    assert one.verdict_limits(0.1) == guarded(usual, dict(right.tops)).limits(0.1)
    assert (one.test_at(0.0), one.p(0.5)) == ("score", usual.p(0.5))
    two = figure_of(left("A - B"), {A: right, B: other}, asked, 0, 500)
    assert not isinstance(two, str)
    assert (two.test_at(0.0), two.test_at(0.1), two.value) == ("mcnemar", "score", pytest.approx((26 - 16) / 40))
    assert two_shares(left("A - B")) == (A, B)
    assert two_shares(left("A + B")) is two_shares(left("A - net(a)")) is two_shares(left("A")) is None
    squared = figure_of(left("A * A"), {A: right}, asked, 0, 500)
    assert not isinstance(squared, str)
    assert squared.value == pytest.approx(usual.value**2)
    assert squared.limits(0.1) == pytest.approx([end**2 for end in usual.limits(0.1)])  # type: ignore[operator]
    few = figure_of(A, {A: right}, asked[:29], 0, 500)
    assert not isinstance(few, str)
    assert few.small
