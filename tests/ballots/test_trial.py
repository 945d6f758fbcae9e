"""What somebody else's rule of voting counts is looked at: what is no tally is said, with whose it is and which part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from moot import ballots
from moot.ballots import BUILT_IN, counted, register, registered, rule
from moot.ballots.plurality import SimpleVoting
from moot.ballots.tally import Ballot, Tally
from moot.ballots.trial import problem_with, tally_of, try_rule, usual_ballots
from moot.errors import UsageError
from moot.plugins import PluginBroke


@dataclass(frozen=True)
class Theirs:
    """Says this of a ballot, and counts that."""

    tally: Any = None
    words: Any = None
    name: str = "theirs"

    def problem(self, ballot: Mapping[int, float], options: int) -> str | None:
        words: str | None = self.words
        return words

    def count(self, ballots: Sequence[Ballot], options: int) -> Tally:
        tally: Tally = self.tally(ballots, options) if callable(self.tally) else self.tally
        return tally


GOOD = [
    Tally((2.0, 0.0), (0,), 0, 2),
    Tally((1, 1), (0, 1), 0, 2),
    Tally((1.0, 1.0), (1, 0), 1, 3),
    Tally((0.0, 0.0), (), 2, 2),
    Tally((-1.0, -2.0), (), 0, 0),
    Tally((0.0, 0.0), (1,), 0, 1),
]
BAD = {
    "no-tally": ((0,), "count: expected a Tally, found tuple"),
    "points-as-a-list": (Tally([1.0, 0.0], (0,)), "points: expected a number for each of 2 options"),  # type: ignore[arg-type]
    "a-point-too-few": (Tally((1.0,), (0,)), "points: expected a number for each of 2 options"),
    "a-point-too-many": (Tally((1.0, 0.0, 0.0), (0,)), "points: expected a number for each of 2 options"),
    "points-without-end": (Tally((float("inf"), 0.0), (0,)), "points: expected a number for each of 2 options"),
    "points-in-words": (Tally(("two", 0.0), (0,)), "points: expected a number for each of 2 options"),  # type: ignore[arg-type]
    "winners-as-a-list": (Tally((1.0, 0.0), [0]), "winners: expected a tuple of options"),  # type: ignore[arg-type]
    "a-winner-who-is-true": (Tally((1.0, 0.0), (False,)), "winners: expected a tuple of options"),
    "a-winner-from-nowhere": (Tally((1.0, 0.0), (2,)), "winners: expected options from 0 to 1, each once"),
    "a-winner-below-zero": (Tally((1.0, 0.0), (-1,)), "winners: expected options from 0 to 1, each once"),
    "a-winner-twice": (Tally((1.0, 0.0), (0, 0)), "winners: expected options from 0 to 1, each once"),
    "nobody-though-one-has-points": (
        Tally((0.0, 0.5), ()),
        "winners: expected somebody, since option 1 has 0.5 points, found nobody",
    ),
    "fewer-than-no-spoilt": (Tally((1.0, 0.0), (0,), -1, 1), "spoilt: expected 0 or more, found -1"),
    "half-a-voter": (Tally((1.0, 0.0), (0,), 0, 0.5), "voters: expected 0 or more, found 0.5"),  # type: ignore[arg-type]
    "fewer-than-no-voters": (Tally((1.0, 0.0), (0,), 0, -1), "voters: expected 0 or more, found -1"),
}


@pytest.mark.parametrize("tally", GOOD, ids=str)
def test_a_tally_passes_as_it_is(tally: Tally) -> None:
    assert tally_of(Theirs(tally), [None], 2) is tally


@pytest.mark.parametrize(("tally", "words"), BAD.values(), ids=BAD)
def test_what_is_no_tally_is_blamed_by_name(tally: Any, words: str) -> None:
    with pytest.raises(PluginBroke) as raised:
        tally_of(Theirs(tally), [None], 2)
    assert str(raised.value).startswith("rule of voting 'theirs': count: ")
    assert words in str(raised.value)


@pytest.mark.parametrize("words", [None, "", "one option only"])
def test_words_of_a_ballot_pass(words: str | None) -> None:
    assert problem_with(Theirs(words=words), {0: 1}, 2) == words


@pytest.mark.parametrize("words", [True, 1, ["one option only"]])
def test_what_are_no_words_is_blamed(words: Any) -> None:
    with pytest.raises(PluginBroke, match="'theirs': problem: expected words or None"):
        problem_with(Theirs(words=words), {0: 1}, 2)


def test_a_rule_for_which_nobody_wins_where_all_agree_is_no_rule() -> None:
    nobody = Theirs(lambda ballots, options: Tally((0.0,) * options, (), 0, len(ballots)))
    with pytest.raises(PluginBroke, match="expected at least one option where all want the same, found nobody"):
        try_rule(nobody)
    try_rule(Theirs(nobody.tally, words="no ballot fits"))


@pytest.mark.parametrize("fails_at", [1, 2, 3])
def test_a_rule_is_tried_with_one_two_and_three_options(fails_at: int) -> None:
    def count(ballots: Sequence[Ballot], options: int) -> Any:
        return None if options == fails_at else Tally((1.0,) * options, (0,), 0, len(ballots))

    with pytest.raises(PluginBroke, match="expected a Tally"):
        try_rule(Theirs(count))


def test_empty_ballots_are_tried_first() -> None:
    tried: list[Sequence[Ballot]] = []

    def count(ballots: Sequence[Ballot], options: int) -> Tally:
        tried.append(ballots)
        return Tally((1.0,) * options, (0,), 0, len(ballots))

    try_rule(Theirs(count))
    assert tried[0] == [None, None]


def test_there_is_a_usual_ballot_for_every_rule() -> None:
    ballots = usual_ballots(3)
    for ballot in ({2: 1}, {0: 1, 2: 1}, {0: 1, 1: 1, 2: 1}, {2: 1, 0: 2, 1: 3}, {1: 1, 2: 2}, {2: 20, 0: 5}):
        assert ballot in ballots
    for name in BUILT_IN:
        assert any(rule(name).problem(ballot, 3) is None for ballot in ballots), name


def test_a_tally_that_says_no_more_has_nothing_spoilt_and_nobody_voting() -> None:
    tally = Tally((1.0,), (0,))
    assert (tally.spoilt, tally.voters) == (0, 0)


@pytest.mark.parametrize("given", [Theirs(name=7), object(), "theirs"], ids=["no-name", "no", "text"])  # type: ignore[arg-type]
def test_only_an_object_with_all_its_parts_is_taken_for_a_rule(given: Any) -> None:
    with pytest.raises(UsageError, match="expected an object with name, problem and count"):
        register(given)


def first(ballots: Sequence[Ballot], options: int) -> Tally:
    return Tally((1.0,) + (0.0,) * (options - 1), (0,), 0, len(ballots))


@pytest.fixture
def nothing_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ballots, "_GIVEN", {})


@pytest.mark.usefixtures("nothing_given")
class TestRegister:
    def test_an_object_is_known_by_its_name_and_the_last_of_a_name_counts(self) -> None:
        with pytest.raises(UsageError, match="'theirs' is unknown"):
            rule("theirs")
        one, other = Theirs(first), Theirs(first)
        register(one)
        assert rule("theirs") is one
        register(other)
        assert rule("theirs") is other
        assert registered()["theirs"] == f"{Theirs.__module__}:Theirs"
        assert registered()["simple-voting"] == BUILT_IN["simple-voting"]

    def test_a_name_that_is_taken_is_refused_with_who_has_it(self) -> None:
        taken = f"'simple-voting' is {BUILT_IN['simple-voting']} already; expected another name"
        with pytest.raises(UsageError, match=taken):
            register(Theirs(first, name="simple-voting"))
        with pytest.raises(UsageError, match="'pref-voting:mine' is of the library already"):
            register(Theirs(first, name="pref-voting:mine"))
        assert registered() == BUILT_IN

    def test_one_of_ours_with_its_own_settings_goes_by_its_name(self) -> None:
        ours = SimpleVoting()
        register(ours)
        assert rule("simple-voting") is ours

    def test_one_that_breaks_on_usual_ballots_is_a_mistake_of_whoever_gives_it(self) -> None:
        with pytest.raises(UsageError, match="'theirs': count: expected a Tally, found NoneType"):
            register(Theirs(None))
        assert "theirs" not in registered()


def test_what_others_count_is_looked_at_and_blamed() -> None:
    with pytest.raises(PluginBroke, match="'theirs': count: expected a Tally"):
        counted(Theirs(None), [{0: 1}], 2)
    assert counted(Theirs(first), [{0: 1}], 2) == Tally((1.0, 0.0), (0,), 0, 1)
    assert counted(SimpleVoting(), [{1: 1}], 2) == Tally((0.0, 1.0), (1,), 0, 1)
