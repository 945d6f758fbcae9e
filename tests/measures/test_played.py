"""The quiz measures: small cases worked out by hand, and properties that hold for all plays."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.measures.quiz.answer_counts import groups_of
from moot.measures.quiz.diversity import difficulty, diversity_and_people, diversity_by_difficulty, diversity_curve
from moot.measures.quiz.played import (
    Played,
    accuracy_figures,
    accuracy_of,
    by_category,
    gains,
    human_comparison,
)
from moot.measures.quiz.self_preference import in_largest, self_preference
from moot.measures.quiz.skyline import GapClosed, best_single, gap_closed, gap_rows, guessing, skyline
from moot.measures.quiz.threshold import GroupingPaid, learn_threshold
from moot.stats.crossfit import crossfit, folds
from moot.stats.estimates import with_holm
from moot.stats.paired import (
    cluster_bootstrap,
    compare,
    holm,
    holm_levels,
    mcnemar_exact,
    mean_difference,
)
from moot.stats.proportion import share_of, wilson
from moot.stats.rank import midranks, spearman

PLAYERS = ("ann", "bob", "cat")
count = st.integers(0, 60)
unhurried = settings(deadline=None)
"""The machine may be busy, and the first to need SciPy waits for its import."""


@st.composite
def team_plays(draw: st.DrawFn) -> list[Played]:
    """A few questions played alone, by vote and by captains, with anything missing that can be missing."""
    plays: list[Played] = []
    for number in range(draw(st.integers(0, 7))):
        right = st.sampled_from([None, 0.0, 1.0, 0.5])
        groups = draw(st.sampled_from([(), (PLAYERS,), (("ann", "bob"), ("cat",)), (("ann",), ("bob",), ("cat",))]))
        human = draw(st.sampled_from([None, 0.1, 0.5, 0.9]))
        base = Played(f"q{number}", "vote", groups=groups, human=human, category=draw(st.sampled_from([None, "x"])))
        for player in PLAYERS:
            if draw(st.booleans()):
                plays.append(replace(base, strategy="solo", player=player, groups=(), right=draw(right)))
            for strategy in ("vote", "talkative"):
                if draw(st.booleans()):
                    own = draw(st.sampled_from([None, True, False])) if strategy == "talkative" else None
                    cost = draw(st.sampled_from([None, 0.5, 1.0]))
                    plays.append(
                        replace(
                            base, strategy=strategy, captain=player, right=draw(right), own_choice=own, cost_usd=cost
                        )
                    )
    return plays


def everything(plays: Sequence[Played]) -> dict[str, Any]:
    vote = [play for play in plays if play.strategy == "vote"]
    talk = [play for play in plays if play.strategy == "talkative"]
    learnt = learn_threshold(vote, talk)
    correlation = diversity_and_people(plays)
    return {
        "skyline": skyline(plays, choices={"q0": 4, "q1": 2}).row(),
        "best": best_single(plays).row(),
        "gap": gap_rows(plays),
        "diversity": diversity_curve(plays).rows,
        "difficulty": diversity_by_difficulty(plays).rows,
        "rho": correlation and [correlation[key] for key in ("rho", "low", "p")],
        "self": self_preference(plays),
        "human": with_holm(human_comparison(plays), prefix="difference_"),
        "category": by_category(plays),
        "gains": with_holm(gains(plays)),
        "threshold": learnt and _adjusted(learnt.row()),
    }


def _adjusted(row: dict[str, Any]) -> dict[str, Any]:
    """As a report prints it: what the adjusted intervals are made of is taken out."""
    return {
        **row,
        **dict(zip(("over_vote", "over_talk"), with_holm([row["over_vote"], row["over_talk"]]), strict=True)),
    }


def numbers(value: Any, key: str = "") -> list[tuple[str, float]]:
    if isinstance(value, dict):
        return [found for name, each in value.items() for found in numbers(each, name)]
    if isinstance(value, list):
        return [found for each in value for found in numbers(each, key)]
    return [(key, value)] if isinstance(value, float) else []


@settings(max_examples=25, deadline=None)
@given(team_plays(), st.integers(0, 3))
def test_nothing_breaks_no_nan_leaves_and_order_does_not_matter(plays: list[Played], seed: int) -> None:
    found = everything(plays)
    assert not any(math.isnan(value) for _, value in numbers(found))
    bounded = ("accuracy", "self_choice", "accuracy_self", "self_and_majority", "novel", "human", "guessing", "p")
    assert all(0 <= value <= 1 for key, value in numbers(found) if key in bounded)
    json.dumps(found, allow_nan=False)
    shuffled = random.Random(seed).sample(plays, len(plays))
    assert everything(shuffled) == found


# -- paired ------------------------------------------------------------------------------------------------------------


@unhurried
@given(count, count)
def test_mcnemar_is_the_exact_binomial_test(b: int, c: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    assert mcnemar_exact(b, c) == mcnemar_exact(c, b)
    if b + c:
        assert mcnemar_exact(b, c) == pytest.approx(stats.binomtest(b, b + c).pvalue)


def test_mcnemar_of_many() -> None:
    assert mcnemar_exact(0, 0) == 1.0
    assert mcnemar_exact(0, 6) == pytest.approx(2 / 64)
    assert 0 < mcnemar_exact(4_800, 5_200) < 1e-4


@unhurried
@given(count, count, count)
def test_the_interval_of_pairs(both: int, b: int, c: int) -> None:
    """Mirrored where the sides change places, never of no width, and at one with the exact p at every level."""
    pairs, turned = (_pairs(both, *ones) for ones in ((b, c), (c, b)))
    if len(pairs) < 2:
        assert compare(pairs).row()["low"] is None
        return
    figure, mirrored = compare(pairs).figure, compare(turned).figure
    assert figure is not None
    assert mirrored is not None
    for alpha in (0.05, 0.05 / 3, 0.005):
        low, high = figure.limits(alpha)
        assert low is not None
        assert high is not None
        assert -1 <= low <= figure.value <= high <= 1
        assert low < high, "never an interval of nothing"
        assert mirrored.limits(alpha) == pytest.approx((-high, -low), abs=1e-8)
        for threshold in (0.0, 0.02, -0.1, 0.4):
            p = figure.p(threshold)
            assert p is not None
            assert (low <= threshold <= high) == (p > alpha), (alpha, threshold, p)


def _pairs(both: int, b: int, c: int) -> list[tuple[float, float]]:
    return [(1.0, 1.0)] * both + [(1.0, 0.0)] * b + [(0.0, 1.0)] * c


def test_the_ends_are_where_the_score_of_the_likeliest_shares_says() -> None:
    """Tango (1998), with the shares found by plain maximisation instead of his formula."""
    optimize = pytest.importorskip("scipy.optimize")
    b, c, n = 12, 2, 50

    def score(difference: float) -> float:
        def unlikely(second: float) -> float:
            first, rest = second + difference, 1 - 2 * second - difference
            return -(
                b * math.log(max(first, 1e-300)) + c * math.log(max(second, 1e-300)) + (n - b - c) * math.log(rest)
            )

        edges = (max(0.0, -difference) + 1e-9, (1 - difference) / 2 - 1e-9)
        second = optimize.minimize_scalar(unlikely, bounds=edges, method="bounded", options={"xatol": 1e-10}).x
        return float((b - c - n * difference) / math.sqrt(n * (2 * second + difference * (1 - difference))))

    row = compare(_pairs(n - b - c, b, c)).row()
    assert score(row["low"]) == pytest.approx(1.96, abs=1e-3)
    assert score(row["high"]) == pytest.approx(-1.96, abs=1e-3)


def test_an_exact_p_above_the_level_leaves_zero_open() -> None:
    """5 to 0 of 60: p is 0.062, and no score interval by itself would hold 0."""
    row = compare(_pairs(55, 5, 0)).row()
    assert row["p"] == pytest.approx(0.0625)
    assert (row["low"], row["high"] > 0.1) == (0.0, True)
    assert compare(_pairs(54, 6, 0)).row()["low"] > 0


def test_whole_numbers_of_numpy_do_not_overflow() -> None:
    numpy = pytest.importorskip("numpy")
    for whole in (numpy.int8, numpy.int32, numpy.int64):
        assert mcnemar_exact(whole(60), whole(30)) == mcnemar_exact(60, 30)
    assert 0 < mcnemar_exact(numpy.int64(900), numpy.int64(1_100)) < 1e-4


@unhurried
@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(before <= after <= 1 for before, after in zip(p_values, adjusted, strict=True))
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    assert [adjusted[place] for place in order] == sorted(adjusted)
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


@unhurried
@given(st.lists(st.tuples(st.integers(0, 4), st.just(4.0)), min_size=2, max_size=30))
def test_share_of_sums(rows: list[tuple[float, float]]) -> None:
    found = share_of(rows)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.low < found.high, "never an interval of nothing"
    assert share_of(rows[::-1]) == found


@unhurried
@given(st.lists(st.floats(0, 1), max_size=12), st.sampled_from([0.05, 0.2]))
def test_holms_levels_are_at_one_with_its_p(p_values: list[float], alpha: float) -> None:
    for p, adjusted, level in zip(p_values, holm(p_values), holm_levels(p_values, alpha), strict=True):
        assert (p <= level) == (adjusted <= alpha) or adjusted == pytest.approx(alpha)


def test_bootstrap_agrees_with_the_normal_interval() -> None:
    clusters = [(float(number % 3 == 0), 1.0) for number in range(900)]
    found = cluster_bootstrap(clusters, seed=1)
    assert found is not None
    half = 1.96 * math.sqrt(found.value * (1 - found.value) / 900)
    assert (found.low, found.high) == (
        pytest.approx(found.value - half, abs=0.004),
        pytest.approx(found.value + half, abs=0.004),
    )


def test_many_questions_take_the_short_way_to_the_same_interval() -> None:
    clusters = [(((number * 7_919) % 10_007) / 10_007 * (1 + number % 3), 1.0 + number % 3) for number in range(2_600)]
    short, long = cluster_bootstrap(clusters), cluster_bootstrap(clusters[:1_900])
    assert short is not None
    assert long is not None
    assert short.high is not None
    assert long.high is not None
    assert (short.high - short.value) * math.sqrt(2_600) == pytest.approx(
        (long.high - long.value) * math.sqrt(1_900), rel=0.06
    )


def test_small_samples_have_no_interval() -> None:
    assert cluster_bootstrap([]) is None
    assert cluster_bootstrap([(0.0, 0.0)]) is None
    alone = share_of([(1.0, 2.0)])
    assert alone is not None
    assert (alone.value, alone.low) == (0.5, None)
    same = mean_difference([0.0] * 10)
    assert same is not None
    assert same.low is not None
    assert same.low < 0
    assert same.high == -same.low, "no difference in ten questions leaves much open"


def test_compare() -> None:
    single = compare([(1, 0)] * 12 + [(0, 1)] * 3 + [(1, 1)] * 20)
    assert (single.test, single.rescues, single.regressions, single.small) == ("mcnemar", 12, 3, False)
    pooled = compare([(1, 0.5)] * 12 + [(0, 1)] * 3 + [(1, 1)] * 10)
    assert (pooled.test, pooled.small) == ("score", True)
    agreed = compare([(1, 0)] * 9 + [(0, 1)] * 3 + [(1, 1)] * 20, pooled=True)
    assert agreed.test == "score", "means that all happen to be 0 or 1 are means"
    assert agreed.p == pytest.approx(mcnemar_exact(9, 3)), "of no difference the two tests say the same there"
    assert compare([]).row()["difference"] is None


# -- ranks -------------------------------------------------------------------------------------------------------------


@unhurried
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=40))
def test_spearman_is_scipys(pairs: list[tuple[int, int]]) -> None:
    stats = pytest.importorskip("scipy.stats")
    first, second = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    found = spearman(first, second)
    if len(set(first)) < 2 or len(set(second)) < 2:
        assert found is None
        return
    theirs = stats.spearmanr(first, second)
    assert found is not None
    assert found.estimate.value == pytest.approx(theirs.statistic, abs=1e-9)
    if abs(theirs.statistic) > 1 - 1e-9:
        assert (found.p, found.estimate.low, found.estimate.high) == (None, None, None)
        return
    assert found.p == pytest.approx(theirs.pvalue, abs=1e-6)
    if len(pairs) >= 5:
        assert found.estimate.low is not None
        assert found.estimate.high is not None
        assert -1 <= found.estimate.low <= found.estimate.value <= found.estimate.high <= 1


def test_midranks_and_difficulty() -> None:
    assert midranks([10, 20, 20, 5]) == [2, 3.5, 3.5, 1]
    assert difficulty({"a": 0.9, "b": 0.5, "c": 0.1}) == {"a": "easy", "b": "medium", "c": "hard"}
    assert set(difficulty(dict.fromkeys("abcdef", 0.5)).values()) == {"medium"}, "equal rates stay together"
    assert difficulty({}) == {}


# -- the team ----------------------------------------------------------------------------------------------------------


def solo(player: str, right: str) -> list[Played]:
    """``"101?"``: right, wrong, right, ungraded."""
    values = {"1": 1.0, "0": 0.0, "?": None}
    return [Played(f"q{n}", "solo", player=player, right=values[each]) for n, each in enumerate(right)]


def led(strategy: str, captain: str, right: str, **rest: Any) -> list[Played]:
    return [Played(f"q{n}", strategy, captain, right=float(each), **rest) for n, each in enumerate(right)]


def test_skyline_keeps_every_question() -> None:
    plays = solo("ann", "1000?") + solo("bob", "01000")
    found = skyline(plays, choices=dict.fromkeys(["q0", "q1"], 4))
    assert found.estimate is not None
    assert (found.estimate.value, found.estimate.n) == (2 / 4, 4), "nobody knows whether q4 was right"
    assert found.ungraded == 1
    assert found.row()["bounds"] == {"low": 2 / 5, "high": 3 / 5}
    assert found.guessing == pytest.approx(guessing(2, 4) * 2 / 4), "open questions are not guessed"
    assert skyline([]).row() == {
        "value": None,
        "low": None,
        "high": None,
        "n": 0,
        "players": 0,
        "guessing": None,
        "ungraded": 0,
        "why": "nothing has been played yet",
    }


def test_the_skyline_is_taken_in_each_repeat() -> None:
    """Two players who are right in turn: in each repeat one of them is, though each is right only half of the time."""
    plays = [
        Played(f"q{n}", "solo", player=player, right=float((repeat + place) % 2), repeat=repeat)
        for n in range(4)
        for repeat in range(3)
        for place, player in enumerate(("ann", "bob"))
    ]
    found = skyline(plays)
    assert found.estimate is not None
    assert (found.estimate.value, found.estimate.n) == (1.0, 4)
    assert gap_closed([Played(f"q{n}", "vote", right=1.0) for n in range(4)], plays).estimate.value == 1.0


def test_a_skyline_is_over_the_questions_that_are_wholly_graded() -> None:
    """The bounds know that somebody has the first one right, whatever bob said."""
    top = skyline(solo("ann", "1?0") + solo("bob", "?00"))
    assert top.estimate is not None
    assert (top.estimate.value, top.estimate.n, top.ungraded) == (0.0, 1, 2)
    assert top.row()["bounds"] == {"low": 1 / 3, "high": 2 / 3}


def test_a_skyline_that_no_grade_can_change_is_known() -> None:
    top = skyline(solo("ann", "11") + solo("bob", "?0"))
    assert top.estimate is not None
    assert (top.estimate.value, top.estimate.n) == (1.0, 2)
    assert "bounds" not in top.row()


def test_the_best_single_player_is_not_chosen_for_answers_that_nobody_has_graded() -> None:
    """Ann has all right that is graded, but only half is: who is chosen goes by the least that each can be."""
    plays = solo("ann", "11??" * 5) + solo("bob", "1101" * 5)
    found = best_single(plays)
    assert found.estimate is not None
    assert (found.player, found.players) == ("bob", 2)
    assert (found.estimate.value, found.estimate.n, found.ungraded) == (0.75, 20, 0)
    nothing = best_single(solo("ann", "????"))
    assert (nothing.estimate, nothing.row()["value"]) == (None, None)


def test_pairs_of_which_one_side_is_ungraded_are_left_out() -> None:
    team = [Played(f"q{n}", "vote", "ann", right={"1": 1.0, "0": 0.0}.get(mark)) for n, mark in enumerate("11?1" * 10)]
    (row,) = with_holm(gains(team + solo("ann", "10?0" * 10)))
    assert (row["n"], row["difference"], row["rescues"], row["regressions"]) == (30, 2 / 3, 20, 0)
    assert (row["ungraded"], row["bounds"]) == (10, {"low": 0.25, "high": 0.75})
    (row,) = with_holm(gains([Played("q0", "vote", "ann"), *solo("ann", "1")]))
    assert (row["difference"], row["p"], row["why"]) == (None, None, "no question has both answers graded")


def test_categories_people_and_diversity_count_what_is_graded() -> None:
    plays = [
        Played(f"q{n}", "vote", "ann", right=right, groups=(("ann",),), human=0.5, category="art")
        for n, right in enumerate([1.0, 1.0, None, None])
    ]
    rows = [by_category(plays)[0], human_comparison(plays)[0], diversity_curve(plays).rows[0]]
    assert [(row["accuracy"], row["n"], row["ungraded"]) for row in rows] == [(1.0, 2, 2)] * 3
    assert [row["bounds"] for row in rows] == [{"low": 0.5, "high": 1.0}] * 3
    assert rows[1]["difference"] == 0.5


def test_how_often_a_captain_is_right_is_over_what_is_graded() -> None:
    chosen = [(True, 1.0), (True, None), (False, 0.0), (False, None)]
    plays = [Played(f"q{n}", "silent", "ann", right=right, own_choice=own) for n, (own, right) in enumerate(chosen)]
    (row,) = self_preference(plays)
    assert (row["self_choice"], row["self_choice_n"], row["ungraded"]) == (0.5, 4, 2)
    assert (row["accuracy_self"], row["accuracy_self_n"], row["accuracy_not_self_n"]) == (1.0, 1, 1)


def test_a_threshold_is_learnt_from_what_is_graded() -> None:
    vote, talk = arms(40, talk_right_from=3)
    open_grades = [replace(play, right=None) for play in talk[:8]]
    found = learn_threshold(vote, [*open_grades, *talk[8:]])
    assert found is not None
    assert (found.talk_from, found.n, found.ungraded, found.left_out) == (3, 32, 8, 8)
    assert found.row()["ungraded"] == 8


@unhurried
@given(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=5))
def test_skyline_is_at_least_the_best(table: list[list[bool]]) -> None:
    plays = [play for n, row in enumerate(table) for play in solo(f"p{n}", "".join("01"[each] for each in row))]
    top, single = skyline(plays).estimate, best_single(plays)
    assert top is not None
    assert single.estimate is not None
    assert top.value >= single.estimate.value == max(sum(row) for row in table) / 5, "never below any player"


def test_a_gap_of_which_much_is_ungraded_has_bounds_alone() -> None:
    """What is graded is no sample of the rest; with few that wait there is a figure, and with none that is graded none."""
    plays = [*solo("ann", "11111111110000000000"), *solo("bob", "00000000000000011111")]

    def closed(ungraded: int) -> GapClosed:
        graded = [Played(f"q{n}", "vote", right=1.0) for n in range(ungraded, 20)]
        waiting = [Played(f"q{n}", "vote", way="waiting") for n in range(ungraded)]
        return gap_closed([*graded, *waiting], plays)

    many = closed(12)
    assert (many.estimate, many.ungraded) == (None, 12)
    assert "12 of 20 questions have an ungraded answer" in (many.why or "")
    assert many.bounds is not None
    assert many.bounds["low"] < many.bounds["high"]
    assert closed(20).estimate is None
    whole = closed(0)
    assert whole.estimate is not None
    assert (whole.ungraded, whole.bounds, whole.why) == (0, None, None)


def test_why_there_is_no_share_of_the_gap() -> None:
    team, plays = led("vote", "ann", "1110"), [*solo("ann", "1100"), *solo("bob", "0011")]
    assert gap_closed([], plays).why == "nothing has been played yet"
    assert gap_closed(team, []).why == "nothing has been played yet"
    assert (
        gap_closed(team, solo("ann", "1100")).why == "there is no gap: the best single player is as good as the skyline"
    )
    assert gap_closed(team, plays).why is None


def test_gap_closed() -> None:
    plays = solo("ann", "1100000000") + solo("bob", "0011000000")
    team = led("vote", "ann", "1110000000")
    found = gap_closed(team, plays)
    assert found.estimate is not None
    assert found.estimate.value == pytest.approx(0.5)
    assert gap_closed(team, solo("ann", "1100000000")).estimate is None, "one player leaves no gap"
    (row,) = gap_rows(plays + team)
    assert (row["label"], row["captain"], row["value"]) == ("vote", "ann", pytest.approx(0.5))


def test_folds_are_even_and_depend_on_the_seed() -> None:
    questions = [f"q{n}" for n in range(23)]
    dealt = folds(questions, seed=1)
    assert sorted(list(dealt.values()).count(fold) for fold in range(5)) == [4, 4, 5, 5, 5]
    assert dealt == folds(questions[::-1], seed=1) != folds(questions, seed=2)


def test_a_lucky_choice_is_not_scored_where_it_was_made() -> None:
    """Each option is right on one question only: the best of them after the fact looks better than by chance."""
    options = {f"p{n}": {f"q{place}": float(place == n) for place in range(10)} for n in range(10)}
    found = crossfit(options, [f"q{n}" for n in range(10)])
    assert found is not None
    assert sum(found.values.values()) == 0
    assert crossfit(options, ["q0"]) is None


def test_diversity_curve() -> None:
    agreed, split = (("ann", "bob"),), (("ann",), ("bob",))
    plays = [
        Played("q0", "vote", "ann", right=1.0, groups=agreed),
        Played("q0", "silent", "ann", right=1.0),
        Played("q0", "silent", "bob", right=0.0),
        Played("q1", "vote", "ann", right=0.0, groups=split),
        Played("q2", "vote", "ann", right=0.0),
    ]
    found = diversity_curve(plays)
    assert [(row["d"], row["label"], row["n"], row["accuracy"]) for row in found.rows] == [
        (1, "silent", 1, 0.5),
        (1, "vote", 1, 1.0),
        (2, "vote", 1, 0.0),
    ]
    assert found.left_out == 1
    assert all(row["low"] is None for row in found.rows), "one question has no interval"
    assert groups_of(plays)["q1", 0] == split


def test_diversity_by_difficulty_counts_what_it_leaves_out() -> None:
    plays = [
        Played(f"q{n}", "vote", right=1.0, groups=(("ann",),), human=rate)
        for n, rate in enumerate([0.9, 0.5, 0.1, None])
    ]
    found = diversity_by_difficulty(plays)
    assert [(row["difficulty"], row["n"], row["human"]) for row in found.rows] == [
        ("easy", 1, 0.9),
        ("medium", 1, 0.5),
        ("hard", 1, 0.1),
    ]
    assert found.left_out == 1


def test_self_preference_pools_captains_by_question() -> None:
    groups = (("ann", "bob"), ("cat",))
    plays = [
        Played("q0", "silent", "ann", right=1.0, groups=groups, own_choice=True, novel=False),
        Played("q0", "silent", "cat", right=1.0, groups=groups, own_choice=False, novel=False),
        Played("q1", "silent", "ann", right=0.0, groups=groups, own_choice=False, novel=True),
        Played("q1", "silent", "cat", right=0.0, groups=groups, own_choice=True, novel=False),
        Played("q2", "silent", "cat", right=0.0, outcome="failed"),
        Played("q0", "vote", "ann", right=1.0, groups=groups),
    ]
    ann, cat, pooled = self_preference(plays)
    assert (ann["captain"], cat["captain"], pooled["captain"]) == ("ann", "cat", None)
    assert (ann["self_choice"], ann["self_and_majority"], ann["accuracy_not_self"], ann["novel"]) == (
        0.5,
        1.0,
        0.0,
        0.5,
    )
    assert (cat["self_and_majority"], cat["n"], cat["unknown"]) == (0.0, 2, 1)
    assert (pooled["self_choice_count"], pooled["self_choice_n"], pooled["novel_count"]) == (2, 4, 1)
    assert in_largest("ann", (("ann",), ("bob",))), "among equals everyone is largest"
    assert not in_largest("dan", groups)


def test_human_comparison_and_categories() -> None:
    plays = [
        *(replace(play, human=0.5, category="art") for play in led("vote", "ann", "11")),
        *(replace(play, human=0.5, category="art") for play in led("vote", "bob", "10")),
        Played("q9", "vote", "ann", right=0.0),
        *(replace(play, human=0.5) for play in solo("ann", "10")),
    ]
    rows = {(row["label"], row["captain"], row["player"]): row for row in human_comparison(plays)}
    assert list(rows) == [("solo", None, "ann"), ("vote", "ann", None), ("vote", "bob", None), ("vote", None, None)]
    assert (rows["vote", None, None]["accuracy"], rows["vote", None, None]["human"]) == (0.75, 0.5)
    assert (rows["vote", "ann", None]["difference"], rows["vote", "ann", None]["n"]) == (0.5, 2)
    assert [(row["category"], row["label"], row["accuracy"], row["n"]) for row in by_category(plays)] == [
        ("art", "vote", 0.75, 2)
    ]


def test_gains_are_paired_and_adjusted_together() -> None:
    plays = solo("ann", "0000011111") + solo("bob", "0000000000") + led("vote", "ann", "1111111110")
    plays += led("vote", "bob", "1111100000")
    ann, bob, pooled = with_holm(gains(plays))
    assert (ann["rescues"], ann["regressions"], ann["difference"]) == (5, 1, pytest.approx(0.4))
    assert ann["p"] == pytest.approx(mcnemar_exact(5, 1))
    assert (bob["difference"], bob["small"]) == (0.5, True)
    assert (pooled["captain"], pooled["test"], pooled["difference"]) == (None, "score", pytest.approx(0.45))
    assert {row["family"] for row in (ann, bob, pooled)} == {3}
    assert all(row["p_holm"] >= row["p"] for row in (ann, bob, pooled))


def test_ungraded_is_neither_right_nor_wrong() -> None:
    found = accuracy_of(solo("ann", "1?"))
    assert found is not None
    assert (found.value, found.n) == (1.0, 1)
    row = accuracy_figures(solo("ann", "1?"))
    assert (row["ungraded"], row["bounds"]) == (1, {"low": 0.5, "high": 1.0})
    nothing = accuracy_figures(solo("ann", "??"))
    assert (nothing["value"], nothing["n"]) == (None, 0)
    assert nothing["why"] == "none of the answers to 2 questions is graded"
    assert accuracy_of([]) is None


# -- the threshold -----------------------------------------------------------------------------------------------------


def arms(n: int, *, talk_right_from: int) -> tuple[list[Played], list[Played]]:
    """Talking is right from so many groups on and voting below; voting costs 1, talking 3."""
    vote, talk = [], []
    for number in range(n):
        d = number % 4 + 1
        groups = tuple((str(each),) for each in range(d))
        vote.append(
            Played(f"q{number}", "vote", "a", right=float(d < talk_right_from), groups=groups, calls=4, cost_usd=1.0)
        )
        talk.append(Played(f"q{number}", "talkative", "a", right=float(d >= talk_right_from), calls=5, cost_usd=3.0))
    return vote, talk


def test_threshold_is_found_and_scored_on_other_questions() -> None:
    found = learn_threshold(*arms(80, talk_right_from=3))
    assert found is not None
    assert (found.talk_from, set(found.chosen)) == (3, {3})
    assert found.by_threshold.accuracy is not None
    assert found.by_threshold.cost_usd is not None
    assert (found.by_threshold.accuracy.value, found.by_threshold.cost_usd.value, found.by_threshold.calls) == (
        1.0,
        2.0,
        4.5,
    )
    assert found.always_vote.accuracy is not None
    assert found.always_vote.accuracy.value == 0.5
    assert (found.over_vote["rescues"], found.over_talk["rescues"], found.n, found.left_out) == (40, 40, 80, 0)


def test_folds_are_no_independent_tests_of_a_threshold() -> None:
    """What one fold tests helps to choose for the others: where voting and talking are equally good an interval of questions
    alone missed the truth in 7 to 12 of 100 worlds."""
    draw = random.Random("equally good")
    vote, talk = arms(60, talk_right_from=3)
    vote, talk = ([replace(play, right=float(draw.random() < 0.5)) for play in plays] for plays in (vote, talk))
    found = learn_threshold(vote, talk)
    assert found is not None
    reached = found.by_threshold.accuracy
    assert reached is not None
    assert reached.low is not None
    assert reached.high is not None
    alone = wilson(reached.value * 60, 60)
    assert alone.low is not None
    assert alone.high is not None
    assert reached.value - reached.low > 1.15 * (reached.value - alone.low)
    assert reached.high - reached.value > 1.15 * (alone.high - reached.value)
    fixed = found.always_vote.accuracy
    assert fixed is not None
    assert (fixed.low, fixed.high) == pytest.approx(
        (wilson(fixed.value * 60, 60).low, wilson(fixed.value * 60, 60).high)
    )
    same = learn_threshold(vote, [replace(play, right=other.right) for play, other in zip(talk, vote, strict=True)])
    assert same is not None
    assert same.by_threshold.accuracy == same.always_vote.accuracy, "nothing to choose between"


def test_of_equal_thresholds_the_cheaper() -> None:
    vote, talk = arms(40, talk_right_from=1)
    same = [replace(play, right=1.0) for play in vote]
    found = learn_threshold(same, talk)
    assert found is not None
    assert found.talk_from == 5, "equally right: never pay for talk"
    cheap = [replace(play, cost_usd=0.5) for play in talk]
    found = learn_threshold(same, cheap)
    assert found is not None
    assert found.talk_from == 1, "unless talk is cheaper"
    found = learn_threshold(same, cheap, grouping={(f"q{n}", 0): GroupingPaid(1, 1.0) for n in range(40)})
    assert found is not None
    assert found.talk_from == 5, "grouping has to be paid in both"


def test_unknown_cost_stays_unknown() -> None:
    vote, talk = arms(12, talk_right_from=9)
    found = learn_threshold(vote, [replace(play, cost_usd=None) for play in talk], players=6)
    assert found is not None
    assert (found.talk_from, found.always_talk.cost_usd) == (7, None)
    assert found.by_threshold.cost_usd is not None
    assert found.by_threshold.cost_usd.value == 1.0, "it never talks, so what it costs is known"
    dear = {(f"q{n}", 0): GroupingPaid(1, None) for n in range(12)}
    vote, talk = arms(12, talk_right_from=1)
    found = learn_threshold(vote, talk, players=6, grouping=dear)
    assert found is not None
    assert found.by_threshold.cost_usd is None, "it talks, and what grouping cost there is unknown"
    assert found.row()["always_vote"]["cost_usd"] == 1.0
    assert learn_threshold(vote[:1], talk[:1]) is None


def test_questions_nobody_answered_are_voted_on() -> None:
    vote, talk = arms(8, talk_right_from=3)
    found = learn_threshold(vote, talk, {**{(f"q{n}", 0): n % 4 + 1 for n in range(7)}, ("q7", 0): 0})
    assert found is not None
    assert (found.n, found.left_out) == (8, 0)
    bare = [replace(play, groups=()) for play in vote]
    assert learn_threshold(bare, talk) is None, "without groups nothing can be learnt"


def test_a_threshold_that_was_chosen_by_luck_is_no_finding() -> None:
    """Voting and talking are equally often right, whatever the drafts are like: no threshold is better than either."""
    generator = np.random.default_rng(6)
    worlds, found_better = 24, {"over_vote": 0, "over_talk": 0}
    for _ in range(worlds):
        right = generator.random((2, 100)) < 0.6
        groups = [tuple((str(each),) for each in range(d)) for d in generator.integers(1, 7, size=100)]
        vote = [Played(f"q{n}", "vote", "a", right=float(right[0, n]), groups=groups[n], calls=4) for n in range(100)]
        talk = [Played(f"q{n}", "talkative", "a", right=float(right[1, n]), calls=5) for n in range(100)]
        learnt = learn_threshold(vote, talk)
        assert learnt is not None
        for name in found_better:
            row = getattr(learnt, name)
            assert (row["low"] <= 0 <= row["high"]) is (row["p"] > 0.05)
            found_better[name] += row["low"] > 0
    allowed = worlds * 0.025 + 3 * math.sqrt(worlds * 0.025)
    assert max(found_better.values()) <= allowed, "folds taken for independent say so twice as often as they may"


def test_who_could_no_more_than_tie_is_no_rival() -> None:
    """Ann is right on 10 of 20; bob could come to 10 as well, and cat to 11."""
    marks = {
        "ann": [1.0] * 10 + [0.0] * 10,
        "bob": [1.0] * 9 + [None] + [0.0] * 10,
        "cat": [1.0] * 9 + [None] * 2 + [0.0] * 9,
    }
    plays = [
        Played(f"q{number}", "solo", player=player, right=right, way="at once" if right is not None else "waiting")
        for player, rights in marks.items()
        for number, right in enumerate(rights)
    ]
    assert best_single(plays).rivals == ("cat",)
