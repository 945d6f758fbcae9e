"""Looks of several line-ups in one place: each once, whichever of the line-ups before has told of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from moot.measures.position.bias import Look
from moot.measures.position.shared_looks import Readers

PLACE = ("q1", "jo", 0, 2)


def told(*lineups: tuple[str, Sequence[str]]) -> list[str]:
    """What is counted of these line-ups, by its order: the calls of each, and the orders of its looks."""
    readers = Readers()
    for calls, orders in lineups:
        looks = [Look("q1", (order,)) for order in orders]
        readers.add_turn(PLACE, looks, orders, Counter(calls.split()))
    return [str(look.order[0]) for look in readers.looks["jo"]]


def test_a_call_of_any_line_up_before_is_no_new_look() -> None:
    assert told(("a", ["x"]), ("b", ["y"])) == ["x", "y"]
    assert told(("a", ["x"]), ("b", ["y"]), ("a", ["x"])) == ["x", "y"], "the first has told of it"
    assert told(("a", ["x"]), ("b", ["y"]), ("c", ["x"])) == ["x", "y", "x"], "in the same order, and asked anew"
    assert told(("a", ["x"]), ("b", ["y"]), ("b c", ["y", "z"]), ("a c", ["x", "z"])) == ["x", "y", "z"]


def test_without_calls_on_record_an_order_of_any_line_up_before_is_no_new_look() -> None:
    assert told(("", ["x"]), ("", ["y"]), ("", ["x"])) == ["x", "y"]
    assert told(("", ["x"]), ("", ["y"]), ("", ["x", "x"])) == ["x", "y", "x"], "shown twice in the turn is twice"
