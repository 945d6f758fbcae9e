"""What the best single model took, where nobody has played alone: its own draft in each set of drafts, once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import pytest

import moot
from moot import Case, Question, Request, ScriptedModel, Team, Traits, Verdict
from moot.errors import ServerFailed
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


def several(count: int) -> list[Case]:
    return [Case(Question(f"q{n}", f"What is capital number {n}?"), "Paris") for n in range(count)]


@pytest.mark.parametrize("down", ["ann", "bob"])
def test_what_failed_is_no_cheap_answer(down: str) -> None:
    """Of 60 questions one player cannot be asked two: as many times the calls as on the others, and it is said."""

    def reply(request: Request, name: str) -> Any:
        if name == down and request.question_id in ("q7", "q30"):
            raise ServerFailed("the server is down", status=500)
        number = int(str(request.question_id)[1:])
        return {"reasoning": "", "answer": "Paris" if name == "ann" or number % 2 else "Lyon"}

    keys = {
        "name": "cup",
        "models": {name: ScriptedModel(name, partial(reply, name=name)) for name in PLAYERS},
        "questions": several(60),
        "teams": {"two": {"players": list(PLAYERS), "captain": "ann"}},
        "strategies": ["solo", "silent"],
    }
    head = moot.run(keys).figures["headline"]
    assert head["over_best_single"]["single"] == "ann"
    assert (head["cost_ratio"], head["cost_n"], head["cost_unit"]) == (pytest.approx(3.0), 58, "calls")
    assert "with 3.0 × the calls on the 58 questions on which no call is missing" in head["sentence"]
    assert "cost_why" not in head


def test_beside_a_discussion_what_failed_is_no_cheap_answer_either() -> None:
    def reply(request: Request, name: str) -> Any:
        if name == "bob" and "solution" not in (request.schema or {}).get("properties", {}):
            number = int(str(request.question_id)[1:])
            if number % 2:  # it fails alone, and talks
                raise ServerFailed("the server is down", status=500)
        whole = {"message": "So.", "solution": "Paris", "agree": True, "reasoning": "", "answer": "Paris", "choice": 1}
        return {key: whole[key] for key in (request.schema or {}).get("properties", {})}

    keys = {
        "name": "cup",
        "models": {name: ScriptedModel(name, partial(reply, name=name)) for name in PLAYERS},
        "questions": several(20),
        "teams": {"two": {"players": list(PLAYERS)}},
        "strategies": ["solo", {"discuss": {"personas": "none", "agents": 2, "decision": "majority-consensus"}}],
    }
    talk = next(row for row in moot.run(keys).figures["protocol_cost"] if row["team"])
    assert (talk["calls_ratio"], talk["ratio_n"], talk["calls"]) == (pytest.approx(talk["calls"]), 10, 2.0)
