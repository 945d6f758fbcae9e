"""What is wrong with an experiment in Python is one clear message of moot's own, before any call, whatever it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

import moot
from moot import Case, Question, ScriptedModel
from moot.ballots.plurality import SimpleVoting
from moot.data.mmlu import Mmlu
from moot.grade.match import Match
from moot.report.names import short_names, ways_of
from moot.strategies.adaptive import Adaptive
from moot.strategies.vote import Vote

CASES = [Case(Question("1", "The capital of France?"), "Paris"), Case(Question("2", "And of Italy?"), "Rome")]


def model(name: str) -> ScriptedModel:
    return ScriptedModel(name, lambda request: {"reasoning": "So.", "answer": "Paris"})


def keys(**more: Any) -> dict[str, Any]:
    return {"name": "cup", "questions": CASES, "models": {"ann": model("ann"), "bob": model("bob")}, **more}


class Nothing:
    """Named, and else without anything."""

    name = "nothing"


@dataclass(frozen=True)
class Unnamed(Vote):
    name = 5  # type: ignore[assignment]


@dataclass(frozen=True)
class Shy(Vote):
    name: ClassVar[str] = "shy"

    abstain: bool = False


ABSTAINING = {"abstain": {"below": 0.5}}
HUGE = 10**30
LED = {"teams": {"two": {"players": ["ann", "bob"], "captain": "ann"}}}
WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: moot.run(keys(), limit="1"), "limit: expected a whole number from 1 on, found '1'"),  # type: ignore[arg-type]
    *(
        (
            lambda given=given: moot.run(keys(**LED, strategies=[given])),
            "'abstain' stands beside the options of every strategy, and says from where on its answers are given; expected",
        )
        for given in (Shy(), Shy(abstain=True), {"strategy": Shy(), **ABSTAINING})
    ),
    (
        lambda: moot.run(keys(**LED, strategies=[{"strategy": "vote", **ABSTAINING}])),
        "'vote' are no options of 'strategy'; expected a name with its options, such as vote: {abstain: {below: 0.9}}",
    ),
    (
        lambda: moot.run(keys(**LED, strategies=[{"vote": ABSTAINING, **ABSTAINING}])),
        "abstain stands among the options of 'vote' and beside them; expected it once",
    ),
    (
        lambda: moot.run(keys(**LED, strategies=[{"strategy": Vote(), "early_stop": True}])),
        "strategies.0: 'early_stop' stands beside an object, whose options are its own; expected Vote(early_stop=...)",
    ),
    (lambda: moot.run(keys(), limit=True), "limit: expected a whole number from 1 on, found True"),
    (lambda: moot.run(keys(), limit=1.5), "limit: expected a whole number from 1 on, found 1.5"),  # type: ignore[arg-type]
    (lambda: moot.run(keys(), limit=0), "limit: expected a whole number from 1 on, found 0"),
    (lambda: moot.run(keys(), budget_usd="3"), "budget_usd: expected a number above 0, found '3'"),  # type: ignore[arg-type]
    (lambda: moot.run(keys(), budget_usd=float("nan")), "budget_usd: expected a number above 0, found nan"),
    (lambda: moot.run(keys(), budget_usd=True), "budget_usd: expected a number above 0, found True"),
    (lambda: moot.run(keys(), strategies=Vote()), "strategies: expected a list of strategies, found Vote"),  # type: ignore[arg-type]
    (lambda: moot.run(keys(), strategies="vote"), "strategies: expected a list of strategies, found str"),
    (lambda: moot.run(keys(), measures=3), "measures: expected a list of measures, found int"),  # type: ignore[arg-type]
    (lambda: moot.run(keys(), graders=3), "graders: expected a list of graders, found int"),  # type: ignore[arg-type]
    (lambda: moot.run(keys(), ballots=3), "ballots: expected a list of rules, found int"),  # type: ignore[arg-type]
    (
        lambda: moot.run(keys(), models=[model("ann")]),
        "models: expected a mapping of models by their names, found list",
    ),  # type: ignore[arg-type]
    (lambda: moot.run(keys(strategies=[{"vote": {1: True}}])), "1"),
    (lambda: moot.run(keys(strategies=[Adaptive(talk_from=HUGE)], **LED)), "talk_from"),
    (lambda: moot.run(keys(strategies=[{"adaptive": {"talk_from": HUGE}}], **LED)), "talk_from"),
    (
        lambda: moot.run(keys(strategies=[{"vote": {"early-stop": True, "early_stop": False}}])),
        "'early-stop' and 'early_stop' are one option; expected it once",
    ),
    (lambda: moot.Experiment(**keys(strategies=[{"vote": {"early_stop": "false"}}])), "early_stop: expected"),
    (lambda: moot.Experiment(**keys(strategies=["vot"])), "strategy 'vot' is unknown"),
    (
        lambda: moot.run(keys(), strategies=[Vote]),
        "strategies.0: the class Vote is no strategy; give an instance: Vote()",
    ),
    (lambda: moot.run(keys(), graders=[Match]), "the class Match is no grader; give an instance: Match(), not Match"),
    (
        lambda: moot.run(keys(grader=Match)),
        "grader: the class Match is no grader; give an instance: Match(), not Match",
    ),
    (lambda: moot.run(keys(), ballots=[SimpleVoting]), "give an instance: SimpleVoting(), not SimpleVoting"),
    (lambda: moot.run(keys(models={"ann": ScriptedModel})), "models.ann: the class ScriptedModel is no model; give an"),
    (lambda: moot.run(keys(), models={"ann": ScriptedModel}), "models.ann: the class ScriptedModel is no model; give"),
    (lambda: moot.run(keys(questions={"format": Mmlu, "file": "x"})), "questions.format: the class Mmlu is no format"),
    (
        lambda: moot.run(keys(models={"nothing": Nothing()})),
        "models.nothing: the Nothing is no model; expected an object with name, price, shape, generate and close, and it "
        "has no price, shape, generate and close",
    ),
    (
        lambda: moot.run(keys(strategies=[Nothing()])),
        "strategies.0: the Nothing is no strategy; expected an object with",
    ),
    (lambda: moot.run(keys(strategies=[Unnamed()])), "it has no name that is a text"),
    (lambda: moot.run(keys(), measures=[Nothing()]), "is no measure; expected an object with name, needs, figures and"),
    (
        lambda: moot.run(keys(questions={"format": Nothing(), "file": "x"})),
        "questions.format: the Nothing is no format",
    ),
]


@pytest.mark.parametrize(("wrong", "problem"), WRONG, ids=[problem for _, problem in WRONG])
def test_it_is_said_in_words(wrong: Callable[[], Any], problem: str) -> None:
    with pytest.raises(moot.MootError) as refused:
        wrong()
    assert problem in str(refused.value)


def test_a_judge_that_raises_leaves_answers_ungraded() -> None:
    def broken(request: moot.Request) -> Any:
        raise ZeroDivisionError("a bug of somebody's")

    models = {"ann": model("ann"), "bob": model("bob"), "jay": ScriptedModel("jay", broken)}
    players = {name: {"model": name} for name in ("ann", "bob")}
    results = moot.run(keys(models=models, players=players, judge={"models": ["jay"]}, strategies=["solo"]))
    (first, _) = results.figures["accuracy"]
    assert (first["value"], first["ungraded"]) == (None, 1), (
        "the capital of France matches; on the other the judge broke"
    )
    assert first["bounds"] == {"low": 0.5, "high": 1.0}
    assert "ZeroDivisionError: a bug of somebody's" in " ".join(filter(None, results.frame("scores")["detail"]))


def test_a_grouping_model_that_raises_leaves_words_to_decide() -> None:
    def broken(request: moot.Request) -> Any:
        raise ZeroDivisionError("a bug of somebody's")

    other = ScriptedModel("bob", lambda request: {"reasoning": "So.", "answer": "Lyon"})
    models = {"ann": model("ann"), "bob": other, "gus": ScriptedModel("gus", broken)}
    players = {name: {"model": name} for name in ("ann", "bob")}
    results = moot.run(keys(models=models, players=players, grouping={"model": "gus"}, strategies=["vote"]))
    assert results.state == "failed", "the next run asks it again"
    assert results.figures["accuracy"][0]["n"] == 2


def test_a_value_that_looks_like_options_is_quoted_in_short_names() -> None:
    rows = [
        {
            "label": f"first(note={note!r}, turns={turns})",
            "strategy": "first",
            "options": {"note": note, "turns": turns},
        }
        for note, turns in (("k=v, flag=True", 1), ("plain", 2))
    ]
    named = short_names(ways_of(rows))
    assert list(named.values()) == ['first(note="k=v, flag=True", turns=1)', "first(note=plain, turns=2)"]
