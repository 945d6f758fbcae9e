"""What is held for a question: the dearest so far, and in proportion to its length with all that stands around it."""

from __future__ import annotations

import math
from typing import Any

import pytest

from moot.experiment.model_specs import LimitsSpec, RetriesSpec
from moot.experiment.providers import BuiltModel
from moot.live.team import AnsweredQuestion
from moot.models.scripted import ScriptedModel
from moot.serve.expected_cost import AROUND, DearestQuestion, ExpectedCosts
from moot.traces import Deadline
from moot.types import Call, Episode, Message, Price, Question, Reply, Request, Usage, Verdict

SHORT, LONG = 20, 4_000
USD = 0.05


@pytest.mark.parametrize("first", [SHORT, LONG])
def test_a_longer_question_is_dearer_by_what_is_asked_in_all_and_no_shorter_one_is_cheaper(first: int) -> None:
    """Most of a short prompt is not the question: one of a thousand words is no two hundred times as dear as one of five."""
    dearest = DearestQuestion()
    dearest.raise_to(USD, first)
    longer = USD * (AROUND + 2 * first) / (AROUND + first)
    assert dearest.expected_usd(2 * first) == pytest.approx(longer)
    assert [dearest.expected_usd(characters) for characters in (0, first // 2, first)] == [USD] * 3


def test_the_dearest_counts_whatever_came_after_it() -> None:
    dearest = DearestQuestion()
    for characters, usd in ((SHORT, USD), (LONG, USD), (SHORT, USD / 5)):
        dearest.raise_to(usd, characters)
    assert [dearest.expected_usd(characters) for characters in (0, SHORT)] == [USD] * 2
    assert dearest.expected_usd(LONG) == pytest.approx(USD * (AROUND + LONG) / (AROUND + SHORT))
    assert USD < dearest.expected_usd(LONG) < 3 * USD, "of 4,000 characters beside 20"


def test_of_a_team_that_nobody_has_asked_nothing_is_known() -> None:
    assert ExpectedCosts().usd("team", SHORT) == math.inf


ANSWERED = Verdict("x", "answered")


def answered(*calls: Call, verdict: Verdict = ANSWERED) -> AnsweredQuestion:
    question = Question("q", "Which?")
    episode = Episode("cell", question, 0, verdict, calls, 0.0)
    cell: Any = None
    return AnsweredQuestion("ep", "team", cell, episode, Usage(), None, ())


@pytest.mark.parametrize(
    "verdict",
    [Verdict("x", "answered", traces=(Deadline(1.0),)), Verdict(None, "failed")],
    ids=["past its time", "without an answer"],
)
def test_what_was_broken_off_says_nothing_of_what_an_answer_costs(verdict: Verdict) -> None:
    call = Call("ann", "draft", 1, Request((Message("user", "Which?"),)), Reply("x", cost_usd=USD / 100), model="ann")
    expected = ExpectedCosts()
    expected.learn(SHORT, answered(call, verdict=verdict), {})
    assert expected.usd("team", SHORT) == math.inf


def test_what_was_billed_in_full_stands_above_what_a_failure_could_have_cost() -> None:
    """And a later failure changes nothing of it: its most may be far too much."""
    request = Request((Message("user", "Which?"),))
    dear = ScriptedModel("ann", [], price=Price(0.0, 100.0))
    models = {"ann": BuiltModel(dear, None, LimitsSpec(), RetriesSpec(), 1_000)}
    failed = Call("judge", "judge", 2, request, error="down", model="ann")
    billed = Call("ann", "draft", 1, request, Reply("x", cost_usd=USD), model="ann")
    expected = ExpectedCosts()
    expected.learn(SHORT, answered(failed), models)
    assert expected.usd("team", SHORT) == pytest.approx(0.1), "a thousand tokens"
    for calls in ((billed,), (billed, failed)):
        expected.learn(SHORT, answered(*calls), models)
        assert expected.usd("team", SHORT) == pytest.approx(USD)
