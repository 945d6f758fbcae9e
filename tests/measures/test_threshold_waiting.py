"""When talking pays, while an answer of one way waits for the judge: value, n and interval are of the same questions."""

from __future__ import annotations

from typing import Any

import pytest
from worlds import World, silent_on_the_odd

from moot.stats.proportion import mean_over_questions

COUNT, WAITING = 60, (1, 3)


@pytest.fixture(scope="module")
def learnt() -> dict[str, Any]:
    """The judge has no word for what players say alone to two questions; whoever talks is right there."""
    part = {"ann": 2, "bob": 3, "cat": 4}

    def says(name: str, number: int, _: int) -> str:
        return f"odd {name}" if number in WAITING else f"no {name}" if number % part[name] else "Paris"

    world = World(
        says,
        lambda name, number, texts: "Paris" if number % 5 else "no",
        count=COUNT,
        offices={"jim": silent_on_the_odd},
    )
    return dict(world.play(["vote", "talkative"], judge={"models": ["jim"], "batch": 1}).figures["talk_threshold"])


def test_an_arm_that_is_graded_where_the_other_waits(learnt: dict[str, Any]) -> None:
    assert (learnt["n"], learnt["ungraded"]) == (COUNT - 2, 2)
    arm = learnt["always_talk"]
    talked = {str(n): float(n % 5 > 0) for n in range(COUNT)}
    seen = mean_over_questions({n: right for n, right in talked.items() if int(n) not in WAITING})
    whole = mean_over_questions(talked)
    assert (arm["accuracy"], arm["n"]) == (pytest.approx(46 / 58), 58)
    assert arm["low"] == pytest.approx(seen.low), "no narrower than that of the questions it is over"
    assert arm["high"] == pytest.approx(whole.high), "nor than that of all, once the other is graded"
