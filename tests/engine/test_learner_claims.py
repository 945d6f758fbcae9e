"""What learns is the same option with more questions to learn from: a trial of it is no earlier version, nor unlisted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

import moot
from moot import Case, Question, Request, ScriptedModel, Traits, Verdict
from moot.models.scripted import Script
from moot.team import Team

CASES = [Case(Question(f"q{n}", f"Which city is number {n}?"), f"city {n}") for n in range(24)]
RIGHT = {"ann": 3, "bob": 5, "cat": 7}
"""Who is wrong on each how manieth question."""


@dataclass(frozen=True)
class Coach:
    """The draft of whoever was right most often on the questions that it learns from."""

    least: int = 0
    name: ClassVar[str] = "coach"
    traits: ClassVar[Traits] = Traits(
        prompts=("draft",), drafts="single-call", word="player", asks="nobody", learns=True
    )

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        worth = dict.fromkeys((player.name for player in team.players), 0.0)
        for lesson in team.lessons:
            for draft, right in zip(lesson.drafts, lesson.rights, strict=True):
                worth[draft.player] += right or 0.0
        best = max(drafts, key=lambda draft: worth[draft.player])
        return Verdict(best.text, "answered", who=(best.player,), answers=drafts)


def player(name: str) -> ScriptedModel:
    def reply(request: Request) -> Script:
        number = int(str(request.question_id).removeprefix("q"))
        return {"reasoning": "So.", "answer": "a village" if number % RIGHT[name] == 0 else f"city {number}"}

    return ScriptedModel(name, reply)


def played(folder: Path, many: int = len(CASES), **keys: Any) -> moot.Results:
    file = {
        "name": "cup",
        "models": {name: player(name) for name in RIGHT},
        "strategies": ["solo", "vote", Coach()],
        "primary": "coach",
        "hypotheses": ["accuracy(coach) > 0.1"],
        **keys,
    }
    return moot.run({**file, "questions": CASES[:many]}, store=folder / "cup.db")


def told(results: moot.Results) -> tuple[Any, ...]:
    figures = results.figures
    head, (row,) = figures["headline"], figures["hypotheses"]
    versions = head.get("earlier_versions"), row.get("earlier_versions")
    return head["chosen"], head["options"], len(head.get("unlisted", ())), row["frozen"], row["family"], versions


AS_DECLARED = ("declared", 1, 0, True, 1, (None, None))


def test_more_questions_to_learn_from_are_no_other_option(tmp_path: Path) -> None:
    assert told(played(tmp_path, 12)) == AS_DECLARED
    assert told(played(tmp_path)) == AS_DECLARED


def judge(request: Request) -> Script:
    count = (request.schema or {})["properties"]["grades"]["items"]["properties"]["id"]["maximum"]
    return {"grades": [{"id": number, "is_correct": False} for number in range(1, count + 1)]}


def test_another_grader_for_a_while_is_no_other_option(tmp_path: Path) -> None:
    judged = {"models": {**{name: player(name) for name in RIGHT}, "jay": ScriptedModel("jay", judge)}}
    seated = {"teams": {"all": {"players": list(RIGHT)}}, "players": {name: {"model": name} for name in RIGHT}}
    assert told(played(tmp_path)) == AS_DECLARED
    assert told(played(tmp_path, **judged, **seated, judge={"models": ["jay"]})) == AS_DECLARED
    assert told(played(tmp_path)) == AS_DECLARED


def test_another_option_of_what_learns_is_one_version_however_often_it_was_tried(tmp_path: Path) -> None:
    other = {"strategies": ["solo", "vote", Coach(least=1)], "primary": "vote", "hypotheses": []}
    played(tmp_path, 12, **other)
    played(tmp_path, **other)
    head = played(tmp_path, primary=None, hypotheses=[]).figures["headline"]
    unlisted = {row["of"]: row["questions"] for row in head["unlisted"]}
    assert unlisted == {"all/coach(least=1)": 24}, "what it played of these, not only its trial"


@pytest.mark.parametrize("many", [12, 24])
def test_what_was_played_under_another_name_was_played(tmp_path: Path, many: int) -> None:
    played(tmp_path, many, name="pilot", strategies=[Coach()], primary=None, hypotheses=[])
    head = played(tmp_path, strategies=[Coach()], hypotheses=[]).figures["headline"]
    assert head["chosen"] == "declared late"
