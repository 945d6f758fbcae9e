"""The most votes win, and all who have the most."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.ballots.plurality import plurality

VOTES = {
    "nobody": ("", ""),
    "one": ("B", "B"),
    "three-of-a-mind": ("BBB", "B"),
    "most-not-half": ("ABBCD", "B"),
    "the-last-is-not-the-winner": ("BBA", "B"),
    "tie-of-two": ("ABBAC", "AB"),
    "tie-of-all": ("CBA", "CBA"),
}


@pytest.mark.parametrize(("votes", "winners"), VOTES.values(), ids=VOTES)
def test_winners(votes: str, winners: str) -> None:
    assert plurality(votes) == tuple(winners)


@given(st.lists(st.sampled_from("ABCDE")), st.randoms())
def test_who_wins_does_not_depend_on_who_votes_first(votes: list[str], random: object) -> None:
    winners = plurality(votes)
    shuffled = list(votes)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert set(plurality(shuffled)) == set(winners)
    counts = Counter(votes)
    assert all(counts[each] == max(counts.values()) for each in winners)
    assert all(counts[each] < max(counts.values()) for each in set(votes) - set(winners))


def test_anything_that_can_be_compared_can_be_voted_for() -> None:
    assert plurality([("ann", "bob"), ("cat",), ("ann", "bob")]) == (("ann", "bob"),)
