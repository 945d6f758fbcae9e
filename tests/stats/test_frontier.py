"""Accuracy and cost: a call that was made again separates nobody, and who cannot be told from the best is not beaten."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from moot.stats.clusters import clustered
from moot.stats.frontier import Option, _compared, frontier

ASKED = [f"q{number:02}" for number in range(40)]


def option(right: int, calls: float, again: int = 0) -> Option:
    """Right on the first questions; one call more on the last ones."""
    return Option(
        {question: float(place < right) for place, question in enumerate(ASKED)},
        {question: calls + (place >= len(ASKED) - again) for place, question in enumerate(ASKED)},
    )


def test_one_call_made_again_separates_nobody() -> None:
    rows = {row["of"]: row for row in frontier({"ann": option(20, 1), "bob": option(21, 1, again=1)}, ASKED)}
    assert not rows["ann"]["on_frontier"], "bob is better and costs the same"
    assert rows["bob"]["on_frontier"]
    assert rows["ann"]["within_of"] == "bob"
    equal = {row["of"]: row for row in frontier({"ann": option(20, 1), "bob": option(20, 1, again=1)}, ASKED)}
    assert equal["ann"]["on_frontier"]
    assert equal["bob"]["on_frontier"]


def test_what_every_question_has_does() -> None:
    rows = {row["of"]: row for row in frontier({"ann": option(20, 1), "team": option(21, 4)}, ASKED)}
    assert rows["ann"]["on_frontier"]
    assert rows["ann"]["within_of"] == "ann"
    assert rows["team"]["within_of"] == "team"
    few = frontier({"ann": option(20, 1), "team": option(20, 1.01)}, ASKED[:3])
    assert [row["on_frontier"] for row in few] == [True, False]
    often = {row["of"]: row for row in frontier({"ann": option(20, 1), "bob": option(21, 1, again=20)}, ASKED)}
    assert often["ann"]["on_frontier"], "half of its calls made again is a cost"


@pytest.mark.parametrize("n", [2, 4, 40])
@pytest.mark.parametrize(("share", "costlier"), [(0.99, True), (1.01, False)])
def test_a_cost_is_one_beyond_students_interval(n: int, share: float, costlier: bool) -> None:
    """Costs that are a fiftieth more in the mean and spread by as much as Student's test just sees, or just does not."""
    spread = share * math.sqrt(n - 1) / float(t.ppf(0.975, n - 1))
    cheap = Option(dict.fromkeys(ASKED[:n], 1.0), dict.fromkeys(ASKED[:n], 50.0))
    dear = Option(cheap.right, {q: 51.0 + spread * (-1) ** place for place, q in enumerate(ASKED[:n])})
    for options in ({"cheap": cheap, "dear": dear}, {"dear": dear, "cheap": cheap}):
        rows = {row["of"]: row["on_frontier"] for row in frontier(options, ASKED[:n])}
        assert rows == {"cheap": True, "dear": not costlier}


@pytest.mark.parametrize(("times", "same"), [(1.05, True), (1.5, False)])
def test_costs_that_vary_much_are_not_equal_for_that(times: float, same: bool) -> None:
    """Nobody can tell which is the dearer one by Student's interval; half as much again is no call made again for all that."""
    spread = [0.1, 8.0, 0.2, 6.0] * 10
    cheap = Option({q: float(place % 2) for place, q in enumerate(ASKED)}, dict(zip(ASKED, spread, strict=True)))
    dear = Option(
        dict.fromkeys(ASKED, 1.0), dict(zip(ASKED, [times * cost for cost in spread[1:] + spread[:1]], strict=True))
    )
    rows = {row["of"]: row for row in frontier({"cheap": cheap, "dear": dear}, ASKED)}
    assert rows["cheap"]["beaten_by"] == ("dear" if same else None)
    assert rows["cheap"]["within_of"] == ("dear" if same else "cheap")
    assert rows["cheap"]["on_frontier"] == (not same)


def test_beaten_only_where_it_can_be_told() -> None:
    rows = {
        row["of"]: row for row in frontier({"ann": option(20, 1), "bob": option(24, 1), "cat": option(2, 1)}, ASKED)
    }
    assert rows["ann"]["beaten_by"] is None
    assert rows["cat"]["beaten_by"] == "bob"
    assert rows["ann"]["within"] == 24 / 40
    assert rows["ann"]["within_low"] < rows["bob"]["low"], "the highest of three pays for being the highest"


def test_what_nobody_has_graded_beats_nobody_for_sure() -> None:
    unknown = Option(dict.fromkeys(ASKED[:30]) | dict.fromkeys(ASKED[30:], 0.0), dict.fromkeys(ASKED, 1.0))
    rows = {row["of"]: row for row in frontier({"ann": option(20, 1), "cat": unknown}, ASKED)}
    assert rows["cat"]["beaten_by"] is None
    assert rows["cat"]["n"] == 10


def test_bounds_are_told_of_what_was_not_said_where_nobody_knows_what_is_right() -> None:
    """It cannot be right, so both ends are the same; and they are not the accuracy, which is of what is graded."""
    ann = option(20, 1)
    silent = replace(ann, right={**ann.right, ASKED[-1]: None}, most={ASKED[-1]: 0.0}, least={ASKED[-1]: 0.0})
    (row,) = frontier({"ann": silent}, ASKED)
    assert row["accuracy"] == row["within"] == 20 / 39
    assert row["within_bounds"] == {"low": 0.5, "high": 0.5}
    (row,) = frontier({"ann": ann}, ASKED)
    assert "within_bounds" not in row


def test_the_bounds_of_the_highest_hold_whoever_it_turns_out_to_be() -> None:
    """The one that is the highest by the least that it can be is graded to the last; the other may yet be above it."""
    waits = option(19, 1)
    waits = replace(waits, right={**waits.right, **dict.fromkeys(ASKED[30:])})
    rows = frontier({"ann": option(20, 1), "bob": waits, "dear": option(10, 9)}, ASKED)
    for row in rows:
        assert (row["within_of"], row["within"]) == ("ann", 0.5)
        assert row["within_bounds"] == {"low": 0.5, "high": 29 / 40}
    few = replace(option(5, 1), right={**option(5, 1).right, **dict.fromkeys(ASKED[30:])})
    for row in frontier({"ann": option(20, 1), "bob": few}, ASKED):
        assert "within_bounds" not in row, "whatever the rest of bob's is, ann's is as high"


def test_one_of_many_equals_is_seldom_beaten() -> None:
    generator = np.random.default_rng(3)
    beaten = 0
    for _ in range(40):
        drawn = generator.random((6, len(ASKED))) < 0.5
        options = {
            str(place): Option(dict(zip(ASKED, map(float, row), strict=True)), dict.fromkeys(ASKED, 1.0))
            for place, row in enumerate(drawn)
        }
        beaten += next(row for row in frontier(options, ASKED) if row["of"] == "0")["beaten_by"] is not None
    assert beaten <= 4


def answered(right: int, start: int, wrong_costs: float, calls: float = 1.0) -> Option:
    """Right on so many questions from one on, and around; a wrong answer costs a multiple of a right one."""
    marks = {question: float((place - start) % len(ASKED) < right) for place, question in enumerate(ASKED)}
    return Option(marks, {question: calls if mark else calls * wrong_costs for question, mark in marks.items()})


def test_the_luckiest_of_equals_pays_though_it_is_the_cheapest_by_its_luck() -> None:
    """Wrong answers cost four times as much, so whoever was wrong least often stands alone among those that cost no more."""
    options = {str(place): answered(right, 7 * place, 4.0) for place, right in enumerate((34, 31, 31, 30, 30, 29))}
    cheapest = frontier(options, ASKED)[0]
    assert (cheapest["of"], cheapest["within_of"]) == ("0", "0")
    same_cost = {name: Option(one.right, dict.fromkeys(ASKED, 1.0)) for name, one in options.items()}
    assert cheapest["within_low"] == frontier(same_cost, ASKED)[0]["within_low"] < cheapest["low"] - 0.02


@pytest.mark.parametrize("again", [0, 2])
def test_where_costs_are_numbers_of_calls_the_cheapest_has_nothing_to_pay_for(again: int) -> None:
    options = {str(place): option(30 - place, 1 + place, again) for place in range(6)}
    cheapest = frontier(options, ASKED)[0]
    assert cheapest["within_of"] == cheapest["of"] == "0"
    assert cheapest["within_low"] == cheapest["low"]


def test_what_hangs_together_is_one_cost() -> None:
    """Five packages of eight: in two of them all eight questions cost more, which is no sure difference and pays."""
    packages = {question: str(place // 8) for place, question in enumerate(ASKED)}
    cheap = Option(option(30, 1).right, dict.fromkeys(ASKED, 1.0))
    dear = Option(option(29, 1).right, {question: 1.0 + (packages[question] in "01") for question in ASKED})
    alone = frontier({"cheap": cheap, "dear": dear}, ASKED)[0]
    assert alone["within_low"] == alone["low"]
    with clustered(packages):
        together = frontier({"cheap": cheap, "dear": dear}, ASKED)[0]
    assert together["of"] == together["within_of"] == "cheap"
    assert together["within_low"] < together["low"]


@pytest.mark.parametrize("order", [("dear", "cheap", "worse"), ("worse", "cheap", "dear")])
def test_of_equals_the_one_that_costs_less_stands_wherever_it_stands_in_the_file(order: tuple[str, ...]) -> None:
    options = {"dear": option(38, 5), "cheap": option(38, 1), "worse": option(12, 10)}
    rows = {row["of"]: row for row in frontier({name: options[name] for name in order}, ASKED)}
    assert rows["worse"]["within_of"] == rows["worse"]["beaten_by"] == rows["dear"]["within_of"] == "cheap"


@pytest.mark.parametrize("order", [("many", "few", "worse"), ("few", "worse", "many")])
@pytest.mark.parametrize("told", [True, False])
def test_of_what_costs_the_same_fewer_calls_stand_and_then_the_name(order: tuple[str, ...], told: bool) -> None:
    calls = {"many": 3.0, "few": 2.0, "worse": 1.0} if told else dict.fromkeys(("many", "few", "worse"), 1.0)
    right = {"many": 38, "few": 38, "worse": 12}
    options = {name: replace(option(right[name], 1), calls=dict.fromkeys(ASKED, calls[name])) for name in order}
    rows = {row["of"]: row for row in frontier(options, ASKED)}
    assert rows["worse"]["within_of"] == rows["worse"]["beaten_by"] == rows["many"]["within_of"] == "few"


@pytest.mark.parametrize(("last", "dearer"), [(1.01, True), (1.0, False)])
def test_of_one_package_a_cost_is_sure_where_each_of_its_questions_says_the_same(last: float, dearer: bool) -> None:
    """One per cent more in every question is a price; in all but one it is nothing that other packages need have."""
    ann = option(20, 1)
    bob = replace(ann, cost=dict.fromkeys(ASKED, 1.01) | {ASKED[-1]: last})
    with clustered(dict.fromkeys(ASKED, "one")):
        rows = {row["of"]: row for row in frontier({"ann": ann, "bob": bob}, ASKED)}
    assert rows["ann"]["on_frontier"]
    assert rows["bob"]["on_frontier"] is not dearer


def test_of_costs_on_no_common_question_none_is_higher() -> None:
    costs = _compared([{"a": 1.0, "b": 1.0}, {"c": 9.0, "d": 9.0}], ["a", "b", "c", "d"])
    assert not costs.more.any()
    assert not costs.surely_more.any()
