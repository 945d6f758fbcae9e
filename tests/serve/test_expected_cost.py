"""What is held for a question: the dearest so far, and in proportion to its length with all that stands around it."""

from __future__ import annotations

import math

import pytest

from moot.serve.expected_cost import AROUND, ExpectedCosts

SHORT, LONG = 20, 4_000
USD = 0.05


@pytest.mark.parametrize("first", [SHORT, LONG])
def test_a_longer_question_is_dearer_by_what_is_asked_in_all_and_no_shorter_one_is_cheaper(first: int) -> None:
    """Most of a short prompt is not the question: one of a thousand words is no two hundred times as dear as one of five."""
    expected = ExpectedCosts()
    assert expected.usd("team", SHORT) == math.inf, "nothing is known before the first"
    expected.learn("team", first, USD)
    longer = USD * (AROUND + 2 * first) / (AROUND + first)
    assert expected.usd("team", 2 * first) == pytest.approx(longer)
    assert [expected.usd("team", characters) for characters in (0, first // 2, first)] == [USD] * 3
    assert expected.usd("another", SHORT) == math.inf


def test_the_dearest_counts_whatever_came_after_it() -> None:
    expected = ExpectedCosts()
    for characters, usd in ((SHORT, USD), (LONG, USD), (SHORT, USD / 5)):
        expected.learn("team", characters, usd)
    assert [expected.usd("team", characters) for characters in (0, SHORT)] == [USD] * 2
    assert expected.usd("team", LONG) == pytest.approx(USD * (AROUND + LONG) / (AROUND + SHORT))
    assert USD < expected.usd("team", LONG) < 3 * USD, "of 4,000 characters beside 20"
