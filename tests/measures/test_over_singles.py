"""A team against the best of its players alone, where it is not known who that is: what is told holds whoever it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from moot.measures.claims.over_singles import best_of_singles, nobody_is_best, over_best
from moot.measures.sides import SideResults
from moot.stats.graded import Value, graded_value

ASKED = [f"q{number:02}" for number in range(40)]
NOT_HEARD, WAITING = graded_value(None, "not heard"), graded_value(None, "waiting")


def alone(right: Iterable[int], of: Iterable[int] = range(40), **others: Iterable[int]) -> dict[str, Value]:
    """Right on these numbers and wrong on the rest; `others`: those of which it is not known."""
    knows, ways = set(right), {"not_heard": NOT_HEARD, "waiting": WAITING, "judged": graded_value(0.0, "judge")}
    values = {ASKED[number]: graded_value(float(number in knows)) for number in of}
    return values | {ASKED[number]: ways[way] for way, numbers in others.items() for number in numbers}


def over(
    right: Iterable[int], singles: Mapping[str, Mapping[str, Value]], single: str | None = None, **others: Iterable[int]
) -> Any:
    """`others`: the team's answers of which it is not known whether they are right."""
    values = alone(right, **others)
    known = {question: value.known or 0.0 for question, value in values.items()}
    side = SideResults("vote", (), known, dict.fromkeys(ASKED, 3.0), None, once=True)
    best = single or best_of_singles(singles, ASKED)[0]
    row = over_best([side], 0, singles, best, values, pooled=False, seed=1)
    assert row is not None
    return row


def test_what_was_not_heard_may_have_been_right() -> None:
    """On two questions nobody waited for ann, who is nearly as good as bob: the interval holds for whatever it had said."""
    bob = alone(range(20))
    told = over(range(30), {"bob": bob, "ann": alone(range(19), not_heard=(38, 39))}, "bob")
    for right in ((), (38,), (38, 39)):
        whole = over(range(30), {"bob": bob, "ann": alone([*range(19), *right])}, "bob")
        assert told["low"] <= whole["low"] + 1e-9
        assert told["high"] >= whole["high"] - 1e-9
        assert told["p"] >= whole["p"] - 1e-9


def test_the_bounds_leave_room_for_an_ungraded_player_who_is_the_best() -> None:
    ann = alone(range(19), waiting=(38, 39), judged=(37,))
    told = over(range(30), {"bob": alone(range(20)), "ann": ann})
    assert (told["single"], told["difference"]) == ("bob", pytest.approx(10 / 40))
    assert told["bounds"] == {"low": pytest.approx(9 / 40), "high": pytest.approx(10 / 40)}


def test_so_do_the_bounds_of_a_difference_that_is_withheld() -> None:
    """Of 40 the team has 26 right and 3 that wait, ann 25 and 3, bob 20 and 13: were all of bob's right it would have 33. More
    than the best is at most more than ann by 4, since she has 25 at least."""
    ann = alone(range(25), waiting=(30, 31, 32), judged=(35,))
    told = over(range(26), {"ann": ann, "bob": alone(range(20), waiting=range(20, 33))}, waiting=(36, 37, 38))
    assert (told["difference"], told["rivals"]) == (None, ["bob"])
    assert told["bounds"] == {"low": pytest.approx((26 - 33) / 40), "high": pytest.approx((29 - 25) / 40)}


def test_who_has_too_few_questions_to_be_ranked_could_be_the_best() -> None:
    """Wrong on all three that it was asked: of the others nobody knows."""
    cat = alone((), of=(0, 1, 2))
    told = over(range(30), {"ann": alone(range(20)), "bob": alone(range(15)), "cat": cat})
    assert told["rivals"] == ["cat"]
    assert (told["difference"], told["single"], told["p"]) == (None, None, None)
    assert told["why"] == "cat was heard on 3 of 40 questions and could be the best single model"


def test_the_bounds_of_whoever_is_best_are_those_of_the_best() -> None:
    """More than the best is at most more than each: than ann by 2 to 22 of 40, than bob by -5 to 15."""
    singles = {"ann": alone(range(8), of=range(20)), "bob": alone(range(20, 35), of=range(20, 40))}
    told = nobody_is_best(singles, alone(range(30)), 1)
    assert told["rivals"] == ["ann", "bob"]
    assert told["bounds"] == {"low": pytest.approx(-5 / 40), "high": pytest.approx(15 / 40)}
