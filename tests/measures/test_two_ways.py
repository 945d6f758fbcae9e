"""The same players in two ways, where not all is graded: bounds held against every way to grade the rest."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from moot.measures.safety.two_ways import formatting_tax
from moot.stats.graded import Value, graded_value

GRADES = st.sampled_from([0.0, 1.0, None])
KEYS = [("q1", "ann"), ("q1", "bob"), ("q2", "ann")]


@settings(max_examples=60)
@given(st.lists(st.tuples(GRADES, GRADES), min_size=len(KEYS), max_size=len(KEYS)))
def test_bounds_are_over_all_questions_each_by_its_mean_over_models(
    grades: list[tuple[float | None, float | None]],
) -> None:
    sides = [
        {key: [graded_value(pair[side], "nobody")] for key, pair in zip(KEYS, grades, strict=True)} for side in (0, 1)
    ]
    row = formatting_tax(sides[0], sides[1])
    assert row is not None
    ways = product(*([grade] if grade is not None else [0.0, 1.0] for pair in grades for grade in pair))
    # Two calls less one: the mean over ann and bob on the first question, ann alone on the second.
    taxes = [((way[1] - way[0] + way[3] - way[2]) / 2 + way[5] - way[4]) / 2 for way in ways]
    if len(taxes) == 1:
        assert "bounds" not in row
        assert row["difference"] == pytest.approx(taxes[0])
    else:
        assert row["bounds"] == pytest.approx({"low": min(taxes), "high": max(taxes)})
    assert row["n_pairs"] == sum(None not in pair for pair in grades)


def world(right: dict[str, str]) -> tuple[dict[tuple[str, str], list[Value]], dict[tuple[str, str], list[Value]]]:
    """By model, a digit a question: how many of the two ways were right, 2 both, 1 the second alone."""
    sides = [
        {
            (f"q{place:02}", model): [graded_value(float(int(digit) > least), "match")]
            for model, digits in right.items()
            for place, digit in enumerate(digits)
        }
        for least in (1, 0)
    ]
    return sides[0], sides[1]


def test_means_have_no_interval_of_single_pairs() -> None:
    """Also where the means happen to be 0 or 1, of two models who are always of one mind, or of repeats."""
    digits = "1111110002222222222222222222222222222222"
    alone = formatting_tax(*world({"ann": digits}))
    both = formatting_tax(*world({"ann": digits, "bob": digits}))
    repeated = formatting_tax(*world({"ann": digits}), repeated=True)
    assert alone is not None
    assert both is not None
    assert repeated is not None
    assert alone["p"] == pytest.approx(binomtest(6, 6).pvalue)
    assert {key: both[key] for key in ("difference", "low", "high", "p")} == pytest.approx(
        {key: repeated[key] for key in ("difference", "low", "high", "p")}
    )
    assert both["difference"] == pytest.approx(alone["difference"])
    assert both["low"] < alone["low"], "a score interval is of one pair a question"
