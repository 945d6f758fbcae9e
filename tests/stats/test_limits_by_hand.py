"""Figures that are made of others: the farther end of two, the level at which a limit leaves a threshold out, words of counts."""

from __future__ import annotations

import math
import os
import sys
from dataclasses import dataclass, replace

import pytest
from scipy.stats import beta

from moot.stats.bounded_mean import BoundedMean
from moot.stats.closure import FOR_THE_CHOICE, Gap, Side, closure, only
from moot.stats.clusters import clustered
from moot.stats.completions import Between
from moot.stats.counted_words import count, few_names, no_interval_words, waiting_words, whose_words
from moot.stats.guarded_pair import GuardedPair, guarded_difference
from moot.stats.guarded_share import GuardedShare, guarded, guarded_whatever, rate, rate_between
from moot.stats.independent_means import mean_between, mean_of_independent, mean_of_independent_shares, sharing
from moot.stats.limit_p import p_of_limits
from moot.stats.missing_words import FEW, LOST, WON, MissingWords
from moot.stats.one_thread import load_numpy
from moot.stats.paired import Difference, OnePair, compare, difference, split_signs
from moot.stats.preference import Preferences, PreferenceWord
from moot.stats.proportion import Share, share, wilson
from moot.stats.splits import OverSplits
from moot.stats.written_numbers import dollars, dollars_alike, of_hundred, rounded
from moot.types import Estimate


@dataclass(frozen=True)
class Fixed:
    """A figure whose limits move out as the level falls."""

    value: float
    low: float | None
    high: float | None
    n: int = 20
    clusters: int | None = 7

    def limits(self, alpha: float = 0.05) -> tuple[float | None, float | None]:
        if self.low is None or self.high is None:
            return None, None
        return self.low - (0.05 - alpha), self.high + (0.05 - alpha)

    def p(self, threshold: float) -> float | None:
        return None if self.low is None else abs(threshold - self.value)


def test_between_runs_from_the_worst_to_the_best() -> None:
    found = Between(Fixed(0.5, 0.4, 0.6), Fixed(0.3, 0.2, 0.4), Fixed(0.7, 0.6, 0.8))
    assert (found.value, found.n, found.clusters, found.limits()) == (0.5, 20, 7, (0.2, 0.8))
    assert found.limits(0.04) == (pytest.approx(0.19), pytest.approx(0.81))
    assert found.estimate(0.04) == Estimate(0.5, *found.limits(0.04), 20, 7)
    assert found.estimate_at_worst() == Estimate(0.3, 0.2, 0.4, 20, 7)
    assert (found.p(0.2), found.p(0.8)) == (pytest.approx(0.1), pytest.approx(0.1))
    assert (found.p(0.3), found.p(0.5), found.p(0.7)) == (1.0, 1.0, 1.0)
    assert (found.p_zero, found.p()) == (0.3, 0.3)


def test_a_value_beside_both_ends_is_reached() -> None:
    above = Between(Fixed(0.9, 0.8, 1.0), Fixed(0.3, 0.2, 0.4), Fixed(0.7, 0.6, 0.8))
    assert (above.limits(), above.p(0.8), above.p(0.95)) == ((0.2, 0.9), 1.0, pytest.approx(0.25))
    below = Between(Fixed(0.1, 0.0, 0.2), Fixed(0.3, 0.2, 0.4), Fixed(0.7, 0.6, 0.8))
    assert (below.limits(), below.p(0.2), below.p(0.05)) == ((0.1, 0.8), 1.0, pytest.approx(0.25))


@pytest.mark.parametrize("place", range(3))
def test_between_figures_of_which_one_has_no_limits_there_are_none(place: int) -> None:
    ends = [Fixed(0.5, 0.4, 0.6), Fixed(0.3, 0.2, 0.4), Fixed(0.7, 0.6, 0.8)]
    ends[place] = replace(ends[place], low=None, high=None)
    assert Between(*ends).limits() == (None, None)
    assert (Between(*ends).p(0.9) is None) is (place in (0, 2))


def test_the_p_of_limits_is_the_level_at_which_they_come_to_the_threshold() -> None:
    for level in (0.5, 0.06, 0.04, 1e-6):
        assert p_of_limits(lambda alpha, level=level: alpha <= level) == pytest.approx(level, rel=1e-9)
    assert p_of_limits(lambda alpha: True) == 1.0
    assert p_of_limits(lambda alpha: alpha <= 1e-13) == 0.0
    assert p_of_limits(lambda alpha: alpha <= 0.05) > 0.05 >= p_of_limits(lambda alpha: alpha < 0.05)


def test_over_splits_limits_are_means_at_every_level() -> None:
    figure = OverSplits([Fixed(0.5, 0.4, 0.6), Fixed(0.2, 0.1, 0.5)], 90)
    assert figure.value == pytest.approx(0.35)
    assert figure.limits(0.03) == (pytest.approx(0.25 - 0.02), pytest.approx(0.55 + 0.02))
    assert figure.estimate(0.03) == Estimate(figure.value, *figure.limits(0.03), 90)
    assert OverSplits([Fixed(0.5, 0.4, 0.6)], 90).p(0.1) == pytest.approx(0.4)
    assert OverSplits([Fixed(0.5, 0.4, 0.6), Fixed(0.2, None, None)], 90).limits() == (None, None)


def test_a_guarded_share_has_the_farther_end_of_two() -> None:
    """Of one right or wrong a question the other one is Clopper and Pearson's."""
    values = {f"q{n}": float(n >= 2) for n in range(30)}
    score = share([(value, 1.0) for value in values.values()])
    assert score is not None
    found = guarded(score, values)
    exact = float(beta.ppf(0.025, 28, 3)), float(beta.ppf(0.975, 29, 2))
    plain = score.limits()
    assert found.limits() == pytest.approx((min(plain[0], exact[0]), max(plain[1], exact[1])))  # type: ignore[type-var]
    assert found.limits() != pytest.approx(plain)
    for alpha in (0.05, 0.001):
        low, high = found.limits(alpha)
        assert low is not None
        assert high is not None
        for threshold in (low - 1e-6, low + 1e-6, high - 1e-6, high + 1e-6):
            assert ((found.p(threshold) or 0) > alpha) == (low <= threshold <= high)
    assert (found.value, found.n, found.clusters, found.p(0.0), found.p(found.value)) == (28 / 30, 30, None, 0.0, 1.0)
    assert found.estimate(0.2) == Estimate(28 / 30, *found.limits(0.2), 30)
    with clustered({question: question[:2] for question in values}):
        together = guarded(score, values)
    assert (together.n, together.clusters) == (30, 10)
    one = guarded(Share(1.0, 1, None, None), {"q": 1.0})
    assert (one.limits(), one.p(0.5)) == ((None, None), None)
    worst = {**values, "q9": 0.0}
    between = Between(score, share([(value, 1.0) for value in worst.values()]), score)  # type: ignore[arg-type]
    whole = guarded_whatever(between, values, worst, values)
    assert isinstance(whole, Between)
    assert whole.limits() == (guarded(between.worst, worst).limits()[0], found.limits()[1])
    assert guarded_whatever(score, values, None, None) == found


def test_a_rate_knows_how_many_a_question_may_bring() -> None:
    rows = {"a": (1.0, 2.0), "b": (0.0, 1.0), "c": (2.0, 3.0), "d": (0.0, 0.0)}
    asked = dict.fromkeys("abcd", 4.0)
    found = rate(rows, asked)
    assert isinstance(found, GuardedShare)
    assert (found.bounded.sums, found.bounded.sizes, found.bounded.largest) == ([-1.0, 0.0, 1.0], [1.0, 2.0, 3.0], 4.0)
    assert (found.n, found.clusters, found.value) == (4, None, 0.5)
    plain = {"a": (1.0, 1.0), "b": (0.0, 1.0)}
    assert rate(plain, dict.fromkeys("ab", 1.0)) == share(plain)
    assert rate({"d": (0.0, 0.0)}, asked) is None
    seen = share(rows)
    assert seen is not None
    between = Between(seen, seen, seen)
    assert rate_between(between, plain, plain, plain, dict.fromkeys("ab", 1.0)) is between
    several = rate_between(between, rows, {**rows, "a": (0.0, 2.0)}, {**rows, "a": (2.0, 2.0)}, asked)
    parts = [part.bounded.sums for part in (several.seen, several.worst, several.best)]  # type: ignore[attr-defined]
    assert parts == [[-1.0, 0.0, 1.0], [-1.0, -2.0, 1.0], [-1.0, 2.0, 1.0]]


def test_a_guarded_difference_has_the_farther_end_of_two() -> None:
    pairs = {f"q{n}": (float(n < 9), float(8 < n < 11)) for n in range(40)}
    score = OnePair(9, 2, 40)
    bounded = difference(split_signs([one - other for one, other in pairs.values()]))
    assert bounded is not None
    found = guarded_difference(score, pairs, {}, {})
    assert isinstance(found, GuardedPair)
    (low, high), (least, most) = score.limits(0.01), bounded.limits(0.01)
    assert found.limits(0.01) == (min(low, least), max(high, most))  # type: ignore[type-var]
    assert found.p(0.1) == max(score.p(0.1), bounded.p(0.1))  # type: ignore[type-var]
    assert (found.value, found.n, found.clusters) == (7 / 40, 40, None)
    one = guarded_difference(OnePair(1, 0, 1), {"q": (1.0, 0.0)}, {}, {})
    assert (one.limits(), one.p(0.5)) == ((None, None), None)
    means = compare(pairs, pooled=True).figure
    assert means is not None
    assert guarded_difference(means, pairs, {}, {}) is means
    worst = {**pairs, "q0": (0.0, 1.0)}
    figure = Between(score, OnePair(8, 3, 40), means)  # type: ignore[arg-type]
    between = guarded_difference(figure, pairs, worst, pairs)
    assert isinstance(between, Between)
    assert isinstance(between.worst, GuardedPair)
    assert between.worst.bounded.value == pytest.approx(5 / 40)
    assert between.best is means
    assert isinstance(between.seen, GuardedPair)


def test_sets_that_share_questions_have_one_number() -> None:
    assert sharing([["a", "b"], ["c"], ["b", "d"], [], ["d"], ["c", "e"]]) == [0, 1, 0, 3, 0, 1]
    with clustered({"a": "x", "c": "x"}):
        assert sharing([["a"], ["c"], ["d"]]) == [0, 0, 2]


def test_the_mean_of_sets_adds_up_squares_of_distances() -> None:
    sets = [Estimate(0.6, 0.5, 0.8, 30), Estimate(0.4, 0.1, 0.5, 20)]
    found = mean_of_independent(sets)
    assert found == Estimate(0.5, 0.5 - math.sqrt(0.01 + 0.09) / 2, 0.5 + math.sqrt(0.04 + 0.01) / 2, 2)
    assert mean_of_independent([*sets, Estimate(0.2, None, None, 1)]) == Estimate(pytest.approx(0.4), None, None, 3)
    shares = [wilson(12, 30), wilson(28, 30)]
    variances = [0.4 * 0.6, 28 / 30 * 2 / 30]
    width = 1.959964**2
    worth = sum(variance * width / 30 * 30 / 29 for variance in variances) / 4
    mean = (0.4 + 28 / 30) / 2
    summed, paid = mean_of_independent(shares), mean_of_independent_shares(shares)
    alone = worth / (mean * (1 - mean))
    ends = [
        (mean + alone / 2 + way * math.sqrt(alone * (mean * (1 - mean) + alone / 4))) / (1 + alone) for way in (-1, 1)
    ]
    assert summed.low is not None
    assert summed.high is not None
    assert (paid.low, paid.high) == pytest.approx((min(summed.low, ends[0]), max(summed.high, ends[1])), abs=1e-6)


def test_sets_that_are_all_none_and_all_right_leave_the_mean_what_they_are_worth() -> None:
    """Neither of twenty has a spread; together they are worth what four times twenty are, less one of each."""
    found = mean_of_independent_shares([wilson(0, 20), wilson(20, 20)])
    width = 2 * 1.959964**2 / 20 * 20 / 19 / 4
    half = math.sqrt(width * (0.25 + width / 4)) / (1 + width)
    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.5 - half, 0.5 + half), abs=1e-6)
    together = mean_of_independent_shares([wilson(0, 20), wilson(20, 20)], [0, 0])
    assert together.low is not None
    assert found.low is not None
    assert together.low < found.low, "of sets that ask the same nobody knows how far they go together"


@pytest.mark.parametrize("place", range(3))
def test_a_mean_of_figures_has_no_interval_where_one_of_its_ends_has_none(place: int) -> None:
    ends = [Fixed(0.5, 0.4, 0.6), Fixed(0.3, 0.2, 0.4), Fixed(0.7, 0.6, 0.8)]
    whole = mean_between([Between(*ends), Fixed(0.5, 0.4, 0.6)], mean_of_independent)
    assert whole.low is not None
    ends[place] = replace(ends[place], low=None, high=None)
    found = mean_between([Between(*ends), Fixed(0.5, 0.4, 0.6)], mean_of_independent)
    assert found == Estimate(0.5, None, None, 2)


def test_whoever_may_be_the_best_is_one_to_begin_from() -> None:
    """A fifth of the level is for the choice, shared by all who were compared; the rest for the intervals."""
    names = [f"q{n}" for n in range(30)]
    best = {name: float(n < 20) for n, name in enumerate(names)}
    near = {name: float(2 < n < 22) for n, name in enumerate(names)}
    top = dict.fromkeys(names, 1.0)
    reached = {name: float(n < 26) for n, name in enumerate(names)}
    rows = {name: (reached[name] - best[name], top[name] - best[name]) for name in names}
    found = closure(rows, only(reached), Side({"a": best, "b": near}, "a"), only(top))
    assert found is not None
    assert isinstance(found.gap, Gap)
    assert (found.gap.compared, FOR_THE_CHOICE) == (1, 0.2)
    assert set(found.gap.candidates(0.05)) == {("", "a", ""), ("", "b", "")}
    other = closure({q: (reached[q] - near[q], top[q] - near[q]) for q in names}, only(reached), only(near), only(top))
    assert other is not None
    ends = [found.seen.limits(0.04), other.seen.limits(0.04)]
    assert found.limits() == (min(end[0] for end in ends), max(end[1] for end in ends))  # type: ignore[type-var]
    assert found.estimate() == Estimate(found.value, *found.limits(), 30)
    assert found.p(found.value) == 1.0
    low = found.limits(0.1)[0]
    assert low is not None
    assert found.p(low) == pytest.approx(0.1, rel=1e-4)
    one = closure({"q": (1.0, 1.0)}, only({"q": 1.0}), only({"q": 0.0}), only({"q": 1.0}))
    assert one is not None
    assert (one.limits(), one.p(0.5)) == ((None, None), None)


def word(question: str, liked: float, place: int, pair: str = "ann") -> PreferenceWord:
    return PreferenceWord(question, ("team", pair), 0, "ivy", liked, place)


def test_missing_words_are_put_in_as_lost_and_as_won() -> None:
    said = [word(f"q{n}", float(n % 4 > 0), place) for n in range(40) for place in (1, -1)]
    gone = [word(f"m{n}", 0.5, place) for n in range(3) for place in (1, -1)]
    found, pair = MissingWords(Preferences(said), gone), ("team", "ann")
    assert (found.number(pair), found.number(("team", "bob")), FEW) == (6, 0, 0.05)
    assert [found.as_judged(pair, end).value for end in (LOST, WON)] == pytest.approx([30 / 43, 33 / 43])
    lost, won, heard = found.rate(pair, LOST), found.rate(pair, WON), Preferences(said).rate(pair)
    assert lost is not None
    assert won is not None
    assert heard is not None
    assert lost.value < heard.value < won.value
    assert (lost.value, won.value) == pytest.approx((30 / 43, 33 / 43), abs=0.01)
    assert found.rate(pair, LOST) is lost
    for rate_, end in ((lost, min), (won, max)):
        assert rate_.value == end([rate_.value, *(each.value for each in rate_.otherwise if each.odds is None)])
    none = MissingWords(Preferences(said), [word("m", 1.0, 1, "bob")])
    assert none.rate(pair, LOST) == heard
    assert none.rate(("team", "bob"), LOST) is None


def test_counts_in_words() -> None:
    assert [count(n, "question") for n in (0, 1, 2, 1_200)] == [
        "0 questions",
        "1 question",
        "2 questions",
        "1,200 questions",
    ]
    assert count(2, "has", "have") == "2 have"
    assert waiting_words(1) == "1 question has an answer that waits for a grade"
    assert no_interval_words(2) == "no interval: 2 questions have an answer that waits for a grade"
    assert few_names([]) == ""
    assert few_names(["ann", "bob"], 8) == "ann, bob"
    assert few_names(["ann", "bob"], 7) == "ann and 1 other"
    assert few_names(["a-rather-long-name", "bob", "eve"], 3) == "a-rather-long-name and 2 others"
    assert few_names(["x" * 20, "y" * 26]) == "x" * 20 + ", " + "y" * 26
    assert few_names(["x" * 20, "y" * 27]) == "x" * 20 + " and 1 other"
    assert whose_words({"ann": 1}) == "ann (1)"
    assert whose_words({"ann": 1, "bob": 2}, of=5) == "bob (2 of 5) and ann (1 of 5)"
    assert whose_words({"a": 1, "b": 1, "c": 1, "d": 1}) == "a (1), b (1), c (1) and 1 other"
    assert whose_words({"a": 1, "b": 1, "c": 0}, named=1) == "a (1) and 1 other"


def test_numbers_as_people_write_them() -> None:
    assert [rounded(value, 1) for value in (56.25, -56.25, 0.05, 0.04, -0.04, 7)] == [
        "56.3",
        "-56.3",
        "0.1",
        "0.0",
        "0.0",
        "7.0",
    ]
    assert [rounded(value, 0, sign=True) for value in (2.5, -2.5, 0.4)] == ["+3", "-3", "0"]
    assert (rounded(1234567.891, 2), rounded(0.9025, 1, scale=2)) == ("1,234,567.89", "90.3")
    assert (rounded(math.inf, 1), rounded(math.inf, 1, sign=True), rounded(-math.inf, 2)) == ("inf", "+inf", "-inf")
    assert (of_hundred(0.125), of_hundred(0.125, 0), of_hundred(0.125, sign=True)) == ("12.5", "13", "+12.5")
    assert [dollars(usd) for usd in (0, 0.1, 0.0999, 0.001234, 12.345, -0.02)] == [
        "$0", "$0.10", "$0.100", "$0.0012", "$12.35", "$-0.020",
    ]  # fmt: skip
    assert (dollars(math.inf), dollars(1e-20)) == ("$inf", "$0.000000000000")
    assert dollars_alike(0.0, math.inf) == ("$0", "$inf")
    assert dollars_alike(1.0, 0.001) == ("$1.0000", "$0.0010")
    assert dollars_alike(1.0, 0.0009) == ("$1.00", "$0.00090")


def test_numpy_is_loaded_with_one_thread_unless_somebody_said_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str | None] = []
    monkeypatch.setattr("importlib.import_module", lambda name: loaded.append(os.environ.get("OPENBLAS_NUM_THREADS")))
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    load_numpy()
    assert loaded == [], "it is there already"
    monkeypatch.delitem(sys.modules, "numpy")
    load_numpy()
    assert loaded == ["1"]
    assert "OPENBLAS_NUM_THREADS" not in os.environ
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    load_numpy()
    assert (loaded, os.environ["OPENBLAS_NUM_THREADS"]) == (["1"], "3")


def test_a_bounded_mean_by_hand() -> None:
    """Two gains of a half and one unit that was not seen, as large as the largest that there may be."""
    twice = BoundedMean([0.5, 0.5], [1.0, 1.0])
    assert twice.at_most(0.0) == pytest.approx((1 / (1 + 0.5)) ** 2)
    assert BoundedMean([0.5, 0.5], [1.0, 1.0], largest=3.0).at_most(0.0) == pytest.approx((3 / (3 + 0.5)) ** 2)
    assert BoundedMean([0.5, 0.5], [2.0, 2.0]).at_most(0.0) == pytest.approx((2 / (2 + 0.5)) ** 2)
    assert twice.at_most(0.2) == pytest.approx((1.2 / (1.2 + 0.3)) ** 2)
    assert (twice.value, twice.p(0.0)) == (0.5, pytest.approx(2 / 1.5**2))
    assert isinstance(compare([(1, 0), (0.5, 0)]).figure, Difference)
