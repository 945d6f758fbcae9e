"""The interval beside an adjusted p of places, both ways, from the same looks."""

from __future__ import annotations

from typing import Any

import pytest
from second_way import places as second_way
from second_way.compare import differences

from moot.measures.position.bias import Look, position_bias, with_holm

THREE = ("ann", "bob", "cat")


def both_ways(counts: tuple[int, int, int]) -> tuple[dict[str, Any], dict[str, Any]]:
    """One look a question; what stands in each of three places was chosen so often."""
    chosen = [place for place, times in enumerate(counts) for _ in range(times)]
    looks = [Look(f"q{n}", THREE, [THREE[place]]) for n, place in enumerate(chosen)]
    again = [second_way.Look(f"q{n}", 3, (place,)) for n, place in enumerate(chosen)]
    (found,) = with_holm([position_bias(looks)])
    return found, {**second_way._adjusted(second_way._bias(again, 0, each=True), 2), "family": 2}


@pytest.mark.parametrize("counts", [(11, 19, 3), (19, 11, 3), (11, 11, 11), (0, 0, 33)])
def test_an_adjusted_interval_leaves_out_zero_exactly_where_its_p_is_small_and_holds_its_own(
    counts: tuple[int, int, int],
) -> None:
    """On either side of zero: it ends where the test at Holm's level does, and goes no farther for zero's sake."""
    found, expected = both_ways(counts)
    assert not [*differences(found, expected)]
    for end, count in (("first", counts[0]), ("last", counts[-1])):
        low, high = found[f"{end}_low_holm"], found[f"{end}_high_holm"]
        assert low <= found[f"{end}_low"] <= count / 33 - 1 / 3 <= found[f"{end}_high"] <= high
        assert (found[f"{end}_p_holm"] <= 0.05) == (low > 0 or high < 0)
        assert (found[f"{end}_p_holm"] <= 0.05) == (count != 11), "the example shows both"
