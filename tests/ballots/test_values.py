"""Rules and tallies are values: equal by what they hold, unchangeable, and of a plug-in the one that was tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import FrozenInstanceError, dataclass, fields
from typing import Any

import pytest
from installing import bring

from moot.ballots import BUILT_IN, Ballot, Tally, _plugged, rule
from moot.ballots.library import LibraryRule
from moot.ballots.plurality import SimpleVoting
from moot.ballots.tally import most
from moot.ballots.trial import usual_ballots
from moot.ballots.weighted import Weighted
from moot.errors import MootError

VALUES: dict[str, Any] = {
    **{name: rule(name) for name in BUILT_IN},
    "weighted": Weighted(SimpleVoting(), (1.0, 2.0)),
    "library": LibraryRule("pref-voting:any", None, frozenset({"PROFILE"})),
    "tally": Tally((1.0,), (0,)),
}


@pytest.mark.parametrize("name", VALUES)
def test_nothing_of_a_rule_or_a_tally_can_be_changed(name: str) -> None:
    value = VALUES[name]
    assert value.tied is False if name == "tally" else value.problem({0: 1}, 1) is None
    for held in fields(value):
        with pytest.raises(FrozenInstanceError):
            setattr(value, held.name, None)
    assert hash(value) == hash(type(value)(**{held.name: getattr(value, held.name) for held in fields(value)}))
    assert not hasattr(value, "__dict__")


def test_a_tally_of_nobody_has_no_voters_and_nothing_spoilt() -> None:
    tally = Tally((1.0,), (0,))
    assert (tally.spoilt, tally.voters) == (0, 0)
    assert not tally.tied
    assert Tally((1.0, 1.0), (0, 1)).tied


@pytest.mark.parametrize(
    ("points", "winners"),
    [
        ((), ()),
        ((0.0, 0.0), ()),
        ((-1.0, -2.0), ()),
        ((1e-12, 0.0), (0,)),
        ((1.0, 1.0 + 1e-12), (0, 1)),
        ((1.0, 1.0 + 1e-6), (1,)),
        ((3.0, 1.0, 3.0), (0, 2)),
    ],
)
def test_who_has_the_most(points: Sequence[float], winners: Sequence[int]) -> None:
    assert most(points) == winners


def test_what_a_rule_is_tried_with() -> None:
    """Each option alone, every choice of some, every order of some, and purses."""
    assert usual_ballots(1) == [{0: 1}, {0: 1}, {0: 1}, {0: 5}]
    two = usual_ballots(2)
    for ballot in ({0: 1}, {1: 1}, {0: 1, 1: 1}, {0: 1, 1: 2}, {1: 1, 0: 2}, {0: 20, 1: 5}, {1: 20, 0: 5}):
        assert ballot in two
    three = usual_ballots(3)
    assert sum(sorted(ballot.values()) == [1, 2, 3] for ballot in three) == 6
    assert sum(sorted(ballot.values()) == [1, 1] for ballot in three) == 3
    assert {0: 1, 1: 1, 2: 1} in three
    assert {2: 20, 0: 5} in three


@dataclass(frozen=True)
class Nobody:
    """Counts, and never finds a winner."""

    name: str = "nobody"

    def problem(self, ballot: Any, options: int) -> str | None:
        return None

    def count(self, ballots: Sequence[Ballot], options: int) -> Tally:
        return Tally((0.0,) * options, (), 0, len(ballots))


@pytest.fixture
def brought(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    places = {"one-vote": "moot.ballots.plurality:SimpleVoting", "nobody": f"{__name__}:Nobody"}
    bring(monkeypatch, "moot.ballots", places)
    _plugged.cache_clear()
    yield
    _plugged.cache_clear()


@pytest.mark.usefixtures("brought")
def test_a_rule_of_others_is_tried_when_it_is_named_and_made_once() -> None:
    assert rule("one-vote") is rule("one-vote")
    with pytest.raises(MootError, match="nobody"):
        rule("nobody")


def test_a_rule_of_the_library_is_shown_and_compared_by_its_name() -> None:
    """What counts is an object of the library's: it says nothing to a reader, and is another one in every process."""
    one, other = (LibraryRule("pref-voting:any", method, frozenset({"PROFILE"})) for method in (object(), object()))
    assert one == other
    assert one.partial is False
    assert "object" not in repr(one)
