"""Over splits p and limits are one thing, to the last digit: whoever reads one has read the other."""

from __future__ import annotations

from math import comb, inf, nextafter

import pytest

from moot.stats.paired import OnePair
from moot.stats.quantiles import ALPHA
from moot.stats.ratio import closed
from moot.stats.splits import OverSplits


@pytest.mark.parametrize("pairs", [(12, 3, 9, 6), (20, 4, 17, 1), (8, 8, 9, 2), (30, 11, 25, 19)])
def test_a_limit_is_held_and_what_lies_next_to_it_is_not(pairs: tuple[int, int, int, int]) -> None:
    figure = OverSplits([OnePair(*pairs[:2], 60), OnePair(*pairs[2:], 60)], 90)
    for end, outwards in zip(figure.limits(), (-inf, inf), strict=True):
        assert end is not None
        levels = [figure.p(threshold) for threshold in (nextafter(end, -outwards), end, nextafter(end, outwards))]
        inside, at_the_end, left_out = (p for p in levels if p is not None)
        assert left_out <= ALPHA < min(inside, at_the_end)
        assert levels == pytest.approx([ALPHA] * 3)


@pytest.mark.parametrize(("better", "worse"), [(14, 5), (9, 2), (23, 7)])
def test_two_equal_splits_have_the_exact_p_of_one(better: int, worse: int) -> None:
    """Limits of single pairs end at zero for as long as the exact p is above their level, and p is where they come to it."""
    differ = better + worse
    exact = 2 * sum(comb(differ, number) for number in range(worse + 1)) / 2**differ
    assert OverSplits([OnePair(better, worse, 60)] * 2, 60).p_zero == pytest.approx(exact, rel=1e-7)


def test_a_split_without_limits_leaves_none_for_the_mean() -> None:
    """The mean of the others would be of fewer splits than the value."""
    untold = closed({"q": (0.5, 1.0)})
    assert untold is not None
    assert untold.limits() == (None, None)
    figure = OverSplits([OnePair(14, 5, 60), untold], 60)
    assert figure.limits() == (None, None)
    assert figure.p_zero is None
