"""Whether newer values have left what was measured: how often it is said where nothing has changed, and where something has."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations

import pytest

from moot.stats.departure import Ranged, departure_p, paid_levels


def known(values: Sequence[float]) -> list[Ranged]:
    return [Ranged(value, value) for value in values]


def found(measured: Sequence[Ranged], days: Sequence[Sequence[Ranged]]) -> bool:
    """Whether a week is told to have changed: as a whole, or on one of its days."""
    levels = paid_levels(1, len(days))
    week = [value for day in days for value in day]
    tests = [(week, levels.whole), *((day, levels.part) for day in days)]
    return any((departure_p(measured, values, level) or 0.0) <= level for values, level in tests)


def shares(rng: random.Random, many: int, agreeing: float) -> list[Ranged]:
    """Of three players the first says the answer; each of the others does with this chance."""
    return known([(1 + sum(rng.random() < agreeing for _ in range(2))) / 3 for _ in range(many)])


@pytest.mark.parametrize(("measured", "a_day", "agreeing"), [(60, 30, 0.75), (40, 4, 0.95), (300, 12, 0.5)])
def test_a_week_without_change_is_called_one_seldom(measured: int, a_day: int, agreeing: float) -> None:
    rng = random.Random(5)
    weeks, false = 100, 0
    for _ in range(weeks):
        before = shares(rng, measured, agreeing)
        false += found(before, [shares(rng, rng.randint(1, 2 * a_day), agreeing) for _ in range(7)])
    # Of 100 weeks that each err with 5 %, more than 10 would in one of 100 tries.
    assert false <= 10


def test_a_change_is_found() -> None:
    rng = random.Random(6)
    weeks = [
        found(shares(rng, 120, 0.85), [shares(rng, 40, 0.85 if day < 4 else 0.6) for day in range(7)])
        for _ in range(30)
    ]
    assert sum(weeks) >= 27


@pytest.mark.parametrize("newer", [(1 / 3, 2 / 3, 1 / 3), (1.0, 1.0, 1.0), (1 / 3, 1 / 3, 1.0)])
def test_it_is_the_share_of_all_deals(newer: Sequence[float]) -> None:
    measured = [1.0, 1.0, 2 / 3, 1.0, 1 / 3, 1.0]
    deals = [sum(deal) for deal in combinations([*measured, *newer], 3)]
    as_low = sum(deal <= sum(newer) + 1e-9 for deal in deals) / len(deals)
    as_high = sum(deal >= sum(newer) - 1e-9 for deal in deals) / len(deals)
    p = departure_p(known(measured), known(newer), 0.0005)
    assert p == pytest.approx(min(1.0, 2 * min(as_low, as_high)), rel=0.5)


def test_what_was_not_heard_is_no_finding() -> None:
    """As far as it may be as before, it is as before."""
    before = known([1.0] * 80 + [2 / 3] * 20)
    assert departure_p(before, [Ranged(2 / 3, 1.0)] * 60, 0.01) == 1.0
    assert (departure_p(before, [Ranged(1 / 3, 2 / 3)] * 60, 0.01) or 1.0) < 0.001
    assert departure_p(before, [], 0.05) is None
