"""The bootstrap: exact draws, the interval it gives, and that the order of questions changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from moot.stats.bootstrap import percentile_interval, percentile_p, resampled_sums
from moot.stats.quantiles import student_quantile


def test_a_resample_is_as_many_questions_as_there_are() -> None:
    values = np.column_stack([np.ones(50), np.arange(50.0)])
    sums = resampled_sums(values, resamples=300)
    assert (sums[:, 0] == 50).all()
    assert (sums[:, 1] == np.rint(sums[:, 1])).all()


@pytest.mark.parametrize("kinds", [2, 400])
def test_the_spread_is_that_of_a_mean(kinds: int) -> None:
    """Both ways of drawing, by kind of question and question by question."""
    generator = np.random.default_rng(0)
    values = generator.integers(0, kinds, size=(400, 1)).astype(float)
    means = resampled_sums(values, resamples=20_000)[:, 0] / 400
    assert means.mean() == pytest.approx(values.mean(), rel=0.01)
    assert means.std() == pytest.approx(values.std() / 20, rel=0.02)


def test_whole_numbers_are_exact_and_so_are_others() -> None:
    """0 and 1 go through single precision, thirds do not: both agree with sums in plain Python."""
    generator = np.random.default_rng(1)
    right = generator.integers(0, 2, size=(500, 12)).astype(float)
    counted = resampled_sums(right, resamples=200)
    assert (counted == np.rint(counted)).all()
    thirds = resampled_sums(right / 3, resamples=200)
    assert thirds == pytest.approx(counted / 3, abs=1e-9)


def test_columns_are_drawn_together() -> None:
    """A difference of two columns has the spread of the difference, not of two independent means."""
    generator = np.random.default_rng(2)
    first = generator.random((300, 1))
    both = np.column_stack([first, first + 0.1])
    sums = resampled_sums(both, resamples=500)
    assert sums[:, 1] - sums[:, 0] == pytest.approx(30.0)


def test_order_and_seed() -> None:
    generator = np.random.default_rng(3)
    values = generator.random((200, 2))
    shuffled = values[generator.permutation(200)]
    assert (resampled_sums(values, seed=5, resamples=50) == resampled_sums(shuffled, seed=5, resamples=50)).all()
    assert (resampled_sums(values, seed=5, resamples=50) != resampled_sums(values, seed=6, resamples=50)).any()


def test_the_interval_is_a_little_wider_than_plain_percentiles() -> None:
    from scipy import stats  # slow to import, and only two need it

    drawn = np.random.default_rng(4).normal(size=100_000)
    wide = percentile_interval(drawn, 30)
    assert wide is not None
    assert wide[1] == pytest.approx(np.sqrt(30 / 29) * stats.t.ppf(0.975, 29), rel=0.02)
    plain = percentile_interval(drawn, 1_000_000)
    assert plain is not None
    assert plain[1] == pytest.approx(1.96, rel=0.02)


@pytest.mark.parametrize("n", [2, 30, 1_000])
def test_interval_and_p_are_one_thing(n: int) -> None:
    """Shuffled whole numbers, so that each end stands for itself, and a share of them that do not exist."""
    drawn = np.random.default_rng(6).permutation(np.append(np.arange(2_000.0), np.full(1_500, np.nan)))
    for alpha in (0.3, 0.6, 0.9):
        interval = percentile_interval(drawn, n, alpha)
        assert interval is not None
        for end, outwards in zip(interval, (-1, 1), strict=True):
            at_the_end, behind = percentile_p(drawn, n, end), percentile_p(drawn, n, end + outwards)
            assert at_the_end is not None
            assert behind is not None
            assert behind < alpha <= at_the_end
            assert at_the_end == pytest.approx(alpha, abs=0.01)
    assert percentile_p(drawn, n, 999.5) == pytest.approx(1.0, abs=0.002)
    assert percentile_p(np.array([1.0, 2.0, 2.0, 3.0]), n, 2.0) == 1.0
    assert percentile_p(drawn, 1, 5.0) is percentile_p(np.array([1.0, np.nan, np.nan]), n, 1.0) is None
    assert percentile_p(np.array([1.0, np.nan]), n, 1.0) is not None, "half of them exist"


def test_infinite_ratios_leave_the_other_end_alone() -> None:
    drawn = np.concatenate([np.linspace(1, 2, 900), np.full(100, np.inf)])
    assert percentile_interval(drawn, 100) == (pytest.approx(1.02, abs=0.01), np.inf)
    assert percentile_interval(np.full(10, np.nan), 100) is None
    assert percentile_interval(np.ones(10), 1) is None


def test_students_t() -> None:
    from scipy import stats

    for df in (1, 5, 29, 199, 5_000):
        assert student_quantile(df) == pytest.approx(stats.t.ppf(0.975, df))
