"""Sums of money beside each other: whoever reads two wants to see which is more, and by how much."""

from __future__ import annotations

import pytest

from moot.measures.numbers import money_alike, per_thousand_alike
from moot.models.budget import budget_words
from moot.stats.written_numbers import dollars_alike


@pytest.mark.parametrize(
    ("sums", "written"),
    [
        ((0.002, 0.0019), ("$0.0020", "$0.0019")),
        ((0.01, 0.0087), ("$0.0100", "$0.0087")),
        ((0.1, 0.0987), ("$0.100", "$0.099")),
        ((12.5, 3.0), ("$12.50", "$3.00")),
        ((1.0, 0.0021), ("$1.0000", "$0.0021")),
        ((120.0, 0.00004), ("$120.00", "$0.000040")),  # nobody compares those by their digits
        ((0.5, 0.0), ("$0.50", "$0")),
        ((2.0, 2.0001), ("$2.00", "$2.00")),
        ((2.0, 2.0), ("$2.00", "$2.00")),
        ((), ()),
    ],
)
def test_to_the_same_digit(sums: tuple[float, ...], written: tuple[str, ...]) -> None:
    assert dollars_alike(*sums) == written


def test_more_than_the_other_and_seen_to_be() -> None:
    assert dollars_alike(2.0, 2.0001, apart=True) == ("$2.0000", "$2.0001")
    assert dollars_alike(2.0, 2.0, apart=True) == ("$2.00", "$2.00")
    assert dollars_alike(2.0, 2.0 + 1e-12, apart=True) == ("$2.00", "$2.00"), "a rounding is no difference"


def test_a_budget_and_what_is_spent_of_it() -> None:
    assert budget_words(0.002, 0.0019) == "the budget of $0.0020 is reached: $0.0019 spent"
    assert budget_words(0.002, 0.002001) == "the budget of $0.002000 is crossed: $0.002001 spent"


def test_what_is_not_known_stands_between_the_others() -> None:
    assert money_alike([0.01, None, 0.0087]) == ["$0.0100", "unknown", "$0.0087"]
    assert per_thousand_alike([0.0021, None, 0.00019]) == ["$2.10", "–", "$0.19"]
