"""Differences of means whose gains and losses are of different size: what is promised holds for them too."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from moot.stats.bounded_mean import BoundedMean, chance_at_most_zero
from moot.stats.clusters import clustered
from moot.stats.paired import compare, difference, split_signs
from moot.stats.score import differences

CAPTAINS = 6


def _worlds(count: int, n: int, seed: int) -> list[list[float]]:
    """Of six captains one is repaired on 30 % of questions, all six are wrong at once on 5 %: no difference in the mean."""
    generator = np.random.default_rng(seed)
    return generator.choice([1 / CAPTAINS, -1.0, 0.0], p=[0.3, 0.05, 0.65], size=(count, n)).tolist()


@pytest.mark.parametrize("n", [30, 100])
def test_many_small_gains_beside_a_rare_great_loss_are_no_finding(n: int) -> None:
    worlds = _worlds(200, n, seed=n)
    found = [compare([(value, 0.0) for value in values], pooled=True) for values in worlds]
    better = sum(one.p is not None and one.p <= 0.05 and one.difference.value > 0 for one in found)
    assert better <= 200 * 0.025 + 3 * math.sqrt(200 * 0.025), "flips of signs: 19 % of those with 30 questions"
    held = sum(one.difference.low <= 0 <= one.difference.high for one in found)
    assert held >= 200 * 0.95 - 3 * math.sqrt(200 * 0.05)
    headline = sum(differences(values, pooled=True).above > 1.96 for values in worlds)
    assert headline == better, "the headline's test is the same one"


def test_a_difference_that_is_there_is_found() -> None:
    generator = np.random.default_rng(1)
    worlds = generator.choice([1.0, 1 / 3, -1 / 3, 0.0], p=[0.1, 0.3, 0.1, 0.5], size=(60, 100))
    assert sum(compare([(value, 0.0) for value in values], pooled=True).p <= 0.05 for values in worlds) >= 54


def test_whole_clusters_count_once() -> None:
    generator = np.random.default_rng(4)
    names = [f"{cluster}-{number}" for cluster in range(30) for number in range(1 + cluster % 4)]
    false = 0
    with clustered({name: name.split("-")[0] for name in names}):
        for _ in range(200):
            moves = generator.choice([1 / CAPTAINS, -1.0, 0.0], p=[0.3, 0.05, 0.65], size=30)
            pairs = {name: (float(moves[int(name.split("-")[0])]), 0.0) for name in names}
            found = compare(pairs)
            assert (found.test, found.difference.clusters) == ("score", 30)
            false += found.p <= 0.05
    assert false <= 200 * 0.05 + 3 * math.sqrt(200 * 0.05)


def test_few_large_clusters_may_lose_what_many_small_ones_win() -> None:
    """Two clusters of 20 that are each lost in 62 of 100 worlds, and 60 of two that always gain: no difference."""
    generator = np.random.default_rng(9)
    sizes, gain = [20.0, 20.0] + [2.0] * 60, 2 * 20 * 0.62 / 120
    false = 0
    for _ in range(200):
        lost = generator.random(2) < 0.62
        false += BoundedMean([*(-20.0 * lost), *([2 * gain] * 60)], sizes).at_most(0.0) <= 0.025
    assert false <= 200 * 0.025 + 3 * math.sqrt(200 * 0.025)


@pytest.mark.parametrize("threshold", [0.0, 0.04, -0.1, 0.3])
def test_p_and_interval_are_one_thing(threshold: float) -> None:
    for values in _worlds(10, 40, seed=7):
        figure = difference(split_signs(values))
        p = figure.p(threshold)
        if 1e-6 < p < 1:
            low, high = figure.limits(p)
            assert min(abs(low - threshold), abs(high - threshold)) < 1e-7
            low, high = figure.limits(p * 1.001)
            assert not low <= threshold <= high
            low, high = figure.limits(p * 0.999)
            assert low <= threshold <= high


def test_where_all_values_are_at_the_bounds_it_is_clopper_and_pearson() -> None:
    for right, n in ((3, 20), (17, 20), (0, 12), (50, 100)):
        bounded = BoundedMean([1.0] * right + [-1.0] * (n - right), [1.0] * n)
        exact = stats.binomtest(right, n).proportion_ci(0.95, method="exact")
        assert bounded.limits() == pytest.approx((2 * exact.low - 1, 2 * exact.high - 1), abs=1e-9)
        assert bounded.at_most(0.0) == pytest.approx(stats.binom.sf(right - 1, n, 0.5), rel=1e-9)


@pytest.mark.parametrize("n", [1, 2, 30, 400])
def test_equal_gains_have_a_chance_in_closed_form(n: int) -> None:
    """So many times a, and once b the other way: b by a + b, to the n."""
    for gain in (0.01, 0.3, 1.0):
        bounded = BoundedMean([gain] * n, [1.0] * n)
        assert bounded.at_most(0.0) == pytest.approx((1 / (1 + gain)) ** n, rel=1e-9)
        assert bounded.at_least(0.0) == 1.0
        assert bounded.p(0.0) == pytest.approx(min(1.0, 2 * (1 + gain) ** -n), rel=1e-9)


def test_chances_are_those_of_random_weights() -> None:
    generator = np.random.default_rng(2)
    for values in ([0.5, -0.25, 0.2, 0.1], [*generator.uniform(-0.4, 0.6, 25)], [1 / 6] * 12 + [-1.0] + [0.0] * 20):
        weights = np.append(np.array(values), -1.0)
        drawn = generator.exponential(size=(200_000, len(weights))) @ weights
        chance = chance_at_most_zero(weights, np.ones(len(weights)))
        assert chance == pytest.approx((drawn <= 0).mean(), abs=5 * math.sqrt(chance * (1 - chance) / 200_000))


def test_what_does_not_depend_on_order_sign_or_last_digits() -> None:
    values = [0.1 + 0.2, -0.5, 0.0, 0.25, 1 / 3]
    one = difference(split_signs(values))
    other = difference(split_signs([-value for value in reversed(values)]))
    assert one.limits() == pytest.approx(tuple(-end for end in reversed(other.limits())), abs=1e-12)
    assert one.p() == pytest.approx(other.p(), abs=1e-12)
    nearly = difference(split_signs([1e-17, -1e-17, 0.0]))
    assert nearly.p() == 1.0
    assert difference([]) is None
    assert difference(split_signs([0.5])).limits() == (None, None)


def test_limits_are_those_of_the_units_and_the_level_that_are_asked_for() -> None:
    """However much alike what was asked before: limits are kept by all that they hang on."""
    sums, sizes = [2.0, -1.0, 0.5, 0.0, 1.0, 1.0], [2.0] * 6
    asked = [
        (BoundedMean(sums, sizes), 0.05),
        (BoundedMean(sums, sizes), 0.01),
        (BoundedMean(sums, sizes, largest=4.0), 0.05),
        (BoundedMean([*sums, 1.0], [*sizes, 2.0]), 0.05),
        (BoundedMean([*sums, *sums], [*sizes, *sizes]), 0.05),
        (BoundedMean(sums, [*sizes[:-1], 1.5]), 0.05),
        (BoundedMean([-each for each in sums], sizes), 0.05),
    ]
    for _ in range(2):
        for mean, alpha in asked:
            low, high = mean.limits(alpha)
            assert (mean.at_most(low), mean.at_least(high)) == pytest.approx((alpha / 2, alpha / 2), rel=1e-9)


def test_few_kinds_of_units_and_many_that_are_hardly_apart_are_told_alike() -> None:
    for values in ([1.0, -1.0, 0.0, 0.25], [1.0, 1.0, 1.0, -0.5], [0.3, 0.2, 0.1, 0.0]):
        few = values * 8
        many = [max(-1.0, value * (1 - 1e-10 * place)) for place, value in enumerate(few)]
        for alpha in (0.05, 1e-6):
            found = [BoundedMean(each, [1.0] * len(each)).limits(alpha) for each in (few, many)]
            assert found[0] == pytest.approx(found[1], abs=1e-7)
        ps = [BoundedMean(each, [1.0] * len(each)).p(-0.6) for each in (few, many)]
        assert ps[0] == pytest.approx(ps[1], rel=1e-6)
