"""Two ways side by side: the row of a comparison, the family it stands in, and ends that an exact test decides."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests

from moot.stats.bounded_mean import BoundedMean
from moot.stats.clusters import clustered, largest_unit
from moot.stats.estimates import TESTED, estimate_row, named_estimate, with_holm
from moot.stats.paired import (
    BESIDE_ZERO,
    Difference,
    OnePair,
    Paired,
    compare,
    difference,
    few,
    holm,
    holm_levels,
    mcnemar_exact,
    mean_difference,
    rests_on_few,
    split_signs,
)
from moot.types import Estimate

NAMES = [f"q{n:02}" for n in range(60)]


@pytest.mark.parametrize(("b", "c"), [(0, 0), (1, 0), (5, 0), (9, 2), (2, 9), (7, 7), (60, 90), (1, 30)])
def test_mcnemars_is_the_binomial_test(b: int, c: int) -> None:
    assert mcnemar_exact(b, c) == pytest.approx(1.0 if b == c else binomtest(b, b + c).pvalue)


def test_fewer_than_thirty_independent_questions_are_few() -> None:
    assert (few(NAMES[:29]), few(NAMES[:30])) == (True, False)
    with clustered({name: name[:2] for name in NAMES}):
        assert few(NAMES)
    assert rests_on_few(None)
    assert (rests_on_few(Estimate(0.5, 0.4, 0.6, 29)), rests_on_few(Estimate(0.5, 0.4, 0.6, 30))) == (True, False)
    assert rests_on_few(Estimate(0.5, 0.4, 0.6, 90, clusters=29))
    assert not rests_on_few(Estimate(0.5, 0.4, 0.6, 90, clusters=30))


def test_a_family_is_corrected_as_statsmodels_does() -> None:
    values = [0.04, 0.001, 0.2, 0.012, 0.9, 0.012]
    assert holm(values) == pytest.approx(list(multipletests(values, method="holm")[1]))
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


def test_the_level_at_which_each_of_a_family_is_tested() -> None:
    """0.012 is below a third of 0.05, 0.03 is not below a half of it: what is left is held against no more."""
    assert holm_levels([0.04, 0.001, 0.03, 0.012]) == pytest.approx([0.05 / 2, 0.05 / 4, 0.05 / 2, 0.05 / 3])
    assert holm_levels([0.04, 0.001, 0.02, 0.012]) == pytest.approx([0.05, 0.05 / 4, 0.05 / 2, 0.05 / 3])
    assert holm_levels([0.04, 0.3, 0.02]) == pytest.approx([0.05 / 3] * 3)
    assert holm_levels([0.0125, 0.0125], 0.025) == pytest.approx([0.0125, 0.025])
    for values in ([0.04, 0.001, 0.02, 0.012], [0.04, 0.3, 0.02], [0.05, 0.01]):
        for p, level, adjusted in zip(values, holm_levels(values), holm(values), strict=True):
            assert (p <= level) == (adjusted <= 0.05)


def test_rows_of_a_family() -> None:
    pairs = OnePair(20, 5, 100), OnePair(9, 2, 100)
    rows = [{"p": pair.p_zero, "name": name, TESTED: pair} for pair, name in zip(pairs, "ab", strict=True)]
    one, other, untold = with_holm([*rows, {"p": None}])
    assert (one["family"], other["family"], untold["family"]) == (2, 2, 2)
    assert (one["p_holm"], other["p_holm"]) == (2 * rows[0]["p"], max(2 * rows[0]["p"], rows[1]["p"]))
    assert (one["low_holm"], one["high_holm"]) == pairs[0].limits(0.025)
    assert (other["low_holm"], other["high_holm"]) == pairs[1].limits(0.05)
    assert untold == {"p": None, "p_holm": None, "low_holm": None, "high_holm": None, "family": 2}
    assert TESTED not in one
    (beside,) = with_holm(rows[:1], beside=3, prefix="gain_")
    assert (beside["family"], beside["p_holm"]) == (4, 4 * rows[0]["p"])
    assert (beside["gain_low_holm"], beside["gain_high_holm"]) == pairs[0].limits(0.0125)
    (chosen,) = with_holm(rows[:1], family=5)
    assert (chosen["family"], chosen["p_holm"]) == (5, 5 * rows[0]["p"])
    (alone,) = with_holm([{"p": 0.01}])
    assert (alone["family"], alone["p_holm"], alone["low_holm"]) == (1, 0.01, None)
    assert with_holm([]) == []


def test_estimates_as_rows() -> None:
    figure = Estimate(0.5, 0.4, 0.7, 20)
    assert estimate_row(figure, "rho") == {"rho": 0.5, "low": 0.4, "high": 0.7, "n": 20}
    assert estimate_row(None) == {"value": None, "low": None, "high": None, "n": 0}
    clustered_row = estimate_row(Estimate(0.5, 0.4, 0.7, 20, 5))
    assert clustered_row == {"value": 0.5, "low": 0.4, "high": 0.7, "n": 20, "clusters": 5}
    assert named_estimate(figure, "gain") == {"gain": 0.5, "gain_low": 0.4, "gain_high": 0.7}
    assert named_estimate(None, "gain") == {"gain": None, "gain_low": None, "gain_high": None}


def test_the_row_of_a_comparison() -> None:
    pairs = [(1, 0)] * 9 + [(0, 1)] * 2 + [(1, 1)] * 29
    row = compare(pairs).row()
    assert row == {
        "difference": pytest.approx(7 / 40),
        "low": OnePair(9, 2, 40).limits()[0],
        "high": OnePair(9, 2, 40).limits()[1],
        "p": pytest.approx(binomtest(9, 11).pvalue),
        "n": 40,
        "test": "mcnemar",
        "rescues": 9,
        "regressions": 2,
        "small": False,
    }
    assert compare([]) == Paired(None, None, "none", 0, 0, True)
    nothing = dict.fromkeys(("difference", "low", "high", "p", "rescues", "regressions"))
    assert compare([]).row() == {**nothing, "n": 0, "test": "none", "small": True}


@pytest.mark.parametrize(
    ("pairs", "small"),
    [
        ([(1, 0)] * 10 + [(1, 1)] * 20, False),
        ([(1, 0)] * 9 + [(1, 1)] * 21, True),
        ([(1, 0)] * 4 + [(0, 1)] * 6 + [(1, 1)] * 20, False),
        ([(1, 0)] * 10 + [(1, 1)] * 19, True),
    ],
)
def test_few_questions_and_few_that_differ_are_small(pairs: list[tuple[int, int]], small: bool) -> None:
    assert compare(pairs).small is small


def test_means_are_compared_by_their_bounds() -> None:
    pairs = {name: (0.5 + (n % 3) / 6, 0.5) for n, name in enumerate(NAMES)}
    found = compare(pairs)
    sums = [(n % 3) / 6 for n in range(60)]
    assert (found.test, found.rescues, found.regressions) == ("score", 40, 0)
    assert found.p == pytest.approx(BoundedMean(sums, [1.0] * 60).p(0.0))
    pooled = compare([(1, 0)] * 9 + [(0, 1)] * 2 + [(1, 1)] * 29, pooled=True)
    assert (pooled.test, pooled.rescues, pooled.regressions) == ("score", 9, 2)
    hardly = compare([(0.3, 0.1 + 0.2), (0.1 + 0.2, 0.3), (0.5, 0.25)])
    assert (hardly.rescues, hardly.regressions) == (1, 0)


def test_differences_are_split_by_their_sign_and_summed_by_unit() -> None:
    assert split_signs([0.5, -0.25]) == [(0.5, 0.0, 1.0), (0.0, 0.25, 1.0)]
    assert split_signs({"a": -1.0}) == {"a": (0.0, 1.0, 1.0)}
    with clustered({"a": "x", "b": "x", "c": "y", "d": "y", "e": None}):
        rows = {
            "a": (2.0, 0.0, 2.0),
            "b": (0.0, 1.0, 1.0),
            "c": (0.0, 0.0, 0.0),
            "d": (0.0, 0.0, 0.0),
            "e": (0.0, 1.0, 1.0),
        }
        found = difference(rows, {"c": 4.0, "d": 3.0, "a": 2.0})
        assert largest_unit({"c": 4.0, "d": 3.0, "a": 2.0}) == 7.0
    assert found is not None
    assert sorted(zip(found.mean.sums, found.mean.sizes, strict=True)) == [(-1.0, 1.0), (1.0, 3.0)]
    assert (found.mean.largest, found.n, found.clusters, found.value) == (7.0, 5, 3, 0.0)
    assert difference([(0.0, 0.0, 0.0)]) is None
    assert mean_difference([]) is None
    assert mean_difference([0.5, 0.5]) == Estimate(0.5, *BoundedMean([0.5, 0.5], [1.0, 1.0]).limits(), 2)
    assert largest_unit({}) == 0.0


def test_an_exact_test_decides_about_zero() -> None:
    """Six to nothing of 20: the score alone would leave zero out at 2 %, the exact test has 3.1 %."""
    six = OnePair(6, 0, 20)
    assert six.p_zero == pytest.approx(2 / 64)
    assert six.limits(2 / 64 - 0.001)[0] == 0.0
    low = six.limits(2 / 64)[0]
    assert low is not None
    assert low >= BESIDE_ZERO
    turned = OnePair(0, 6, 20)
    assert turned.limits(2 / 64 - 0.001)[1] == 0.0
    assert turned.limits(0.05)[1] == -low if turned.limits(2 / 64)[1] is None else turned.limits(2 / 64)[1] == -low
    assert (six.value, turned.value) == (0.3, -0.3)


@pytest.mark.parametrize("pair", [OnePair(9, 2, 40), OnePair(2, 9, 40), OnePair(6, 5, 40), OnePair(8, 0, 60)])
def test_p_and_limits_of_one_pair_are_one_thing(pair: OnePair) -> None:
    for alpha in (0.05, 0.3):
        low, high = pair.limits(alpha)
        assert low is not None
        assert high is not None
        for threshold in (low - 1e-6, low + 1e-6, high - 1e-6, high + 1e-6, 0.0):
            assert ((pair.p(threshold) or 0) > alpha) == (low <= threshold <= high), (alpha, threshold)
    assert (pair.p(1.0), pair.p(-1.0), pair.p(-2.0)) == (0.0, 0.0, 0.0)
    assert pair.estimate(0.3) == Estimate(pair.value, *pair.limits(0.3), pair.n)


def test_of_one_question_there_are_no_limits() -> None:
    one = OnePair(1, 0, 1)
    assert (one.limits(), one.p(0.5), one.p(0.0)) == ((None, None), None, 1.0)
    assert OnePair(2, 0, 2).limits()[1] == 1.0
    assert OnePair(3, 0, 3).p(1.0) == 1.0
    assert OnePair(0, 3, 3).p(-1.0) == 1.0


def test_a_difference_whose_zero_another_test_decides() -> None:
    mean = BoundedMean([0.5] * 12 + [-0.5] * 2, [1.0] * 14)
    plain, tested = Difference(mean, 14, None), Difference(mean, 14, None, at_zero=0.2)
    assert plain.limits() == mean.limits()
    assert plain.p(0.1) == mean.p(0.1)
    assert (plain.p_zero, tested.p_zero, tested.p()) == (mean.p(0.0), 0.2, 0.2)
    assert tested.limits(0.05) == (min(0.0, mean.limits(0.05)[0]), mean.limits(0.05)[1])
    assert tested.limits(0.3) == (max(BESIDE_ZERO, mean.limits(0.3)[0]), mean.limits(0.3)[1])
    assert tested.p(0.01) == max(mean.p(0.01), 0.2)
    assert tested.p(-0.01) == min(mean.p(-0.01), 0.2)
    assert tested.p(0.6) == mean.p(0.6)
    assert (plain.p(1.0), plain.p(-1.0), plain.p(1.5)) == (0.0, 0.0, 0.0)
    one = Difference(BoundedMean([1.0], [1.0]), 1, None, enough=False)
    assert (one.limits(), one.p(0.5), one.p_zero) == ((None, None), None, BoundedMean([1.0], [1.0]).p(0.0))
    untold = Difference(mean, 14, None, enough=False, told=False)
    assert (untold.limits(), untold.p_zero, untold.p(0.2)) == ((None, None), None, None)
