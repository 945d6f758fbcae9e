"""Values of which not all is known: what each way of grading makes of an answer, and why there is no figure of some."""

from __future__ import annotations

from typing import get_args

import pytest

from moot.stats.completions import Between
from moot.stats.estimates import estimate
from moot.stats.graded import (
    Total,
    Value,
    WayOfGrading,
    accuracy_row,
    at_worst,
    best_value,
    bounds_row,
    closure_bounds,
    completed,
    ended_value,
    fair,
    graded_estimate,
    graded_share,
    graded_value,
    highest_total,
    known,
    least_of,
    marks_of,
    mean_value,
    said_value,
    settled,
    something_waits,
    total_of,
    who_never_came,
    whole_mean,
    why_never_came,
    why_no_interval,
    why_none,
    why_not_heard,
    why_nothing,
    why_unfair,
    why_unfair_together,
    why_ungraded_together,
    why_unknown,
    with_settled,
)
from moot.stats.graded_pairs import (
    abstained_apart,
    apart_row,
    compare_graded,
    compared_row,
    completed_pairs,
    difference_bounds,
    difference_ends,
    errors_apart,
    failed_row,
    fair_pairs,
    known_pairs,
    one_pair,
    side_estimate,
    side_row,
    uncounted,
    why_no_difference,
    why_turned,
    worse_by_abstaining,
)
from moot.stats.proportion import share, share_between
from moot.stats.values import PlainMarks, PlainValues
from moot.types import ABSTAINED, FAILED

RIGHT, WRONG = graded_value(1.0), graded_value(0.0)
JUDGED = graded_value(1.0, "judge")
WAITING = graded_value(None, "waiting")
AGAIN = graded_value(None, "again")
NOBODY = graded_value(None, "nobody")
UNHEARD = graded_value(None, "not heard")
SILENT = graded_value(None, "nothing said")
NEVER = ended_value(graded_value(0.0), FAILED, "ann")


def named(*values: Value) -> dict[str, Value]:
    return {f"q{place}": value for place, value in enumerate(values)}


def test_what_each_way_of_grading_makes_of_an_answer() -> None:
    made = {way: graded_value(None if way not in ("at once", "judge") else 0.5, way) for way in get_args(WayOfGrading)}
    assert made == {
        "at once": Value(0.5, 0.5, 0.5),
        "judge": Value(0.5, 0.5, 0.5, judged=1),
        "waiting": Value(None, 0.0, 1.0, waiting=1),
        "nobody": Value(None, 0.0, 1.0, nobody=1),
        "nothing said": Value(None, 0.0, 0.0, nobody=1),
        "not heard": Value(None, 0.0, 1.0, not_heard=1),
        "again": Value(None, 0.0, 1.0, waiting=1, again=1),
    }
    assert (WAITING.worst, WAITING.best, NOBODY.worst, NOBODY.best) == (0.0, 1.0, None, None)
    assert (RIGHT.worst, RIGHT.best, RIGHT.open, SILENT.open, WAITING.open) == (1.0, 1.0, False, True, True)


def test_what_is_said_matters_where_there_is_no_grade() -> None:
    assert said_value(None, "waiting", "Rome").words == (("Rome", 1.0),)
    assert said_value(1.0, "judge", "Rome").words == said_value(None, "not heard", "Rome").words == ()
    assert said_value(None, "waiting", None).words == ()


def test_nothing_was_said() -> None:
    assert ended_value(WRONG, ABSTAINED) == WRONG._replace(abstained=1)
    assert ended_value(WRONG, "answered") == WRONG
    assert ended_value(WRONG, FAILED) == WRONG._replace(failed=1)
    assert WRONG._replace(failed=1, never_came=("ann",)) == NEVER
    assert ended_value(SILENT, FAILED, "ann") == SILENT._replace(failed=1, most=1.0)


@pytest.mark.parametrize(
    ("answers", "waiting", "judged", "nobody", "unfair"),
    [
        (100, 0, 0, 0, False),
        (100, 5, 1, 0, False),
        (100, 6, 1, 0, True),
        (100, 5, 0, 0, True),
        (100, 5, 1, 1, True),
        (120, 5, 1, 20, False),
        (100, 0, 0, 90, False),
    ],
)
def test_few_that_wait_may_be_left_out_where_a_judge_has_settled_some(
    answers: int, waiting: int, judged: int, nobody: int, unfair: bool
) -> None:
    assert (why_unfair(answers, waiting, judged, nobody) is not None) is unfair


def test_why_there_is_no_figure_is_said() -> None:
    assert why_unfair(2_000, 1_200, 1) == (
        "1,200 of 2,000 answers are ungraded, and whether one is graded hangs on what it says"
    )
    assert why_unfair(100, 7, 1, 20, of="plays") == (
        "7 of 80 plays where somebody has said what is right, and whether one is graded hangs on what it says"
    )
    assert why_not_heard(0, 1_000) == "not heard in any of 1,000 plays: nobody waited for it"
    assert why_not_heard(1, 1_000) == "heard in 1 of 1,000 plays: in the others nobody waited for it"
    assert why_unknown([UNHEARD, UNHEARD._replace(answers=2), RIGHT]) == why_not_heard(2, 4)
    assert why_unknown([RIGHT, AGAIN]) is None, "to be played again hangs on nothing that it says"
    assert why_unknown([RIGHT, WAITING]) == why_unfair(2, 1, 0)
    assert why_unknown([JUDGED] * 19 + [WAITING]) is None
    assert why_unknown([JUDGED] * 19 + [WAITING, NOBODY]) is None
    assert why_unknown([JUDGED] * 18 + [WAITING, NOBODY]) == why_unfair(20, 1, 18, 1)
    assert why_unknown([RIGHT, NEVER]) == "every answer of ann failed, and nobody knows how good it is"
    assert (why_nothing(0), why_nothing(1)) == (
        "nothing has been played yet",
        "none of the answers to 1 question is graded",
    )


def test_whoever_never_came_is_named_once() -> None:
    bob = ended_value(WRONG, FAILED, "bob")
    assert who_never_came([bob, NEVER, RIGHT, bob]) == ("ann", "bob")
    assert why_never_came([bob, NEVER]) == "every answer of ann and of bob failed, and nobody knows how good they are"
    assert why_never_came([RIGHT]) is None
    assert mean_value([NEVER, RIGHT]).never_came == ("ann",)
    assert mean_value([RIGHT, WRONG]).never_came == ()


def test_several_answers_of_which_one_waits_wait() -> None:
    assert why_ungraded_together([]) is None
    assert why_ungraded_together([[RIGHT, WAITING], [JUDGED, WRONG]]) == (
        "1 of 2 questions have an ungraded answer, and whether one is graded hangs on what it says"
    )
    assert why_ungraded_together([[RIGHT, WAITING]] + [[JUDGED]] * 19, of="pairs") is None
    assert why_ungraded_together([[RIGHT, UNHEARD], [UNHEARD, UNHEARD], [RIGHT]], of="pairs") == (
        "2 of 3 pairs have an answer that nobody waited for"
    )
    assert why_ungraded_together([[AGAIN, RIGHT]]) is None
    # One that nobody can grade leaves a question without a grade for that reason, unless another waits.
    assert why_ungraded_together([[NOBODY, WAITING], [NOBODY, RIGHT]]) == (
        "1 of 1 questions have an ungraded answer where somebody has said what is right, and whether one is graded hangs on"
        " what it says"
    )
    assert why_unfair_together([[RIGHT, NEVER]]) == why_never_came([NEVER])
    assert why_unfair_together([[RIGHT, WAITING]]) == why_ungraded_together([[RIGHT, WAITING]])


def test_the_highest_of_several_is_known_where_all_are() -> None:
    assert best_value([RIGHT, WRONG]) == Value(1.0, 1.0, 1.0)
    assert best_value([WRONG, JUDGED]) == Value(1.0, 1.0, 1.0, judged=1)
    assert best_value([WRONG, WAITING]) == Value(None, 0.0, 1.0, waiting=1)
    assert best_value([RIGHT, WAITING]) == Value(None, 1.0, 1.0, waiting=1)
    assert best_value([WRONG, AGAIN]) == Value(None, 0.0, 1.0, waiting=1, again=1)
    assert best_value([WAITING, AGAIN]) == Value(None, 0.0, 1.0, waiting=1)
    assert best_value([NOBODY, SILENT]) == Value(None, 0.0, 1.0, nobody=1)
    assert best_value([NOBODY, WAITING]) == Value(None, 0.0, 1.0, waiting=1)
    assert best_value([UNHEARD, RIGHT]) == Value(None, 1.0, 1.0, not_heard=1)


def test_the_mean_of_several() -> None:
    rome, paris = said_value(None, "waiting", "Rome"), said_value(None, "waiting", "Paris")
    found = mean_value([rome, JUDGED, rome, paris, ended_value(WRONG, ABSTAINED), AGAIN, UNHEARD, NOBODY])
    assert found == Value(
        0.5, 1 / 8, 7 / 8, 8, 4, 1, 1, 1, (("Paris", 0.125), ("Rome", 0.25)), abstained=1, failed=0, again=1
    )
    assert mean_value([rome]) is rome
    assert mean_value([WAITING, NOBODY]).known is None
    assert whole_mean([RIGHT, WAITING]).known is None
    assert whole_mean([RIGHT, WRONG]).known == 0.5
    assert mean_value([NEVER, WRONG]).failed == 1


def test_what_is_known_of_several_questions() -> None:
    values = named(RIGHT, WAITING, NOBODY, WRONG, mean_value([RIGHT, WAITING]))
    assert known(values) == {"q0": 1.0, "q3": 0.0, "q4": 1.0}
    assert marks_of(values) == {"q0": 1.0, "q1": None, "q2": None, "q3": 0.0, "q4": 1.0}
    assert least_of(values) == {"q1": 0.0, "q2": 0.0, "q4": 0.5}
    assert completed(values, best=False) == {"q0": 1.0, "q1": 0.0, "q3": 0.0, "q4": 0.5}
    assert completed(values, best=True) == {"q0": 1.0, "q1": 1.0, "q3": 0.0, "q4": 1.0}
    assert bounds_row(values.values()) == {"ungraded": 2.5, "bounds": {"low": 1.5 / 5, "high": 4.0 / 5}}
    assert bounds_row([RIGHT, WRONG]) == {}
    assert bounds_row([RIGHT, SILENT]) == {"ungraded": 0, "bounds": {"low": 0.5, "high": 0.5}}
    assert (something_waits(values), something_waits(named(RIGHT, NOBODY))) == (True, False)
    assert fair(named(RIGHT, WRONG)) == named(RIGHT, WRONG)
    assert known(fair(named(RIGHT, WAITING))) == {}
    assert with_settled(values) == values
    nothing = with_settled(named(SILENT, JUDGED, mean_value([RIGHT, SILENT])))
    assert nothing == named(Value(0.0, 0.0, 0.0), JUDGED, Value(0.5, 0.5, 0.5, 2))
    assert why_no_interval([[RIGHT, WAITING], [WAITING, WAITING], [RIGHT]]) == (
        "no interval: 2 questions have an answer that waits for a grade"
    )
    assert why_no_interval([[RIGHT, NOBODY]]) is None


def test_plain_marks_are_values_of_which_all_is_known() -> None:
    marks = PlainMarks({"a": 1.0, "b": 0.0})
    assert ({**marks}, len(marks), "a" in marks, "c" in marks) == ({"a": RIGHT, "b": WRONG}, 2, True, False)
    assert isinstance(marks.values(), PlainValues)
    assert [*marks.values()] == [RIGHT, WRONG]
    assert (why_unknown(marks.values()), bounds_row(marks.values()), who_never_came(marks.values())) == (None, {}, ())
    assert (known(marks), something_waits(marks)) == ({"a": 1.0, "b": 0.0}, False)


def test_a_share_while_answers_wait() -> None:
    values = named(*[JUDGED] * 12, *[graded_value(0.0, "judge")] * 8, WAITING)
    figure = graded_share(values)
    assert isinstance(figure, Between)
    worst, best = completed(values, best=False), completed(values, best=True)
    expected = share_between(share([(value, 1.0) for value in [1.0] * 12 + [0.0] * 8]), worst, best)
    assert expected is not None
    assert figure.limits() == expected.limits()
    assert (figure.value, figure.worst.value, figure.best.value) == pytest.approx((12 / 20, 12 / 21, 13 / 21))
    assert graded_estimate(values) == figure.estimate()
    assert at_worst(values) == figure.estimate_at_worst()
    assert accuracy_row(values, "right") == {
        "right": pytest.approx(0.6),
        "low": figure.limits()[0],
        "high": figure.limits()[1],
        "n": 20,
        "ungraded": 1,
        "bounds": {"low": 12 / 21, "high": 13 / 21},
    }
    plain = named(RIGHT, WRONG, RIGHT)
    assert graded_estimate(plain) == estimate([1.0, 0.0, 1.0])
    assert (at_worst(plain), graded_share({})) == (None, None)
    assert graded_estimate(named(RIGHT, WAITING)) is None
    assert at_worst(named(RIGHT, WAITING)) is None
    row = accuracy_row(named(RIGHT, WAITING))
    assert (row["value"], row["why"]) == (None, why_unfair(2, 1, 0))
    assert why_none(named(WAITING, NOBODY)) == why_nothing(2)
    assert why_none(named(UNHEARD, NOBODY)) == why_not_heard(1, 2)


def test_how_far_a_share_of_a_gap_may_lie() -> None:
    assert total_of([RIGHT, WAITING, SILENT]) == Total(1.0, 2.0)
    assert highest_total([Total(1.0, 4.0), Total(2.0, 3.0)]) == Total(2.0, 4.0)
    assert closure_bounds(Total(3.0, 4.0), Total(1.0, 2.0), Total(6.0, 8.0)) == {"low": 1 / 7, "high": 3 / 4}
    assert closure_bounds(Total(1.0, 1.0), Total(2.0, 2.0), Total(4.0, 6.0)) == {"low": -0.5, "high": -0.25}
    assert closure_bounds(Total(3.0, 4.0), Total(1.0, 2.0), Total(2.0, 8.0)) is None


@pytest.mark.parametrize(
    ("bounds", "above", "below"),
    [
        (None, True, True),
        ({"low": 0.1, "high": 0.3}, True, False),
        ({"low": 0.0, "high": 0.3}, False, False),
        ({"low": -0.3, "high": 0.0}, False, False),
        ({"low": -0.3, "high": -0.1}, False, True),
        ({"low": None, "high": None}, False, False),
    ],
)
def test_what_ungraded_answers_cannot_change_is_settled(
    bounds: dict[str, float | None] | None, above: bool, below: bool
) -> None:
    assert (settled(bounds, 0.0, above=True), settled(bounds, 0.0, above=False)) == (above, below)


# --- pairs ------------------------------------------------------------------------------------------------------------


def test_pairs_of_which_both_sides_are_known() -> None:
    pairs = {"a": [(RIGHT, WRONG), (RIGHT, WAITING), (WRONG, WRONG)], "b": [(WAITING, RIGHT)], "c": [(NOBODY, NOBODY)]}
    assert known_pairs(pairs) == {"a": (0.5, 0.0)}
    assert completed_pairs(pairs, best=True) == {"a": (2 / 3, 0.0), "b": (1.0, 1.0)}
    assert completed_pairs(pairs, best=False) == {"a": (2 / 3, 1 / 3), "b": (0.0, 1.0)}
    assert difference_ends(pairs) == (pytest.approx((1 / 3 - 1 - 1) / 3), pytest.approx((2 / 3 + 0 + 1) / 3))
    assert difference_bounds(pairs) == {
        "ungraded": 2,
        "bounds": {"low": pytest.approx(-5 / 9), "high": pytest.approx(5 / 9)},
    }
    assert (difference_ends({}), difference_bounds({"a": [(RIGHT, WRONG)]})) == ((0.0, 0.0), {})
    assert known_pairs(fair_pairs({"a": [(RIGHT, WRONG)], "b": [(WAITING, RIGHT)]})) == {}
    assert fair_pairs({"a": [(RIGHT, WRONG)]}) == {"a": [(RIGHT, WRONG)]}


def test_what_both_sides_say_counts_where_it_is_said_more_often() -> None:
    """The first says Rome in two of two plays, the second in one: at best half a question more is right, at worst none."""
    rome = said_value(None, "waiting", "Rome")
    more = {"a": [(rome, rome), (rome, WRONG)]}
    assert difference_ends(more) == (0.0, 0.5)
    assert difference_ends({"a": [(rome, rome), (WRONG, rome)]}) == (-0.5, 0.0)
    assert difference_ends({"a": [(rome, rome)]}) == (0.0, 0.0)
    assert difference_ends({"a": [(rome, said_value(None, "waiting", "Paris"))]}) == (-1.0, 1.0)


def test_repeats_of_one_model_as_one_pair() -> None:
    several = [(RIGHT, WRONG), (NOBODY, RIGHT), (WAITING, RIGHT)]
    gradable, every = one_pair(several, gradable=True), one_pair(several, gradable=False)
    assert gradable is not None
    assert every is not None
    assert (gradable[0].answers, gradable[0].most, gradable[1].known) == (2, 1.0, 0.5)
    assert (every[0].answers, every[1].known) == (3, pytest.approx(2 / 3))
    assert one_pair([(NOBODY, RIGHT)], gradable=True) is None


def test_a_side_by_itself() -> None:
    pairs = {f"q{n}": [(JUDGED, WRONG)] for n in range(20)} | {"w": [(WAITING, RIGHT)]}
    found = side_estimate(pairs, 0)
    assert found is not None
    assert (found.value, found.n) == (1.0, 20)
    assert side_estimate({"a": [(RIGHT, WRONG)], "b": [(WRONG, WRONG)]}, 0) == estimate([1.0, 0.0])
    never = {"a": [(RIGHT, NEVER)], "b": [(WRONG, NEVER)]}
    assert side_row(never, 0) == {"value": 0.5, **{end: side_row(never, 0)[end] for end in ("low", "high")}, "n": 2}
    assert side_row(never, 1)["value"] is None
    assert side_row(never, 1)["why"] == why_never_came([NEVER])


def test_the_row_of_two_sides() -> None:
    pairs = {f"q{n}": [(JUDGED, WRONG)] for n in range(12)} | {f"r{n}": [(JUDGED, JUDGED)] for n in range(30)}
    row = compared_row(pairs)
    assert (row["difference"], row["rescues"], row["regressions"], row["n"]) == (pytest.approx(12 / 42), 12, 0, 42)
    assert not {"why", "bounds", "ungraded", "failed", "counts_why"} & row.keys()
    waits = {**pairs, "w": [(WAITING, JUDGED)]}
    row = compared_row(waits)
    assert (row["rescues"], row["regressions"]) == (None, None)
    assert row["counts_why"] == (
        "1 question has an answer that waits for a grade, so that nobody can count what got better or worse"
    )
    assert (row["ungraded"], row["bounds"]) == (1, {"low": pytest.approx(11 / 43), "high": pytest.approx(12 / 43)})
    assert row["p"] == compare_graded(waits).p
    nothing = compared_row({"a": [(WAITING, RIGHT)]})
    assert (nothing["difference"], nothing["why"]) == (None, "no question has both answers graded")
    assert why_no_difference({}) == "no question was played by both"
    assert uncounted(pairs) == {}
    unfair = {"a": [(RIGHT, WRONG)], "b": [(WAITING, RIGHT)]}
    assert why_no_difference(unfair) == why_ungraded_together([[RIGHT, WRONG], [WAITING, RIGHT]], of="pairs")


@pytest.mark.parametrize(
    ("low", "high", "bounds", "graded", "turned"),
    [
        (0.1, 0.3, {"low": 0.05, "high": 0.3}, None, False),
        (0.1, 0.3, {"low": -0.05, "high": 0.3}, None, True),
        (-0.3, -0.1, {"low": -0.3, "high": -0.05}, None, False),
        (-0.3, -0.1, {"low": -0.3, "high": 0.05}, None, True),
        (-0.1, 0.3, {"low": -0.3, "high": 0.3}, None, False),
        (0.0, 0.3, {"low": -0.3, "high": 0.3}, None, False),
        (-0.3, 0.0, {"low": -0.3, "high": 0.3}, None, False),
        (None, None, {"low": -0.3, "high": 0.3}, None, False),
        (0.1, 0.3, None, None, False),
        (-0.1, 0.3, None, (0.1, 0.3), True),
        (-0.3, 0.1, None, (-0.3, -0.1), True),
        (0.1, 0.3, None, (0.2, 0.25), False),
        (0.1, 0.3, None, (-0.1, 0.25), False),
    ],
)
def test_what_is_clear_over_the_graded_alone_is_said_to_be(
    low: float | None,
    high: float | None,
    bounds: dict[str, float] | None,
    graded: tuple[float, float] | None,
    turned: bool,
) -> None:
    row = {"low": low, "high": high, "n": 1_000, **({} if bounds is None else {"bounds": bounds})}
    said = "over the 1,000 graded pairs alone; the ungraded answers could reverse it"
    assert why_turned(row, graded) == (said if turned else None)


def test_what_was_not_said_is_no_error() -> None:
    silent = ended_value(WRONG, ABSTAINED)
    pairs = {
        "a": [(silent, RIGHT)],
        "b": [(WRONG, RIGHT)],
        "c": [(RIGHT, silent)],
        "d": [(RIGHT, WRONG)],
        "e": [(silent, WRONG)],
    }
    row = compared_row(pairs)
    assert (row["rescues"], row["regressions"]) == (2, 2)
    assert worse_by_abstaining(pairs) == {"a"}
    assert {key: errors_apart(row, pairs)[key] for key in ("rescues", "regressions", "abstained")} == {
        "rescues": 2,
        "regressions": 1,
        "abstained": 1,
    }
    apart = abstained_apart(row, pairs)
    assert (apart["rescues"], apart["regressions"]) == (1, 1)
    assert apart["worse_by_abstaining"] == {"a": 1, "b": 1}
    assert apart_row(pairs)["worse_by_abstaining"] == {"a": 1, "b": 1}
    only_second = {"c": [(RIGHT, silent)], "d": [(RIGHT, WRONG)]}
    assert errors_apart(compared_row(only_second), only_second) == compared_row(only_second)
    assert abstained_apart(compared_row(only_second), only_second)["worse_by_abstaining"] == {"a": 0, "b": 1}
    plain = {"d": [(RIGHT, WRONG)]}
    assert abstained_apart(compared_row(plain), plain) == compared_row(plain)
    uncounted_row = {**row, "rescues": None, "regressions": None}
    assert errors_apart(uncounted_row, pairs) == abstained_apart(uncounted_row, pairs) == uncounted_row
    unknown = {"a": [(ended_value(SILENT, ABSTAINED), RIGHT)], "d": [(RIGHT, WRONG)]}
    assert "abstained" not in errors_apart(compared_row(unknown), unknown), "nobody has said what is right"


def test_the_share_of_answers_that_never_came() -> None:
    failed = ended_value(WRONG, FAILED)
    pairs = {"a": [(failed, RIGHT), (RIGHT, RIGHT)], "b": [(RIGHT, RIGHT), (RIGHT, failed)], "c": [(failed, failed)]}
    assert failed_row(pairs) == {"failed": {"a": 2 / 5, "b": 2 / 5}}
    assert failed_row({"a": [(failed, RIGHT)]}) == {"failed": {"a": 1.0, "b": 0.0}}
    assert failed_row({"a": [(RIGHT, WRONG)]}) == {}
