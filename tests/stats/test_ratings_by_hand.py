"""Ratings step by step: who is joined to whom, by which chain, and the fit beside SciPy's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import optimize

from moot.stats.bootstrap import seed_of
from moot.stats.missing_words import MissingWords
from moot.stats.preference import Preferences, PreferenceWord
from moot.stats.preference_reasons import ONE_QUESTION, SAYS_NOTHING
from moot.stats.preference_share import odds_of
from moot.stats.ratings import (
    APART,
    MISSING_WORDS,
    NO_END,
    POINTS,
    Rating,
    _bounded,
    _bounds,
    _Fitted,
    _steady,
    joined,
    ratings,
    steady_ratings,
)
from moot.stats.word_table import RIDGE

MIXED = [(1.0, 1.0)] * 9 + [(0.0, 0.0)] * 5 + [(1.0, 0.0)] * 2


def words(liked: list[tuple[float, float]], side: str, opponent: str, longer: float = 0.0) -> list[PreferenceWord]:
    return [
        PreferenceWord(f"q{n}", (side, opponent), 0, "ivy", value, place, longer * (n % 4 - 1))
        for n, both in enumerate(liked)
        for value, place in zip(both, (1, -1), strict=True)
    ]


def test_four_hundred_points_are_odds_of_ten_to_one() -> None:
    assert POINTS * math.log(10) == pytest.approx(400)


def test_groups_are_joined_by_any_of_their_members() -> None:
    assert joined([]) == []
    assert joined([("a", "b"), ("c", "d"), ("e", "f")]) == [["a", "b"], ["c", "d"], ["e", "f"]]
    assert joined([("a", "b"), ("c", "d"), ("d", "e"), ("e", "b"), ("x", "y")]) == [
        ["a", "b", "c", "d", "e"],
        ["x", "y"],
    ]
    assert joined([("x", "y"), ("a", "b"), ("c", "d"), ("d", "a")]) == [["x", "y"], ["a", "b", "c", "d"]]


def test_a_distance_is_told_by_the_chain_whose_ends_are_nearest() -> None:
    """By way of b: 1 to 2, then 0.5 to 1 back; the direct way is wider. Nobody leads to x."""
    rates = {("b", "a"): (1.0, 2.0), ("c", "b"): (-1.0, -0.5), ("c", "a"): (-3.0, 3.0), ("x", "y"): (0.0, 1.0)}
    assert _bounds(rates, "a") == {"a": (0.0, 0.0), "b": (1.0, 2.0), "c": (0.0, 1.5)}
    assert _bounds(rates, "c") == {"c": (0.0, 0.0), "b": (0.5, 1.0), "a": (-1.5, 0.0)}
    assert _bounds({("b", "a"): (1.0, 2.0), ("c", "a"): (-0.1, 0.1), ("b", "c"): (1.0, 1.5)}, "a")["b"] == (0.9, 1.6)


def test_pairs_that_leave_a_distance_open_bound_none() -> None:
    """Two questions that are no ties are the fewest, and no end may be next to 0 or 1."""
    tied = words([(0.5, 0.5)] * 20 + [(1.0, 1.0)], "b", "a")
    two = words([(0.5, 0.5)] * 20 + [(1.0, 1.0), (0.0, 0.0)], "c", "a")
    fitted = Preferences([*tied, *two])
    rates = {pair: fitted.rate(pair) for pair in fitted.pairs}
    assert [*_bounded(fitted, rates)] == [("c", "a")]
    limits = rates["c", "a"].limits(0.05) if rates["c", "a"] else None
    assert limits is not None
    assert _bounded(fitted, rates)["c", "a"] == (odds_of(limits[0]), odds_of(limits[1]))
    assert _bounded(fitted, dict.fromkeys(rates)) == {}
    sure = Preferences(words([(1.0, 1.0)] * 30, "b", "a"))
    assert _bounded(sure, {("b", "a"): sure.rate(("b", "a"))}) == {}


def test_they_fit_as_scipy_does() -> None:
    """Three in a triangle, one judge, texts of different length; one tied question more a pair, with texts like its own."""
    said = [*words(MIXED, "b", "a", 0.4), *words(MIXED[::-1], "c", "a", 0.2), *words(MIXED[4:], "c", "b")]
    said.append(PreferenceWord("e", ("b", "a"), 0, None, 1.0))
    fitted = Preferences(said)
    found = _Fitted(fitted, set(fitted.pairs))
    values = found.fitted()
    sides = {("b", "a"): (1, 0), ("c", "a"): (0, 1), ("c", "b"): (-1, 1)}  # a, the first of all, is held at nothing
    asked = [word for word in said if word.judge]
    rows = np.array([[*sides[word.pair], word.place, word.doublings] for word in asked], dtype=float)
    liked = np.array([word.liked for word in asked])
    ties = []
    for pair, side in sides.items():
        own = np.array([row for row, word in zip(rows, asked, strict=True) if word.pair == pair])
        ties.append([*side, *own[:, 2:].mean(axis=0)])
    assert found.names == ["b", "a", "c"]

    def height(at: np.ndarray) -> float:
        judged, tied, settled = rows @ at, np.array(ties) @ at, at[0]
        fits = 0.5 * (np.logaddexp(0, judged) - liked * judged).sum() + (np.logaddexp(0, tied) - tied / 2).sum()
        return float(fits + np.logaddexp(0, settled) - settled + RIDGE / 2 * at[2:] @ at[2:])

    expected = optimize.minimize(height, np.zeros(4), method="BFGS", options={"gtol": 1e-10}).x
    b, a, c = values
    assert (b - a, c - a) == pytest.approx((expected[0], expected[1]), abs=1e-5)
    assert found._habits == pytest.approx(expected[2:], abs=1e-5)


def test_resamples_lie_about_what_fits_all_as_far_as_the_information_allows() -> None:
    """Of ratings of one pair whose words have no habits: the spread is about that of a share's log-odds."""
    said = words([(1.0, 1.0)] * 60 + [(0.0, 0.0)] * 40, "b", "a")
    found = _Fitted(Preferences(said), {("b", "a")})
    b, a = found.fitted()
    share = (60 + 0.5) / 101
    assert b - a == pytest.approx(math.log(share / (1 - share)), abs=1e-6)
    drawn = found.redrawn(3)
    assert drawn.shape == (2_000, 2)
    apart = drawn[:, 0] - drawn[:, 1]
    assert apart.mean() == pytest.approx(b - a, abs=0.02)
    assert apart.std() == pytest.approx(math.sqrt(1 / 60 + 1 / 40), rel=0.06)
    assert (found.redrawn(3) == drawn).all()
    assert (found.redrawn(4) != drawn).any()


def test_a_resample_is_one_step_of_newtons_with_its_tied_question() -> None:
    """Of one pair and no habits, each question counts as often as it was drawn, and the tied one once."""
    said = words([(1.0, 1.0)] * 6 + [(0.0, 0.0)] * 2, "b", "a")
    found = _Fitted(Preferences(said), {("b", "a")})
    b, a = found.fitted()
    times = np.random.default_rng(seed_of(7, "ratings")).multinomial(8, [1 / 8] * 8, 2_000)
    share = 1 / (1 + math.exp(a - b))
    liked = np.array([1.0] * 6 + [0.0] * 2)
    bend = share * (1 - share)
    steps = (times @ (liked - share) + 0.5 - share) / (times.sum(axis=1) * bend + bend)
    drawn = found.redrawn(7)
    assert drawn[:, 0] - drawn[:, 1] == pytest.approx(b - a + steps)


@dataclass(frozen=True)
class Stubbed:
    """Missing words of which only the limits are asked for."""

    lost: tuple[float, float]
    won: tuple[float, float]
    missing: tuple[str, ...] = ("some",)

    @property
    def heard(self) -> Preferences:
        return Preferences(words(MIXED, "team", "ann"))

    def rate(self, pair: object, liked: float) -> Any:
        return type("Told", (), {"limits": lambda _, alpha: self.won if liked else self.lost})()


@pytest.mark.parametrize(
    ("lost", "won", "kept"),
    [
        ((0.55, 0.7), (0.6, 0.8), True),
        ((0.45, 0.7), (0.6, 0.8), False),
        ((0.6, 0.8), (0.45, 0.7), False),
        ((0.6, 0.7), (0.5, 0.8), False),
    ],
)
def test_the_lowest_of_both_ends_decides(lost: tuple[float, float], won: tuple[float, float], kept: bool) -> None:
    told = [Rating("ann", 0.0, None, None), Rating("team", 50.0, 10.0, 90.0)]
    found = steady_ratings(told, Stubbed(lost, won))  # type: ignore[arg-type]
    assert (found[1].value is not None) is kept
    turned = [told[0], Rating("team", -50.0, -90.0, -10.0)]
    mirrored = Stubbed((1 - lost[1], 1 - lost[0]), (1 - won[1], 1 - won[0]))
    assert (steady_ratings(turned, mirrored)[1].value is not None) is kept  # type: ignore[arg-type]


def test_the_best_of_the_anchors_is_nought_and_all_others_are_told_from_it() -> None:
    even = [(1.0, 1.0)] * 8 + [(0.0, 0.0)] * 8
    said = [*words(MIXED, "team", "ann"), *words(even, "team", "bob")]
    told = ratings(Preferences(said), ["ann", "bob"], seed=1)
    found = _Fitted(Preferences(said), {("team", "ann"), ("team", "bob")})
    values = dict(zip(found.names, found.fitted(), strict=True))
    assert [rating.name for rating in told] == ["bob", "team", "ann"]
    assert told[0] == Rating("bob", 0.0, None, None)
    fitted = Preferences(said)
    limits = fitted.rate(("team", "bob")).limits(0.05)  # type: ignore[union-attr]
    assert limits is not None
    for rating in told[1:]:
        assert rating.value == pytest.approx(POINTS * (values[rating.name] - values["bob"]))  # type: ignore[index]
        assert rating.low < rating.value < rating.high  # type: ignore[operator]
    assert told[1].low <= POINTS * odds_of(limits[0]) + 1e-9  # type: ignore[operator]
    assert told[1].high >= POINTS * odds_of(limits[1]) - 1e-9  # type: ignore[operator]
    assert ratings(Preferences(said), ["nobody"])[0].value is None


def test_who_is_joined_to_nobody_is_told_why() -> None:
    said = [*words(MIXED, "team", "ann"), *words(MIXED, "other", "dee"), *words(MIXED[2:], "team", "bob")]
    told = {rating.name: rating for rating in ratings(Preferences(said), ["ann", "dee"])}
    assert (told["other"].why, told["other"].value) == (APART.format("ann"), None)
    assert {name for name, rating in told.items() if rating.value is not None} == {"team", "ann", "bob"}
    few = [*words(MIXED, "team", "ann"), *words([(1.0, 0.0)], "team", "bob")]
    told = {rating.name: rating for rating in ratings(Preferences(few), ["ann", "bob"])}
    assert told["bob"].why == ONE_QUESTION
    three = [*words(MIXED, "team", "ann"), *words([(1.0, 1.0), (0.0, 0.0), (1.0, 1.0)], "team", "bob")]
    assert {rating.why for rating in ratings(Preferences(three), ["ann", "bob"])} == {None, SAYS_NOTHING}
    sure = [*words(MIXED, "team", "ann"), *words([(1.0, 1.0)] * 30, "team", "bob")]
    assert {rating.why for rating in ratings(Preferences(sure), ["ann", "bob"])} == {None, NO_END}


@pytest.mark.parametrize(
    ("rating", "bounds", "kept"),
    [
        ((50.0, 10.0, 90.0), (0.1, 2.0), True),
        ((50.0, 10.0, 90.0), (0.0, 2.0), False),
        ((50.0, 10.0, 90.0), None, False),
        ((-50.0, -90.0, -10.0), (-2.0, -0.1), True),
        ((-50.0, -90.0, -10.0), (-2.0, 0.0), False),
        ((5.0, 0.0, 10.0), (-1.0, 1.0), True),
        ((5.0, -10.0, 0.0), (-1.0, 1.0), True),
        ((0.0, None, None), (-1.0, 1.0), True),
    ],
)
def test_what_words_that_are_missing_could_turn_is_not_told(
    rating: tuple[float, float | None, float | None], bounds: tuple[float, float] | None, kept: bool
) -> None:
    told = Rating("b", *rating)
    assert _steady(told, bounds) == (told if kept else Rating("b", None, None, None, MISSING_WORDS))


def test_missing_words_are_put_in_as_lost_and_as_won() -> None:
    said = words([(1.0, 1.0)] * 30 + [(0.0, 0.0)] * 8, "team", "ann")
    told = ratings(Preferences(said), ["ann"])
    assert told[1].low is not None
    assert told[1].low > 0
    heard = Preferences(said)
    few = [PreferenceWord(f"m{n}", ("team", "ann"), 0, "ivy", 1.0, place) for n in range(1) for place in (1, -1)]
    many = [PreferenceWord(f"m{n}", ("team", "ann"), 0, "ivy", 1.0, place) for n in range(25) for place in (1, -1)]
    assert steady_ratings(told, MissingWords(heard, [])) == told
    assert steady_ratings(told, MissingWords(heard, few)) == told
    assert [rating.why for rating in steady_ratings(told, MissingWords(heard, many))] == [None, MISSING_WORDS]
    unknown = [Rating("ann", None, None, None, NO_END)]
    assert steady_ratings(unknown, MissingWords(heard, many)) == unknown
    assert steady_ratings([], MissingWords(heard, many)) == []
