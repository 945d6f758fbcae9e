"""What a cascade says of itself that ends with another strategy, and what is kept of lessons for a promise."""

from __future__ import annotations

import pytest
from graded_lessons import DOMINATED, NAMES

from moot.decide.abstain_option import Abstain
from moot.decide.abstaining import TIME_RAN_OUT, cut_off
from moot.decide.cascade import Cascade
from moot.decide.learning import LearntRule
from moot.decide.promise import kept_apart
from moot.decide.rules import Leader, Plurality
from moot.decide.studied import studied
from moot.strategies import traits_of
from moot.traces import Abstained, ToldProbability, of_kind
from moot.types import Verdict


@pytest.mark.parametrize(
    ("then", "captain", "word"),
    [("talkative", "leads", "captain"), ("vote", "breaks-ties", "group")],
)
def test_whose_word_it_is_and_what_its_captain_does(then: str, captain: str, word: str) -> None:
    traits = traits_of(Cascade(until=0.9, then=then))
    assert (traits.captain, traits.word) == (captain, word)


def test_learners_of_one_kind_are_told_apart_by_what_they_are_told() -> None:
    taught = studied(DOMINATED, NAMES)
    ann, dan = (taught.rule("led", lambda *_, name=name: Leader(name), name) for name in ("ann", "dan"))
    assert ann is taught.rule("led", lambda *_: Plurality(), "ann"), "learnt once"
    assert isinstance(ann, LearntRule)
    assert isinstance(dan, LearntRule)
    assert ann.found["led"] > dan.found["led"] + 0.3


def test_three_of_five_are_kept_for_a_promise() -> None:
    assert kept_apart([f"q{number}" for number in range(100)]).sum() == 60


def test_when_the_time_is_out_a_team_that_may_abstain_does() -> None:
    said = Verdict("Nile", "undecided", who=("ann",), cause="the time ran out")
    held = cut_off(said, Abstain(below=0.1))
    assert (held.outcome, held.answer, held.who) == ("abstained", None, ())
    assert of_kind(held.traces, Abstained)[0].answer == "Nile"
    given = cut_off(said, None)
    assert (given.outcome, given.answer) == ("undecided", "Nile")
    for verdict in (held, given):
        assert of_kind(verdict.traces, ToldProbability) == [ToldProbability(None, TIME_RAN_OUT)]
