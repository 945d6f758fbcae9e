"""Folds, shared questions, frontiers and races, on tables small enough to see through."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from moot.stats.clusters import clustered, cut, dealt, joined, unit_names, units
from moot.stats.crossfit import best, crossfit, equally_best, folds, least_on, parts_of, values_on
from moot.stats.frontier import (
    Option,
    _compared,
    _error,
    _mean_cost,
    charged_together,
    frontier,
    undominated,
)
from moot.stats.graded import graded_value
from moot.stats.racing import RACE_ALPHA, STAKES, Race, raced
from moot.stats.shared_questions import ENOUGH, SharedQuestions, shared_questions
from moot.types import digest

ASKED = [f"q{n:02}" for n in range(40)]


def marks(*right: float | None) -> dict[str, float | None]:
    return dict(zip(ASKED, right, strict=False))


# --- units and folds --------------------------------------------------------------------------------------------------


def test_what_hangs_together_by_way_of_others_has_the_least_of_their_names() -> None:
    assert joined({1: ["d", "c"], 2: ["b"], 3: ["c", "e"], 4: [], 5: ["e", "b"], 6: ["x"]}) == {
        1: "b",
        2: "b",
        3: "b",
        5: "b",
        6: "x",
    }


def test_units_go_to_where_the_fewest_questions_are() -> None:
    assert dealt([1, 1, 1, 1, 1], 2) == [0, 1, 0, 1, 0]
    assert dealt([2, 2, 2], 2) == [0, 1, 0]
    assert dealt([3, 1, 1, 1, 2], 2) == [0, 1, 1, 1, 0]
    assert dealt([], 3) == []
    assert [cut([2, 2, 3, 1], wanted) for wanted in (0, 2, 3, 5, 9)] == [1, 1, 1, 2, 3]


def test_units_of_several_questions_are_told() -> None:
    rows = {"a": (1.0, 2.0), "b": (0.5, 1.0), "c": (3.0, 1.0)}
    with clustered({"a": "x", "c": "x", "b": "y", "z": "y", "w": None}):
        found = units(rows)
        assert (found.sums, found.questions, found.clusters, found.enough) == ([(0.5, 1.0), (4.0, 3.0)], 3, 2, True)
        assert units({"b": (1.0,)}).clusters is None
        assert units([(1.0,), (2.0,)]).told is False
        assert not units([(1.0,), (2.0,)]).enough
        assert unit_names(["a", "b", "w"]) == ["cluster x", "cluster y", "w"]
    assert units([(2.0,), (1.0,)]).sums == [(1.0,), (2.0,)]
    assert units([(2.0,), (1.0,)]).enough
    assert not units([(2.0,)]).enough


def test_folds_are_dealt_by_the_digests_of_units() -> None:
    with clustered({question: question[:2] for question in ASKED[:20]}):
        found = folds(ASKED[:25], count=3, seed=4)
    names = ["cluster q0", "cluster q1", *ASKED[20:25]]
    order = sorted(names, key=lambda name: digest([4, "fold", name]))
    filled, expected = [0, 0, 0], {}
    for name in order:
        expected[name] = filled.index(min(filled))
        filled[expected[name]] += 10 if name.startswith("cluster") else 1
    assert {found[question] for question in ASKED[:10]} == {expected["cluster q0"]}
    assert {question: found[question] for question in ASKED[20:25]} == {name: expected[name] for name in names[2:]}
    assert (parts_of(ASKED[:3]), parts_of(ASKED), parts_of(ASKED[:1]), parts_of([]), parts_of(ASKED, 2)) == (
        3,
        5,
        0,
        0,
        2,
    )


def test_the_best_of_options() -> None:
    options = {"a": marks(1.0, 0.0, 0.5), "b": marks(0.5, 0.5, 0.5), "c": marks(1.0, 0.0, None)}
    asked = ASKED[:3]
    assert best(options, asked) == "a"
    assert equally_best(options, asked) == ["a", "b"]
    costs = {"a": dict.fromkeys(asked, 2.0), "b": dict.fromkeys(asked, 1.0), "c": {}}
    assert equally_best(options, asked, costs) == ["b"]
    assert best(options, asked, least={"c": {ASKED[2]: 0.75}}) == "c"
    assert best({"a": marks(None, None), "b": marks(0.0, 0.0)}, ASKED[:2]) == "b", "without any grade it is last"
    unpriced = {"a": {}, "b": dict.fromkeys(asked, 1e9)}
    assert best({name: options[name] for name in "ab"}, asked, unpriced) == "b", "nobody knows that it is cheaper"
    elsewhere = {"a": {ASKED[0]: 0.5, "other": 9.0, "another": 9.0}, "b": dict.fromkeys(asked, 1.0)}
    assert best({name: options[name] for name in "ab"}, asked, elsewhere) == "a", (
        "what it cost on other questions is no matter"
    )
    assert best({}, asked) is None
    assert best({"a": marks(1.0, 1.0, 0.0), "b": marks(0.0, 0.0, 1.0)}, [ASKED[2]]) == "b"
    assert least_on(marks(1.0, None, 0.0), asked, {}) == [1.0, 0.0, 0.0]
    assert least_on(marks(1.0, None, None), asked, {ASKED[1]: 0.5}) == [1.0, 0.5, 0.0]
    assert values_on({ASKED[0]: 2.0}, asked) == [2.0, 0.0, 0.0]


def test_what_other_folds_chose_is_scored() -> None:
    """One is right on two folds of three, the other half right on the third. Of two that are right on one each, the other one
    leads where that is left out."""
    fold_of = folds(ASKED, count=3)
    first = {question: float(fold != 0) for question, fold in fold_of.items()}
    second = {question: 0.5 * (fold == 0) for question, fold in fold_of.items()}
    found = crossfit({"first": first, "second": second}, ASKED, count=3)
    assert found is not None
    assert found.chosen == ("first", "first", "first")
    assert found.values == first
    assert found.choice == dict.fromkeys(sorted(ASKED), "first")
    half = {question: float(fold == 1) for question, fold in fold_of.items()}
    other = {question: float(fold == 2) for question, fold in fold_of.items()}
    found = crossfit({"half": half, "other": other}, ASKED, count=3)
    assert found is not None
    assert found.chosen[1:] == ("other", "half"), "never by the fold that is scored"
    assert {found.values[question] for question, fold in fold_of.items() if fold > 0} == {0.0}


def test_of_equal_options_the_cheaper_is_chosen_and_what_is_not_graded_has_no_value() -> None:
    right = dict.fromkeys(ASKED, 1.0)
    costs = {"dear": dict.fromkeys(ASKED, 2.0), "cheap": dict.fromkeys(ASKED, 1.0)}
    found = crossfit({"dear": right, "cheap": right}, ASKED, costs=costs)
    assert found is not None
    assert found.chosen == ("cheap",) * 5
    assert crossfit({"dear": right, "cheap": right}, ASKED).chosen == ("dear",) * 5  # type: ignore[union-attr]
    holed: dict[str, float | None] = {**right, ASKED[3]: None}
    found = crossfit({"holed": holed, "worse": dict.fromkeys(ASKED, 0.5)}, ASKED, least={"holed": {ASKED[3]: 0.9}})
    assert found is not None
    assert found.chosen == ("holed",) * 5
    assert (ASKED[3] in found.values, ASKED[3] in found.choice, len(found.values)) == (False, True, 39)
    ungraded = crossfit({"nothing": dict.fromkeys(ASKED), "zero": dict.fromkeys(ASKED, 0.0)}, ASKED)
    assert ungraded is not None
    assert ungraded.chosen == ("zero",) * 5
    assert crossfit({"one": {ASKED[0]: 1.0}}, ASKED[:1]) is None


# --- which questions are shared -----------------------------------------------------------------------------------------


def test_options_are_ranked_on_what_all_have_played() -> None:
    found = shared_questions({"a": ASKED[:12], "b": ASKED[4:12], "c": []}, ASKED)
    assert found == SharedQuestions(("a", "b"), tuple(ASKED[4:12]), {"c": 0}, False)
    assert found.told == "not ranked, with too few questions that the others have: c (0 questions)"
    whole = shared_questions({"a": ASKED[::-1], "b": ASKED})
    assert whole == SharedQuestions(("a", "b"), tuple(ASKED), {}, True)
    assert (whole.told, whole.none_ranked) == (None, False)
    assert shared_questions({"a": ASKED, "b": ASKED}, ASKED[:5]).questions == tuple(ASKED[:5])
    assert shared_questions({"a": [], "b": []}) == SharedQuestions((), (), {"a": 0, "b": 0}, True)
    assert shared_questions({}) == SharedQuestions((), (), {}, True)


def test_too_few_in_common_are_a_quarter_of_whoever_has_most_or_thirty() -> None:
    assert ENOUGH == 0.25
    found = shared_questions({"a": ASKED, "b": ASKED[:10]})
    assert (found.names, len(found.questions)) == (("a", "b"), 10)
    assert shared_questions({"a": ASKED, "b": ASKED[:9]}).left_out == {"b": 9}
    many = [f"q{n:03}" for n in range(400)]
    assert shared_questions({"a": many, "b": many[:30]}).names == ("a", "b")
    assert shared_questions({"a": many, "b": many[:29]}).names == ("a",)


def test_as_many_are_ranked_as_have_enough_in_common() -> None:
    """Three share the first half, two the second; of two such pairs the one with more questions."""
    halves_ = {"a": ASKED[:20], "b": ASKED[20:], "c": ASKED[:20], "d": ASKED[20:], "e": ASKED[:19]}
    found = shared_questions(halves_)
    assert (found.names, found.questions, found.left_out) == (("a", "c", "e"), tuple(ASKED[:19]), {"b": 20, "d": 20})
    two = shared_questions({"a": ASKED[:20], "b": ASKED[20:], "c": ASKED[:19], "d": ASKED[20:]})
    assert (two.names, len(two.questions)) == (("b", "d"), 20)
    equal = shared_questions({"b": ASKED[20:], "a": ASKED[:20], "d": ASKED[20:], "c": ASKED[:20]})
    assert equal.names == ("a", "c"), "the questions that come first"
    none = shared_questions({"a": ASKED[:20], "b": ASKED[20:]})
    assert none.none_ranked
    assert none.why_none == "fewer than two of 2 have enough questions in common to be ranked"
    assert best({"a": dict.fromkeys(ASKED[:20], 1.0), "b": dict.fromkeys(ASKED[20:], 1.0)}, ASKED) is None


# --- accuracy and cost --------------------------------------------------------------------------------------------------


def test_who_is_on_a_frontier() -> None:
    """Costs as they are: the second costs more than the first, the third more than both."""
    more = np.array([[False, False, False], [True, False, False], [True, True, False]])
    assert undominated(np.array([0.5, 0.6, 0.7]), more) == [True, True, True]
    assert undominated(np.array([0.5, 0.5, 0.7]), more) == [True, False, True], "as good and cheaper"
    assert undominated(np.array([0.7, 0.6, 0.7 + 1e-13]), more) == [True, False, False]
    same = np.zeros((2, 2), dtype=bool)
    assert undominated(np.array([0.5, 0.5]), same) == [True, True]
    assert undominated(np.array([0.5, 0.6]), same) == [False, True]


def test_a_cost_is_its_mean_over_what_was_played() -> None:
    assert _mean_cost(np.array([1.0, np.nan, 3.0])) == 2.0
    assert _mean_cost(np.array([np.nan])) == 0.0
    played = {"a": ASKED[:10], "b": ASKED[:10], "c": []}
    assert (charged_together(played, ASKED) or shared_questions({})).names == ("a", "b")
    assert charged_together({"a": ASKED[:1], "b": ASKED[:1]}, ASKED) is None
    assert charged_together({"a": ASKED[:20], "b": ASKED[20:]}, ASKED) is None
    assert charged_together({"a": ASKED[:20]}, ASKED) is not None
    assert charged_together({"a": ASKED[:2], "b": ASKED[:2]}, ASKED) is not None


def test_the_error_of_a_difference_of_costs_is_between_units() -> None:
    differences = np.array([1.0, 2.0, 4.0, 9.0])
    error, df = _error(differences, np.arange(4))
    assert (error, df) == (pytest.approx(stats.sem(differences)), 3)
    error, df = _error(differences, np.array([0, 0, 5, 5]))
    away = [1 + 2 - 2 * 4, 4 + 9 - 2 * 4]
    assert (error, df) == (pytest.approx(math.sqrt(sum(each**2 for each in away) * 2 / 1) / 4), 1)
    assert _error(np.array([2.0, 2.0]), np.zeros(2, dtype=int)) == (0.0, 1)
    assert _error(np.array([2.0, 3.0]), np.zeros(2, dtype=int)) == (math.inf, 1)


def test_which_of_two_costs_more() -> None:
    """By a tenth of the cheaper one, if more than one question says so; beyond doubt by Student's interval, all at once."""
    asked = ASKED[:10]
    cheap = dict.fromkeys(asked, 1.0)
    tenth = {question: 1.0 + 0.4 * (place < 3) for place, question in enumerate(asked)}
    once = {**cheap, asked[0]: 3.0}
    surely = {question: 1.05 + 0.001 * place for place, question in enumerate(asked)}
    found = _compared([cheap, tenth, once, surely], asked)
    assert found.more[:, 0].tolist() == [False, True, False, True]
    assert found.surely_more[:, 0].tolist() == [False, False, False, True]
    assert not found.more[0].any()
    hardly = {question: 1.0 + 0.33 * (place < 3) for place, question in enumerate(asked)}
    assert not _compared([cheap, hardly], asked).more.any(), "99 thousandths"
    nothing = _compared([cheap, dict.fromkeys(asked, 1.0 + 1e-13)], asked)
    assert not nothing.more.any()
    spread = {question: 1.0 + (0.05, 0.07, 0.09)[place % 3] for place, question in enumerate(asked)}
    sure = _compared([spread, cheap], asked)
    assert (bool(sure.surely_more[0, 1]), bool(sure.surely_more[1, 0])) == (True, False)


def test_a_row_of_the_frontier() -> None:
    ann = Option(marks(*[1.0] * 20, *[0.0] * 20), dict.fromkeys(ASKED, 1.0))
    bob = Option(marks(*[1.0] * 36, *[0.0] * 4), dict.fromkeys(ASKED, 2.0))
    cat = Option(marks(*[1.0] * 10, *[0.0] * 30), dict.fromkeys(ASKED, 3.0))
    rows = frontier({"cat": cat, "bob": bob, "ann": ann}, ASKED)
    assert [(row["of"], row["cost"], row["accuracy"], row["n"]) for row in rows] == [
        ("ann", 1.0, 0.5, 40),
        ("bob", 2.0, 0.9, 40),
        ("cat", 3.0, 0.25, 40),
    ]
    assert [(row["on_frontier"], row["folds"], row["of_folds"]) for row in rows] == [
        (True, 5, 5),
        (True, 5, 5),
        (False, 0, 5),
    ]
    assert [(row["within_of"], row["beaten_by"]) for row in rows] == [("ann", None), ("bob", None), ("bob", "bob")]
    assert [row["within"] for row in rows] == [0.5, 0.9, 0.9]
    assert all("cost_n" not in row and "within_bounds" not in row for row in rows)
    alike = {
        name: Option(one.right, dict.fromkeys(ASKED, 1.0)) for name, one in (("ann", ann), ("bob", bob), ("al", ann))
    }
    assert [row["of"] for row in frontier(alike, ASKED)] == ["bob", "al", "ann"], "of one cost the better, then by name"
    assert frontier({"ann": ann}, ASKED[:1]) == []
    assert frontier({"a": ann, "b": Option(ann.right, {})}, ASKED) == [], "nobody is compared with it by cost"
    partly = Option(bob.right, dict.fromkeys(ASKED[:30], 2.0))
    assert [row["cost_n"] for row in frontier({"ann": ann, "bob": partly}, ASKED)] == [30, 30]


def test_who_waits_is_not_beaten_by_what_is_not_better_at_its_worst() -> None:
    """36 right against 24, of which twelve more wait: at its best it is as good."""
    sure = Option(marks(*[1.0] * 36, *[0.0] * 4), dict.fromkeys(ASKED, 1.0))
    wait = graded_value(None, "waiting")
    seen = marks(*[1.0] * 24, *[None] * 12, *[0.0] * 4)
    open_ = Option(seen, dict.fromkeys(ASKED, 1.0), waiting={q: wait for q, mark in seen.items() if mark is None})
    done = Option({q: mark or 0.0 for q, mark in seen.items()}, dict.fromkeys(ASKED, 1.0))
    assert {row["of"]: row["beaten_by"] for row in frontier({"sure": sure, "open": open_}, ASKED)} == {
        "sure": None,
        "open": None,
    }
    assert {row["of"]: row["beaten_by"] for row in frontier({"sure": sure, "done": done}, ASKED)}["done"] == "sure"
    row = next(row for row in frontier({"sure": sure, "open": open_}, ASKED) if row["of"] == "open")
    assert (row["accuracy"], row["n"]) == (pytest.approx(24 / 28), 28)
    unknown = Option(marks(*[1.0] * 24, *[0.0] * 16), dict.fromkeys(ASKED, 1.0), known=False)
    row = next(row for row in frontier({"sure": sure, "dark": unknown}, ASKED) if row["of"] == "dark")
    assert (row["accuracy"], row["beaten_by"]) == (None, None)


def test_what_costs_nobody_knows_may_be_the_best_within_any_cost() -> None:
    ann = Option(marks(*[1.0] * 20, *[0.0] * 20), dict.fromkeys(ASKED, 1.0))
    dark = Option(marks(*[1.0] * 30, *[0.0] * 10), {})
    bob = Option(marks(*[1.0] * 10, *[0.0] * 30), dict.fromkeys(ASKED, 2.0))
    rows = {row["of"]: row for row in frontier({"ann": ann, "dark": dark, "bob": bob}, ASKED)}
    assert [*rows] == ["ann", "bob"]
    assert (rows["ann"]["within"], rows["ann"]["within_low"], rows["ann"]["within_high"]) == (0.5, None, None)
    assert rows["ann"]["within_bounds"] == {"low": 0.5, "high": 0.75}


# --- a race -------------------------------------------------------------------------------------------------------------


def test_a_race_by_hand() -> None:
    """The first is right always, the second never, the third on every other question."""
    worth = np.array([[1.0] * 40, [0.0] * 40, [1.0, 0.0] * 20])
    race, won, out = Race(3), [1.0] * len(STAKES), 0
    while not out:
        question = race.asked
        # Before the first question all lead: the mean of the two others counts.
        gap = (
            np.mean([worth[0, 0], worth[2, 0]])
            if question == 0
            else worth[0, question]
            if question > 1
            else worth[[0, 2], 1].mean()
        )
        left = race.hear(worth[:, question])
        won = [each * (1 + stake * gap) for each, stake in zip(won, STAKES, strict=True)]
        if 1 in left:
            out = race.asked
    assert sum(won) / len(won) >= 1 / RACE_ALPHA
    assert (race.left, race.over, race.plays) == ((0, 2), False, 3 * out)
    found = raced(worth)
    assert found.left == (0,)
    assert found.plays == 3 * out + 2 * (found.questions - out)
    assert found.plays_of_all == 3 * found.questions < 120
    again = Race(2)
    while not again.over:
        again.hear(np.array([1.0, 0.0]))
    with pytest.raises(ValueError, match="the race is over"):
        again.hear(np.array([1.0, 0.0]))


def test_where_all_are_beaten_at_once_whoever_was_right_most_is_the_best() -> None:
    """Stakes of a moment before: each has lost enough, and one more question puts all out but one."""
    race = Race(3)
    race._won[:] = 10.0
    race._right[:] = [3.0, 5.0, 4.0]
    assert race.hear(np.array([0.0, 0.0, 0.0])) == (0, 2)
    assert (race.left, race.over) == ((1,), True)
    nothing = Race(3)
    nothing.running[0] = False
    nothing._won[:] = 10.0
    assert nothing.hear(np.zeros(3)) == (2,), "of those who are in it, also where none was right"
    assert nothing.left == (1,)
    with pytest.raises(ValueError, match="a race of 1; expected two or more"):
        Race(1)
    with pytest.raises(ValueError, match="alpha: expected a share between 0 and 1, found 1"):
        Race(2, 1.0)
