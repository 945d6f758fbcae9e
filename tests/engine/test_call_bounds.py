"""The calls that a strategy declares as its most: what an estimate goes by, and what a run holds it to."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

import moot
from moot import Case, Question, Request, ScriptedModel, Team, Traits, Verdict
from moot.engine.call_bounds import ExceededBound, together
from moot.estimate.estimate import RunEstimate, estimate
from moot.experiment.build import build
from moot.models.scripted import Script
from moot.strategies import CallBound
from moot.team.forms import AnswerForm

CASES = [Case(Question(f"q{number}", f"Who is number {number}?"), "Paris") for number in range(5)]


@dataclass(frozen=True)
class Insists:
    """Everybody is asked; then the first is asked again as long as it speaks of Paris, which nobody could foresee."""

    declared: int | None = 2
    again: int = 3

    name: ClassVar[str] = "insists"

    @property
    def traits(self) -> Traits:
        calls = None if self.declared is None else CallBound(per_player=1, fixed=self.declared)
        return Traits(prompts=("draft",), drafts="single-call", calls=calls)

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        first, answer = team.players[0], drafts[0].text
        for number in range(self.again):
            if answer is None or not answer.startswith("Paris"):
                break
            prompt = f"Is it {answer}? Say {number}."
            heard = await team.ask(first, question, prompt, AnswerForm(question), stage="insist", turn=2 + number)
            answer = None if heard.value is None else heard.value.answer
        return Verdict(answer or drafts[0].text, "answered", who=(first.name,), answers=drafts)


def other_each_time(name: str) -> ScriptedModel:
    words: Iterator[int] = iter(range(1_000))
    return ScriptedModel(name, lambda request: {"reasoning": "so", "answer": f"Paris {next(words)}"})


def played(strategy: Insists, tmp_path: Path) -> moot.Results:
    models = {name: other_each_time(name) for name in ("ann", "bob")}
    store = tmp_path / "cup.db"
    return moot.run({"name": "cup", "models": models, "questions": CASES}, strategies=[strategy], store=store)


def test_a_strategy_that_takes_more_than_it_declared_is_told_and_nothing_else_changes(tmp_path: Path) -> None:
    with pytest.warns(
        UserWarning, match="insists: declared at most 4 calls a question and made up to 5, in 5 episodes"
    ):
        results = played(Insists(declared=2), tmp_path)
    assert results.state == "done"
    (run,) = results.figures["runs"]
    assert run["exceeded"] == {"insists": {"declared": 4, "made": 5, "episodes": 5}}
    assert any("made up to 5" in warning for warning in results.warnings)
    words = [word for section in results.sections if section.id == "runs" for word in section.words]
    assert any("insists made up to 5 calls a question, in 5 episodes more than the 4" in word for word in words)
    assert {row["n"] for row in results.figures["accuracy"]} == {5}


def fewer_each_time(name: str) -> ScriptedModel:
    """Speaks of Paris less often from question to question: so the last play is not the longest."""
    counts: dict[str, int] = {}

    def said(request: Request) -> Script:
        number = int((request.question_id or "q0")[1:])
        counts[request.question_id or ""] = spoken = counts.get(request.question_id or "", 0) + 1
        return {"reasoning": "so", "answer": "Paris" if spoken <= 4 - number else "Rome"}

    return ScriptedModel(name, said)


def test_the_most_of_any_question_is_told(tmp_path: Path) -> None:
    """Declared are two and one; made are 2 + 3, 2 + 3, 2 + 2, 2 + 1 and 2 + 0 calls."""
    models = {name: fewer_each_time(name) for name in ("ann", "bob")}
    keys = {"name": "cup", "models": models, "questions": CASES}
    with pytest.warns(UserWarning, match="declared at most 3 calls a question and made up to 5, in 3 episodes"):
        results = moot.run(keys, strategies=[Insists(declared=1)], store=tmp_path / "cup.db")
    (run,) = results.figures["runs"]
    assert run["exceeded"] == {"insists(declared=1)": {"declared": 3, "made": 5, "episodes": 3}}


def test_who_ends_last_need_not_have_made_the_most() -> None:
    told = [{"insists": ExceededBound(3, made)} for made in (4, 7, 5)] + [{"other": ExceededBound(1, 2)}]
    for order in itertools.permutations(told):
        assert together(order) == {"insists": ExceededBound(3, 7, episodes=3), "other": ExceededBound(1, 2)}


@pytest.mark.filterwarnings("error::UserWarning")
def test_replies_that_could_not_be_used_are_no_calls_of_the_strategy(tmp_path: Path) -> None:
    """Everybody stammers once before each answer, and is asked again: that is nobody's plan."""

    def stammers(request: Request) -> Script:
        return {"reasoning": "so", "answer": "Rome"} if request.attempt else "Well, ..."

    models = {name: ScriptedModel(name, stammers) for name in ("ann", "bob")}
    results = moot.run(
        {"name": "cup", "models": models, "questions": CASES},
        strategies=[Insists(declared=0)],
        store=tmp_path / "cup.db",
    )
    assert len(models["ann"].requests) == 2 * len(CASES)
    assert results.state == "done"
    assert "exceeded" not in results.figures["runs"][0]


@pytest.mark.parametrize("declared", [3, None], ids=["kept", "none declared"])
@pytest.mark.filterwarnings("error::UserWarning")
def test_whoever_keeps_its_word_is_not_named(declared: int | None, tmp_path: Path) -> None:
    results = played(Insists(declared=declared), tmp_path)
    assert results.state == "done"
    assert "exceeded" not in results.figures["runs"][0]


def behind_endpoints(strategy: Insists, **price: Any) -> moot.Experiment:
    endpoint = {"provider": "endpoint", "base_url": "http://127.0.0.1:9/v1", "params": {"max_tokens": 100}, **price}
    models = {name: {**endpoint, "model": name} for name in ("ann", "bob")}
    return moot.Experiment(name="cup", models=models, questions=CASES, strategies=[strategy])


async def guessed(strategy: Insists) -> RunEstimate:
    price = {"price": {"prompt": 0.0, "completion": 10_000.0}}
    return await estimate(build(behind_endpoints(strategy, **price).as_file), None)


async def test_a_declared_bound_is_in_the_estimate_where_a_sample_cannot_know() -> None:
    """Made-up models do not speak of Paris, so that in a sample it ends at once."""
    cautious = await guessed(Insists(declared=0, again=0))
    bounded = await guessed(Insists(declared=30, again=40))
    assert cautious.calls_range.high == 10
    assert bounded.calls_range.high == 5 * (2 + 30)
    assert bounded.most_usd == pytest.approx(5 * (2 + 30) * 1.0), "each at a hundred tokens for a dollar"


async def test_a_strategy_that_declares_no_bound_has_none_in_a_guess() -> None:
    unbounded = await guessed(Insists(declared=None, again=2))
    assert unbounded.calls_range.high is None
    assert unbounded.most_usd is None
    assert unbounded.undeclared == ("insists(declared=None, again=2)",)
