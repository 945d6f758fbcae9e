"""Counts of better and worse: the exact test at zero, Tango's interval elsewhere, and that the two agree."""

from __future__ import annotations

import math

import pytest
from scipy.stats import binomtest, norm

from moot.stats.score import BoundedSums, Counts, differences, tango
from moot.stats.tango import score, score_limit


def test_points_of_the_exact_test() -> None:
    counts = Counts(9, 2, 40)
    assert counts.mean == 7 / 40
    assert norm.sf(counts.above) == pytest.approx(binomtest(9, 11, alternative="greater").pvalue)
    assert norm.sf(counts.below) == pytest.approx(binomtest(2, 11, alternative="greater").pvalue)
    assert Counts(0, 5, 40).above == -math.inf
    assert Counts(0, 0, 40).below == -math.inf


def test_the_interval_leaves_out_zero_where_the_exact_test_does() -> None:
    for better in range(8):
        for worse in range(8):
            counts = Counts(better, worse, 30)
            for z in (1.96, 2.6):
                assert (counts.low(z) > 0) == (counts.above > z), (better, worse, z)
                assert (counts.high(z) < 0) == (counts.below > z), (better, worse, z)
                assert -1 <= counts.low(z) <= counts.mean <= counts.high(z) <= 1


def test_where_both_say_the_same_of_zero_it_is_tangos() -> None:
    """Six to five: neither the score nor the exact test comes near; of 9 to 2 the score is clear and so is read otherwise."""
    assert (Counts(6, 5, 40).low(1.96), Counts(6, 5, 40).high(1.96)) == tango(6, 5, 40, 1.96)
    nine = Counts(9, 2, 40)
    z = 1.96 * (7 / math.sqrt(11)) / nine.above
    assert nine.low(1.96) == pytest.approx(tango(9, 2, 40, z)[0])
    assert nine.high(1.96) == tango(9, 2, 40, 1.96)[1]
    mirrored = Counts(2, 9, 40)
    assert (mirrored.low(1.96), mirrored.high(1.96)) == pytest.approx((-nine.high(1.96), -nine.low(1.96)))


@pytest.mark.parametrize(("better", "worse", "n"), [(10, 2, 50), (0, 1, 44), (5, 5, 30), (12, 1, 100), (30, 10, 40)])
def test_at_its_ends_the_statistic_is_z(better: int, worse: int, n: int) -> None:
    """Tango's: the gap over its standard error, with the share of those that only the second has as likely as it can be."""
    for end, sign in zip(tango(better, worse, n, 1.96), (1, -1), strict=True):
        # The score equation of that share, times its denominators.
        linear = (2 * n - better + worse) * end - (better + worse)
        second = (-linear + math.sqrt(linear**2 + 8 * n * worse * end * (1 - end))) / (4 * n)
        error = math.sqrt((2 * second + end * (1 - end)) / n)
        assert ((better - worse) / n - end) / error == pytest.approx(sign * 1.96, rel=1e-9)
        assert score(better / n, worse / n, end) * math.sqrt(n) == pytest.approx(sign * 1.96, rel=1e-9)


def test_ends_that_are_known() -> None:
    z = 1.96
    assert tango(0, 0, 30, z) == pytest.approx((-(z**2) / (30 + z**2), z**2 / (30 + z**2)))
    assert tango(30, 0, 30, z) == (pytest.approx((30 - z**2) / (30 + z**2)), 1.0)
    assert tango(0, 30, 30, z)[0] == -1.0
    assert tango(7, 3, 50, z)[0] == pytest.approx(-tango(3, 7, 50, z)[1])
    assert (score(1.0, 0.0, 1.0), score(0.0, 0.0, 0.0)) == (0.0, 0.0)
    assert (score(0.5, 0.0, 1.0), score(0.5, 0.0, -1.0)) == (-math.inf, math.inf)
    assert score_limit(0.25, 0.25, 100.0, below=True) <= -0.999


def test_what_is_counted_and_what_is_summed() -> None:
    assert differences([1.0, 0.0, -1.0, 1.0]) == Counts(2, 1, 4)
    assert differences([1.0, -1.0], ["a", "b"]) == Counts(1, 1, 2)
    pooled = differences([1.0, 0.0, -1.0], pooled=True)
    assert isinstance(pooled, BoundedSums)
    assert (pooled.bounded.sums, pooled.bounded.sizes, pooled.n, pooled.mean) == ([1.0, 0.0, -1.0], [1.0] * 3, 3, 0.0)
    half = differences([0.5, 1.0])
    assert isinstance(half, BoundedSums)
    assert (half.n, half.mean) == (2, 0.75)
    summed = differences([1.0, -0.5, 0.0, 1.0, 1.0], ["a", "b", "a", "b", "a"])
    assert isinstance(summed, BoundedSums)
    assert (summed.bounded.sums, summed.bounded.sizes, summed.n) == ([2.0, 0.5], [3.0, 2.0], 5)
    assert norm.sf(summed.above) == pytest.approx(summed.bounded.at_most(0.0))
    assert norm.sf(summed.below) == pytest.approx(summed.bounded.at_least(0.0))
    assert (summed.low(1.96), summed.high(1.96)) == pytest.approx(summed.bounded.limits(2 * norm.sf(1.96)))
