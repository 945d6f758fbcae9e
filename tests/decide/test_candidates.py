"""What rules see goes by who said the same: not by labels, and not by the order of seats."""

from __future__ import annotations

import numpy as np
import pytest
from answering_worlds import Codes, answers, apart, seen
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.decide.candidates import SILENT, candidates_by_name
from moot.decide.choice_model import ChoiceModel, learn
from moot.decide.leader import LedVote
from moot.decide.rules import DraftRule, Leader, MostProbable, Plurality, WeightedSum, expected_worth, winners

WORLDS = st.integers(0, 10_000).map(
    lambda seed: answers((0.9, 0.6, 0.5, 0.3), 25, choices=5, silent=0.2, seed=seed)  # 0 is right
)
NAMES = ("ann", "bob", "cat", "dan")


def rules() -> list[DraftRule]:
    model = ChoiceModel(NAMES, np.array([1.5, 0.2, -0.1, -0.6]), 0.7, (0.3, -0.5, 0.4), 1.0)
    weights = {"ann": 2.0, "bob": 1.0, "cat": 0.5}
    return [Plurality(), WeightedSum(weights), Leader("ann"), Leader("bob", 2), MostProbable(model)]


def relabelled(codes: Codes, seed: int) -> Codes:
    """Other names for the wrong labels of each question."""
    draw = np.random.default_rng(seed)
    other = codes.copy()
    for question in range(codes.shape[1]):
        names = np.concatenate([[0], 1 + draw.permutation(int(codes.max()) + 1)])
        spoke = codes[:, question] != SILENT
        other[spoke, question] = names[codes[spoke, question]]
    return other


@settings(deadline=None, max_examples=25)
@given(WORLDS, st.integers(0, 99))
def test_labels_have_no_meaning_of_their_own(codes: Codes, seed: int) -> None:
    for rule in rules():
        before, after = (expected_worth(rule, seen(each, NAMES)) for each in (codes, relabelled(codes, seed)))
        assert np.allclose(before, after), rule


@settings(deadline=None, max_examples=25)
@given(WORLDS, st.permutations(range(4)))
def test_the_order_of_seats_changes_nothing(codes: Codes, order: list[int]) -> None:
    for rule in rules()[:4]:
        before = expected_worth(rule, seen(codes, NAMES))
        after = expected_worth(rule, seen(codes[order], [NAMES[seat] for seat in order]))
        assert np.allclose(before, after), rule
    learnt, turned = learn(seen(codes, NAMES), 1.0), learn(seen(codes[order], [NAMES[seat] for seat in order]), 1.0)
    assert np.allclose(learnt.weights[order], turned.weights, atol=1e-5)


@settings(deadline=None, max_examples=25)
@given(WORLDS)
def test_probabilities_are_shares(codes: Codes) -> None:
    candidates = seen(codes, NAMES)
    chances = learn(candidates, 0.3).probabilities(candidates)
    assert (chances >= 0).all()
    assert (chances.sum(axis=1) <= 1 + 1e-9).all()
    assert (chances[~candidates.given] == 0).all()


@settings(deadline=None, max_examples=25)
@given(WORLDS, st.floats(0.1, 5))
def test_equal_weights_are_a_vote(codes: Codes, weight: float) -> None:
    candidates = seen(codes, NAMES)
    vote = winners(Plurality(), candidates)
    model = ChoiceModel(NAMES, np.zeros(4), weight, (0.2, 0.1, -0.3), 1.0)
    assert (winners(MostProbable(model), candidates) == vote).all()
    assert (winners(WeightedSum(dict.fromkeys(NAMES, weight)), candidates) == vote).all()
    assert (winners(WeightedSum({}), candidates) == vote).all(), "where nobody has a weight all count alike"


def test_groups_by_name_are_those_of_codes() -> None:
    """A wording that is right makes its group right; who is in no group was silent; what nobody graded is open."""
    groups = [[("ann", "cat"), ("bob",)], [("bob", "ann")], []]
    rights = [{"ann": None, "cat": 1.0, "bob": 0.0}, {"ann": None, "bob": None}, {}]
    candidates = candidates_by_name(("ann", "bob", "cat"), groups, rights)
    assert candidates.support[0, 0].tolist() == [True, False, True]
    assert candidates.worth[0].tolist() == [1.0, 0.0]
    assert candidates.settled.tolist() == [True, False, True]
    assert not candidates.given[2].any()
    assert candidates.accuracy.tolist() == [0.5, 0.0, 0.5]


@pytest.mark.parametrize("silence", ["nobody", "the leader"])
def test_where_the_leader_is_silent_the_largest_group_of_the_others_has_it(silence: str) -> None:
    codes = np.array([[SILENT if silence == "the leader" else 1], [0], [0], [2]])
    worth = expected_worth(Leader("ann"), seen(codes, NAMES))
    assert worth.tolist() == [1.0 if silence == "the leader" else 0.0]
    assert expected_worth(Leader("ann", 2), seen(codes, NAMES)).tolist() == [1.0]
    assert expected_worth(Leader("ann", 3), seen(codes, NAMES)).tolist() == [1.0 if silence == "the leader" else 0.0]


def test_of_equal_numbers_it_takes_more_to_overrule_a_leader() -> None:
    candidates = seen(np.zeros((3, 30), dtype=np.intp), NAMES[:3])
    assert LedVote()._learnt(candidates, apart(30)) == Leader("ann")
