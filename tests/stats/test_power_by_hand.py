"""What is planned, step by step: the critical numbers of an exact test, and clusters of unequal size."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from moot.errors import UsageError
from moot.stats.bounded_power import PlannedUnits, _about, chances_at_most_zero, drawn_power, needed_units
from moot.stats.power import Design, _critical, _Test, checked_level, detectable, needed, power
from moot.stats.power import _about as about_questions


def critical(pairs: int, tail: float) -> int:
    """The most for the worse side that are still significant."""
    return int((stats.binom.cdf(np.arange(pairs + 1), pairs, 0.5) <= tail).sum()) - 1


@pytest.mark.parametrize(("first", "last"), [(0, 40), (100, 260), (127, 129)])
@pytest.mark.parametrize("tail", [0.025, 0.0005])
def test_the_most_that_is_still_significant(first: int, last: int, tail: float) -> None:
    pairs = np.arange(first, last + 1, dtype=float)
    assert _critical(pairs, tail).tolist() == [critical(n, tail) for n in range(first, last + 1)]


def test_all_numbers_of_pairs_that_are_likely_are_added_up() -> None:
    """Of 200 questions, of which a fifth differ: 40, within six standard deviations."""
    test = _Test.of(200, 0.2, 0.05)
    assert test.likely == pytest.approx(stats.binom.pmf(test.pairs, 200, 0.2), abs=1e-12)
    assert test.likely.sum() == pytest.approx(1.0, abs=1e-7)
    assert (test.pairs[0], test.pairs[-1]) == (5, 75)
    few = _Test.of(3, 1.0, 0.05)
    assert (few.pairs.tolist(), few.likely.tolist()) == ([2.0, 3.0], pytest.approx([0.0, 1.0]))


@pytest.mark.parametrize("gain", [0.15, -0.15])
def test_power_is_that_of_both_tails(gain: float) -> None:
    n, discordance, level = 60, 0.4, 0.05 / 3
    better = (discordance + 0.15) / (2 * discordance)
    total = 0.0
    for pairs in range(n + 1):
        most = critical(pairs, level / 2)
        tails = stats.binom.cdf(most, pairs, better) + stats.binom.cdf(most, pairs, 1 - better)
        total += stats.binom.pmf(pairs, n, discordance) * (min(1.0, tails) if most >= 0 else 0.0)
    assert power(n, gain, discordance, comparisons=3) == pytest.approx(total, abs=1e-7)


def test_the_fewest_from_which_on_the_power_stays() -> None:
    """One question fewer, and it is not there, or is taken away again by one of the next three steps of five."""
    found = needed(0.4, 0.15, 0.2)
    assert found is not None
    assert all(power(found + 5 * step, 0.15, 0.2) >= 0.8 for step in range(4))
    assert any(power(found - 1 + 5 * step, 0.15, 0.2) < 0.8 for step in range(4))
    assert needed(0.4, 0.15, 0.2, comparisons=4) == needed(0.4, 0.15, 0.2, alpha=0.0125)
    assert (needed(0.4, 0.15, 0.2, power=0.9) or 0) > found


def test_where_the_search_starts_is_the_normal_approximation() -> None:
    sides = stats.norm.isf(0.025) * math.sqrt(0.2) + stats.norm.isf(0.2) * math.sqrt(0.2 - 0.05**2)
    assert about_questions(Design(0.4, -0.05, 0.2), 0.8, 0.05) == int((sides / 0.05) ** 2)
    assert about_questions(Design(0.0, 1.0, 1.0), 0.8, 0.05) == 4
    assert about_questions(Design(0.4, 1e-6, 0.2), 0.8, 0.05) == 2_000_000


def test_what_so_many_questions_show() -> None:
    least = detectable(80, 0.25)
    assert least is not None
    assert power(80, least, 0.25) >= 0.8 > power(80, least - 1e-5, 0.25)
    assert detectable(2, 1.0, wanted=0.001) is None
    assert detectable(6, 1.0) is not None
    assert (detectable(80, 0.25, comparisons=5) or 0) > least


@pytest.mark.parametrize(
    ("wanted", "alpha", "comparisons"), [(0.0, 0.05, 1), (1.0, 0.05, 1), (0.8, 0.0, 1), (0.8, 1.0, 1)]
)
def test_levels_that_are_none(wanted: float, alpha: float, comparisons: int) -> None:
    with pytest.raises(UsageError, match="power and alpha"):
        checked_level(wanted, alpha, comparisons)
    assert checked_level(0.8, 0.05, 4) == 0.0125
    with pytest.raises(UsageError, match="comparisons: expected 1 or more, found 0"):
        checked_level(0.8, 0.05, 0)


def test_words_of_a_design_that_cannot_be() -> None:
    with pytest.raises(UsageError) as found:
        Design(0.9, 0.05, 0.2)
    assert str(found.value) == (
        "discordance: expected at most 0.15, found 0.2: with accuracies 0.9 and 0.95 no more questions can differ"
    )
    assert Design(0.9, 0.05, 0.2, scores=True).discordance == 0.2
    assert Design(0.9, 0.05, 0.15).discordance == 0.15
    with pytest.raises(UsageError, match=r"^gain: 0.9 and \+0.2 make 1.1, which is no accuracy$"):
        Design(0.9, 0.2, 0.2)
    with pytest.raises(UsageError, match=r"0.3 or more, found 0.2: a gain of 0.3 needs at least 0.3 of the questions"):
        Design(0.9, -0.3, 0.2)


def test_where_few_differ_these_are_the_largest_clusters() -> None:
    units = PlannedUnits((1, 2, 6, 6, 9))
    assert (units.mean_size, units.exact) == (4.8, False)
    assert units.differing(0.2) == {9: pytest.approx(0.2 * 4.8 / 9)}
    assert units.differing(0.5) == {9: pytest.approx(0.2), 6: pytest.approx((0.5 * 4.8 - 0.2 * 9) / 6)}
    assert units.differing(1.0) == pytest.approx({9: 0.2, 6: 0.4, 2: 0.2, 1: 0.2})
    assert [PlannedUnits(sizes, apart).exact for sizes, apart in (((5, 5), 1.0), ((5, 4), 1.0), ((5,), 0.5))] == [
        True,
        False,
        False,
    ]
    for wrong in ({"sizes": ()}, {"sizes": (3, 0)}, {"apart": 0.0}, {"apart": 1.5}):
        with pytest.raises(UsageError, match="expected"):
            PlannedUnits(**wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="expected 1 or more, found 0"):
        PlannedUnits(())


def test_where_the_search_for_units_starts() -> None:
    units = PlannedUnits((1, 3), 0.5)
    square = 0.25 * sum(share * size**2 for size, share in units.differing(0.6).items()) / 4
    reach = stats.norm.isf(0.025) + stats.norm.isf(0.2)
    assert _about(0.1, 0.6, units, 0.8, 0.05) == int(square * (reach / 0.1) ** 2 + 3 / 2 / 0.1)
    assert _about(1e-6, 0.6, units, 0.8, 0.05) == 2_000_000
    assert _about(1.0, 1.0, PlannedUnits(), 0.8, 0.05) >= 4


def test_chances_of_runs_are_those_of_an_exponential_sum() -> None:
    """By Lugannani and Rice: of ten gains and one loss of the same size a loss outweighs them once in 2^10."""
    weights = np.array([1.0, -1.0])
    found = chances_at_most_zero(weights, np.array([[10.0, 1.0], [20.0, 1.0], [1.0, 1.0], [1.0, 5.0]]))
    assert found[:2] == pytest.approx([2.0**-10, 2.0**-20], rel=0.05)
    assert found[2:].tolist() == [1.0, 1.0]
    gamma = chances_at_most_zero(np.array([1.0, -1.0]), np.array([[30.0, 20.0]]))[0]
    assert gamma == pytest.approx(stats.beta.cdf(0.5, 30, 20), rel=0.01)


def test_runs_that_are_drawn_find_what_the_exact_test_finds() -> None:
    """Of single questions there is one test more: so many that differ, and one that was not seen."""
    found = drawn_power(60, 0.2, 0.4, PlannedUnits())
    assert found == pytest.approx(power(60, 0.2, 0.4), abs=0.04)
    assert drawn_power(60, 0.2, 0.4, PlannedUnits(), 0.005) < found - 0.2
    assert drawn_power(60, 0.05, 0.4, PlannedUnits((2, 4), 0.5)) < 0.3


def test_the_number_of_units_is_found_to_one_in_two_hundred() -> None:
    design, units = Design(0.4, 0.2, 0.4), PlannedUnits((1, 3))
    found = needed_units(design, units)
    assert found is not None
    assert drawn_power(found, 0.2, 0.4, units) >= 0.8 > drawn_power(found - 2, 0.2, 0.4, units)
    assert needed_units(Design(0.4, -0.2, 0.4), units) == found
    assert needed_units(Design(0.4, 0.2, 0.4), PlannedUnits((7, 7))) == needed(0.4, 0.2, 0.4)
    with pytest.raises(
        UsageError, match=r"expected 0.5 or more, found 0.4: a gain of 0.2 by differences of at most 0.4"
    ):
        needed_units(Design(0.4, 0.2, 0.4), PlannedUnits(apart=0.4))
