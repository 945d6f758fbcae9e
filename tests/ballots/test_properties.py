"""What every rule of voting promises, for any ballots: anonymity, neutrality, unanimity, monotonicity, spoilt is spoilt."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.ballots import BUILT_IN, rule
from moot.ballots.approval import ApprovalVoting
from moot.ballots.plurality import SimpleVoting, plurality
from moot.ballots.tally import Ballot, Tally, add_up
from moot.ballots.weighted import Weighted
from moot.testing import check_ballot_rule

RULES = sorted(BUILT_IN)


@dataclass(frozen=True)
class Election:
    name: str
    ballots: list[Ballot]
    options: int

    def count(self, ballots: list[Ballot] | None = None) -> Tally:
        return rule(self.name).count(self.ballots if ballots is None else ballots, self.options)


def fitting(name: str, options: int) -> st.SearchStrategy[dict[int, float]]:
    """A ballot that fits the rule."""
    one = st.integers(0, options - 1)
    match name:
        case "ranked-voting":
            orders = st.permutations(range(options)).flatmap(
                lambda order: st.integers(1, min(5, options)).map(lambda size: order[:size])
            )
            return orders.map(lambda order: {option: float(place) for place, option in enumerate(order, start=1)})
        case "cumulative-voting":
            shares = st.lists(st.floats(0, 1), min_size=options, max_size=options)
            return shares.map(lambda given: {option: 25 * share / options for option, share in enumerate(given)})
        case "approval-voting":
            return st.sets(one).map(lambda some: dict.fromkeys(some, 1.0))
        case _:
            return one.map(lambda option: {option: 1.0})


@st.composite
def elections(draw: st.DrawFn, names: tuple[str, ...] = tuple(RULES), least: int = 0) -> Election:
    name = draw(st.sampled_from(names))
    options = draw(st.integers(1, 8))
    ballots = draw(st.lists(st.none() | fitting(name, options), min_size=least, max_size=8))
    return Election(name, list(ballots), options)


@pytest.mark.parametrize("name", RULES)
def test_the_contract_holds(name: str) -> None:
    check_ballot_rule(rule(name))
    check_ballot_rule(rule(name), options=5, rounds=20)


@settings(deadline=None)
@given(elections(), st.randoms(use_true_random=False))
def test_anonymity(election: Election, shuffle: random.Random) -> None:
    shuffled = list(election.ballots)
    shuffle.shuffle(shuffled)
    assert election.count(shuffled) == election.count()


@settings(deadline=None)
@given(elections(), st.randoms(use_true_random=False))
def test_neutrality(election: Election, shuffle: random.Random) -> None:
    to = list(range(election.options))
    shuffle.shuffle(to)
    renamed: list[Ballot] = [
        None if ballot is None else {to[option]: said for option, said in ballot.items()} for ballot in election.ballots
    ]
    before, after = election.count(), election.count(renamed)
    assert after.winners == tuple(sorted(to[option] for option in before.winners))
    assert [after.points[to[option]] for option in range(election.options)] == list(before.points)


@settings(deadline=None)
@given(elections())
def test_the_order_in_which_a_ballot_lists_options_changes_nothing(election: Election) -> None:
    turned: list[Ballot] = [
        None if b is None else {option: b[option] for option in reversed(b)} for b in election.ballots
    ]
    assert election.count(turned) == election.count()


@settings(deadline=None)
@given(st.sampled_from(RULES), st.integers(1, 8), st.integers(1, 8), st.data())
def test_unanimity(name: str, options: int, voters: int, data: st.DataObject) -> None:
    best = data.draw(st.integers(0, options - 1))
    tally = rule(name).count([{best: 1}] * voters, options)
    assert tally.winners == (best,)
    assert not tally.tied


@settings(deadline=None)
@given(elections())
def test_all_who_have_the_most_win_and_nobody_else(election: Election) -> None:
    tally = election.count()
    valid = [ballot for ballot in election.ballots if ballot is not None]
    most = max(tally.points)
    if not valid or (most == 0 and election.name != "ranked-voting"):
        assert tally.winners == ()
    else:
        assert tally.winners == tuple(
            option for option, points in enumerate(tally.points) if points == pytest.approx(most, rel=1e-9, abs=0)
        )


def raised(name: str, ballot: Mapping[int, float], option: int) -> dict[int, float]:
    """The same ballot with more for one option, and the others as they stood to each other."""
    match name:
        case "ranked-voting":
            order = sorted(ballot, key=ballot.__getitem__)
            place = order.index(option) if option in order else len(order)
            order = [each for each in order if each != option]
            order.insert(max(0, place - 1), option)
            return {each: float(number) for number, each in enumerate(order[:5], start=1)}
        case "approval-voting":
            return {**ballot, option: 1.0}
        case "cumulative-voting":
            return {**ballot, option: ballot.get(option, 0.0) + 1}
        case _:
            return {option: 1.0}


@settings(deadline=None)
@given(elections(least=1), st.data())
def test_monotonicity(election: Election, data: st.DataObject) -> None:
    """A winner that gains on one ballot still wins. It holds for every rule of points."""
    before = election.count()
    if not before.winners:
        return
    winner = data.draw(st.sampled_from(before.winners))
    voter = data.draw(st.integers(0, len(election.ballots) - 1))
    ballot = election.ballots[voter]
    if ballot is None:
        return
    better = raised(election.name, ballot, winner)
    after = [*election.ballots[:voter], better, *election.ballots[voter + 1 :]]
    if rule(election.name).problem(better, election.options) is None:
        assert winner in election.count(after).winners


anything = st.dictionaries(
    st.integers(-2, 9), st.floats(allow_nan=True) | st.integers(-3, 30) | st.text(max_size=3) | st.none(), max_size=7
)


@settings(deadline=None)
@given(elections(), st.lists(anything, max_size=4), st.randoms(use_true_random=False))
def test_a_spoilt_ballot_never_becomes_a_vote(
    election: Election, strange: list[dict[int, float]], shuffle: random.Random
) -> None:
    spoilt = [ballot for ballot in strange if rule(election.name).problem(ballot, election.options) is not None]
    mixed = [*election.ballots, *spoilt]
    shuffle.shuffle(mixed)
    before, after = election.count(), election.count(mixed)
    assert (after.points, after.winners) == (before.points, before.winners)
    assert after.spoilt == before.spoilt + len(spoilt)
    assert after.voters == len(mixed)


@settings(deadline=None)
@given(elections(("simple-voting",)), st.data())
def test_a_weight_of_two_is_a_voter_twice(election: Election, data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(election.ballots), max_size=len(election.ballots)))
    copies = [b for b, weight in zip(election.ballots, weights, strict=True) for _ in range(weight)]
    weighted = Weighted(SimpleVoting(), tuple(weights)).count(election.ballots, election.options)
    assert (weighted.points, weighted.winners) == (election.count(copies).points, election.count(copies).winners)


@settings(deadline=None)
@given(st.lists(st.sampled_from(range(5))))
def test_simple_voting_is_plurality(votes: list[int]) -> None:
    assert set(rule("simple-voting").count([{vote: 1} for vote in votes], 5).winners) == set(plurality(votes))


@settings(deadline=None)
@given(elections(("approval-voting",)))
def test_approval_with_one_option_each_is_simple_voting(election: Election) -> None:
    single: list[Ballot] = [None if not b else {min(b): 1.0} for b in election.ballots]
    assert election.count(single).winners == rule("simple-voting").count(single, election.options).winners


class FirstWins(ApprovalVoting):
    """Breaks a promise: ties go to whoever stands first."""

    def count(self, ballots: list[Ballot], options: int) -> Tally:  # type: ignore[override]
        tally = super().count(ballots, options)
        return Tally(tally.points, tally.winners[:1], tally.spoilt, tally.voters)


class Mender(ApprovalVoting):
    """Breaks a promise: a spoilt ballot becomes a vote for all."""

    def count(self, ballots: list[Ballot], options: int) -> Tally:  # type: ignore[override]
        tally = add_up(self, ballots, options)
        return Tally(tuple(points + tally.spoilt for points in tally.points), tally.winners, tally.spoilt, tally.voters)


class FirstVoter(ApprovalVoting):
    """Breaks a promise: only the first voter counts."""

    def count(self, ballots: list[Ballot], options: int) -> Tally:  # type: ignore[override]
        tally = super().count(ballots[:1], options)
        return Tally(tally.points, tally.winners, tally.spoilt, len(ballots))


@pytest.mark.parametrize(
    ("broken", "promise"), [(FirstWins, "neutrality"), (Mender, "spoilt"), (FirstVoter, "anonymity")]
)
def test_the_contract_notices(broken: type[ApprovalVoting], promise: str) -> None:
    with pytest.raises(AssertionError, match=promise):
        check_ballot_rule(broken())
