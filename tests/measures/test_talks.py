"""The figures of discussions on cases counted by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.measures.discussion.challenge_rates import GradedObjection, challenges
from moot.measures.discussion.sections import discussion_sections
from moot.measures.discussion.talks import (
    Talk,
    by_question,
    deviation,
    fitted,
    mean_rounds,
    overlap_cosine,
    score,
    similarity,
    slope_bounds,
    turns_to_decide,
)
from moot.measures.position.ballot_order import ballot_look, favourites
from moot.measures.position.bias import Look, position_bias
from moot.stats.clusters import clustered
from moot.stats.graded import Value, WayOfGrading
from moot.stats.paired import rests_on_few
from moot.stats.proportion import wilson
from moot.traces import Ballot, BallotForm


def talks(*repeats: str) -> list[Talk]:
    """Each repeat as ``1011``: right or wrong, question by question."""
    return [
        Talk(f"q{n}", float(value), repeat=repeat)
        for repeat, each in enumerate(repeats)
        for n, value in enumerate(each)
    ]


def test_deviation_is_over_repeats_and_the_interval_over_questions() -> None:
    found = score(talks("1110", "1100", "1000"))
    assert found["value"] == pytest.approx(0.5)
    assert found["deviation"] == pytest.approx(0.25), "0.75, 0.5, 0.25"
    assert (found["n"], found["repeats"], found["small"]) == (4, 3, True)
    assert found["low"] < 0.5 < found["high"]
    assert found["high"] - found["low"] > 2 * found["deviation"], "four questions say little, however alike the repeats"


def test_what_rests_on_few_clusters_is_small_however_many_questions_they_hold() -> None:
    asked = [f"q{n}" for n in range(60)]
    played = [Talk(question, float(n % 2), turns=1 + n % 3, outcome="answered") for n, question in enumerate(asked)]
    objections = [GradedObjection(question, agree=n % 3 > 0, before=0.0, after=1.0) for n, question in enumerate(asked)]
    looks = [Look(question, (0, 1), frozenset([n % 2])) for n, question in enumerate(asked)]
    said = {question: [["one", "two"]] for question in asked}

    def told() -> list[bool]:
        lines = fitted({1: by_question(played), 2: by_question(played)})
        likeness = similarity(said, overlap_cosine, seed=0)
        rows = (score(played), mean_rounds(played, most=3), challenges(objections), position_bias(looks, seed=0))
        return [*(row["small"] for row in rows), rests_on_few(lines and lines.slope), rests_on_few(likeness)]

    assert told() == [False] * 6
    with clustered({question: f"passage {n % 12}" for n, question in enumerate(asked)}):
        assert told() == [True] * 6
        rows = [{**score(played), "protocol": "memory", "whole": True}]
    section = next(iter(discussion_sections({"protocols": rows})))
    assert any("The interval is over clusters of questions." in words for words in section.words)
    assert "Small: fewer than 30 questions or clusters." in section.words


def test_one_repeat_has_wilsons_interval_and_no_deviation() -> None:
    found = score(talks("1" * 24 + "0" * 8))
    expected = wilson(24, 32)
    assert (found["value"], found["low"], found["high"]) == pytest.approx((expected.value, expected.low, expected.high))
    assert (found["deviation"], found["small"]) == (None, False)


def test_equal_repeats_deviate_by_nothing_but_leave_an_interval() -> None:
    found = score(talks("111", "111"))
    assert (found["value"], found["deviation"]) == (1.0, 0.0)
    assert found["low"] < 1.0


def test_deviation_is_on_questions_that_all_repeats_played() -> None:
    started = [*talks("10"), Talk("q0", 1.0, repeat=1)]
    assert deviation(started) == 0.0, "q1 was played once"
    assert deviation([Talk("q0", 1.0), Talk("q1", 1.0, repeat=1)]) is None
    assert deviation([]) is None


def test_scores_between_0_and_1() -> None:
    found = score([Talk("q0", 0.4), Talk("q1", 0.8)])
    assert found["value"] == pytest.approx(0.6)
    assert (found["ungraded"], "bounds" in found) == (0, False)
    assert score([])["value"] is None


def test_what_is_ungraded_is_neither_right_nor_wrong() -> None:
    known = [Talk("q0", 1.0), Talk("q1", 0.0), Talk("q2", 1.0)]
    with_open = [*known, Talk("q3", None), Talk("q0", None, repeat=1)]
    found, without = score(with_open), score(known)
    assert {key: found[key] for key in ("value", "low", "high", "n")} == {
        key: without[key] for key in ("value", "low", "high", "n")
    }
    assert found["ungraded"] == 2
    assert found["bounds"] == pytest.approx({"low": (0.5 + 0 + 1 + 0) / 4, "high": (1 + 0 + 1 + 1) / 4})
    assert by_question(with_open) == {"q0": 1.0, "q1": 0.0, "q2": 1.0}
    nothing = score([Talk("q0", None)])
    assert (nothing["value"], nothing["n"], nothing["why"]) == (None, 0, "none of the answers to 1 question is graded")
    assert nothing["bounds"] == {"low": 0.0, "high": 1.0}


def test_turns_share_one_denominator() -> None:
    said = [
        Talk("q0", 1.0, turns=1),
        Talk("q1", 1.0, turns=1),
        Talk("q2", 0.0, turns=3),
        Talk("q3", 0.0, "undecided", 5),
        Talk("q4", 0.0, "unanswered", 5),
        Talk("q5", 0.0, "failed", 1),
    ]
    found = turns_to_decide(said)
    assert [(each["turn"], each["times"]) for each in found["turns"]] == [(1, 2), (3, 1)]
    assert [each["share"] for each in found["turns"]] == pytest.approx([2 / 6, 1 / 6])
    assert (found["undecided"], found["no_answer"]) == pytest.approx((1 / 6, 2 / 6))
    assert found["rounds"] == pytest.approx((1 + 1 + 3 + 5 + 5) / 5), "what failed says nothing about turns"
    assert found["n"] == 5


def test_long_talks_that_were_not_seen_are_in_the_interval_of_the_mean() -> None:
    short = [Talk(f"q{n}", 1.0, turns=1) for n in range(60)]
    found = mean_rounds(short, most=7)
    rarest = 1 - 0.025 ** (1 / 60)  # with as many as that of seven turns, 60 talks show none in 2.5 %
    assert (found["rounds"], found["low"]) == (1.0, 1.0)
    assert found["high"] == pytest.approx(1 + 6 * rarest)
    assert mean_rounds(short)["high"] is None, "nobody knows how long one may be"
    assert mean_rounds(short, most=1)["high"] is None, "none can be longer"
    beyond = mean_rounds([*short, Talk("q60", 1.0, turns=9)], most=7)
    assert beyond["high"] == mean_rounds([*short, Talk("q60", 1.0, turns=9)])["high"]


def test_nothing_held_has_no_mean() -> None:
    assert mean_rounds([Talk("q0", 0.0, "failed")])["rounds"] is None
    assert turns_to_decide([])["undecided"] is None


def test_the_line_is_that_of_least_squares() -> None:
    points = {
        1.0: {"q0": 0.0, "q1": 1.0, "q2": 0.0},
        3.0: {"q0": 1.0, "q1": 1.0, "q2": 0.0},
        5.0: {"q0": 1.0, "q1": 1.0, "q2": 1.0, "only here": 0.0},
    }
    line = fitted(points)
    assert line is not None
    slope, intercept = np.polyfit([1, 3, 5], [1 / 3, 2 / 3, 1.0], 1)
    assert (line.slope.value, line.intercept) == pytest.approx((slope, intercept))
    assert line.at(3) == pytest.approx(2 / 3)
    assert line.slope.n == 3
    assert line.slope.low is not None
    assert line.slope.high is not None
    assert line.slope.low <= line.slope.value <= line.slope.high


@given(st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=4, max_size=4), min_size=2, max_size=12))
def test_any_line_is_that_of_least_squares(scores: list[list[float]]) -> None:
    xs = [1.0, 2.0, 3.0, 5.0]
    points = {x: {f"q{n}": row[place] for n, row in enumerate(scores)} for place, x in enumerate(xs)}
    line = fitted(points)
    assert line is not None
    slope, intercept = np.polyfit(xs, np.array(scores).mean(axis=0), 1)
    assert (line.slope.value, line.intercept) == pytest.approx((slope, intercept), abs=1e-9)
    assert line.slope.low is not None
    assert line.slope.high is not None
    assert line.slope.low < line.slope.high, "never an interval of nothing"


def test_a_slope_over_what_is_graded_says_how_far_it_can_lie() -> None:
    """Of one question of two the score at 3 is not known: between 0 and 1 there, and so between 0 and a half a step."""
    right, wrong, unknown = Value(1.0, 1.0, 1.0), Value(0.0, 0.0, 0.0), Value(None, 0.0, 1.0)
    told = slope_bounds({1.0: {"a": wrong, "b": right}, 3.0: {"a": right, "b": unknown}})
    assert told == {"ungraded": 1, "bounds": {"low": pytest.approx(0.0), "high": pytest.approx(0.25)}}
    assert slope_bounds({1.0: {"a": wrong}, 3.0: {"a": right}}) == {}


def test_without_two_points_there_is_no_line() -> None:
    assert fitted({}) is None
    assert fitted({3.0: {"q0": 1.0}}) is None
    assert fitted({3.0: {"q0": 1.0}, 5.0: {"q1": 1.0}}) is None
    single = fitted({3.0: {"q0": 1.0}, 5.0: {"q0": 0.0}})
    assert single is not None
    assert (single.slope.value, single.slope.low) == (-0.5, None), "one question has no interval"


def test_likeness_is_the_mean_over_pairs() -> None:
    answers = {"q0": [["a b", "a b", "c"]], "q1": [["a b", "a c"], ["one"]], "q2": [["alone"]], "q3": [[]]}
    found = similarity(answers, overlap_cosine)
    assert found is not None
    assert found.value == pytest.approx((1 / 3 + 1 / 2) / 2)
    assert found.n == 2, "one answer makes no pair"
    assert similarity({"q2": [["alone"]]}, overlap_cosine) is None


def test_words_in_common() -> None:
    assert overlap_cosine("the red fox", "fox the red") == pytest.approx(1.0)
    assert overlap_cosine("red fox", "red hen") == pytest.approx(0.5)
    assert overlap_cosine("a a b", "a b b") == pytest.approx(4 / 5)
    assert (overlap_cosine("", "a"), overlap_cosine("", "")) == (0.0, 1.0)


PAPERS: list[tuple[dict[str, Any], tuple[int, ...]]] = [
    ({"form": "choice", "choice": {2: 1.0}}, (2,)),
    ({"form": "ranking", "choice": {0: 2, 1: 1, 2: 3}}, (1,)),
    ({"form": "points", "choice": {0: 10, 1: 10, 2: 5}}, (0, 1)),
    ({"form": "approved", "choice": {0: 1.0, 2: 1.0}}, (0, 2)),
    ({"form": "approved", "choice": {}}, ()),
    ({"form": "choice", "choice": None}, ()),
]


@pytest.mark.parametrize(("filled", "liked"), PAPERS)
def test_favourites(filled: dict[str, Any], liked: tuple[int, ...]) -> None:
    assert favourites(Ballot("ann", order=(1, 0, 2), turn=1, **filled)) == liked


def look(question: str, order: tuple[int, ...], choice: dict[int, float] | None, form: BallotForm = "choice") -> Look:
    return ballot_look(question, Ballot("ann", choice, form, order, turn=1))


def test_the_first_shown_beside_chance() -> None:
    looks = [
        look("q0", (1, 0), {1: 1.0}),
        look("q0", (0, 1), {1: 1.0}),
        look("q1", (2, 0, 1), {2: 1.0, 0: 1.0}, "approved"),
        look("q1", (2, 0, 1), {}, "approved"),
        look("q1", (0, 1, 2), None),
    ]
    found = position_bias(looks)
    assert found["first"] == pytest.approx((1 + 0 + 0.5) / 3)
    assert found["chance"] == pytest.approx((1 / 2 + 1 / 2 + 1 / 3) / 3)
    assert found["first_difference"] == pytest.approx(found["first"] - found["chance"])
    assert (found["decisions"], found["apart"], found["n"]) == (3, {"empty": 1, "spoilt": 1}, 2)
    assert found["small"]
    assert position_bias(looks[3:])["first"] is None


def test_a_voter_who_always_takes_the_first_is_found() -> None:
    draw = np.random.default_rng(7)
    orders = [tuple(map(int, draw.permutation(3))) for _ in range(40)]
    blind = [look(f"q{n}", order, {order[0]: 1.0}) for n, order in enumerate(orders)]
    fair = [look(f"q{n}", tuple(map(int, draw.permutation(3))), {0: 1.0}) for n in range(400)]
    biased, unbiased = (position_bias(looks) for looks in (blind, fair))
    assert (biased["first"], biased["chance"]) == pytest.approx((1.0, 1 / 3))
    assert biased["first_p"] < 0.001
    assert unbiased["first_low"] < 0 < unbiased["first_high"]


def test_challenges_by_hand() -> None:
    said = [
        GradedObjection("q0", False, 0.0, 1.0, answered=True),  # improved
        GradedObjection("q0", False, 0.0, 0.0, answered=True),
        GradedObjection("q0", True, 0.0),
        GradedObjection("q1", False, 1.0, 0.0, answered=True),  # worsened
        GradedObjection("q1", False, 1.0),  # no new answer: nothing changed
        GradedObjection("q1", None, 1.0),  # did not say
        GradedObjection("q2", False, 0.4, 0.7, answered=True),  # improved, by words
        GradedObjection("q2", False, 0.4, None, answered=True),  # nobody has graded it
    ]
    found = challenges(said)
    assert (found["challenged"], found["agents"], found["did_not_say"]) == (6, 8, 1)
    assert found["rate"] == pytest.approx(6 / 8)
    assert (found["improved"], found["worsened"], found["no_new_answer"], found["ungraded"]) == (2, 1, 1, 1)
    assert found["net"] == pytest.approx(1 / 5), "of those that could be graded"
    assert (found["n"], found["small"]) == (3, True)


def test_challenges_that_all_help_leave_an_interval() -> None:
    found = challenges([GradedObjection(f"q{n}", False, 0.0, 1.0, answered=True) for n in range(20)])
    assert found["net"] == found["net_high"] == 1.0
    assert 0.6 < found["net_low"] < 0.75, "twenty questions without a single failure, of which one would count twice"
    assert challenges([GradedObjection("q0", False, 0.0, 1.0, answered=True)])["net_low"] is None


def test_nobody_asked_and_nobody_challenged() -> None:
    nothing = challenges([])
    assert (nothing["rate"], nothing["net"], nothing["n"]) == (None, None, 0)
    content = challenges([GradedObjection(f"q{n}", True, 1.0) for n in range(30)])
    assert (content["rate"], content["net"], content["small"]) == (0.0, None, False)
    assert content["rate_high"] > 0, "thirty questions do not prove a rate of nothing"


def test_challenges_are_not_counted_while_any_waits_for_a_grade() -> None:
    judged: tuple[WayOfGrading, WayOfGrading] = ("judge", "judge")
    graded = [GradedObjection(f"q{n}", False, float(n >= 60), float(n < 60), True, judged) for n in range(96)]
    waits = [GradedObjection(f"q{96 + n}", False, 0.0, None, True, ("judge", "waiting")) for n in range(4)]
    row = challenges([*graded, *waits])
    assert row["net"] == pytest.approx(24 / 96)
    assert (row["improved"], row["worsened"]) == (None, None)
    assert row["counts_why"] == "4 challenges wait for a grade, so that nobody can count what got better or worse"
    flatters = challenges([*graded[:60], *waits])
    assert (flatters["net"], flatters["improved"], flatters["worsened"]) == (None, None, None)
    assert challenges(graded)["improved"] == 60
    assert "counts_why" not in challenges(graded)
    named = {
        "protocol": "p",
        "label": "p",
        "with": "",
        "team": "t",
        "cohort": None,
        "setting": "shown",
        "part": "shown",
    }
    made = discussion_sections({"challenges": [{**named, **row, "held": 100, "not_held": 0}]})
    (section,) = (section for section in made if section.title == "The challenge round")
    assert f"No counts in 1 row: {row['counts_why']}." in section.words


def test_repeats_of_a_question_are_one_cluster() -> None:
    once = challenges([GradedObjection(f"q{n}", n % 2 == 0, 1.0) for n in range(40)])
    often = challenges([GradedObjection(f"q{n}", n % 2 == 0, 1.0) for n in range(40) for _ in range(9)])
    widths = [each["rate_high"] - each["rate_low"] for each in (once, often)]
    assert math.isclose(widths[0], widths[1], rel_tol=0.2)
    assert by_question(talks("10", "11")) == {"q0": 1.0, "q1": 0.5}


def test_what_can_come_of_challenges_that_nobody_has_graded() -> None:
    """Ungraded ones at their worst and at their best; one without a new answer has changed nothing."""
    objections = [
        GradedObjection("q1", False, 0.0, 1.0, answered=True),
        GradedObjection("q2", False, 1.0, 0.0, answered=True),
        GradedObjection("q3", False, 0.0, 1.0, answered=True),
        GradedObjection("q4", False, 1.0, None, answered=False),
        GradedObjection("q5", False, 1.0, None, answered=True, ways=("at once", "nobody")),
        GradedObjection("q6", True, 0.0, 1.0, answered=True),
        GradedObjection("q7", None, 0.0, 1.0, answered=True),
    ]
    row = challenges(objections)
    assert row["net_bounds"] == {"low": (2 - 1 - 1) / 5, "high": (2 - 1) / 5}, "what was right cannot get better"
    assert row["net"] == pytest.approx((2 - 1) / 4)
    counted = ("challenged", "did_not_say", "improved", "worsened", "no_new_answer", "ungraded", "agents", "n")
    assert [row[name] for name in counted] == [5, 1, 2, 1, 1, 1, 7, 7]
