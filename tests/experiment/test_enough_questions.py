"""Whether a run has enough questions to learn from: of each kind by itself, since one kind teaches nothing about another."""

from __future__ import annotations

from typing import Any

import pytest

from moot import Experiment
from moot.errors import FileError
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.models.scripted import ScriptedModel
from moot.types import Case, Question

PLAYERS = ("ann", "bob", "cat")
LEARNING = ("learnt", "weighted", "leader", {"cascade": {"until": 0.8}}, {"vote": {"abstain": {"below": 0.8}}})


def cases(choice: int, open_ones: int = 0, **keys: Any) -> list[Case]:
    letters = [
        Case(Question(f"c{n}", f"Letter {n}?", choices=("x", "y"), kind="choice"), "A", **keys) for n in range(choice)
    ]
    return letters + [Case(Question(f"o{n}", f"Word {n}?"), "gold", **keys) for n in range(open_ones)]


def planned(strategies: list[Any], questions: list[Case]) -> Plan:
    models = {name: ScriptedModel(name, lambda request: "") for name in PLAYERS}
    players = {name: {"model": name} for name in PLAYERS}
    experiment = Experiment(
        name="cup",
        questions=questions,
        models=models,
        players=players,
        strategies=strategies,  # type: ignore[arg-type]
    )
    return build(experiment.as_file, asked=False)


@pytest.mark.parametrize("strategy", LEARNING)
def test_two_kinds_are_not_enough_together(strategy: Any) -> None:
    with pytest.raises(FileError) as refused:
        planned([strategy], cases(29, 29))
    words = "it takes 20 others of its kind; expected 30 or more questions of one kind with a reference"
    assert f"{words}, found 29 of kind choice and 29 of kind open" in str(refused.value)
    assert not said(planned([strategy], cases(30)))


def said(plan: Plan) -> list[str]:
    return [words for words in plan.plan_warnings if "of kind" in words]


def test_of_a_kind_that_has_too_few_it_is_told_what_comes_of_it() -> None:
    plan = planned(["vote", *LEARNING], cases(40, 12))
    why = "only questions of one kind teach each other, and of kind open there are 12 with a reference, where it takes 20 others"
    assert said(plan) == [
        f"learnt, weighted, leader: {why}: for these the largest group is taken",
        f"cascade(until=0.8): {why}: for these everybody is asked, and the largest group is taken",
        f"vote(abstain={{below: 0.8}}): {why}: for these no answer is given",
    ]
    assert ": for these the largest group" in said(planned(["learnt"], cases(40, 20)))[0], (
        "the fold of each has one of them"
    )
    (told,) = said(planned(["learnt"], cases(40, 25)))
    assert told.endswith(": it may be that for some of these the largest group is taken"), "by how they are dealt"


def test_a_target_that_no_kind_can_reach_is_told_of_each() -> None:
    """Of 200 questions 108 are kept for a promise, which takes 51; of 80 of a kind 43 are."""
    entry = {"vote": {"abstain": {"target": 0.9}}}
    assert not planned([entry], cases(160)).plan_warnings
    words = "vote(abstain={target: 0.9}): abstain: target 0.9 takes 51 right answers at the least on questions of kind"
    told = planned([entry], cases(120, 80)).plan_warnings
    assert told == (f"{words} open that are kept for it, and there are about 43: it will abstain from all of these",)
    assert len(planned([entry], cases(80, 80)).plan_warnings) == 2
    assert "for these no answer is given" in planned([entry], cases(120, 30)).plan_warnings[0]


def test_clusters_are_those_of_the_kind() -> None:
    together = [Case(case.question, case.answer, cluster=f"p{n // 2}") for n, case in enumerate(cases(60, 40))]
    plan = planned(["learnt"], together)
    assert "of kind open there are 40 (20 that do not belong together) with a reference" in said(plan)[0]
