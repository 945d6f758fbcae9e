"""How many clusters, or scores, it takes: against the test that reports make, on runs that are drawn here."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from moot.errors import UsageError
from moot.stats.bounded_mean import BoundedMean
from moot.stats.bounded_power import PlannedUnits, chances_at_most_zero, drawn_power, needed_units
from moot.stats.power import Design, needed, power


def test_its_chance_is_that_of_the_test() -> None:
    generator = np.random.default_rng(1)
    sizes = np.array([1.0, 3.0, 9.0])
    weights = np.concatenate([sizes, -sizes, [-9.0]])
    drawn = np.column_stack([generator.poisson(mean, size=40) for mean in (6, 5, 3, 2, 2, 1)]).astype(float)
    times = np.column_stack([drawn, np.ones(40)])
    for row, chance in zip(times, chances_at_most_zero(weights, times), strict=True):
        seen = [weight for weight, often in zip(weights[:-1], row[:-1], strict=True) for _ in range(int(often))]
        # Some more that are the same on both sides, the largest among them, change nothing.
        exact = BoundedMean([*seen, 0.0], [*map(abs, seen), 9.0]).at_most(0.0)
        assert exact > 0.2 if chance == 1 else chance == pytest.approx(exact, rel=0.04)


def test_clusters_of_one_size_that_do_as_a_whole_are_worth_a_question_each() -> None:
    for gain, discordance in ((0.1, 0.2), (0.05, 0.2)):
        count = needed(0.4, gain, discordance)
        assert count is not None
        assert needed_units(Design(0.4, gain, discordance), PlannedUnits((5,))) == count
        assert drawn_power(count, gain, discordance, PlannedUnits((5,))) == pytest.approx(
            power(count, gain, discordance), abs=0.025
        )


LARGEST = [
    # Of clusters of each size, how many differ where all that differ (45 % of the questions) lie in the largest.
    (PlannedUnits((1, 2, 6, 9)), {9: 0.45 * 18 / 9}),
    (PlannedUnits((1, 2, 4, 5)), {5: 1.0, 4: (0.45 * 12 - 5) / 4}),
    (PlannedUnits(apart=0.4), {1: 0.45}),
    (PlannedUnits((2, 8), 0.5), {8: 0.45 * 10 / 8}),
]


def found_in(units: PlannedUnits, count: int, gain: float, discordance: float, differ: Mapping[int, float]) -> float:
    """The share of runs in which the report's test finds the gain; `differ`: of clusters of each size, how many do."""
    generator = np.random.default_rng(2)
    better, runs, found = (1 + gain / units.apart / discordance) / 2, 300, 0
    for _ in range(runs):
        sizes = generator.choice(units.sizes, size=count)
        moved = generator.random(count) < np.array([differ.get(int(size), 0.0) for size in sizes])
        sign = np.where(generator.random(count) < better, 1.0, -1.0) * moved
        found += BoundedMean((units.apart * sign * sizes).tolist(), sizes.tolist()).at_most(0.0) <= 0.025
    return found / runs


@pytest.mark.parametrize(("units", "largest"), LARGEST)
def test_the_promise_is_kept_by_the_test_of_the_report(units: PlannedUnits, largest: Mapping[int, float]) -> None:
    gain, discordance = 0.15, 0.45
    count = needed_units(Design(0.4, gain, discordance), units)
    assert count is not None
    assert 0.8 - 3 * 0.023 <= found_in(units, count, gain, discordance, largest) <= 0.8 + 3 * 0.023
    evenly = dict.fromkeys(units.sizes, discordance)
    assert found_in(units, count, gain, discordance, evenly) >= 0.8 - 3 * 0.023


def test_unequal_clusters_and_more_comparisons_take_more() -> None:
    design = Design(0.4, 0.1, 0.2)
    equal, unequal = (needed_units(design, PlannedUnits(sizes)) or 0 for sizes in ((5,), (1, 9)))
    assert unequal > 1.2 * equal
    assert (needed_units(design, PlannedUnits((1, 9)), comparisons=10) or 0) > 1.3 * unequal
    assert (needed_units(design, PlannedUnits((1, 9)), power=0.97) or 0) > 1.3 * unequal


def test_impossible_wishes() -> None:
    with pytest.raises(UsageError, match=r"expected 0\.5 or more"):
        needed_units(Design(0.4, 0.1, 0.2), PlannedUnits(apart=0.2))
    with pytest.raises(UsageError, match="cluster size"):
        PlannedUnits((0,))
    with pytest.raises(UsageError, match="apart"):
        PlannedUnits(apart=0.0)
    assert needed_units(Design(0.4, 0.0001, 0.5), PlannedUnits((1, 9))) is None
