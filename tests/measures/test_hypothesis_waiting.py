"""A hypothesis while an answer of its second side waits for the judge: its interval has room for every grade."""

from __future__ import annotations

import pytest
from worlds import World, silent_on_the_odd

from moot.stats.paired import compare

COUNT, WAITING = 60, (1, 3)


def says(name: str, number: int, _: int) -> str:
    """Of what ann says alone to two questions the judge has no word; bob and cat are of one mind."""
    if name == "ann":
        return "odd ann" if number in WAITING else "Paris" if number % 2 else "no ann"
    return "Paris" if number % 4 else "no"


@pytest.mark.parametrize(("text", "sign"), [("vote) - accuracy(solo@ann", 1), ("solo@ann) - accuracy(vote", -1)])
def test_the_interval_is_as_wide_as_the_grades_that_may_come(text: str, sign: int) -> None:
    world = World(says, lambda name, number, texts: "no", count=COUNT, offices={"jim": silent_on_the_odd})
    played = world.play(
        ["solo", "vote"], judge={"models": ["jim"], "batch": 1}, hypotheses=[f"accuracy({text}) > {-0.5 * sign}"]
    )
    (row,) = played.figures["hypotheses"]
    vote = {n: float(n % 4 > 0) for n in range(COUNT)}
    ends = []
    for waiting in (0.0, 1.0):
        ann = {n: waiting if n in WAITING else float(n % 2) for n in range(COUNT)}
        pairs = {str(n): (vote[n], ann[n]) if sign > 0 else (ann[n], vote[n]) for n in range(COUNT)}
        estimate = compare(pairs).difference
        assert estimate is not None
        ends.append((estimate.low, estimate.high))
    assert row["low"] <= min(low for low, _ in ends)
    assert row["high"] >= max(high for _, high in ends)
