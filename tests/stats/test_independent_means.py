"""Means over sets that weigh alike: how often their interval leaves the truth out, on each side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from moot.stats.completions import Between
from moot.stats.independent_means import mean_between, mean_of_independent, mean_of_independent_shares
from moot.stats.proportion import wilson
from moot.types import Estimate

WORLDS = 1_000
ALLOWED = 0.03 + 3 * math.sqrt(0.03 * 0.97 / WORLDS)


@pytest.mark.parametrize(
    ("shares", "sizes"),
    [
        ([0.95] * 10, [30] * 10),
        ([0.05] * 10, [30] * 10),
        ([0.95, 0.5], [5, 300]),
        ([0.98, 0.6], [30, 1000]),
        ([0.5, 0.9, 0.1], [30] * 3),
    ],
)
def test_neither_end_leaves_the_truth_out(shares: Sequence[float], sizes: Sequence[int]) -> None:
    """Distances alone left it out above in 11 % of the first, one summed variance below in 30 % of the third."""
    generator = np.random.default_rng(6)
    truth, below, above = sum(shares) / len(shares), 0, 0
    for right in generator.binomial(sizes, shares, (WORLDS, len(sizes))):
        found = mean_of_independent_shares([wilson(float(k), n) for k, n in zip(right, sizes, strict=True)])
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low <= found.value <= found.high <= 1
        below += truth < found.low
        above += truth > found.high
    assert max(below, above) / WORLDS <= ALLOWED


def test_equal_sets_are_as_good_as_one() -> None:
    """Of equal sets with equal shares the farther upper end is about that of all questions together."""
    found = mean_of_independent_shares([wilson(90, 100)] * 5)
    assert found.high == pytest.approx(wilson(450, 500).high, abs=1e-3)
    assert found.n == 5


@pytest.mark.parametrize("right", [0, 20])
def test_sets_without_spread_have_an_interval(right: int) -> None:
    found = mean_of_independent_shares([wilson(right, 20)] * 4)
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.low > 0.04
    assert mean_of_independent_shares([wilson(right, 20), Estimate(1.0, None, None, 1)]).low is None


def test_distances_of_sets_that_share_questions_are_added_as_they_are() -> None:
    """Two sets 0.3 and 0.1 off, as if always to the same side; a third of other questions by its square."""
    sets = [Estimate(0.5, 0.2, 0.8, 20), Estimate(0.5, 0.4, 0.6, 20), Estimate(0.5, 0.3, 0.7, 20)]
    apart, together = mean_of_independent(sets), mean_of_independent(sets, [0, 0, 2])
    assert (apart.low, apart.high) == pytest.approx((0.5 - math.sqrt(0.14) / 3, 0.5 + math.sqrt(0.14) / 3))
    assert (together.low, together.high) == pytest.approx((0.5 - math.sqrt(0.2) / 3, 0.5 + math.sqrt(0.2) / 3))


def test_a_set_is_worth_one_unit_less_than_it_has() -> None:
    """Ten sets of four questions: their variance is measured from three degrees each, so the mean is worth thirty."""
    found = mean_of_independent_shares([wilson(3, 4)] * 10)
    assert found.high == pytest.approx(wilson(22.5, 30).high)
    assert found.high > wilson(30, 40).high  # type: ignore[operator]


def test_the_units_of_a_set_are_its_clusters() -> None:
    one = wilson(3, 4)
    clustered = replace(one, n=400, clusters=4)
    assert mean_of_independent_shares([clustered] * 10).high == mean_of_independent_shares([one] * 10).high


@dataclass(frozen=True)
class Figure:
    value: float
    low: float | None
    high: float | None
    n: int = 10
    clusters: int | None = None

    def limits(self, alpha: float = 0.05) -> tuple[float | None, float | None]:
        return self.low, self.high

    def p(self, threshold: float) -> float | None:
        return None


def test_what_is_seen_lies_within_whatever_waits_turns_out_to_be() -> None:
    """Of few that are graded the mean may be beyond both ends of all of them; it is no figure outside of its interval."""
    low = Between(Figure(-0.5, -0.9, -0.1), Figure(-0.1, -0.2, 0.0), Figure(0.0, -0.1, 0.1))
    high = Between(Figure(0.5, 0.1, 0.9), Figure(0.0, -0.1, 0.1), Figure(0.1, 0.0, 0.2))
    below, above = (mean_between([figure], mean_of_independent) for figure in (low, high))
    assert (below.value, below.low, below.high) == pytest.approx((-0.5, -0.5, 0.1))
    assert (above.value, above.low, above.high) == pytest.approx((0.5, -0.1, 0.5))
    unknown = Between(Figure(0.0, None, None), Figure(0.0, -0.1, 0.1), Figure(0.0, -0.1, 0.1))
    assert mean_between([low, unknown], mean_of_independent).low is None


@pytest.mark.parametrize(("right", "n"), [(8, 10), (21, 30), (0, 20), (20, 20)])
def test_of_one_set_it_is_that_sets_own(right: int, n: int) -> None:
    own, mean = wilson(right, n), mean_of_independent_shares([wilson(right, n)])
    assert (mean.value, mean.low, mean.high) == pytest.approx((own.value, own.low, own.high))
