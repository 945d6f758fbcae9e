"""What is held for a question: the dearest so far, and in proportion to its length with all that stands around it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.engine.call_bounds import declared_calls
from moot.experiment.model_specs import LimitsSpec, RetriesSpec
from moot.experiment.plan import Cell
from moot.experiment.providers import BuiltModel
from moot.live.team import AnsweredQuestion
from moot.models.scripted import ScriptedModel
from moot.serve.expected_cost import AROUND, DearestQuestion, ExpectedCosts
from moot.strategies.debate.debate import Debate
from moot.strategies.traits import Traits
from moot.strategies.vote import Vote
from moot.team import Player, Team
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


def test_a_long_question_says_nothing_of_short_ones_once_these_are_known() -> None:
    dearest = DearestQuestion()
    dearest.raise_to(100 * USD, 1_000_000)
    assert dearest.expected_usd(SHORT) == 100 * USD, "nothing else is known"
    dearest.raise_to(USD, SHORT)
    assert dearest.expected_usd(SHORT) == USD
    assert dearest.expected_usd(2 * AROUND) == pytest.approx(USD * 3 * AROUND / (AROUND + SHORT))
    assert dearest.expected_usd(600_000) >= 100 * USD, "of its own length it says all"


@given(st.lists(st.tuples(st.integers(0, 2_000_000), st.floats(1e-6, 10)), min_size=1), st.integers(0, 2_000_000))
def test_no_question_is_held_below_what_one_of_about_its_length_or_shorter_has_cost(
    asked: list[tuple[int, float]], characters: int
) -> None:
    dearest = DearestQuestion()
    for length, usd in asked:
        dearest.raise_to(usd, length)
    expected_usd = dearest.expected_usd(characters)
    for length, usd in asked:
        if AROUND + length <= 2 * (AROUND + characters):
            assert expected_usd >= usd * max(1.0, (AROUND + characters) / (AROUND + length)) * (1 - 1e-9)
    assert expected_usd <= max(usd * max(1.0, (AROUND + characters) / (AROUND + length)) for length, usd in asked) * (
        1 + 1e-9
    ), "and never above what the dearest of all would say"


def test_of_a_team_that_nobody_has_asked_nothing_is_known() -> None:
    assert ExpectedCosts().usd("team", SHORT) == math.inf


ANSWERED = Verdict("x", "answered")


REQUEST = Request((Message("user", "Which?"),))


def answered(*calls: Call, verdict: Verdict = ANSWERED, cell: Any = None) -> AnsweredQuestion:
    question = Question("q", "Which?")
    episode = Episode("cell", question, 0, verdict, calls, 0.0)
    return AnsweredQuestion("ep", "team", cell, episode, Usage(), None, ())


def test_a_failure_says_nothing_of_what_an_answer_costs() -> None:
    call = Call("ann", "draft", 1, REQUEST, Reply("x", cost_usd=USD / 100), model="ann")
    expected = ExpectedCosts()
    expected.learn(SHORT, answered(call, verdict=Verdict(None, "failed")), {})
    assert expected.usd("team", SHORT) == math.inf


LATE = (Deadline(1.0),)


def priced(name: str, completion: float) -> tuple[Player, BuiltModel]:
    model = ScriptedModel(name, [], price=Price(0.0, completion))
    return Player(name, model), BuiltModel(model, None, LimitsSpec(), RetriesSpec(), 1_000)


def lineup(strategy: Any, *seats: tuple[Player, BuiltModel]) -> tuple[Any, dict[str, BuiltModel]]:
    players = tuple(player for player, _ in seats)
    cell = Cell("cell", strategy, strategy.name, Team("team", players), None, "")
    return cell, {player.name: built for player, built in seats}


@pytest.mark.parametrize(
    "verdict",
    [Verdict("x", "undecided", traces=LATE), Verdict(None, "unanswered", traces=LATE)],
    ids=["answered by some", "by nobody in time"],
)
@pytest.mark.parametrize("strategy", [Vote(), Debate()], ids=["a vote", "a debate"])
def test_where_the_time_ran_out_all_that_could_still_have_been_asked_is_expected_at_its_most(
    verdict: Verdict, strategy: Any
) -> None:
    """However early it was broken off, and whether what was under way is on the record or not."""
    cell, models = lineup(strategy, priced("ann", 10.0), priced("bob", 100.0), priced("cat", 50.0))
    declared = declared_calls(cell)
    assert declared is not None
    first = Call("ann", "draft", 1, REQUEST, Reply("x", cost_usd=0.01), model="ann")
    for heard in ((), (first,)):
        expected = ExpectedCosts()
        expected.learn(SHORT, answered(*heard, verdict=verdict, cell=cell), models)
        assert expected.usd("team", SHORT) == pytest.approx(0.01 * len(heard) + 0.1 * (declared - len(heard)))
    billed = [Call(name, "draft", 1, REQUEST, Reply("x", cost_usd=0.02), model=name) for name in models]
    expected.learn(SHORT, answered(*billed, cell=cell), models)
    assert expected.usd("team", SHORT) == pytest.approx(0.06), "until one was billed in full"


@dataclass(frozen=True)
class Unbounded(Vote):
    @property
    def traits(self) -> Traits:
        return replace(super().traits, calls=None)


def test_of_a_strategy_that_declares_no_bound_a_question_out_of_time_says_nothing() -> None:
    cell, models = lineup(Unbounded(), priced("ann", 10.0))
    expected = ExpectedCosts()
    expected.learn(SHORT, answered(verdict=Verdict(None, "unanswered", traces=LATE), cell=cell), models)
    assert expected.usd("team", SHORT) == math.inf


def test_what_was_billed_in_full_stands_above_what_a_failure_could_have_cost() -> None:
    """And a later failure changes nothing of it: its most may be far too much."""
    dear = ScriptedModel("ann", [], price=Price(0.0, 100.0))
    models = {"ann": BuiltModel(dear, None, LimitsSpec(), RetriesSpec(), 1_000)}
    failed = Call("judge", "judge", 2, REQUEST, error="down", model="ann")
    billed = Call("ann", "draft", 1, REQUEST, Reply("x", cost_usd=USD), model="ann")
    expected = ExpectedCosts()
    expected.learn(SHORT, answered(failed), models)
    assert expected.usd("team", SHORT) == pytest.approx(0.1), "a thousand tokens"
    for calls in ((billed,), (billed, failed)):
        expected.learn(SHORT, answered(*calls), models)
        assert expected.usd("team", SHORT) == pytest.approx(USD)
