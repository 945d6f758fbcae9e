"""What a rank correlation says, held against SciPy's distributions and the formula of the paper it is from."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence

import pytest
from scipy import stats

from moot.stats.clusters import clustered
from moot.stats.quantiles import Z_95
from moot.stats.rank import Correlation, of_rho, permuted_p, spearman_over_questions

RHOS = (-0.999, -0.6, -0.05, 0.0, 0.02, 0.3, 0.75, 0.9999)


@pytest.mark.parametrize("n", [3, 4, 5, 30, 439])
def test_p_is_students(n: int) -> None:
    for rho in RHOS:
        t = rho * math.sqrt((n - 2) / (1 - rho * rho))
        assert of_rho(rho, n).p == pytest.approx(2 * stats.t.sf(abs(t), n - 2), rel=1e-9), rho


@pytest.mark.parametrize("n", [5, 6, 30, 439])
def test_the_interval_is_fishers_with_the_variance_of_bonett_and_wright(n: int) -> None:
    for rho in RHOS:
        half = Z_95 * math.sqrt((1 + rho * rho / 2) / (n - 3))
        ends = math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half)
        estimate = of_rho(rho, n).estimate
        assert (estimate.value, estimate.n) == (rho, n)
        assert (estimate.low, estimate.high) == pytest.approx(ends)


def test_of_a_few_pairs_nothing_is_said_that_they_do_not_tell() -> None:
    assert (of_rho(0.5, 2).p, of_rho(0.5, 2).estimate.low) == (None, None)
    assert of_rho(0.5, 3).p is not None
    for n in (2, 3, 4):
        assert (of_rho(0.5, n).estimate.low, of_rho(0.5, n).estimate.high) == (None, None)
        assert "fewer than five" in (of_rho(0.5, n).why or "")
    assert of_rho(0.5, 5).estimate.low is not None
    assert of_rho(0.5, 5).why is None


@pytest.mark.parametrize("rho", [1.0, -1.0])
def test_a_perfect_order_has_neither_interval_nor_students_p(rho: float) -> None:
    """The interval would have no width and the p would be 0, of five pairs as of a thousand."""
    perfect = of_rho(rho, 10)
    assert (perfect.estimate.value, perfect.estimate.low, perfect.estimate.high, perfect.p) == (rho, None, None, None)
    assert "perfect" in (perfect.why or "")


def test_of_few_pairs_every_order_is_tried() -> None:
    """Two of the six orders of three go together as closely as this one: it, and the one turned round."""
    assert permuted_p([1, 2, 3], [10, 20, 30]) == pytest.approx(2 / 6)
    assert permuted_p(range(7), range(7)) == pytest.approx(2 / math.factorial(7))
    assert permuted_p([1, 2, 3, 4], [2, 1, 4, 3]) == pytest.approx(
        sum(abs(stats.spearmanr([1, 2, 3, 4], order).statistic) >= 0.6 - 1e-9 for order in orders(4)) / 24
    )


def orders(n: int) -> list[tuple[int, ...]]:
    return list(itertools.permutations(range(1, n + 1)))


def test_of_more_pairs_orders_are_drawn_and_the_p_is_never_nothing() -> None:
    assert permuted_p(range(8), range(8), resamples=200) == pytest.approx(1 / 201)
    rough = permuted_p([1, 2, 3, 4, 5, 6, 7, 8, 9], [2, 4, 1, 3, 6, 9, 5, 8, 7], seed=1, resamples=4_000)
    assert rough == pytest.approx(stats.spearmanr(range(9), [2, 4, 1, 3, 6, 9, 5, 8, 7]).pvalue, abs=0.02)
    assert rough == permuted_p([1, 2, 3, 4, 5, 6, 7, 8, 9], [2, 4, 1, 3, 6, 9, 5, 8, 7], seed=1, resamples=4_000)


def over_clusters(sizes: Sequence[int], draw: random.Random, *, rho: float = 0.0) -> Correlation | None:
    """Two things that all questions of a cluster share but for a little, and that go together so far between clusters."""
    pairs, clusters = {}, {}
    for name, size in enumerate(sizes):
        one = draw.gauss(0, 1)
        other = rho * one + math.sqrt(1 - rho * rho) * draw.gauss(0, 1)
        for number in range(size):
            pairs[f"{name}.{number}"] = (one + draw.gauss(0, 0.2), other + draw.gauss(0, 0.2))
            clusters[f"{name}.{number}"] = str(name)
    with clustered(clusters):
        return spearman_over_questions(pairs)


@pytest.mark.parametrize("sizes", [[2] * 25 + [30] * 5, [1] * 50 + [10] * 8])
def test_a_large_cluster_weighs_by_its_size_and_still_tells_no_more_than_one(sizes: list[int]) -> None:
    """Where nothing goes together a p of at most 5 % came in 16 to 25 of 100 worlds."""
    draw = random.Random("clusters of unequal size")
    found = [over_clusters(sizes, draw) for _ in range(150)]
    assert sum(one is not None and one.p is not None and one.p <= 0.05 for one in found) <= 11  # 1 in 100 by luck


def test_clusters_of_equal_size_are_worth_their_number() -> None:
    draw = random.Random("clusters of equal size")
    found = over_clusters([4] * 30, draw, rho=0.6)
    assert found is not None
    assert (found.independent, found.estimate.n) == (30, 120)
    assert found.estimate.low is not None
    assert found.estimate.low > 0


def test_one_cluster_that_is_half_of_all_leaves_no_interval() -> None:
    found = over_clusters([1] * 50 + [50], random.Random("half"), rho=0.6)
    assert found is not None
    assert (found.estimate.low, found.estimate.high) == (None, None)
    assert "51 clusters are worth 3 of equal size" in (found.why or "")
