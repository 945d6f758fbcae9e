"""Two figures of each answer, correlated over all answers, with intervals over questions."""

from __future__ import annotations

import numpy as np
import pytest

from moot.stats.correlation import correlation
from moot.stats.preference_doubts import BothOrders, reaches


def test_figures_of_all_answers_are_correlated_as_numpy_does() -> None:
    generator = np.random.default_rng(5)
    pairs = {f"q{n}": [(float(x), float(x + y)) for x, y in generator.normal(size=(3, 2))] for n in range(20)}
    found = correlation(pairs)
    assert found is not None
    expected = np.corrcoef(np.array([pair for several in pairs.values() for pair in several]).T)[0, 1]
    assert (found.value, found.n) == (pytest.approx(expected), 60)
    assert found.low is not None
    assert found.high is not None
    assert found.low < expected < found.high


@pytest.mark.parametrize("which", [0, 1])
def test_what_does_not_vary_goes_with_nothing(which: int) -> None:
    pairs = {f"q{n}": [(0.25, float(n)) if which == 0 else (float(n), 0.25)] for n in range(9)}
    assert correlation(pairs) is None


def test_with_few_questions_there_is_no_interval() -> None:
    pairs = {f"q{n}": [(float(n), float(n * n)), (n + 0.5, 1.0)] for n in range(4)}
    found = correlation(pairs)
    assert found is not None
    assert (found.low, found.high, found.n) == (None, None, 8)


def test_a_judge_who_was_not_heard_on_a_pair_moves_nothing_of_its_reach() -> None:
    """The mean is over those who were, with all units and without each."""
    said = [BothOrders(1, 0, "a"), BothOrders(1, 1, "b"), BothOrders(0, 0, "c"), BothOrders(1, 0, "d")]
    alone = reaches({"ann": said}, {"ann": said}, ("a", "b", "c", "d"))
    twice = reaches({"ann": said, "bob": said}, {"ann": said, "bob": said}, ("a", "b", "c", "d"))
    assert len(alone) == 5
    for one, two in zip(alone, twice, strict=True):
        assert two == pytest.approx(one)
    only = reaches({"ann": said, "bob": said[:1]}, {"ann": said, "bob": said}, ("a",))
    assert only[1] == pytest.approx(alone[1])  # without his only question bob has said nothing
