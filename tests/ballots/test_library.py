"""Rules of the library pref-voting by name: known elections, partial orders, names, refusals."""

from __future__ import annotations

import builtins
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pref_voting", reason="the extra pref-voting is not installed")

from moot.ballots import library, rule
from moot.ballots.tally import Ballot
from moot.errors import UsageError
from moot.testing import check_ballot_rule


def orders(*counted: tuple[int, str]) -> list[Ballot]:
    """Ballots such as ``(3, "ABC")``: three voters who put A before B before C."""
    return [
        {ord(each) - 65: float(place) for place, each in enumerate(o, 1)} for count, o in counted for _ in range(count)
    ]


TENNESSEE = orders((42, "ABCD"), (26, "BCDA"), (15, "CDBA"), (17, "DCBA"))
"""Memphis, Nashville, Chattanooga, Knoxville: the textbook's capital."""
SCHULZE = orders(
    (5, "ACBED"), (5, "ADECB"), (8, "BEDAC"), (3, "CABED"), (7, "CAEBD"), (2, "CBADE"), (7, "DCEBA"), (8, "EBADC")
)
"""The example of Schulze's paper; E wins."""


@pytest.mark.parametrize(
    ("name", "ballots", "options", "winners"),
    [
        ("Plurality", TENNESSEE, 4, (0,)),
        ("instant-runoff", TENNESSEE, 4, (3,)),
        ("irv", TENNESSEE, 4, (3,)),
        ("Condorcet", TENNESSEE, 4, (1,)),
        ("copeland", TENNESSEE, 4, (1,)),
        ("Coombs", TENNESSEE, 4, (1,)),
        ("Schulze", SCHULZE, 5, (4,)),
        ("Beat Path", SCHULZE, 5, (4,)),
        ("ranked_pairs", SCHULZE, 5, (0,)),
    ],
)
def test_known_elections(name: str, ballots: list[Ballot], options: int, winners: tuple[int, ...]) -> None:
    tally = rule(f"pref-voting:{name}").count(ballots, options)
    assert tally.winners == winners
    assert tally.points == tuple(float(option in winners) for option in range(options))
    assert (tally.spoilt, tally.voters) == (0, len(ballots))


@pytest.mark.parametrize("name", ["Schulze", "instant-runoff", "Ranked Pairs", "Plurality", "Coombs"])
def test_the_contract_holds(name: str) -> None:
    check_ballot_rule(rule(f"pref-voting:{name}"), rounds=15)


def test_an_order_may_leave_options_out_where_the_rule_can_count_it() -> None:
    ballots = orders((2, "A"), (1, "BC"), (2, "CB"))
    assert rule("pref-voting:Schulze").count(ballots, 4).winners == (2,)
    assert rule("pref-voting:instant-runoff").count(ballots, 4).winners == (2,)


def test_and_is_spoilt_where_it_cannot() -> None:
    coombs = rule("pref-voting:Coombs")
    assert coombs.problem({0: 1}, 3) == "expected all 3 options in order, found 1"
    tally = coombs.count([*orders((2, "BAC")), {0: 1}, None], 3)
    assert (tally.winners, tally.spoilt, tally.voters) == ((1,), 2, 4)


def test_more_than_five_may_be_put_in_order() -> None:
    assert rule("pref-voting:Schulze").count(orders((1, "GFEDCBA")), 7).winners == (6,)


def test_equal_margins_do_not_take_for_ever() -> None:
    started = time.perf_counter()
    tally = rule("pref-voting:ranked-pairs").count(orders((1, "ABCDEF"), (1, "BCDEFA"), (1, "CDEFAB")), 6)
    assert tally.winners
    assert time.perf_counter() - started < 120, "every order of equals would take days"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Shulze", "did you mean 'Schulze'"),
        ("xyzzy", "expected one of .*Beat Path, .*Instant Runoff"),
        ("Instant Runoff TB", "order of options"),
        ("ranked-pairs-zt", "order of options"),
        ("plurality_veto", "order of options"),
        ("River", "every order of equal margins"),
        ("bradley-terry", "solver fails"),
    ],
)
def test_refused_with_a_reason(name: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        rule(f"pref-voting:{name}")


@pytest.fixture
def without_the_extra(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    real = builtins.__import__

    def importing(name: str, *rest: Any) -> Any:
        if name.startswith("pref_voting"):
            raise ImportError(name)
        return real(name, *rest)

    library._methods.cache_clear()
    monkeypatch.setattr(builtins, "__import__", importing)
    yield
    library._methods.cache_clear()


@pytest.mark.usefixtures("without_the_extra")
def test_without_the_extra_it_says_what_to_install() -> None:
    with pytest.raises(UsageError, match=r"moot\[pref-voting\]"):
        rule("pref-voting:Schulze")
