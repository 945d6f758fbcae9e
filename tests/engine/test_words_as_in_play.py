"""Drafts that nobody grouped in play are grouped as a play without a model would have: no figure hangs on who else is played."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

import moot
from moot import Case, Question, ScriptedModel
from moot.engine.match_record import Matches, equal_words, word_keys
from moot.grade.group import Stages
from moot.prompts import Prompts
from moot.team import Team
from moot.types import Answer, Request

ALIKE = [("(1, 2)", "1, 2"), ("half", "0.5"), ("A & B", "A and B"), ("Olympic Games", "Games Olympic"), ("5", "five")]
APART = [("5 %", "5 km"), ("3!", "3"), ("river", "firth"), ("$5", "€5")]


def figures(answers: Mapping[str, str], strategies: list[Any]) -> Mapping[str, Any]:
    def model(name: str) -> ScriptedModel:
        def reply(request: Request) -> Any:
            if request.schema is None:
                return f"I know.\n\nFinal answer: {answers[name]}"
            fields = request.schema["properties"]
            return {key: answers[name] if key in ("answer", "solution") else "So." for key in fields}

        return ScriptedModel(name, reply)

    cases = [Case(Question(f"q{n}", f"Which one is {n}?"), answers["ann"]) for n in range(12)]
    teams = {"t": {"players": list(answers), "captain": "each"}}
    models = {name: model(name) for name in answers}
    keys = {"name": "cup", "seed": 2, "questions": cases, "models": models, "teams": teams, "strategies": strategies}
    return dict(moot.run(keys).figures)


def told(figures: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    apart = [(row["d"], row["n"]) for row in figures["diversity"] if row["strategy"] == "talkative"]
    names = ("captain", "self_choice", "novel", "self_and_majority")
    chosen = [[row[name] for name in names] for row in figures["self_preference"] if row["label"] == "talkative"]
    return apart, chosen


@pytest.mark.parametrize(("one", "other"), ALIKE[:3])
def test_a_figure_is_the_same_whether_or_not_a_vote_was_held(one: str, other: str) -> None:
    answers = {"ann": one, "bob": other, "cat": "3, 4"}
    with_vote, without = (figures(answers, each) for each in (["solo", "vote", "talkative"], ["solo", "talkative"]))
    assert told(with_vote) == told(without)
    assert told(without)[0] == [(2, 12)]


@pytest.mark.parametrize(("one", "other"), [*ALIKE, *APART])
@pytest.mark.parametrize("kind", ["open", "yes-no", "text"])
def test_words_are_grouped_as_in_play(one: str, other: str, kind: Any) -> None:
    question = Question("q", "Which one?", kind=kind)
    drafts = [Answer("ann", one), Answer("bob", other), Answer("cat", f"{one} ")]
    played = asyncio.run(Stages().group(question, drafts, Team("t", (), Prompts("en")))).groups
    found = Matches([], {}).groups(question, 0, drafts)
    assert sorted(map(sorted, found)) == sorted(map(sorted, played))
    keys = word_keys(question, (one, other))
    together = any({"ann", "bob"} <= {*group} for group in played)
    assert (keys[one] == keys[other]) == together
    assert equal_words(question, [other], one) == ([other] if together else [])
    if kind == "open":
        assert together == ((one, other) in ALIKE)
