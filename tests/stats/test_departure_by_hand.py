"""Deals of few values, of which every one can be counted, and what is paid for looking at several figures and parts."""

from __future__ import annotations

from math import comb

import pytest

from moot.stats.departure import ENOUGH, MOST_DEALS, PaidLevels, Ranged, _share_as_low, departure_p, paid_levels


def known(*values: float) -> list[Ranged]:
    return [Ranged(value, value) for value in values]


def test_half_of_a_level_is_for_the_whole_and_half_for_all_parts() -> None:
    assert paid_levels(1, 1) == paid_levels(0, 1) == PaidLevels(0.05, 0.05)
    assert paid_levels(4, 0) == PaidLevels(0.0125, 0.0125)
    assert paid_levels(1, 2) == PaidLevels(0.025, 0.0125)
    assert paid_levels(5, 7) == PaidLevels(pytest.approx(0.005), pytest.approx(0.005 / 7))


@pytest.mark.parametrize("turned", [1.0, -1.0])
def test_the_share_of_deals_that_lie_as_low(turned: float) -> None:
    """Of ten values the two lowest are the newer ones: one deal of forty-five."""
    measured, newer = [turned * place for place in range(2, 10)], [0.0, turned * 1.0]
    p = departure_p(known(*measured), known(*newer), 0.0005)
    assert p == pytest.approx(2 / comb(10, 2), rel=0.5)
    assert departure_p(known(*newer), known(*measured), 0.0005) == pytest.approx(2 / comb(10, 2), rel=0.5)


def test_where_none_lies_as_low_it_is_one_of_those_made_and_the_one_that_was_seen() -> None:
    """Forty noughts after forty ones."""
    assert _share_as_low([1.0] * 40, [0.0] * 40, 800, 0) == pytest.approx(1 / 801)
    assert departure_p(known(*[1.0] * 40), known(*[0.0] * 40), 0.05) == pytest.approx(2 / 801)
    assert departure_p(known(*[1.0] * 40), known(*[0.0] * 40), 1e-9) == pytest.approx(2 / (MOST_DEALS + 1))


def test_as_soon_as_enough_lie_as_low_no_more_deals_are_made() -> None:
    """All values are one: each deal does, and the twentieth is the last."""
    assert _share_as_low([0.5] * 9, [0.5] * 9, 40_000, 0) == 1.0
    assert departure_p(known(*[0.5] * 9), known(*[0.5] * 9), 0.05) == 1.0
    share = _share_as_low([0.0, 1.0, 1.0], [0.0], 40_000, 0)
    deals = ENOUGH / share
    assert deals == pytest.approx(round(deals))
    assert 0.3 < share < 0.8


def test_values_that_differ_in_their_last_digits_are_one() -> None:
    assert _share_as_low([0.1 + 0.2, 0.3 - 1e-9], [0.3, 0.3 - 4e-8], 400, 0) == 1.0
    assert _share_as_low([0.3, 0.3, 0.3, 0.3, 0.3], [0.3 - 2e-6], 4_000, 0) == pytest.approx(1 / 6, rel=0.6)


def test_what_is_between_two_ends_is_as_near_as_it_may_be() -> None:
    measured, low = known(*[1.0] * 30), [Ranged(0.0, 0.5)] * 30
    assert (departure_p(measured, low, 0.05) or 1) < 0.01
    assert departure_p(measured, [Ranged(0.0, 1.0)] * 30, 0.05) == 1.0
    assert departure_p(low, measured, 0.05) == departure_p(measured, low, 0.05)
    assert departure_p([Ranged(0.5, 1.0)] * 30, known(*[0.5] * 30), 0.05) == 1.0
    assert departure_p(measured, [], 0.05) is departure_p([], measured, 0.05) is None


def test_p_is_at_the_most_one_and_goes_by_the_seed() -> None:
    one, other = known(0.0, 1.0, 1.0, 0.0, 1.0, 0.0), known(1.0, 0.0, 1.0)
    assert departure_p(one, other, 0.05) == 1.0
    few = known(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    drawn = {departure_p(known(*[1.0, 0.0] * 9), few, 0.05, seed=seed) for seed in range(4)}
    assert len(drawn) > 1
