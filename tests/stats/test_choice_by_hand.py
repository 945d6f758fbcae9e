"""The price of a choice, by hand: what luck passes, how alike options are, and what each end of a claim is made of."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta, binomtest, norm
from statsmodels.stats.proportion import proportion_confint

from moot.stats.choice import (
    Luck,
    Standing,
    alike_in_differences,
    alike_in_values,
    chosen_interval,
    claim,
    highest,
    luck_of,
    standing,
    standings,
    told_apart,
)
from moot.stats.proportion import wilson
from moot.stats.score import Counts, differences
from moot.stats.waiting_choice import Tables, claim_whatever
from moot.types import Estimate


def test_luck_is_between_the_test_alone_and_bonferronis() -> None:
    """Of 999 draws 39 reach 2: 40 in 1,000 with the one that was seen."""
    drawn = np.array([0.0] * 960 + [2.0] * 39)
    assert Luck(drawn, 3).p(2.0) == pytest.approx(40 / 1_000)
    assert Luck(drawn, 3).p(2.001) == pytest.approx(norm.sf(2.001)), "no less than the test alone"
    assert Luck(drawn, 2).p(2.2) == pytest.approx(norm.sf(2.2))
    assert Luck(drawn, 2).p(1.99) == pytest.approx(0.04)
    assert Luck(np.full(999, 5.0), 3).p(2.0) == pytest.approx(3 * norm.sf(2.0)), "no more than Bonferroni's"
    assert Luck(np.full(999, 5.0), 3).p(-1.0) == 1.0
    assert Luck(np.full(999, 5.0), 1).p(2.0) == pytest.approx(norm.sf(2.0)), "of one nothing is paid"


def test_the_point_is_passed_by_luck_as_often_as_is_said() -> None:
    """25 of 1,000, the one that was seen among them: 24 lie above the 975th draw."""
    drawn = np.arange(999) / 450
    assert Luck(drawn, 3).point() == drawn[974]
    assert Luck(drawn, 3).p(drawn[974] + 1e-9) == pytest.approx(0.025)
    assert Luck(drawn, 3).p(drawn[974]) == pytest.approx(0.026)
    assert Luck(drawn, 3).point(0.05) == drawn[949]
    assert Luck(np.arange(999) / 400, 3).point() == pytest.approx(norm.isf(0.025 / 3))
    assert Luck(np.arange(999) / 600, 3).point() == pytest.approx(norm.isf(0.025))
    assert Luck(drawn / 100, 1).point(0.01) == pytest.approx(norm.isf(0.01))
    assert Luck(drawn * 1.43, 3).point(0.001) == drawn[998] * 1.43
    assert Luck(drawn, 3).point(0.0009) == pytest.approx(norm.isf(0.0003)), "too few draws for so small a level"


@pytest.mark.parametrize(("correlation", "expected"), [(0.0, 1 - norm.cdf(2) ** 3), (1.0, norm.sf(2))])
def test_luck_goes_by_how_alike_options_are(correlation: float, expected: float) -> None:
    alike = np.full((3, 3), correlation) + (1 - correlation) * np.eye(3)
    luck = luck_of(alike)
    assert (luck.options, len(luck.highest)) == (3, 20_000)
    assert (np.diff(luck.highest) >= 0).all()
    assert luck.p(2.0) == pytest.approx(expected, abs=4 * math.sqrt(expected / 20_000))
    assert luck_of(np.ones((1, 1))).options == 1


def test_luck_is_the_same_whatever_the_order_of_the_options() -> None:
    alike = np.array([[1.0, 0.5, 0.1], [0.5, 1.0, 0.3], [0.1, 0.3, 1.0]])
    order = [2, 0, 1]
    one, other = luck_of(alike, draws=500), luck_of(alike[np.ix_(order, order)], draws=500)
    assert (one.highest == other.highest).all()
    assert (one.highest != luck_of(alike, draws=500, seed=1).highest).any()


def test_options_are_alike_by_what_both_repair_and_what_both_spoil() -> None:
    """Of the first two repairs and one loss, of the second one repair and two losses: one of each kind is shared."""
    rows = np.array([[1.0, 1.0, -1.0, 0.0], [1.0, 0.0, -1.0, -1.0], [0.0, 0.0, np.nan, 0.0]])
    shared = 2 * (0.5 * math.sqrt(0.5))  # of each kind: one of two, each row's squares being a half
    expected = [[1.0, shared, 0.0], [shared, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert alike_in_differences(rows) == pytest.approx(np.array(expected))
    one_way = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
    assert alike_in_differences(one_way) == pytest.approx(np.array([[1.0, 0.5], [0.5, 1.0]])), "losses were not seen"
    assert alike_in_differences(np.array([[1.0, -1.0], [-1.0, 1.0]]))[0, 1] == pytest.approx(-1.0)


def test_values_are_alike_by_their_correlation() -> None:
    values = np.array([[1.0, 1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0, 1.0], [0.0, 0.25, 1.0, 0.5, 0.0]])
    assert alike_in_values(values) == pytest.approx(np.corrcoef(values))
    holed = np.array([[1.0, 0.0, np.nan, 0.0], [0.0, 1.0, 1.0, 0.0]])
    own, other = np.array([2 / 3, -1 / 3, 0.0, -1 / 3]), np.array([-0.5, 0.5, 0.5, -0.5])
    expected = own @ other / math.sqrt(own @ own * (other @ other))
    assert alike_in_values(holed)[0, 1] == pytest.approx(expected)
    assert alike_in_values(np.array([[1.0, 1.0], [1.0, 0.0]])) == pytest.approx(np.eye(2)), "one that never varies"


def test_values_of_clusters_are_alike_by_their_sums() -> None:
    values = np.array([[1.0, 0.0, 0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 0.0, 1.0, 0.25]])
    sums = [
        [row[0] + row[1] - 2 * row.mean(), row[2] + row[3] - 2 * row.mean(), row[4] + row[5] - 2 * row.mean()]
        for row in values
    ]
    one, other = map(np.array, sums)
    expected = one @ other / math.sqrt(one @ one * (other @ other))
    assert alike_in_values(values, ["a", "a", "b", "b", "c", "c"])[0, 1] == pytest.approx(expected)


def test_the_highest_is_the_first_of_equals() -> None:
    assert highest(np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]])) == 0
    assert highest(np.array([[np.nan, 0.5], [1.0, 0.0]])) == 0
    assert highest(np.array([[0.3, 0.0, 0.0], [0.1, 0.2, 0.0]])) == 0, "sums that differ in their last digit"
    assert highest(np.array([[0.0, 0.0], [np.nan, np.nan], [0.25, np.nan]])) == 2


def exact(better: int, worse: int) -> float:
    return float(binomtest(better, better + worse, alternative="greater").pvalue)


def test_an_option_has_to_beat_every_single() -> None:
    """Against the first 9 to 2 and against the second 7 to 1, of 30: the clearer of both says nothing of the other."""
    option = np.array([1.0] * 20 + [0.0] * 10)
    first, second = option.copy(), option.copy()
    first[:9], first[20:22] = 0.0, 1.0
    second[11:18], second[20:21] = 0.0, 1.0
    found = claim(option[None], np.array([first, second]))
    assert found is not None
    assert (found.option, found.single, found.options) == (0, 1, 1)
    assert found.difference == pytest.approx(6 / 30)
    assert found.p_more == pytest.approx(max(exact(9, 2), exact(7, 1)))
    assert found.p_less == pytest.approx(2 * min(exact(2, 9), exact(1, 7)))
    assert found.p == pytest.approx(2 * found.p_more)
    sides = Counts(9, 2, 30), Counts(7, 1, 30)
    assert found.low == pytest.approx(min(side.low(norm.isf(0.025)) for side in sides))
    assert found.high == pytest.approx(min(side.high(norm.isf(0.0125)) for side in sides))
    wider = claim(option[None], np.array([first, second]), side=0.005)
    assert wider is not None
    assert wider.low == pytest.approx(min(side.low(norm.isf(0.005)) for side in sides))
    assert wider.high == pytest.approx(min(side.high(norm.isf(0.0025)) for side in sides))


def test_who_is_less_than_some_single_is_found_to_be() -> None:
    option = np.array([1.0] * 10 + [0.0] * 20)
    better = np.array([1.0] * 10 + [1.0] * 12 + [0.0] * 8)
    found = claim(option[None], np.array([better, option]))
    assert found is not None
    assert (found.single, found.difference) == (0, pytest.approx(-0.4))
    assert found.p == pytest.approx(2 * 2 * exact(12, 0))
    assert found.p_less == pytest.approx(2 * exact(12, 0))
    assert not found.more
    assert found.high is not None
    assert found.high < 0


def test_what_was_declared_is_compared_though_another_is_higher() -> None:
    """It is not the highest, so that its upper end pays for the choice as well."""
    options = np.array([[1.0] * 12 + [0.0] * 18, [1.0] * 20 + [0.0] * 10])
    singles = np.array([[1.0] * 9 + [0.0] * 21])
    found = claim(options, singles, option=0, single=0, draws=999)
    assert found is not None
    assert (found.option, found.options, found.difference) == (0, 2, pytest.approx(0.1))
    luck = luck_of(alike_in_differences(options - singles[0]), draws=999)
    own = Counts(3, 0, 30)
    assert found.p_more == pytest.approx(luck.p(own.above))
    assert found.low == pytest.approx(own.low(luck.point(0.025)))
    assert found.high == pytest.approx(own.high(luck.point(0.025)))
    of_top = claim(options, singles, option=0, single=0, draws=999, top=True)
    assert of_top is not None
    assert of_top.high == pytest.approx(own.high(norm.isf(0.025)))
    assert of_top.low == found.low
    chosen = claim(options, singles, draws=999)
    assert chosen is not None
    assert chosen.option == 1
    assert chosen.high == pytest.approx(Counts(11, 0, 30).high(norm.isf(0.025)))


def test_a_difference_may_be_another_than_that_of_the_values() -> None:
    option, singles = np.array([[1.0, 1.0, 0.0, 0.0]]), np.array([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]])
    moved = np.array([[[0.0, -1.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 1.0]]])
    found = claim(option, singles, moved=moved)
    assert found is not None
    assert [versus.differences.mean for versus in found.against if versus] == [0.0, 0.75]


def test_of_one_question_there_is_no_interval() -> None:
    found = claim(np.array([[1.0]]), np.array([[0.0]]))
    assert found is not None
    assert (found.low, found.high, found.more, found.difference) == (None, None, False, 1.0)
    two = claim(np.array([[1.0, 1.0]]), np.array([[0.0, 0.0]]))
    assert two is not None
    assert two.low is not None


def test_a_claim_over_clusters_is_of_their_sums() -> None:
    option, single = np.array([[1.0, 1.0, 1.0, 0.0, 0.0, 1.0]]), np.zeros((1, 6))
    clusters = ["a", "a", "b", "b", "c", "c"]
    found = claim(option, single, clusters=clusters)
    own = differences(option[0], clusters)
    assert found is not None
    assert (found.low, found.p_more) == (pytest.approx(own.low(norm.isf(0.025))), pytest.approx(norm.sf(own.above)))


@pytest.mark.parametrize("right", [3, 20, 40])
def test_the_accuracy_that_was_chosen_has_wilsons_low_end_at_the_price_of_the_choice(right: int) -> None:
    """Or Clopper and Pearson's, where that is lower; the upper end is its own."""
    values = np.array([[1.0] * right + [0.0] * (40 - right), [0.0, 1.0] * 20, [1.0, 0.0, 0.0, 0.0] * 10])
    usual = wilson(right, 40)
    paid = chosen_interval(values, 0, usual)
    level = norm.sf(luck_of(alike_in_values(values)).point())
    assert 0.025 / 3 <= level < 0.024
    by_score, by_sums = (proportion_confint(right, 40, 2 * level, method)[0] for method in ("wilson", "beta"))
    assert by_sums == pytest.approx(beta.ppf(level, right, 41 - right))
    assert paid.low == pytest.approx(min(by_score, by_sums))
    assert (paid.value, paid.high, paid.n) == (usual.value, usual.high, usual.n)


def test_what_waits_pays_at_its_worst() -> None:
    values = np.array([[1.0] * 30 + [0.0] * 10, [0.0, 1.0] * 20])
    usual, at_worst = wilson(30, 36), wilson(30, 40)
    paid = chosen_interval(values, 0, usual, at_worst=at_worst)
    assert (paid.value, paid.high, paid.low) == (usual.value, usual.high, chosen_interval(values, 0, at_worst).low)
    high = Estimate(0.5, 0.4, 0.6, 40)
    assert chosen_interval(values, 0, high, at_worst=at_worst).low == 0.5, "no end is beyond the value"
    unknown = Estimate(0.75, None, None, 40)
    assert chosen_interval(values, 0, usual, at_worst=unknown).low == usual.low


def test_an_interval_that_cannot_pay_stays_as_it_is() -> None:
    values = np.array([[1.0] * 30 + [0.0] * 10, [0.0, 1.0] * 20])
    for usual in (Estimate(0.5, None, None, 40), Estimate(0.0, 0.0, 0.1, 40), Estimate(0.5, 0.5, 0.6, 40)):
        assert chosen_interval(values, 0, usual) == usual
    assert chosen_interval(values[:1], 0, wilson(30, 40)) == wilson(30, 40), "nothing was chosen"


def test_who_is_beaten_is_told_by_the_clearest_of_the_others() -> None:
    own = np.zeros(12)
    others = np.array([[1.0] * 5 + [0.0] * 7, [1.0] * 6 + [0.0] * 6, [1.0] * 6 + [0.0] * 6])
    found = standing(own, others)
    assert found.beaten_by == 1, "of equals the first"
    assert 1 / 2**6 <= found.p <= 3 / 2**6
    alone = standing(own, others[1:2])
    assert (alone.beaten_by, alone.p) == (0, pytest.approx(1 / 2**6))
    assert standing(own, np.full((2, 12), np.nan)) == Standing(None, 1.0)
    assert standing(own, np.zeros((0, 12))) == Standing(None, 1.0)


def test_all_rows_of_a_table_are_paid_for() -> None:
    two = [Standing(1, 0.025), Standing(0, 0.9)]
    assert [(one.beaten_by, one.p) for one in told_apart(two)] == [(1, 0.05), (None, 0.9)]
    assert [one.beaten_by for one in told_apart(two, beside=1)] == [None, None]
    assert told_apart(two, beside=1)[0].p == pytest.approx(0.075)
    clear = np.array([[1.0] * 20, [0.0] * 20, [1.0] * 20])
    assert [one.beaten_by for one in standings(clear)] == [None, 0, None], "counted by rows of the table"
    turned = np.array([[0.0] * 20, [1.0] * 20, [0.0] * 20])
    assert [one.beaten_by for one in standings(turned)] == [1, None, 1]


def test_a_way_is_beaten_at_its_best_by_what_is_better_at_its_worst() -> None:
    worst = np.array([[1.0] * 10 + [0.0] * 10, [0.0] * 20])
    best = np.array([[1.0] * 20, [0.0] * 20])
    assert standings(worst, ends=(worst, best))[1].beaten_by == 0
    open_ = np.array([[0.0] * 20, [1.0] * 20])
    assert standings(worst, ends=(worst, open_))[1].beaten_by is None


def test_where_nothing_waits_it_is_the_claim_itself() -> None:
    option, singles = np.array([[1.0] * 9 + [0.0] * 11]), np.array([[0.0] * 20, [1.0] * 3 + [0.0] * 17])
    plain = claim(option, singles, option=0, single=1)
    found = claim_whatever(Tables(option, option, option), Tables(singles, singles, singles), option=0, single=1)
    assert found == plain
    assert found is not None
    assert found.limits_graded is None
    worst = np.where(np.arange(20) == 0, 0.0, option)
    waits = claim_whatever(Tables(option, worst, option), Tables(singles, singles, singles), option=0, single=1)
    assert waits is not None
    assert plain is not None
    assert waits.limits_graded == (plain.low, plain.high)
    unknown = np.full((2, 20), np.nan)
    assert claim_whatever(Tables(option, worst, option), Tables(unknown, unknown, unknown), option=0, single=1) is None
