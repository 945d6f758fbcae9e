"""Means over sets that weigh alike: how often their interval leaves the truth out, on each side."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from moot.stats.independent_means import mean_of_independent_shares
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
