"""A simulated judge of two texts: it goes by their qualities, and its habits are as large as they are said to be."""

from __future__ import annotations

import pytest

from moot.errors import UsageError
from moot.simulate.long_text import SPREAD, expected_preference, preferred
from moot.simulate.mind import Mind
from moot.simulate.simulated import SimulatedModel
from moot.simulate.world import World
from moot.types import Case, Question, Request

CASES = [Case(Question(f"q{number}", f"Write {number}.", kind="text"), None) for number in range(1500)]
WORLD = World(CASES, 3)
SHORT, LONG = "A text of quality 0.500. " + "word " * 10, "A text of quality 0.500. " + "word " * 25
BETTER = "A text of quality 0.600. " + "word " * 10


def liked(first: str, second: str, **habits: float) -> float:
    """How often the first of two is preferred, over many questions."""
    model = SimulatedModel("ivy", accuracy=0.5, world=WORLD, **habits)  # type: ignore[arg-type]
    words = [
        preferred(Mind(model, facts, "", 0.0), first, second)
        for case in CASES
        if (facts := WORLD.by_id(case.question.id))
    ]
    return sum({"first": 1.0, "tie": 0.5, "second": 0.0}[word] for word in words) / len(words)


def test_without_a_habit_it_goes_by_quality_alone() -> None:
    assert liked(SHORT, SHORT) == pytest.approx(0.5, abs=0.03)
    assert liked(SHORT, LONG) == pytest.approx(0.5, abs=0.03)
    assert liked(BETTER, SHORT, blur=1.0) == pytest.approx(expected_preference(0.1, 1.0), abs=0.03)
    assert liked(SHORT, BETTER, blur=1.0) == pytest.approx(1 - expected_preference(0.1, 1.0), abs=0.03)


def test_habits_are_log_odds() -> None:
    as_odds = expected_preference(0.8 * SPREAD * 0.5, 0.5)
    assert liked(SHORT, SHORT, position_bias=0.8) == pytest.approx(as_odds, abs=0.03)
    assert liked(LONG, SHORT, length_bias=0.8) == pytest.approx(as_odds, abs=0.03), "twice as many words"
    assert liked(SHORT, LONG, length_bias=0.8) == pytest.approx(1 - as_odds, abs=0.03)


def test_habits_shape_replies_only_where_they_are_said() -> None:
    """What was asked before there were any is still found."""
    plain, biased = (
        SimulatedModel("ivy", accuracy=0.5, world=WORLD, position_bias=bias).shape(Request(())) for bias in (0.0, 1.0)
    )
    assert "position_bias" not in plain
    assert biased["position_bias"] == 1.0
    with pytest.raises(UsageError, match="blur"):
        SimulatedModel("ivy", accuracy=0.5, world=WORLD, blur=0.0)
