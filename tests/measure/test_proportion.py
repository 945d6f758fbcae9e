"""Accuracy over repeats: never an interval of no width, never a bootstrap where a score interval is due."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.measure.proportion import accuracy, mean_over_questions, wilson


@pytest.mark.parametrize("right", [0, 3, 20])
def test_one_value_a_question_is_wilsons(right: int) -> None:
    assert accuracy([[1.0]] * right + [[0.0]] * (20 - right)) == wilson(right, 20)


def test_repeats_that_never_differ_are_means_all_the_same() -> None:
    """Whether repeats agree is a result, and no interval is chosen by its result; without spread there is but one."""
    found, score = accuracy([[1.0] * 3] * 120 + [[0.0] * 3] * 80), wilson(120, 200)
    assert found != score
    assert (found.low, found.high) == pytest.approx((score.low, score.high), abs=0.01)
    for right in (0, 20):
        assert accuracy([[1.0] * 3] * right + [[0.0] * 3] * (20 - right)) == wilson(right, 20)


def test_equal_means_have_an_interval_all_the_same() -> None:
    found = mean_over_questions([0.5] * 20)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.5 < found.high


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=1, max_size=4), min_size=2, max_size=40))
def test_the_interval_holds_the_value_and_stays_within_bounds(scores: list[list[float]]) -> None:
    found = accuracy(scores)
    assert math.isclose(found.value, sum(sum(each) / len(each) for each in scores) / len(scores))
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value + 1e-9
    assert found.value - 1e-9 <= found.high <= 1
    assert found.low < found.high
