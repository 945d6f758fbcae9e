"""Votes of which a part was cut out: who may have said the same, and whether what was counted hangs on it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from moot.ballots.cut_voices import (
    MOST_CUT,
    VoteGroup,
    VoteGroups,
    count_hangs_on_cut,
    cut_players,
    fewest_groups,
    hangs_on_cut,
    points_hang_on_cut,
    readings,
)
from moot.models.cut_out import CUT_OUT
from moot.types import Answer


def most(groups: VoteGroups) -> VoteGroup:
    """The largest group, of equals the first."""
    return max(groups, key=len)


def test_whose_answers_have_lost_a_part() -> None:
    said = {"ann": f"the key is {CUT_OUT}", "bob": "the key is 7", "cat": None}
    assert cut_players(Answer(player, text) for player, text in said.items()) == {"ann"}


def test_every_way_in_which_a_cut_answer_may_equal_others() -> None:
    assert [*readings([("ann",), ("bob", "cat")], {"ann"})] == [(("ann", "bob", "cat"),), (("ann",), ("bob", "cat"))]
    assert [*readings([("bob",), ("cat",)], {"cat"})] == [(("bob", "cat"),), (("bob",), ("cat",))]
    assert [*readings([("ann",), ("bob",)], {"ann", "bob"})] == [(("ann", "bob"),), (("ann",), ("bob",))]
    assert [*readings([("ann", "bob")], set())] == [(("ann", "bob"),)]
    three = [*readings([("a",), ("b",), ("c",)], {"b", "c"})]
    assert len(three) == 5, "as many as three can be divided"
    assert len(set(three)) == 5


@pytest.mark.parametrize(
    ("groups", "cut", "hangs"),
    [
        ([("a", "b", "c"), ("d",)], {"d"}, False),
        ([("a", "b"), ("c",), ("d",)], {"d"}, True),  # with c it is two against two
        ([("a", "b"), ("c",)], {"z"}, False),
        ([("a",), ("b", "c")], {"a"}, False),
        ([("a",), ("b",)], {"a"}, False),
        ([("a", "b", "c", "d", "e", "f"), ("g",), ("h",), ("i",), ("j",)], {"g", "h", "i", "j"}, False),
        ([tuple("abcdefgh"), ("v",), ("w",), ("x",), ("y",), ("z",)], set("vwxyz"), True),
    ],
)
def test_whether_another_answer_might_have_been_taken(groups: VoteGroups, cut: set[str], hangs: bool) -> None:
    def last_of_equals(these: VoteGroups) -> VoteGroup:
        return max(reversed(these), key=len)

    assert hangs_on_cut(groups, cut, last_of_equals) is hangs
    assert MOST_CUT == 4


def test_where_the_rule_would_have_asked_on_nobody_knows() -> None:
    groups = [("a", "b"), ("c",)]
    assert hangs_on_cut(groups, {"c"}, lambda these: None)
    assert hangs_on_cut(groups, {"c"}, lambda these: most(these) if len(these) == 2 else None)
    assert not hangs_on_cut(groups, {"c"}, most)
    assert not hangs_on_cut(groups, set(), lambda these: None)


@pytest.mark.parametrize(
    ("points", "cut", "winner", "hangs"),
    [
        ([5.0, 2.0, 1.0], {2}, 0, False),
        ([5.0, 2.0, 3.0], {2}, 0, True),
        ([5.0, 2.0, 2.9], {2}, 0, False),
        ([5.0, 3.0, 1.0, 1.0], {2, 3}, 0, True),
        ([5.0, 2.0], {1}, 0, False),
        ([5.0, 5.0], {1}, 0, True),
        ([5.0, 4.5], {1}, 0, False),
        ([4.0, 5.0, 1.0], {2}, 1, True),
        ([5.0, 2.0], {0}, 0, True),
        ([5.0, 2.0], {1}, None, True),
        ([5.0, 5.0], set(), 0, False),
        ([5.0, 5.0], set(), None, False),
    ],
)
def test_whether_points_hang_on_what_was_cut(
    points: Sequence[float], cut: set[int], winner: int | None, hangs: bool
) -> None:
    """What was given to an option of which a part is missing may have been meant for whoever is next."""
    assert points_hang_on_cut(points, cut, winner) is hangs


def test_how_many_different_answers_there_are_at_least() -> None:
    assert [fewest_groups(*each) for each in ((3, 0), (3, 2), (0, 2), (0, 0))] == [3, 3, 1, 0]
    groups = [("a", "b"), ("c",), ("d",)]
    assert [count_hangs_on_cut(groups, {"d"}, least) for least in (2, 3, 4)] == [False, True, False]
    assert [count_hangs_on_cut(groups, {"b"}, least) for least in (2, 3, 4)] == [False, False, False]
    assert [count_hangs_on_cut(groups, {"c", "d"}, least) for least in (1, 2, 3)] == [False, True, True]
    assert [count_hangs_on_cut([("c",), ("d",)], {"c", "d"}, least) for least in (1, 2, 3)] == [False, True, False]
