"""Which order statistic an end is, and the p that belongs to it; money over questions, as textbooks have it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from moot.stats import bootstrap
from moot.stats.bootstrap import _parts, percentile_interval, percentile_p, resampled_sums, seed_of
from moot.stats.clusters import clustered
from moot.stats.paired import cluster_bootstrap, mean_of
from moot.types import Estimate, digest


@pytest.mark.parametrize(("n", "alpha"), [(2, 0.9), (12, 0.05), (30, 0.2), (500, 0.05)])
def test_ends_are_order_statistics_moved_outwards(n: int, alpha: float) -> None:
    """As far as Student's t and a variance by n - 1 ask for; the same half is counted at both ends."""
    drawn = np.random.default_rng(2).permutation(np.arange(1_000.0))
    tail = stats.norm.sf(math.sqrt(n / (n - 1)) * stats.t.isf(alpha / 2, n - 1))
    place = max(0, math.floor(1_000 * tail - 0.5))
    assert percentile_interval(drawn, n, alpha) == (place, 999 - place)


def test_below_the_first_there_is_none() -> None:
    assert percentile_interval(np.arange(10.0), 5, 1e-4) == (0.0, 9.0)
    assert percentile_interval(np.arange(10.0), 1) is None
    assert percentile_interval(np.array([1.0, np.nan, np.nan]), 5) is None
    assert percentile_interval(np.array([1.0, np.nan]), 5) == (1.0, 1.0), "half of them exist"


def test_the_p_of_a_threshold_counts_what_lies_at_it_or_behind() -> None:
    """100 of a thousand lie at or below 99: 100.5 of them, read on the scale of Student's t."""
    drawn, n = np.arange(1_000.0), 20
    z = stats.norm.isf(100.5 / 1_000)
    expected = 2 * stats.t.sf(z * math.sqrt((n - 1) / n), n - 1)
    assert percentile_p(drawn, n, 99.0) == pytest.approx(expected)
    assert percentile_p(drawn, n, 99.5) == pytest.approx(expected)
    assert percentile_p(drawn, n, 900.0) == pytest.approx(expected)
    assert percentile_p(drawn, n, 499.5) == 1.0
    far = 2 * stats.t.sf(stats.norm.isf(0.5 / 1_000) * math.sqrt((n - 1) / n), n - 1)
    assert percentile_p(drawn, n, 5_000.0) == percentile_p(drawn, n, -1.0) == pytest.approx(far)


def test_resamples_are_drawn_in_parts_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "_CELLS", 100)
    assert [*_parts(7, 40)] == [slice(0, 2), slice(2, 4), slice(4, 6), slice(6, 7)]
    assert [*_parts(2, 1_000)] == [slice(0, 1), slice(1, 2)]
    values = np.random.default_rng(1).random((40, 2))
    sums = resampled_sums(np.column_stack([values, np.ones(40)]), resamples=7)
    assert sums.shape == (7, 3)
    assert (sums[:, 2] == 40).all()


def test_a_seed_is_a_digest_of_what_it_is_for() -> None:
    assert seed_of(3, "ratings", 7) == int(digest([3, "ratings", "7"]), 16)


@pytest.mark.parametrize("decimal", [0.0, 0.1])
def test_many_different_questions_are_drawn_one_by_one(decimal: float) -> None:
    """Also whole numbers beyond one, which single precision might round."""
    values = np.column_stack([np.arange(30.0) * 1_000_003 + decimal, np.ones(30)])
    sums = resampled_sums(values, resamples=400)
    assert sums[:, 0].mean() / values[:, 0].sum() == pytest.approx(1.0, abs=0.03)
    left = (sums[:, 0] - 30 * decimal) / 1_000_003
    assert np.abs(left - np.rint(left)).max() < 1e-6


def test_money_has_no_interval_where_questions_do_not_differ() -> None:
    assert cluster_bootstrap([]) is None
    assert cluster_bootstrap([(1.0, 0.0)]) is None
    assert cluster_bootstrap([(0.5, 1.0)]) == Estimate(0.5, None, None, 1)
    assert cluster_bootstrap([(0.5, 1.0), (1.0, 2.0), (0.0, 0.0)]) == Estimate(0.5, None, None, 3)
    assert cluster_bootstrap([(0.5, 1.0), (0.0, 0.0)]) == Estimate(0.5, None, None, 2)
    assert mean_of([]) is None


def test_money_over_questions_and_over_what_hangs_together() -> None:
    amounts = {f"q{n}": float(n % 7) for n in range(70)}
    found = mean_of(amounts)
    assert found is not None
    assert found.low is not None
    half = stats.t.isf(0.025, 69) * np.std([*amounts.values()], ddof=1) / math.sqrt(70)
    assert (found.value, found.n, found.clusters) == (3.0, 70, None)
    assert (found.low, found.high) == pytest.approx((3 - half, 3 + half), abs=0.06)
    sums = resampled_sums(np.array([(each, 1.0) for each in sorted(amounts.values())]), resamples=2_000)
    assert (found.low, found.high) == percentile_interval(sums[:, 0] / sums[:, 1], 70)
    with clustered({question: question[:2] for question in amounts}):
        together = mean_of(amounts)
    assert together is not None
    assert (together.n, together.clusters) == (70, 10)
    narrow = cluster_bootstrap([(value, 1.0) for value in amounts.values()], alpha=0.5)
    assert narrow is not None
    assert narrow.low is not None
    assert found.low < narrow.low
