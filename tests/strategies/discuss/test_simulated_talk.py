"""Simulated models in a discussion: what they say hangs together, whatever they are asked for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from moot.ballots import rule
from moot.prompts import LANGUAGES, Prompts
from moot.simulate.prompt_reading import read_contents
from moot.simulate.simulated import SimulatedModel
from moot.simulate.world import World
from moot.strategies.discuss import discuss
from moot.strategies.discuss.paper import Paper
from moot.strategies.discuss.remark import MessageForm
from moot.strategies.natives import shown_question
from moot.types import Case, Message, Question, Request

QUESTION = Question("q", "Which river?", ("Don", "Oka", "Ob"), kind="choice")
KNOWS = SimulatedModel("ann", accuracy=1.0, power=1.0, world=World([Case(QUESTION, "B")], seed=7))


async def reply(prompt: str, schema: Any) -> dict[str, Any]:
    said = await KNOWS.generate(Request((Message("user", prompt),), schema=schema, question_id="q"))
    return dict(json.loads(said.text))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("latest", "agrees"), [("B", True), ("A", False)])
async def test_it_agrees_with_what_it_holds(language: str, latest: str, agrees: bool) -> None:
    remarks = [("Agent 1", "conviction 0.10", "C"), ("Agent 2", "hm", latest)]
    manner = {"title": "Agent 3", "style": "simple", "step_by_step": False, "solutions": [], "remarks": remarks}
    prompt = Prompts(language).beside(discuss.__file__).render("discuss", **shown_question(QUESTION), **manner)
    shown = read_contents((Message("user", prompt),)).heard
    assert [(each.text, each.conviction) for each in shown] == [("C", 0.1), (latest, None)]
    said = await reply(prompt, MessageForm(QUESTION).schema)
    assert said["agree"] is agrees
    assert said["solution"] == ("B" if agrees else "C"), "it can tell the right one where it is shown"
    assert "[simulated]" in said["message"]


@pytest.mark.parametrize(
    ("decision", "ballot"),
    [
        ("simple-voting", {0: 1}),
        ("ranked-voting", {0: 1, 1: 2}),
        ("cumulative-voting", {0: 25}),
        ("approval-voting", {0: 1}),
    ],
)
async def test_it_votes_for_its_answer(decision: str, ballot: dict[int, float]) -> None:
    paper = Paper(rule(decision), (1, 0))
    inputs = {"ballot": paper.kind, "most": paper.most, "budget": paper.budget}
    prompt = (
        Prompts("en")
        .beside(discuss.__file__)
        .render("ballot", **shown_question(QUESTION), solutions=["A", "B"], **inputs)
    )
    said = paper.read(await reply(prompt, paper.schema))
    assert said == ballot


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_wrong_with_a_ballot_or_a_role_is_said_in_words(language: str) -> None:
    words = {
        problem: Prompts(language).render("again", problem=problem, letters="", fields="x")
        for problem in ("no-ballot", "same-role", "whatever")
    }
    assert len(set(words.values())) == 3
    assert all(problem not in words[problem] for problem in ("no-ballot", "same-role"))
