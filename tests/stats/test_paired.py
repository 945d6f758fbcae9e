"""The interval of a paired difference is the score interval, whatever the two have in common."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from moot.stats.paired import cluster_bootstrap, compare
from moot.stats.quantiles import ALPHA, Z_95

TABLES = {
    # both right, only the first, only the second, both wrong
    "they-go-together": (20, 12, 2, 16),
    "they-go-together-and-are-nearly-alike": (40, 9, 1, 50),
    "they-have-nothing-in-common": (9, 21, 9, 21),
    "one-is-right-where-the-other-is-wrong": (2, 30, 12, 6),
    "the-second-is-better": (20, 3, 14, 13),
}


def pairs(both: int, first: int, second: int, neither: int) -> list[tuple[int, int]]:
    return [(1, 1)] * both + [(1, 0)] * first + [(0, 1)] * second + [(0, 0)] * neither


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_at_its_ends_the_score_is_that_of_the_level(table: tuple[int, int, int, int]) -> None:
    """The shares that are likeliest at that difference are searched for by brute force, not solved for."""
    both, better, worse, neither = table
    n = sum(table)
    estimate = compare(pairs(*table)).difference
    assert estimate is not None
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.value == pytest.approx((better - worse) / n)
    for end, sign in ((estimate.low, 1), (estimate.high, -1)):
        second = np.linspace(max(0.0, -end), (1 - end) / 2, 100_001)[1:-1]
        likely = (
            better * np.log(second + end) + worse * np.log(second) + (both + neither) * np.log(1 - end - 2 * second)
        )
        best = float(second[np.argmax(likely)])
        score = (better - worse - n * end) / math.sqrt(n * (2 * best + end * (1 - end)))
        assert score == pytest.approx(sign * Z_95, abs=5e-3)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_only_the_questions_that_differ_and_their_number_count(table: tuple[int, int, int, int]) -> None:
    """A correction that knew how the two hang together would tell these apart."""
    both, better, worse, neither = table
    moved = compare(pairs(0, better, worse, both + neither)).row()
    assert compare(pairs(*table)).row() == pytest.approx(moved)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_the_other_way_round_it_is_mirrored(table: tuple[int, int, int, int]) -> None:
    both, better, worse, neither = table
    there, back = compare(pairs(*table)).row(), compare(pairs(both, worse, better, neither)).row()
    assert (there["low"], there["high"], there["p"]) == pytest.approx((-back["high"], -back["low"], back["p"]))


def test_the_mean_of_very_many_different_amounts_has_students_interval() -> None:
    """Above so many kinds nothing is resampled."""
    amounts = np.random.default_rng(3).exponential(2.0, size=2_100)
    estimate = cluster_bootstrap([(amount, 1.0) for amount in amounts.tolist()])
    assert estimate is not None
    half = stats.t.ppf(1 - ALPHA / 2, len(amounts) - 1) * amounts.std(ddof=1) / math.sqrt(len(amounts))
    assert (estimate.low, estimate.high) == pytest.approx((amounts.mean() - half, amounts.mean() + half))


def test_so_has_a_ratio_of_very_many_amounts() -> None:
    """Money by calls, of which a question may have several: linearised, as textbooks of sampling have it."""
    generator = np.random.default_rng(4)
    calls = generator.integers(1, 5, size=2_100)
    amounts = calls * generator.exponential(2.0, size=2_100)
    estimate = cluster_bootstrap(list(zip(amounts.tolist(), calls.tolist(), strict=True)))
    assert estimate is not None
    ratio = amounts.sum() / calls.sum()
    error = (amounts - ratio * calls).std(ddof=1) / calls.mean() / math.sqrt(len(calls))
    half = stats.t.ppf(1 - ALPHA / 2, len(calls) - 1) * error
    assert (estimate.low, estimate.high) == pytest.approx((ratio - half, ratio + half))
