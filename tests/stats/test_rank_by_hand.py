"""Ranks, halves and agreement of two judges, beside SciPy, statsmodels and what can be counted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, stats
from statsmodels.stats.inter_rater import cohens_kappa

from moot.stats.agreement import LOWEST, JudgeAgreement, agreement, cohen_kappa, kappa_interval
from moot.stats.bounded_mean import chance_at_most_zero
from moot.stats.clusters import clustered
from moot.stats.correlation import centred, correlation
from moot.stats.estimates import TESTED
from moot.stats.rank import halves, midranks, of_rho, permuted_p, spearman, spearman_over_questions
from moot.types import Estimate

FIRST = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0]
SECOND = [2.0, 7.0, 1.0, 8.0, 2.0, 8.0, 1.0, 8.0, 2.0]


def test_equal_values_share_the_mean_of_their_places() -> None:
    assert midranks(FIRST) == list(stats.rankdata(FIRST))
    assert midranks([]) == []
    assert midranks([2.0, 2.0, 2.0]) == [2.0, 2.0, 2.0]


def test_rho_is_scipys() -> None:
    expected = stats.spearmanr(FIRST, SECOND)
    found = spearman(FIRST, SECOND)
    assert found is not None
    assert (found.estimate.value, found.p) == (pytest.approx(expected.statistic), pytest.approx(expected.pvalue))
    assert (found.estimate.n, found.independent, found.why) == (9, 9, None)
    assert spearman([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]) is None
    assert spearman([1.0], [2.0]) is None
    two = spearman([1.0, 2.0], [2.0, 1.0])
    assert two is not None
    assert two.estimate == Estimate(-1.0, None, None, 2)
    row = found.row()
    assert row == {
        "rho": found.estimate.value,
        "low": found.estimate.low,
        "high": found.estimate.high,
        "n": 9,
        "p": found.p,
        TESTED: found,
    }
    assert two.row()["why"] == "2 are fewer than five, which is too few for an interval of rho"


@pytest.mark.parametrize("sign", [1, -1])
def test_the_p_decides_about_zero(sign: int) -> None:
    found = of_rho(sign * 0.5, 16)
    assert found.p is not None
    low, high = found.limits(found.p * 1.001)
    assert low is not None
    assert high is not None
    assert low * sign > 0 < high * sign
    low, high = found.limits(found.p * 0.999)
    assert low is not None
    assert high is not None
    assert low <= 0 <= high
    without = found.with_p(None).estimate
    assert without.low is not None
    assert without.high is not None
    assert without.low <= 0 <= without.high
    half = stats.norm.isf(0.1) * math.sqrt((1 + 0.25 / 2) / 13)
    ends = [math.tanh(math.atanh(sign * 0.5) + way * half) for way in (-1, 1)]
    assert found.limits(0.2) == pytest.approx(ends)


def test_questions_of_one_cluster_count_as_far_as_clusters_of_one_size() -> None:
    pairs = {f"q{n}": (one, other) for n, (one, other) in enumerate(zip(FIRST, SECOND, strict=True))}
    alone = spearman_over_questions(pairs)
    assert alone == spearman(FIRST, SECOND)
    with clustered({"q0": "a", "q1": "a", "q2": "a", "q3": "b", "q4": "b"}):
        found = spearman_over_questions(pairs)
    assert found is not None
    assert alone is not None
    assert found.independent == 0
    assert (found.estimate.n, found.estimate.value, found.estimate.low) == (9, alone.estimate.value, None)
    assert found.why is not None
    assert found.why.startswith("the 6 clusters are worth 4 of equal size; 4 are fewer than five")
    with clustered({"q0": "a", "q1": "a"}):
        seven = spearman_over_questions(pairs)
    assert seven is not None
    assert (seven.independent, seven.why) == (7, None), "81 by 4 + 7"
    assert seven.p == of_rho(seven.estimate.value, 7).p
    assert spearman_over_questions({}) is spearman_over_questions({"q": (1.0, 2.0)}) is None
    few = spearman_over_questions({"a": (1.0, 2.0), "b": (2.0, 1.0), "c": (3.0, 3.0)})
    assert few is not None
    assert few.why == "3 are fewer than five, which is too few for an interval of rho"


@pytest.mark.parametrize(("count", "half"), [(7, 4), (8, 4), (1, 1), (0, 0)])
def test_one_half_has_as_many_as_the_other_or_one_more(count: int, half: int) -> None:
    questions = [f"q{n}" for n in range(count)]
    assert len(halves(questions)) == half
    assert halves(questions) == halves(questions[::-1])
    if count > 6:
        assert len({frozenset(halves(questions, seed=seed)) for seed in range(5)}) > 1


def test_an_order_drawn_at_random() -> None:
    """Of eight pairs orders are drawn: one, in 40,320, is as close as this, and the one turned round."""
    assert permuted_p(range(8), range(8), resamples=99) == pytest.approx(1 / 100)
    exact = permuted_p([1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 7, 6])
    assert exact == pytest.approx(14 / math.factorial(7)), (
        "the order itself and six swaps of neighbours, both ways round"
    )
    assert permuted_p([1.0] * 9, range(9), resamples=99) == 1.0


def test_kappa_is_statsmodels() -> None:
    table = np.array([[10, 3, 1], [2, 8, 4], [0, 1, 11]])
    pairs = [(one, other) for one in range(3) for other in range(3) for _ in range(table[one, other])]
    assert cohen_kappa(pairs) == pytest.approx(cohens_kappa(table).kappa)
    found = agreement(pairs)
    assert (found.n, found.share, found.why) == (40, pytest.approx(29 / 40), None)
    assert (found.low, found.high) == kappa_interval(pairs)
    assert agreement([]) == JudgeAgreement(0, None, None, why="nothing was judged by both")


def test_an_end_of_kappa_is_where_what_is_left_over_is_as_rare_as_its_level() -> None:
    """Each answer: whether they differ, less what this kappa leaves of its part of what chance makes; and one answer more that
    goes wholly the other way."""
    pairs = [("a", "a")] * 9 + [("a", "b")] * 2 + [("b", "a")] * 3 + [("b", "b")] * 10
    n, first, second = 24, {"a": 11, "b": 13}, {"a": 12, "b": 12}
    chance = 1 - (11 * 12 + 13 * 12) / n**2
    cells = {
        (one, other): (float(one != other), 2 - (second[one] + first[other]) / n - chance)
        for one in "ab"
        for other in "ab"
    }

    def tail(kappa: float, sign: float) -> float:
        left = {cell: sign * (differ - (1 - kappa) * part) for cell, (differ, part) in cells.items()}
        return chance_at_most_zero(np.array([*(left[pair] for pair in pairs), min(left.values())]), np.ones(n + 1))

    for alpha in (0.05, 0.3):
        low = optimize.brentq(lambda at, alpha=alpha: tail(at, -1.0) - alpha / 2, -0.99, 0.58)
        high = optimize.brentq(lambda at, alpha=alpha: tail(at, 1.0) - alpha / 2, 0.6, 1.0)
        assert kappa_interval(pairs, alpha=alpha) == pytest.approx((low, high), abs=1e-6)


def test_questions_and_their_clusters_are_the_units_of_a_kappa() -> None:
    pairs = [("a", "a"), ("b", "b"), ("a", "b"), ("b", "b"), ("a", "a"), ("b", "a"), ("a", "a"), ("b", "b")]
    names = [f"q{n}" for n in range(8)]
    alone = kappa_interval(pairs, names)
    assert alone == kappa_interval(pairs)
    with clustered({"q0": "x", "q1": "x", "q2": "x"}):
        together = kappa_interval(pairs, names)
    assert together == kappa_interval(pairs, ["x", "x", "x", 3, 4, 5, 6, 7]) != alone
    assert kappa_interval(pairs, ["q"] * 8) is None
    assert kappa_interval([("a", "a")] * 5) is None
    assert LOWEST == -1.0
    two = kappa_interval([("a", "b"), ("b", "a")])
    assert two is not None
    assert two[0] == -1.0


def test_a_correlation_is_of_all_answers_and_its_interval_over_questions() -> None:
    draw = np.random.default_rng(3)
    pairs = {f"q{n}": [(float(a), float(0.5 * a + b)) for a, b in draw.normal(size=(2, 2))] for n in range(12)}
    every = np.array([pair for several in pairs.values() for pair in several])
    found, again = correlation(pairs), correlation(dict(reversed(pairs.items())))
    assert found is not None
    assert (found.value, found.n) == (pytest.approx(np.corrcoef(every.T)[0, 1]), 24)
    assert found == again
    other = correlation(pairs, seed=1)
    assert other is not None
    assert other.low != found.low
    five = correlation({name: pairs[name] for name in [*pairs][:5]})
    four = correlation({name: pairs[name] for name in [*pairs][:4]} | {"e": []})
    assert five is not None
    assert four is not None
    assert (five.low is None, four.low, four.high, four.n) == (False, None, None, 8)
    with clustered({f"q{n}": str(n % 3) for n in range(12)}):
        together = correlation(pairs)
    assert together is not None
    assert (together.low, together.value) == (None, pytest.approx(found.value))
    assert correlation({}) is correlation({"a": []}) is None
    perfect = correlation({f"q{n}": [(float(n), 2.0 * n)] for n in range(9)})
    assert perfect == Estimate(pytest.approx(1.0), None, None, 9), "questions that are all alike tell nothing of others"


def test_what_a_question_does_to_all_of_its_answers_is_taken_off() -> None:
    pairs = {"a": [(1.0, 5.0), (3.0, 6.0)], "b": [(9.0, 9.0)], "c": [(1.0, 0.0), (1.0, 3.0), (4.0, 0.0)]}
    assert centred(pairs) == {"a": [(-1.0, -0.5), (1.0, 0.5)], "c": [(-1.0, -1.0), (-1.0, 2.0), (2.0, -1.0)]}
