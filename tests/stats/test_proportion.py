"""Accuracy over repeats: never an interval of no width, never a bootstrap where a score interval is due."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.stats.clusters import value_rows
from moot.stats.proportion import FEW_TERMS, accuracy, exact_sum, mean_over_questions, share, share_of, wilson
from moot.types import Estimate


@pytest.mark.parametrize("right", [0, 3, 20])
def test_one_value_a_question_is_wilsons(right: int) -> None:
    assert accuracy([[1.0]] * right + [[0.0]] * (20 - right)) == wilson(right, 20)


@pytest.mark.parametrize(("right", "n"), [(0, 20), (3, 20), (20, 20), (120, 200), (1, 2)])
def test_repeats_that_never_differ_are_worth_as_much_as_one(right: int, n: int) -> None:
    """Whether repeats agree is a result, and no interval is chosen by its result: it is one formula, and here Wilson's."""
    found, score = accuracy([[1.0] * 3] * right + [[0.0] * 3] * (n - right)), wilson(right, n)
    assert (found.value, found.n) == (score.value, score.n)
    assert (found.low, found.high) == pytest.approx((score.low, score.high))


def test_repeats_that_differ_are_worth_more_but_never_less_than_one() -> None:
    widths = []
    for half in (0, 10, 40, 80):  # so many questions of a hundred are right in one of two repeats
        found = accuracy([[1.0, 0.0]] * half + [[1.0, 1.0]] * ((100 - half) // 2) + [[0.0, 0.0]] * ((100 - half) // 2))
        assert found.low is not None
        assert found.high is not None
        widths.append(found.high - found.low)
    assert widths == sorted(widths, reverse=True)
    one, two = wilson(50, 100), wilson(100, 200)
    assert widths[0] == pytest.approx((one.high or 0) - (one.low or 0))
    # Two repeats that have nothing in common make two hundred questions of a hundred, but for what t costs.
    apart = accuracy([[1.0, 0.0]] * 50 + [[1.0, 1.0]] * 25 + [[0.0, 0.0]] * 25)
    assert (apart.high or 0) - (apart.low or 0) == pytest.approx((two.high or 0) - (two.low or 0), rel=0.03)


@pytest.mark.parametrize(
    ("n", "repeats", "share", "least"), [(30, 3, 0.3, 0.93), (30, 10, 0.1, 0.94), (200, 3, 0.5, 0.93)]
)
def test_it_holds_the_truth_over_repeats(n: int, repeats: int, share: float, least: float) -> None:
    """Questions hang together by what they are like; full size in bench/coverage.py."""
    generator = np.random.default_rng(5)
    held = naive = 0
    for _ in range(1_500):
        means = generator.binomial(repeats, generator.beta(share, 1 - share, size=n)) / repeats
        found = mean_over_questions(means.tolist())
        assert found.low is not None
        assert found.high is not None
        held += found.low <= share <= found.high
        plays = wilson(float(means.sum()) * repeats, n * repeats)
        naive += (plays.low or 0) <= share <= (plays.high or 0)
    assert least <= held / 1_500 <= 0.98
    assert naive < held, "plays are no questions"


def test_equal_means_have_an_interval_all_the_same() -> None:
    found = mean_over_questions([0.5] * 20)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.5 < found.high


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=1, max_size=4), min_size=2, max_size=40))
def test_the_interval_holds_the_value_and_stays_within_bounds(scores: list[list[float]]) -> None:
    found = accuracy(scores)
    assert math.isclose(found.value, sum(sum(each) / len(each) for each in scores) / len(scores))
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value + 1e-9
    assert found.value - 1e-9 <= found.high <= 1
    assert found.low < found.high


@pytest.mark.parametrize(
    ("units", "several", "whole", "beside"),
    [(30, 10, 0.04, 0.0105), (30, 10, 0.025, 0.025), (100, 3, 0.01, 0.01), (30, 10, 0.3, 0.3)],
)
def test_a_rare_share_in_clusters_or_over_repeats_holds_the_truth(
    units: int, several: int, whole: float, beside: float
) -> None:
    """Some units are right as a whole, most hardly ever: few that happen to be alike do not tell of those not drawn."""
    generator = np.random.default_rng(5)
    truth, worlds = whole + (1 - whole) * beside, 400
    clusters = repeats = 0
    for _ in range(worlds):
        right = generator.binomial(several, np.where(generator.random(units) < whole, 1.0, beside))
        for_clusters = share_of([(float(top), float(several)) for top in right])
        for_repeats = mean_over_questions((right / several).tolist())
        assert for_clusters is not None
        clusters += for_clusters.low <= truth <= for_clusters.high
        repeats += for_repeats.low <= truth <= for_repeats.high
    assert min(clusters, repeats) / worlds > 0.95 - 3 * math.sqrt(0.05 * 0.95 / worlds)


@given(st.lists(st.sampled_from([0.0, 1.0, 1 / 3, 0.1, 0.7]), min_size=1, max_size=80))
def test_few_different_values_give_the_figure_of_all_of_them(values: list[float]) -> None:
    """Counted, and reckoned with once each: to the last bit what all of them give one by one."""
    figure = share(value_rows(values))
    assert figure is not None
    mean = math.fsum(values) / len(values)
    assert mean_over_questions(values) == Estimate(mean, *figure.limits(), len(values))


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.integers(0, FEW_TERMS // 4)), max_size=8))
def test_sums_of_few_and_of_many_are_rounded_once(terms: list[tuple[float, int]]) -> None:
    """However they are added up: a sum does not change with a term of nothing that makes it a long one."""
    values, times = [value for value, _ in terms], [often for _, often in terms]
    assert exact_sum(values, times) == exact_sum([*values, 0.0], [*times, FEW_TERMS + 1])
