"""Traits: what a strategy says of itself is checked where it is said, and read back from any version."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest

from moot.errors import UsageError
from moot.strategies import registered, strategy_class
from moot.strategies.mixture.mixture import Mixture
from moot.strategies.peer_review.peer_review import PeerReview
from moot.strategies.silent import Silent
from moot.strategies.solo import Solo
from moot.strategies.talkative import Talkative
from moot.strategies.traits import CAUTIOUS, CallBound, Traits, traits_of
from moot.strategies.vote import Vote
from moot.testing.strategies import QUESTIONS, obliging, scripted_team


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"word": "oracle"}, "word: expected one of"),
        ({"captain": "rules"}, "captain: expected one of"),
        ({"asks": None}, "asks: expected one of"),
        ({"drafts": True}, "drafts: expected one of None, single-call, double-call, found True"),
        ({"drafts": "singel-call"}, "drafts: expected one of None, single-call, double-call, found 'singel-call'"),
        ({"drafts": ["single-call"]}, "drafts: expected one of"),
        ({"decides_by": "voodoo"}, "decides_by: expected one of None, voting, consensus, judge"),
        ({"alone": "false"}, "alone: expected one of True, False, found 'false'"),
        ({"groups": 1}, "groups: expected one of True, False, found 1"),
        ({"learns": None}, "learns: expected one of True, False"),
        ({"offices": ["m1"]}, "offices: expected a mapping from the names of offices"),
        ({"offices": {"juror": 1}}, "offices: expected a mapping from the names of offices"),
        ({"prompts": ("jury")}, r"prompts: expected a tuple of names, such as \('draft',\), found 'jury'"),
        ({"prompts": ["jury"]}, "prompts: expected a tuple"),
        ({"warnings": "careful"}, "warnings: expected a tuple of sentences"),
        ({"calls": 3}, "calls: expected a CallBound or None, found 3"),
        ({"served": ["rounds"]}, "served: expected a mapping"),
        ({"facts": 7}, "facts: expected a text"),
        ({"repeats": 0}, "repeats: expected 1 or more"),
        ({"repeats": True}, "repeats: expected 1 or more"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any], expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        Traits(**wrong)


def test_a_strategy_that_declares_nothing_has_the_cautious_ones() -> None:
    assert traits_of(object()) is CAUTIOUS
    assert CAUTIOUS.warnings


def test_traits_in_another_form_are_a_mistake_and_not_taken_for_none() -> None:
    class Method:
        def traits(self) -> Traits:
            return Traits()

    class Mapped:
        traits: ClassVar[dict[str, str]] = {"word": "captain"}

    with pytest.raises(UsageError, match=r"Method\.traits: expected Traits.*property"):
        traits_of(Method())
    with pytest.raises(UsageError, match=r"Mapped\.traits: expected Traits"):
        traits_of(Mapped())


@pytest.mark.parametrize("name", registered())
def test_what_a_cell_keeps_is_read_back(name: str) -> None:
    traits = traits_of(strategy_class(name)())
    kept = traits.json()
    assert Traits.of_json(kept).json() == kept


KEPT: dict[str, Any] = {
    "drafts": "double-call",
    "alone": True,
    "captain": "leads",
    "word": "office",
    "hears": "talk",
    "names": "hidden",
    "groups": True,
    "asks": "nobody",
    "offices": {"juror-1": "m1"},
    "decides_by": "judge",
    "repeats": 3,
    "learns": True,
}


def test_a_cell_keeps_all_that_reports_go_by() -> None:
    traits = Traits(**KEPT, prompts=("draft",), facts="folder", served={"early_stop": True}, calls=CallBound(1, 2))
    assert traits.json() == KEPT
    assert Traits.of_json(json.loads(json.dumps(traits.json()))) == Traits(**KEPT)


def test_a_bound_grows_with_the_players_and_by_what_is_fixed() -> None:
    bounds = [CallBound(), CallBound(per_player=2), CallBound(fixed=3), CallBound(per_player=2, fixed=3)]
    assert [[bound.at_most(players) for players in (1, 4)] for bound in bounds] == [[0, 0], [2, 8], [3, 3], [5, 11]]


@pytest.mark.parametrize(
    "played",
    [Solo(), Solo(drafts="double-call"), Vote(), Silent(), Talkative(), Mixture(), PeerReview()],
    ids=lambda played: f"{played.name} {getattr(played, 'drafts', '')}",
)
async def test_a_play_of_one_course_takes_just_what_it_declares(played: Any) -> None:
    """No more is tested elsewhere; a bound that is too high makes an estimate too dear."""
    bound = traits_of(played).calls
    assert bound is not None
    for lineup in played.lineups(scripted_team(obliging)):
        await played.play(QUESTIONS[0], seated := lineup.seated())
        assert sum(call.usable for call in seated.journal) == bound.at_most(len(lineup.players))


def test_what_another_version_wrote_is_read_as_far_as_it_is_known() -> None:
    kept: dict[str, Any] = {"word": "oracle", "captain": "leads", "telepathy": True, "drafts": "triple-call"}
    kept |= {"repeats": 0, "alone": "yes", "offices": ["m1"], "hears": ["talk"], "decides_by": {}}
    assert Traits.of_json(kept) == Traits(captain="leads")


@pytest.mark.parametrize("wrong", [{"per_player": -1}, {"fixed": "2"}, {"per_player": True}])
def test_a_bound_is_whole_numbers(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"calls: .* expected 0 or more"):
        CallBound(**wrong)
