"""What both sides of a pair say will have one grade: bounds and intervals hold every grading there can be, and no other."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import pytest

from moot.stats.graded import Value, graded_value, mean_value, said_value
from moot.stats.graded_pairs import compare_graded, completed_pairs, difference_bounds, side_estimate
from moot.stats.paired import compare

Answer = str | float
"""Words that wait for a grade, or a grade."""
Side = Sequence[Answer]
"""One answer a repeat."""
Questions = Mapping[str, Sequence[tuple[Side, Side]]]
"""By question, one pair a captain."""


def value_of(side: Side) -> Value:
    return mean_value(
        [
            said_value(None, "waiting", answer) if isinstance(answer, str) else graded_value(answer, "judge")
            for answer in side
        ]
    )


def pairs_of(asked: Questions) -> dict[str, list[tuple[Value, Value]]]:
    return {q: [(value_of(one), value_of(other)) for one, other in several] for q, several in asked.items()}


def gradings(asked: Questions) -> Iterator[dict[str, tuple[float, float]]]:
    """Every way in which all words may be graded, equal words of one question alike: one pair of means a question."""
    words = sorted(
        {
            (q, a)
            for q, several in asked.items()
            for pair in several
            for side in pair
            for a in side
            if isinstance(a, str)
        }
    )
    for grades in product((0.0, 1.0), repeat=len(words)):
        right = dict(zip(words, grades, strict=True))

        def mean(q: str, side: Side, right: Mapping[tuple[str, str], float] = right) -> float:
            return sum(right[q, a] if isinstance(a, str) else a for a in side) / len(side)

        yield {
            q: (
                sum(mean(q, one) for one, _ in several) / len(several),
                sum(mean(q, other) for _, other in several) / len(several),
            )
            for q, several in asked.items()
        }


def drawn(seed: int, captains: int, repeats: int) -> Questions:
    draw = random.Random(seed)
    return {
        f"q{number}": [
            tuple([draw.choice(["x", "y", 0.0, 1.0]) for _ in range(draw.randint(1, repeats))] for _ in range(2))  # type: ignore[misc]
            for _ in range(captains)
        ]
        for number in range(4)
    }


@pytest.mark.parametrize(("captains", "repeats"), [(1, 1), (1, 3), (2, 1), (3, 2)])
def test_bounds_are_those_of_the_gradings_that_there_can_be(captains: int, repeats: int) -> None:
    for seed in range(40):
        asked = drawn(seed, captains, repeats)
        differences = [sum(one - other for one, other in means.values()) / len(means) for means in gradings(asked)]
        row = difference_bounds(pairs_of(asked))
        if row:
            ends = (row["bounds"]["low"], row["bounds"]["high"])
            assert ends == pytest.approx((min(differences), max(differences))), asked
        for best, furthest in ((False, min), (True, max)):
            means = completed_pairs(pairs_of(asked), best=best)
            assert sum(one - other for one, other in means.values()) / len(means) == pytest.approx(
                furthest(differences)
            )


@pytest.mark.parametrize("repeats", [1, 2])
def test_the_interval_holds_that_of_every_grading_that_there_can_be(repeats: int) -> None:
    """Few of many wait, some of them for the same words."""
    rng = random.Random(repeats)
    asked: dict[str, list[tuple[Side, Side]]] = {
        f"q{n:03}": [([float(rng.random() < 0.7)] * repeats, [float(rng.random() < 0.5)] * repeats)] for n in range(90)
    }
    asked |= {
        "a": [(["x"] * repeats, ["x"] * repeats)],
        "b": [(["x", "y"][:repeats], ["y", "x"][:repeats])],
        "c": [(["z"], [0.0])],
    }
    found = compare_graded(pairs_of(asked), pooled=repeats > 1).difference
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    for means in gradings(asked):
        whole = compare(means, pooled=repeats > 1).difference
        assert whole is not None
        assert whole.low is not None
        assert whole.high is not None
        assert found.low <= whole.low + 1e-9
        assert whole.high <= found.high + 1e-9


def test_what_both_say_makes_no_difference_and_yet_moves_each() -> None:
    graded = {f"q{n}": [([float(n % 2)], [float(n % 3 == 0)])] for n in range(60)}
    same = pairs_of({**graded, "w": [(["x"], ["x"])]})
    apart = pairs_of({**graded, "w": [(["x"], ["y"])]})
    assert difference_bounds(same)["bounds"]["low"] == pytest.approx(difference_bounds(same)["bounds"]["high"])
    assert difference_bounds(apart)["bounds"]["low"] < difference_bounds(apart)["bounds"]["high"] - 0.03
    sure, unsure = (compare_graded(pairs).difference for pairs in (same, apart))
    assert sure is not None
    assert unsure is not None
    assert (sure.high or 0) - (sure.low or 0) < (unsure.high or 0) - (unsure.low or 0)
    assert side_estimate(same, 0) == side_estimate(apart, 0)
