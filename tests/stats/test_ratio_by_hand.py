"""Fieller's interval of what is closed of a gap, from its sums, and its p, beside Student's test of what is left over."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from moot.stats.clusters import clustered
from moot.stats.ratio import Closed, closed, no_gap

ROWS = [(1.0, 1.0)] * 6 + [(0.0, 1.0)] * 3 + [(-1.0, 0.0)] + [(0.0, 0.0)] * 10


def test_sums_and_squares() -> None:
    """Beside what was seen one unit whose gap was closed, one whose was not, and one that was lost."""
    found = closed(ROWS)
    assert found is not None
    rises, gaps = zip(*ROWS, strict=True)
    n = len(ROWS)

    def spread(one: tuple[float, ...], other: tuple[float, ...]) -> float:
        middles = sum(one) / n, sum(other) / n
        return n / (n - 1) * sum((a - middles[0]) * (b - middles[1]) for a, b in zip(one, other, strict=True))

    assert (found.rise, found.gap, found.df, found.n, found.clusters) == (5.0, 9.0, 19, 20, None)
    assert found.value == pytest.approx(5 / 9)
    assert found.rise_square == pytest.approx(spread(rises, rises) + 2)
    assert found.gap_square == pytest.approx(spread(gaps, gaps) + 2)
    assert found.product == pytest.approx(spread(rises, gaps) + 1)


def test_of_clusters_the_gap_is_the_usual_one_and_the_loss_as_large_as_the_largest() -> None:
    rows = {f"{cluster}{place}": (1.0, 1.0) for cluster in "abcd" for place in range(2)} | {"e0": (0.0, 0.0)}
    with clustered({question: question[0] for question in rows} | {"d0": None}):
        found = closed(rows)
    assert found is not None
    # Units: a, b and c of two questions each, d0, d1 and e0 alone; gaps 2, 2, 2, 1, 1 and none.
    assert (found.n, found.clusters, found.df) == (9, 6, 5)
    away = sum((gap - 8 / 6) ** 2 for gap in (2, 2, 2, 1, 1, 0))
    usual = (2 + 2 + 2 + 1 + 1) / 5
    assert found.rise_square == pytest.approx(6 / 5 * away + usual**2 + 2**2)
    assert found.gap_square == pytest.approx(6 / 5 * away + 2 * usual**2)
    assert found.product == pytest.approx(6 / 5 * away + usual**2)


def test_at_its_ends_students_test_of_what_is_left_over_is_at_its_level() -> None:
    found = closed(ROWS)
    assert found is not None
    for alpha in (0.05, 0.2):
        for end in found.limits(alpha):
            assert end is not None
            left = found.rise - end * found.gap
            square = found.rise_square - 2 * end * found.product + end**2 * found.gap_square
            assert left**2 / square == pytest.approx(stats.t.isf(alpha / 2, 19) ** 2)
            assert found.p(end) == pytest.approx(alpha)
    assert found.p(found.value) == pytest.approx(1.0)
    assert found.estimate(0.2).low == found.limits(0.2)[0]


def test_a_gap_that_may_be_none_leaves_no_interval() -> None:
    """Its own p is the least that any share has."""
    found = closed([(1.0, 1.0), (0.0, 1.0), (0.0, -1.0), (0.0, 1.0), (0.0, 0.0)])
    assert found is not None
    alone = 2 * stats.t.sf(found.gap / math.sqrt(found.gap_square), 4)
    assert found.limits(alone * 0.99) == (None, None)
    assert found.limits(alone * 1.01) != (None, None)
    assert min(found.p(share) or 0 for share in (-50.0, 0.0, 1.0, 50.0)) >= alone


def test_without_a_gap_or_with_one_question() -> None:
    assert closed([(1.0, 1.0), (0.0, -1.0)]) is None
    assert closed([(1.0, 0.1), (0.0, 0.2), (0.0, -0.3)]) is None, "what adding up leaves is none"
    assert closed([(1.0, 2e-12), (1.0, 0.0)]) is not None
    assert [no_gap(gaps) for gaps in ([0.0], [-1.0, 0.5], [1e-12], [1e-11])] == [True, True, True, False]
    one = closed([(0.5, 1.0)])
    assert one == Closed(0.5, 1.0, 0.0, 0.0, 0.0, 0, 1, None)
    assert (one.value, one.limits(), one.p(0.3)) == (0.5, (None, None), None)
