"""While answers wait for a grade an interval holds whatever they turn out to be: checked over every way to grade them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import pytest

from moot.stats.clusters import clustered
from moot.stats.estimates import estimate, with_holm
from moot.stats.graded import Value, graded_estimate, graded_share, graded_value, mean_value, said_value
from moot.stats.graded_pairs import compare_graded, compared_row, family_row, side_estimate
from moot.stats.paired import compare
from moot.stats.proportion import Share, share, share_between
from moot.types import Estimate

LEVELS = (0.05, 0.01, 0.3)
WAITING = graded_value(None, "waiting")
NEVER = graded_value(None, "nobody")
Grades = tuple[float | None, ...]
"""Of one question's repeats; None waits."""


def graded(right: float) -> Value:
    return graded_value(right, "judge")


def value(grades: Grades) -> Value:
    return mean_value([WAITING if grade is None else graded(grade) for grade in grades])


def completions(questions: Sequence[Grades]) -> Iterator[list[Grades]]:
    """All ways in which what waits may be graded."""
    waiting = sum(grade is None for grades in questions for grade in grades)
    for drawn in product((0.0, 1.0), repeat=waiting):
        left = iter(drawn)
        yield [tuple(next(left) if grade is None else grade for grade in grades) for grades in questions]


def named(values: Sequence[Value]) -> dict[str, Value]:
    return {f"q{place}": one for place, one in enumerate(values)}


def world(draw: random.Random, size: int, *, repeats: int, waiting: int) -> list[Grades]:
    """Questions of which so few wait that there is a figure."""
    chance = draw.random()
    questions = [[float(draw.random() < chance) for _ in range(repeats)] for _ in range(size)]
    for place in draw.sample(range(size), waiting):
        questions[place][draw.randrange(repeats)] = None  # type: ignore[call-overload]
    return [tuple(grades) for grades in questions]


def clusters_of(size: int, draw: random.Random) -> dict[str, str | None]:
    return {f"q{place}": str(draw.randrange(size // 3)) for place in range(size)}


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("in_clusters", [False, True])
def test_the_interval_of_a_share_holds_that_of_every_grading(repeats: int, in_clusters: bool) -> None:
    draw = random.Random(f"{repeats}{in_clusters}")
    for _ in range(20):
        questions = world(draw, 42, repeats=repeats, waiting=2)
        with clustered(clusters_of(42, draw) if in_clusters else {}):
            ours = graded_share(named([value(grades) for grades in questions]))
            assert ours is not None
            for complete in completions(questions):
                one = graded_share(named([value(grades) for grades in complete]))
                assert one is not None
                for level in LEVELS:
                    assert_holds(ours.limits(level), one.limits(level))


def test_what_units_of_unequal_size_are_worth_at_the_least() -> None:
    """Kish's number of them, (3 + 1 + 1 + 1)² / (9 + 1 + 1 + 1): how large a unit is beside the others, and not in itself."""
    worst = {"q0": 0.5, "q1": 0.0, "q2": 1.0, "q3": 0.0}
    best = {**worst, "q3": 1.0}
    seen = share({question: (value, 1.0) for question, value in worst.items() if question != "q3"})
    for scale in (1.0, 2.0, 10.0):
        weights = {question: scale * (3 if question == "q0" else 1) for question in worst}
        between = share_between(seen, worst, best, weights)
        assert between is not None
        assert isinstance(between.worst, Share)
        assert between.worst.worth is not None
        assert between.worst.worth.least == pytest.approx(36 / 12)
        assert (between.worst.value, between.best.value) == (pytest.approx(2.5 / 6), pytest.approx(3.5 / 6))
        assert between.worst.worth == between.best.worth
        assert between.worst.worth.df == pytest.approx(2.0)


@pytest.mark.parametrize("repeats", [1, 2])
@pytest.mark.parametrize("in_clusters", [False, True])
def test_the_interval_of_a_difference_holds_that_of_every_grading(repeats: int, in_clusters: bool) -> None:
    draw = random.Random(f"{repeats}{in_clusters}")
    for _ in range(2 if repeats > 1 or in_clusters else 10):
        sides = [world(draw, 40, repeats=repeats, waiting=1) for _ in range(2)]
        pooled = repeats > 1
        with clustered(clusters_of(40, draw) if in_clusters else {}):
            ours = compare_graded(paired(*sides), pooled=pooled).figure
            assert ours is not None
            for complete in product(*map(completions, sides)):
                one = compare_graded(paired(*complete), pooled=pooled).figure
                assert one is not None
                for level in LEVELS:
                    assert_holds(ours.limits(level), one.limits(level))


def paired(first: Sequence[Grades], second: Sequence[Grades]) -> Mapping[str, Sequence[tuple[Value, Value]]]:
    return {f"q{place}": [(value(one), value(two))] for place, (one, two) in enumerate(zip(first, second, strict=True))}


def assert_holds(outer: tuple[float | None, float | None], inner: tuple[float | None, float | None]) -> None:
    assert outer[0] is not None and outer[1] is not None  # noqa: PT018
    assert inner[0] is not None and inner[1] is not None  # noqa: PT018
    assert outer[0] <= inner[0] + 1e-9
    assert inner[1] <= outer[1] + 1e-9


@pytest.mark.parametrize("repeats", [1, 2])
def test_p_is_above_the_level_exactly_where_the_interval_holds_the_threshold(repeats: int) -> None:
    draw = random.Random(repeats)
    for _ in range(3):
        sides = [world(draw, 60, repeats=repeats, waiting=1) for _ in range(2)]
        figures = [
            graded_share(named([value(grades) for grades in sides[0]])),
            compare_graded(paired(*sides), pooled=repeats > 1).figure,
        ]
        for figure in figures:
            assert figure is not None
            for level in LEVELS:
                low, high = figure.limits(level)
                assert low is not None and high is not None  # noqa: PT018
                for threshold in (low - 1e-4, low + 1e-4, figure.value, high - 1e-4, high + 1e-4, 0.0):
                    p = figure.p(threshold)
                    assert p is not None
                    assert (p > level) == (low <= threshold <= high)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_value_beside_both_ends_is_in_its_interval_and_p_says_so(sign: int) -> None:
    """What both say to ten questions makes no difference there, and all others differ: with the ten it is 190 of 200."""
    alike = said_value(None, "waiting", "x")
    differ = (graded(1.0), graded(0.0))[::sign]
    figure = compare_graded({f"q{n}": [differ if n < 190 else (alike, alike)] for n in range(200)}).figure
    whole = compare([(1.0, 0.0)[::sign]] * 190 + [(0.0, 0.0)] * 10).figure
    assert figure is not None
    assert whole is not None
    for level in LEVELS:
        inner, outer = sorted(map(abs, whole.limits(level)))  # type: ignore[type-var, arg-type]
        assert outer < 0.99, "what is graded lies beside both ends"
        assert sorted(map(abs, figure.limits(level))) == [inner, 1.0]  # type: ignore[type-var, arg-type]
        low, high = figure.limits(level)
        for threshold in (inner - 1e-4, inner + 1e-4, 0.95, outer, 0.99, 1.0):
            p = figure.p(sign * threshold)
            assert p is not None
            assert (p > level) == (low <= sign * threshold <= high)  # type: ignore[operator]


def assert_half_between(found: Estimate | None, worst: Estimate | None, best: Estimate | None) -> None:
    """50 of the 96 that are graded, with the low end of the one and the high end of the other."""
    assert found is not None
    assert worst is not None
    assert best is not None
    assert (found.value, found.n) == (50 / 96, 96)
    assert (found.low, found.high) == (pytest.approx(worst.low), pytest.approx(best.high))


@pytest.mark.parametrize("place", [0, 1])
def test_either_side_of_pairs_has_the_ends_of_its_own_answers(place: int) -> None:
    """Three of this side's answers wait and one of the other's: its low end is with the three wrong, its high end with them
    right."""
    known = [(graded(1.0), graded(0.0))] * 50 + [(graded(0.0), graded(0.0))] * 46
    waiting = [(WAITING, graded(1.0))] * 3 + [(graded(1.0), WAITING)]
    pairs = {f"q{n}": [pair if place == 0 else pair[::-1]] for n, pair in enumerate([*known, *waiting])}
    found = side_estimate(pairs, place)
    assert_half_between(found, *(estimate([1.0] * (51 + more) + [0.0] * (49 - more)) for more in (0, 3)))


def test_the_ends_are_those_of_all_wrong_and_all_right() -> None:
    right = [graded(1.0)] * 50 + [graded(0.0)] * 46
    values = named([*right, *[WAITING] * 4])
    found = graded_estimate(values)
    assert_half_between(found, *(estimate([1.0] * (50 + more) + [0.0] * (50 - more)) for more in (0, 4)))


def test_what_nobody_will_ever_grade_is_in_no_interval() -> None:
    values = named([*[graded(1.0)] * 3, *[NEVER] * 37])
    assert graded_estimate(values) == estimate({"q0": 1.0, "q1": 1.0, "q2": 1.0})


def test_a_gain_that_a_few_of_a_hundred_could_undo_is_none() -> None:
    """Twelve better and one worse are p = 0.003, but what waits may all be worse."""
    both, right, wrong = graded(1.0), graded(1.0), graded(0.0)

    def rows(waiting: int) -> Mapping[str, Sequence[tuple[Value, Value]]]:
        known = [(right, wrong)] * 12 + [(wrong, right)]
        rest = [(both, both)] * (100 - len(known) - waiting)
        return {f"q{n}": [pair] for n, pair in enumerate([*known, *rest, *[(WAITING, right)] * waiting])}

    for waiting in range(1, 6):
        row, at_worst = compared_row(rows(waiting)), compare([(1, 0)] * 12 + [(0, 1)] * (1 + waiting) + [(1, 1)] * 80)
        assert row["p"] == at_worst.p
        assert (row["low"] > 0) == (row["p"] <= 0.05)
    assert compared_row(rows(2))["low"] > 0 >= compared_row(rows(5))["low"]


def test_the_adjusted_interval_and_p_wait_as_well() -> None:
    right, wrong = graded(1.0), graded(0.0)
    pairs = [(right, wrong)] * 12 + [(wrong, right)] + [(right, right)] * 85 + [(WAITING, right)] * 2
    rows = with_holm([family_row({f"q{n}": [pair] for n, pair in enumerate(pairs)}) for _ in range(2)])
    for row in rows:
        assert row["p"] == compare([(1, 0)] * 12 + [(0, 1)] * 3 + [(1, 1)] * 85).p
        assert row["p_holm"] == 2 * row["p"]
        assert row["low_holm"] <= 0 < row["low"]
