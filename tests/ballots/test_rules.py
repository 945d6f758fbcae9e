"""Rules of voting by hand-made examples: the numbers, ties, ballots that do not fit, names."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import pytest
from installing import bring

from moot.ballots import registered, rule
from moot.ballots.borda import RankedVoting
from moot.ballots.consensus import CONSENSUS, reached
from moot.ballots.cumulative import CumulativeVoting
from moot.ballots.plurality import SimpleVoting
from moot.ballots.tally import Ballot, Tally, add_up
from moot.ballots.weighted import Weighted
from moot.errors import UsageError

COUNTS: dict[str, tuple[str, list[Ballot], int, tuple[float, ...], tuple[int, ...]]] = {
    "simple": ("simple-voting", [{0: 1}, {2: 1}, {2: 1}], 3, (1, 0, 2), (2,)),
    "simple-tie": ("simple-voting", [{2: 1}, {0: 1}], 3, (1, 0, 1), (0, 2)),
    "nobody-voted": ("simple-voting", [None, None], 2, (0, 0), ()),
    "no-options": ("simple-voting", [None], 0, (), ()),
    "borda-of-four": ("ranked-voting", [{0: 1, 1: 2, 2: 3, 3: 4}], 4, (3, 2, 1, 0), (0,)),
    "unranked-share-the-mean": ("ranked-voting", [{1: 1}], 4, (1, 3, 1, 1), (1,)),
    "ranked-five-of-seven": ("ranked-voting", [{6: 1, 5: 2, 4: 3, 3: 4, 2: 5}], 7, (0.5, 0.5, 2, 3, 4, 5, 6), (6,)),
    "ranked-cycle": (
        "ranked-voting",
        [{0: 1, 1: 2, 2: 3}, {1: 1, 2: 2, 0: 3}, {2: 1, 0: 2, 1: 3}],
        3,
        (3, 3, 3),
        (0, 1, 2),
    ),
    "only-option-ranked": ("ranked-voting", [{0: 1}, None], 1, (0,), (0,)),
    "only-option-nobody-ranked": ("ranked-voting", [None], 1, (0,), ()),
    "cumulative": ("cumulative-voting", [{0: 20, 1: 5}, {1: 25}], 3, (20, 30, 0), (1,)),
    "cumulative-purse-not-emptied": ("cumulative-voting", [{0: 1}], 2, (1, 0), (0,)),
    "cumulative-nothing-given": ("cumulative-voting", [{}, {0: 0}], 2, (0, 0), ()),
    "cumulative-tie-of-thirds": ("cumulative-voting", [{0: 0.1, 1: 0.3}, {0: 0.1}, {0: 0.1}], 2, (0.3, 0.3), (0, 1)),
    "approval": ("approval-voting", [{0: 1, 1: 1}, {1: 1}], 3, (1, 2, 0), (1,)),
    "approval-of-all-ties-all": ("approval-voting", [{0: 1, 1: 1}] * 3, 2, (3, 3), (0, 1)),
    "approval-of-none": ("approval-voting", [{}, {}], 2, (0, 0), ()),
    "counting": ("solution-counting", [{0: 1}, {1: 1}, {1: 1}, None], 2, (1, 2), (1,)),
}


@pytest.mark.parametrize(("name", "ballots", "options", "points", "winners"), COUNTS.values(), ids=COUNTS)
def test_counts(
    name: str, ballots: list[Ballot], options: int, points: tuple[float, ...], winners: tuple[int, ...]
) -> None:
    tally = rule(name).count(ballots, options)
    assert tally.points == pytest.approx(points)
    assert tally.winners == winners
    assert tally.voters == len(ballots)
    assert tally.tied == (len(winners) > 1)


SPOILT: dict[str, tuple[str, Mapping[int, float], str]] = {
    "two-for-one-vote": ("simple-voting", {0: 1, 1: 1}, "exactly one option, found 2"),
    "none-for-one-vote": ("simple-voting", {}, "exactly one option, found 0"),
    "a-heavy-vote": ("simple-voting", {0: 2}, "one vote"),
    "a-vote-against": ("simple-voting", {0: -1}, "one vote"),
    "no-such-option": ("simple-voting", {4: 1}, "no option 4; expected 0 to 3"),
    "far-beyond-the-last": ("approval-voting", {9: 1}, "no option 9; expected 0 to 3"),
    "below-the-first": ("approval-voting", {-1: 1}, "no option -1"),
    "not-a-number": ("cumulative-voting", {0: float("nan")}, "expected a number for option 0"),
    "endless": ("cumulative-voting", {0: float("inf")}, "expected a number for option 0"),
    "beyond-all-sums": ("cumulative-voting", {0: 1e308, 1: 1e308}, "for option 0, of no more than 1e+15"),
    "debt-beyond-all-sums": ("cumulative-voting", {0: 1, 1: -1e308}, "expected a number for option 1"),
    "ten-thousand-digits": ("ranked-voting", {0: 10**10_000}, "expected a number for option 0"),
    "four-hundred-digits": ("approval-voting", {0: 10**400}, "expected a number for option 0"),
    "a-word": ("approval-voting", {0: "yes"}, "expected a number for option 0, found 'yes'"),  # type: ignore[dict-item]
    "a-word-for-an-option": ("approval-voting", {"B": 1}, "no option 'B'"),  # type: ignore[dict-item]
    "empty-order": ("ranked-voting", {}, "1 to 5 options in order, found 0"),
    "same-place-twice": ("ranked-voting", {0: 1, 1: 1}, "positions 1 to 2, each once"),
    "a-place-left-out": ("ranked-voting", {0: 1, 1: 3}, "positions 1 to 2, each once"),
    "half-a-place": ("ranked-voting", {0: 1, 1: 1.5}, "positions 1 to 2, each once"),
    "places-from-zero": ("ranked-voting", {0: 0, 1: 1}, "positions 1 to 2, each once"),
    "overdrawn": ("cumulative-voting", {0: 20, 1: 6}, "at most 25 points in all, found 26"),
    "debt": ("cumulative-voting", {0: 30, 1: -5}, "zero or more"),
    "half-approval": ("approval-voting", {0: 0.5}, "expected 1 for each option approved"),
    "approved-twice": ("approval-voting", {0: 1, 1: 2}, "expected 1 for each option approved"),
    "counted-twice": ("solution-counting", {0: 2}, "one vote"),
    "half-a-vote": ("simple-voting", {0: 0.5}, "one vote"),
    "said-not-approved": ("approval-voting", {0: 1, 1: 0}, "nothing for the others"),
}


@pytest.mark.parametrize(("name", "ballot", "problem"), SPOILT.values(), ids=SPOILT)
def test_a_ballot_that_does_not_fit_is_spoilt_and_says_why(
    name: str, ballot: Mapping[int, float], problem: str
) -> None:
    found = rule(name).problem(ballot, 4)
    assert found is not None
    assert problem in found
    assert rule(name).count([ballot], 4) == Tally((0.0,) * 4, (), spoilt=1, voters=1)


def test_no_more_than_five_are_put_in_order() -> None:
    six = {option: option + 1 for option in range(6)}
    assert rule("ranked-voting").problem(six, 8) == "expected 1 to 5 options in order, found 6"
    assert RankedVoting(most_ranked=6).problem(six, 8) is None


def test_the_purse_is_a_parameter() -> None:
    assert CumulativeVoting(budget=10).problem({0: 11}, 2) == "expected at most 10 points in all, found 11"
    assert CumulativeVoting(budget=10).count([{0: 11}, {1: 10}], 2).points == (0, 10)


def test_unknown_rules_name_the_closest() -> None:
    with pytest.raises(UsageError, match="did you mean 'ranked-voting'"):
        rule("rankd-voting")
    with pytest.raises(UsageError, match="expected one of approval-voting, cumulative-voting"):
        rule("xyzzy")


def test_a_rule_is_called_as_in_the_file() -> None:
    assert {name: rule(name).name for name in registered()} == {name: name for name in registered()}


def test_rules_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    bring(monkeypatch, "moot.ballots", {"one-vote": "moot.ballots.plurality:SimpleVoting"})
    assert rule("one-vote") == SimpleVoting()


class TestWeighted:
    def test_it_is_called_by_what_it_weighs(self) -> None:
        weighted = Weighted(RankedVoting(), (1, 2))
        assert weighted.name == "weighted ranked-voting"
        assert weighted.problem({0: 2}, 3) == "expected the positions 1 to 1, each once"

    def test_a_heavy_voter_outvotes_two(self) -> None:
        weighted = Weighted(SimpleVoting(), (0.9, 0.4, 0.4))
        assert weighted.count([{0: 1}, {1: 1}, {1: 1}], 2) == Tally((0.9, 0.8), (0,), spoilt=0, voters=3)

    def test_sums_that_differ_in_the_last_bit_are_a_tie(self) -> None:
        assert 0.1 + 0.7 != 0.8
        assert Weighted(SimpleVoting(), (0.8, 0.7, 0.1)).count([{0: 1}, {1: 1}, {1: 1}], 2).winners == (0, 1)

    def test_a_spoilt_ballot_keeps_its_weight_to_itself(self) -> None:
        assert Weighted(SimpleVoting(), (5.0, 1.0)).count([None, {1: 1}], 2) == Tally((0, 1), (1,), 1, 2)

    def test_nobody_of_weight_nobody_wins(self) -> None:
        assert Weighted(SimpleVoting(), (0.0,)).count([{0: 1}], 2).winners == ()

    def test_equal_weights_change_nothing_but_the_scale(self) -> None:
        ballots: list[Ballot] = [{0: 1, 1: 2}, {1: 1}, None]
        plain, double = RankedVoting().count(ballots, 3), Weighted(RankedVoting(), (2, 2, 2)).count(ballots, 3)
        assert double.points == tuple(2 * points for points in plain.points)
        assert double.winners == plain.winners

    def test_weights_and_ballots_go_together(self) -> None:
        with pytest.raises(ValueError, match="a ballot for each of 2 weights, found 1"):
            Weighted(SimpleVoting(), (1, 1)).count([{0: 1}], 2)
        with pytest.raises(ValueError, match="weights of zero or more"):
            Weighted(SimpleVoting(), (1, -1))


class TestConsensus:
    @pytest.mark.parametrize(
        ("name", "needed"),
        [
            ("majority-consensus", {1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 10: 6}),
            ("supermajority-consensus", {1: 1, 2: 2, 3: 2, 4: 3, 5: 4, 6: 4, 50: 34, 100: 67}),
            ("unanimity-consensus", {1: 1, 2: 2, 3: 3, 10: 10}),
        ],
    )
    def test_how_many_it_takes(self, name: str, needed: dict[int, int]) -> None:
        for agents, least in needed.items():
            assert [reached(name, supporters, agents) for supporters in range(agents + 1)] == [
                supporters >= least for supporters in range(agents + 1)
            ]

    @pytest.mark.parametrize("name", CONSENSUS)
    def test_nobody_does_not_agree(self, name: str) -> None:
        assert not reached(name, 0, 0)
        assert not reached(name, 0, 3)

    def test_each_asks_for_no_less_than_the_one_before(self) -> None:
        for agents in range(1, 30):
            for supporters, (weaker, stronger) in itertools.product(range(agents + 1), itertools.pairwise(CONSENSUS)):
                assert reached(weaker, supporters, agents) or not reached(stronger, supporters, agents)

    def test_unknown(self) -> None:
        with pytest.raises(UsageError, match="did you mean 'majority-consensus'"):
            reached("majority-concensus", 1, 2)
        with pytest.raises(ValueError, match="expected 0 to 3 supporters, found 4"):
            reached("majority-consensus", 4, 3)


@pytest.mark.parametrize("weights", [[1.0], [1.0, 1.0, 1.0]])
def test_every_ballot_has_one_weight(weights: list[float]) -> None:
    with pytest.raises(ValueError, match=r"zip\(\)"):
        add_up(CumulativeVoting(), [{0: 25.0}, {1: 25.0}], 2, weights)
