"""The interval of a paired difference is the score interval, whatever the two have in common."""

from __future__ import annotations

import math

import numpy as np
import pytest

from moot.stats.paired import compare
from moot.stats.quantiles import Z_95

TABLES = {
    # both right, only the first, only the second, both wrong
    "they-go-together": (20, 12, 2, 16),
    "they-go-together-and-are-nearly-alike": (40, 9, 1, 50),
    "they-have-nothing-in-common": (9, 21, 9, 21),
    "one-is-right-where-the-other-is-wrong": (2, 30, 12, 6),
    "the-second-is-better": (20, 3, 14, 13),
}


def pairs(both: int, first: int, second: int, neither: int) -> list[tuple[int, int]]:
    return [(1, 1)] * both + [(1, 0)] * first + [(0, 1)] * second + [(0, 0)] * neither


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_at_its_ends_the_score_is_that_of_the_level(table: tuple[int, int, int, int]) -> None:
    """The shares that are likeliest at that difference are searched for by brute force, not solved for."""
    both, better, worse, neither = table
    n = sum(table)
    estimate = compare(pairs(*table)).difference
    assert estimate is not None
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.value == pytest.approx((better - worse) / n)
    for end, sign in ((estimate.low, 1), (estimate.high, -1)):
        second = np.linspace(max(0.0, -end), (1 - end) / 2, 100_001)[1:-1]
        likely = (
            better * np.log(second + end) + worse * np.log(second) + (both + neither) * np.log(1 - end - 2 * second)
        )
        best = float(second[np.argmax(likely)])
        score = (better - worse - n * end) / math.sqrt(n * (2 * best + end * (1 - end)))
        assert score == pytest.approx(sign * Z_95, abs=5e-3)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_only_the_questions_that_differ_and_their_number_count(table: tuple[int, int, int, int]) -> None:
    """A correction that knew how the two hang together would tell these apart."""
    both, better, worse, neither = table
    moved = compare(pairs(0, better, worse, both + neither)).row()
    assert compare(pairs(*table)).row() == pytest.approx(moved)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_the_other_way_round_it_is_mirrored(table: tuple[int, int, int, int]) -> None:
    both, better, worse, neither = table
    there, back = compare(pairs(*table)).row(), compare(pairs(both, worse, better, neither)).row()
    assert (there["low"], there["high"], there["p"]) == pytest.approx((-back["high"], -back["low"], back["p"]))
