"""A strategy that promises drafts and leaves none: a run says so once, since its players are in no figure."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import pytest

import moot
from moot import Case, Question, ScriptedModel, Team, Traits, Verdict

CASES = [Case(Question(f"q{number}", f"Who is number {number}?"), "Paris") for number in range(3)]


@dataclass(frozen=True)
class Drafts:
    """The first draft is the team's answer."""

    keeps: bool = False
    promises: bool = True
    ends: Literal["answered", "failed", "unasked"] = "answered"

    name: ClassVar[str] = "drafts"

    @property
    def traits(self) -> Traits:
        return Traits(prompts=("draft",), drafts="single-call" if self.promises else None)

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        if self.ends == "unasked":
            return Verdict(None, "unanswered", cause="nobody was asked")
        drafts = await team.drafts(question)
        if self.ends == "failed":
            return Verdict(None, "failed", cause="the line is down")
        return Verdict(drafts[0].text, "answered", who=(drafts[0].player,), answers=drafts if self.keeps else ())


def played(*strategies: Any) -> moot.Results:
    models = {name: ScriptedModel(name, lambda _: {"reasoning": "so", "answer": "Paris"}) for name in ("ann", "bob")}
    return moot.run({"name": "cup", "models": models, "questions": CASES, "strategies": list(strategies)})


def test_it_is_said_once_a_run_and_stands_in_the_report() -> None:
    words = "drafts: its traits promise drafts, and in 3 episodes Verdict.answers is empty"
    with pytest.warns(UserWarning, match=words) as warned:
        results = played(Drafts())
    assert sum(words in str(warning.message) for warning in warned) == 1
    assert [warning for warning in results.warnings if words in warning]
    (run,) = results.figures["runs"]
    assert run["missing_drafts"] == {"drafts": 3}
    told = [word for section in results.sections if section.id == "runs" for word in section.words]
    assert any("drafts left no drafts in 3 episodes, although its traits promise them" in word for word in told)


def test_whoever_keeps_its_word_is_not_named() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        results = played(Drafts(keeps=True), Drafts(promises=False), "vote", "solo")
    assert all("missing_drafts" not in run for run in results.figures["runs"])


def test_nor_is_a_play_that_failed_or_in_which_nobody_was_asked() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        results = played(Drafts(ends="failed"), Drafts(ends="unasked"), "solo")
    assert all("missing_drafts" not in run for run in results.figures["runs"])
