"""Figures of which not all is graded: bounds held against every way to grade the rest, and what they settle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.stats.graded import (
    Value,
    best_value,
    bounds_row,
    closure_bounds,
    graded_value,
    mean_value,
    settled,
    total_of,
    value_of,
    whole_mean,
    with_settled,
)
from moot.stats.graded_pairs import compared_row, difference_bounds, why_turned

GRADES = st.sampled_from([0.0, 1.0, None])
UNKNOWN = graded_value(None, "nobody")


def graded_ways(grades: Sequence[float | None]) -> Iterator[list[float]]:
    """Every way to grade the rest."""
    yield from map(list, product(*([grade] if grade is not None else [0.0, 1.0] for grade in grades)))


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


@given(st.lists(GRADES, min_size=1, max_size=5))
def test_one_question_of_several_answers(grades: list[float | None]) -> None:
    ways = [*graded_ways(grades)]
    seen = [grade for grade in grades if grade is not None]
    values = [graded_value(grade, "nobody" if grade is None else "judge") for grade in grades]
    expected = (mean(seen) if seen else None, min(map(mean, ways)), max(map(mean, ways)), len(grades))
    assert value_of(grades)[:4] == expected
    assert mean_value(values)[:4] == expected
    if len(values) > 1:
        assert mean_value(values)[4:8] == (0, len(seen), 0, len(grades) - len(seen))
    whole = whole_mean(values)
    assert whole == mean_value(values)._replace(known=mean(seen) if len(seen) == len(grades) else None)
    best = best_value(values)
    assert best[:4] == (max(seen) if len(seen) == len(grades) else None, min(map(max, ways)), max(map(max, ways)), 1)
    assert best.nobody == (len(seen) < len(grades))
    assert mean_value(values).open is (len(seen) < len(grades))


@settings(max_examples=60)
@given(st.lists(st.tuples(GRADES, GRADES), min_size=1, max_size=4))
def test_bounds_hold_whatever_the_rest_turns_out_to_be(grades: list[tuple[float | None, float | None]]) -> None:
    pairs = {
        str(n): [(graded_value(one, "nobody"), graded_value(other, "nobody"))] for n, (one, other) in enumerate(grades)
    }
    ways = [*graded_ways([grade for pair in grades for grade in pair])]
    differences = [mean(way[::2]) - mean(way[1::2]) for way in ways]
    row = difference_bounds(pairs)
    if len(ways) == 1:
        assert row == bounds_row(one for several in pairs.values() for one in several[0]) == {}
        return
    ungraded = sum(None in pair for pair in grades)
    low, high = pytest.approx(min(differences)), pytest.approx(max(differences))
    assert row == {"ungraded": ungraded, "bounds": {"low": low, "high": high}}
    shares = [mean(way) for way in ways]
    assert bounds_row(value for several in pairs.values() for value in several[0]) == {
        "ungraded": sum(grade is None for pair in grades for grade in pair),
        "bounds": {"low": pytest.approx(min(shares)), "high": pytest.approx(max(shares))},
    }


def test_half_a_question_is_ungraded_where_one_of_its_two_answers_is() -> None:
    assert bounds_row([mean_value([UNKNOWN, graded_value(1.0)]), graded_value(0.0)]) == {
        "ungraded": 0.5,
        "bounds": {"low": 0.25, "high": 0.5},
    }


@settings(max_examples=60)
@given(st.lists(st.tuples(GRADES, GRADES), min_size=1, max_size=4))
def test_what_is_closed_lies_within_its_bounds(grades: list[tuple[float | None, float | None]]) -> None:
    """Where the top is right on every question, whatever else is graded how."""
    rows = [(graded_value(reached), graded_value(start), graded_value(1.0)) for reached, start in grades]
    bounds = closure_bounds(*map(total_of, zip(*rows, strict=True)))
    ways = [*graded_ways([grade for pair in grades for grade in pair])]
    gaps = [len(grades) - sum(way[1::2]) for way in ways]
    assert (bounds is None) is (min(gaps) == 0)
    if bounds is not None:
        shares = [(sum(way[::2]) - sum(way[1::2])) / gap for way, gap in zip(ways, gaps, strict=True)]
        assert bounds["low"] <= min(shares) + 1e-12
        assert max(shares) <= bounds["high"] + 1e-12
        if all(start is not None for _, start in grades):
            assert bounds == pytest.approx({"low": min(shares), "high": max(shares)})


@pytest.mark.parametrize(
    ("low", "high", "above", "below"),
    [
        (0.1, 0.2, True, False),
        (-0.2, -0.1, False, True),
        (0.0, 0.2, False, False),
        (-0.2, 0.0, False, False),
        (-0.1, 0.1, False, False),
        (None, None, False, False),
        (0.1, None, True, False),
        (None, -0.1, False, True),
    ],
)
def test_a_side_is_settled_where_both_bounds_lie_beyond(
    low: float | None, high: float | None, above: bool, below: bool
) -> None:
    bounds = {"low": low, "high": high}
    assert settled(bounds, 0.0, above=True) is above
    assert settled(bounds, 0.0, above=False) is below
    assert settled(None, 0.0, above=True)
    assert settled(None, 0.0, above=False)
    for interval, lies in (((0.01, 0.3), above), ((-0.3, -0.01), below)):
        row: dict[str, Any] = {"low": interval[0], "high": interval[1], "n": 1_234, "bounds": bounds}
        said = why_turned(row)
        assert (said is None) is lies
        assert said is None or said.startswith("over the 1,234 graded pairs alone")
    for open_row in ({"low": None, "high": None}, {"low": 0.0, "high": 0.2}, {"low": -0.2, "high": 0.0}):
        assert why_turned({**open_row, "n": 4, "bounds": bounds}) is None, "nothing is shown that could be turned round"


def test_a_clear_difference_that_the_ungraded_could_turn_round_says_so() -> None:
    right, wrong = graded_value(1.0), graded_value(0.0)
    clear = {str(n): [(right, wrong)] for n in range(20)}
    assert "why" not in compared_row(clear)
    few = compared_row(clear | {f"x{n}": [(UNKNOWN, right)] for n in range(19)})
    assert "why" not in few
    assert few["bounds"]["low"] == pytest.approx(1 / 39)
    many = compared_row(clear | {f"x{n}": [(UNKNOWN, right)] for n in range(20)})
    assert many["why"] == "over the 20 graded pairs alone; the ungraded answers could reverse it"
    assert (many["difference"], many["rescues"], many["regressions"], many["ungraded"]) == (1.0, 20, 0, 20)


def test_what_the_ungraded_cannot_change_is_known() -> None:
    """The best of a right answer and an unknown one is right, if so it is on every question."""
    sure = {str(n): Value(None, float(n % 2), float(n % 2), 2, 1, 1, 0, 1) for n in range(4)}
    assert with_settled(sure) == {str(n): Value(float(n % 2), float(n % 2), float(n % 2), 2, 0, 1) for n in range(4)}
    assert with_settled(sure | {"x": UNKNOWN}) == sure | {"x": UNKNOWN}
