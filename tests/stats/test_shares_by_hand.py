"""How many questions a share is worth, and its score interval at any level, from formulas written out here."""

from __future__ import annotations

import math

import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from moot.stats.clusters import clustered
from moot.stats.completions import Between
from moot.stats.proportion import (
    Share,
    Worth,
    exact_sum,
    mean_over_questions,
    score_limits,
    share,
    share_between,
    share_of,
    share_over_questions,
    summed,
    wilson,
    worth_of,
)
from moot.stats.quantiles import Z_95, normal_p, normal_quantile, student_p, student_quantile
from moot.types import Estimate


@pytest.mark.parametrize(("right", "n"), [(0, 5), (1, 2), (7, 20), (20, 20)])
def test_wilsons_interval(right: int, n: int) -> None:
    low, high = proportion_confint(right, n, 0.05, "wilson")
    assert wilson(right, n) == Estimate(right / n, pytest.approx(low), pytest.approx(high), n)
    wide = proportion_confint(right, n, 2 * stats.norm.sf(3.0), "wilson")
    assert (wilson(right, n, 3.0).low, wilson(right, n, 3.0).high) == pytest.approx(wide)
    assert wilson(0, n).low == 0.0
    assert wilson(n, n).high == 1.0


def test_of_one_question_there_is_no_interval() -> None:
    assert wilson(1, 1) == Estimate(1.0, None, None, 1)
    none = wilson(0, 0)
    assert (math.isnan(none.value), none.low, none.high, none.n) == (True, None, None, 0)
    assert share([(1.0, 2.0)]) == Share(0.5, 1, None, None)
    assert mean_over_questions([1.0]) == Estimate(1.0, None, None, 1)
    assert math.isnan(mean_over_questions([]).value)
    assert mean_over_questions([]).n == 0


def test_score_limits_solve_their_equation() -> None:
    for share_, width in ((0.3, 0.2), (0.9, 0.05)):
        for end in score_limits(share_, width):
            assert (share_ - end) ** 2 == pytest.approx(width * end * (1 - end))
    assert score_limits(0.0, 0.5) == (0.0, pytest.approx(0.5 / 1.5))
    assert score_limits(1.0, 0.5) == (pytest.approx(1 / 1.5), 1.0)


def test_points_and_chances() -> None:
    assert (normal_quantile(), normal_quantile(0.2)) == (Z_95, pytest.approx(stats.norm.isf(0.1)))
    assert pytest.approx(stats.norm.isf(0.025)) == Z_95
    assert (normal_p(1.5), normal_p(-1.5)) == pytest.approx((2 * stats.norm.sf(1.5),) * 2)
    assert (student_p(1.5, 7), student_p(-1.5, 7)) == pytest.approx((2 * stats.t.sf(1.5, 7),) * 2)
    assert student_quantile(7, 0.1) == pytest.approx(stats.t.isf(0.05, 7))
    assert student_quantile(200_000) == Z_95
    assert student_p(1.5, 200_000) == normal_p(1.5)


def test_what_units_of_different_size_are_worth() -> None:
    """Means of units 0.5 of 2, 1 of 1, 0 of 1 and 0.25 of 4 questions: each unit's weight is taken off its own mean."""
    sizes, sums = [2.0, 1.0, 1.0, 4.0], [1.0, 1.0, 0.0, 1.0]
    mean = 3 / 8
    residuals = [top - mean * size for top, size in zip(sums, sizes, strict=True)]
    found = worth_of(residuals, sizes, mean)
    least = 8**2 / (4 + 1 + 1 + 16)
    spread = sum((left / (1 - size / 8)) ** 2 for left, size in zip(residuals, sizes, strict=True))
    variance = 3 / 4 * spread / 64
    by_sight = mean * (1 - mean) / variance
    rarer = least * mean
    # So many of the rarer side, each worth what was seen, beside one that is worth no more than the least.
    assert found.seen == pytest.approx((rarer + 1) / (rarer / by_sight + 1 / least))
    assert (found.least, found.df) == (pytest.approx(least), pytest.approx(least - 1))
    turned = worth_of([-each for each in residuals], sizes, 1 - mean)
    assert turned == Worth(pytest.approx(found.seen), pytest.approx(found.df), pytest.approx(found.least))


def test_where_nothing_varies_a_share_is_worth_its_units() -> None:
    assert worth_of([0.0, 0.0, 0.0], [1.0, 1.0, 1.0], 0.5) == Worth(None, 2, 3.0)
    assert worth_of([0.0, 0.0], [1.0, 1.0], 1.0) == Worth(None, 1, 2.0)
    assert worth_of([0.5, -0.5], [1.0, 1.0], 0.5).df == 1.0
    assert worth_of([0.5, -0.5], [1.0, 1.0], 0.5, [10, 10]) == worth_of([0.5] * 10 + [-0.5] * 10, [1.0] * 20, 0.5)


def test_the_level_of_an_interval_and_the_p_of_its_end() -> None:
    """As wide as what was seen asks for, by Student's t; and never wider than the units at their least."""
    many, few = Worth(90.0, 8.0, 20.0), Worth(18.0, 8.0, 20.0)
    assert many.scale(0.05) == pytest.approx(stats.t.isf(0.025, 8) / math.sqrt(90))
    assert few.scale(0.05) == pytest.approx(Z_95 / math.sqrt(20)) == pytest.approx(Worth(None, 8.0, 20.0).scale(0.05))
    for worth in (many, few, Worth(None, 8.0, 20.0)):
        for alpha in (0.05, 0.3):
            assert worth.p(worth.scale(alpha)) == pytest.approx(alpha)


def test_a_share_of_unequal_units() -> None:
    found = share({"a": (1.0, 2.0), "b": (1.0, 1.0), "c": (0.0, 1.0), "d": (1.0, 4.0), "e": (0.0, 0.0)})
    assert found is not None
    assert (found.value, found.n, found.clusters) == (3 / 8, 5, None)
    assert found.worth is not None
    assert found.worth.least == pytest.approx(64 / 22)
    width = found.worth.scale(0.1) ** 2
    assert found.limits(0.1) == pytest.approx(score_limits(3 / 8, width))
    for end in found.limits(0.1):
        assert end is not None
        assert found.p(end) == pytest.approx(0.1)
    assert found.p(3 / 8) == pytest.approx(1.0)
    assert (found.p(0.0), found.p(1.0), found.p(-0.5)) == (0.0, 0.0, 0.0)
    assert found.estimate(0.1) == Estimate(3 / 8, *found.limits(0.1), 5)
    assert (share([]), share([(0.0, 0.0)]), share_of([])) == (None, None, None)


def test_ends_of_none_and_of_all() -> None:
    none, every = share([(0.0, 1.0)] * 4), share([(1.0, 1.0)] * 4)
    assert none is not None
    assert every is not None
    assert (none.limits()[0], every.limits()[1]) == (0.0, 1.0)
    assert (none.p(0.0), none.p(1.0), every.p(1.0), every.p(0.0)) == (1.0, 0.0, 1.0, 0.0)
    one = share([(1.0, 2.0)])
    assert one is not None
    assert (one.limits(), one.p(0.3)) == ((None, None), None)


def test_values_of_one_question_are_added_up() -> None:
    observed = [("b", 1.0), ("a", 0.5), ("b", 0.0), ("b", 1.0)]
    assert summed(observed) == {"a": (0.5, 1.0), "b": (2.0, 3.0)}
    assert share_over_questions(observed) == share_of({"a": (0.5, 1.0), "b": (2.0, 3.0)})
    assert share_over_questions([]) is None


def test_a_mean_of_many_different_values_is_that_of_few() -> None:
    """60 values are added up one by one, 50 are counted."""
    many, few = [n / 59 for n in range(60)], [n / 49 for n in range(50)]
    for values in (many, few):
        figure = share([(value, 1.0) for value in values])
        assert figure is not None
        assert mean_over_questions(values, 0.2) == Estimate(pytest.approx(0.5), *figure.limits(0.2), len(values))
    named = {f"q{n}": value for n, value in enumerate(few)}
    with clustered({question: question[:2] for question in named}):
        together = mean_over_questions(named)
    assert (together.n, together.clusters) == (50, 10)
    assert exact_sum([0.1, 0.7], [3, 2]) == math.fsum([0.1, 0.1, 0.1, 0.7, 0.7])


def test_between_two_ends_a_share_is_worth_no_more_than_any_grading_leaves_it() -> None:
    """Four questions, one of which may be either: each as far off as it may be from the means at both ends, 0.25 and 0.5."""
    worst = {"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.0}
    best = {**worst, "d": 1.0}
    seen = share([(1.0, 1.0), (0.0, 1.0), (0.0, 1.0)])
    found = share_between(seen, worst, best)
    assert isinstance(found, Between)
    assert isinstance(found.worst, Share)
    assert isinstance(found.best, Share)
    far = [0.75, 0.5, 0.5, 0.75]
    variance = 3 / 4 * sum((each / 0.75) ** 2 for each in far) / 16
    # The rarer side at its rarest is a fourth of four questions, and a share of 0.5 lies between the ends.
    seen_worth = (4 * 0.25 + 1) / (4 * variance / 0.5 + 1 / 4)
    assert found.worst.worth == found.best.worth == Worth(pytest.approx(seen_worth), 3.0, 4.0)
    assert (found.value, found.worst.value, found.best.value) == (pytest.approx(1 / 3), 0.25, 0.5)
    assert found.limits()[0] == found.worst.limits()[0]
    assert found.limits()[1] == found.best.limits()[1]
    assert share_between(None, worst, best) is None
    assert share_between(seen, {}, {}) is None


@pytest.mark.parametrize("turned", [False, True])
def test_ends_on_one_side_of_a_half_go_by_the_commoner_one(turned: bool) -> None:
    """Of ten questions one or two are right, or eight or nine."""
    worst = {f"q{n}": float((n < 1) != turned) for n in range(10)}
    best = {**worst, "q9" if not turned else "q0": 1.0}
    found = share_between(share([(1.0, 1.0), (0.0, 1.0)]), worst, best)
    assert found is not None
    assert isinstance(found.worst, Share)
    low, high = found.worst.value, found.best.value
    assert (low, high) == pytest.approx((0.9, 1.0) if turned else (0.1, 0.2))
    if turned:
        assert found.worst.worth == Worth(None, 9, 10.0), "all may be alike"
        return
    far = [0.9] + [0.2] * 8 + [0.9]
    variance = 9 / 10 * sum((each / 0.9) ** 2 for each in far) / 100
    assert found.worst.worth == Worth(
        pytest.approx((10 * 0.1 + 1) / (10 * variance / (1 - 0.2) + 1 / 10)), pytest.approx(9.0), pytest.approx(10.0)
    )
