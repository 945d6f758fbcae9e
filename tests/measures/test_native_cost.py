"""What the best single model took, where nobody has played alone: its own draft in each set of drafts, once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest

import moot
from moot import Case, Question, Request, ScriptedModel, Team, Traits, Verdict
from moot.strategies import CallBound
from moot.team.forms import AnswerForm

PLAYERS = ("ann", "bob")
CASES = [Case(Question(str(number), f"What is capital number {number}?"), "Paris") for number in range(4)]


@dataclass(frozen=True, slots=True)
class Twice:
    """Everybody drafts, and says it a second time; the first draft stands. Decided from so often as is said."""

    again: bool = True
    times: int = 1
    name: ClassVar[str] = "twice"

    @property
    def traits(self) -> Traits:
        calls = CallBound(per_player=2 if self.again else 1)
        return Traits(prompts=("draft",), drafts="single-call", word="player", repeats=self.times, calls=calls)

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        for player in team.players if self.again else ():
            await team.ask(player, question, f"Again: {question.text}", AnswerForm(question), stage="draft", turn=2)
        return Verdict(drafts[0].text, "answered", who=(drafts[0].player,), answers=drafts, turns=2)


def headline(reply: Callable[[Request], Any], strategies: Sequence[Any], **more: Any) -> dict[str, Any]:
    models = {name: ScriptedModel(name, reply) for name in PLAYERS}
    keys = {"name": "cup", "models": models, "questions": CASES, "strategies": list(strategies)}
    return dict(moot.run({**keys, **more}).figures["headline"])


def test_what_is_said_after_the_draft_is_not_what_one_alone_takes() -> None:
    head = headline(lambda request: {"reasoning": "", "answer": "Paris"}, [Twice()])
    assert (head["cost_unit"], head["cost_ratio"]) == ("calls", pytest.approx(4.0)), "two players, two calls each"


def test_drafts_that_are_decided_on_several_times_are_paid_for_once() -> None:
    """In the first repeat everybody has to be asked twice, in the second once: one and a half on average."""

    def reply(request: Request) -> Any:
        if request.sample == 0 and request.attempt == 0:
            return "no form at all"
        return {"reasoning": "", "answer": "Paris"}

    head = headline(reply, ["vote", Twice(again=False, times=3)], repeats=2, primary="vote")
    assert (head["cost_unit"], head["cost_ratio"]) == ("calls", pytest.approx(2.0)), "two players"
