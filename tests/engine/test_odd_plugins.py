"""Strategies and models from elsewhere that behave oddly cost their own question, and nothing that was paid for."""

from __future__ import annotations

import asyncio
import copy
import html
import json
import os
import random
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest
from odd_strategy import CASES, Odd

import moot
from moot import Question, Reply, Request, Traits, Verdict
from moot.ballots import _GIVEN as GIVEN_RULES
from moot.ballots import Tally
from moot.measures.section import Chart, Column, Section
from moot.models.scripted import ScriptedModel
from moot.needs import Needs
from moot.simulate.schema_instance import instance
from moot.strategies.captaincy import Captained, by_captain
from moot.types import Usage


class Number(Odd):
    odd = Verdict(5, "answered")  # type: ignore[arg-type]


class Great(Odd):
    odd = Verdict("A", "great")  # type: ignore[arg-type]


class Cancelled(Odd):
    async def oddity(self) -> Any:
        raise asyncio.CancelledError


def ann() -> ScriptedModel:
    return ScriptedModel("ann", lambda request: {"reasoning": "r", "answer": "A"})


@pytest.mark.parametrize("strategy", [Odd(), Number(), Great(), Cancelled()], ids=lambda odd: type(odd).__name__)
def test_what_is_no_verdict_fails_its_question_only(strategy: Any) -> None:
    results = moot.run({"name": "cup", "models": {"ann": ann()}, "questions": CASES, "strategies": [strategy]})
    (row,) = results.figures["accuracy"]
    assert row["outcomes"] == {"answered": 3, "failed": 1}
    assert results.state == "failed"
    (cause,) = results.failures
    assert cause.startswith("a bug in odd: ")


class NeverCloses(ScriptedModel):
    async def close(self) -> None:
        raise RuntimeError("no")

    async def generate(self, request: Request) -> Reply:
        return Reply('{"reasoning": "r", "answer": "A"}')


def test_a_model_that_cannot_be_closed_loses_nothing(caplog: pytest.LogCaptureFixture) -> None:
    closed: list[str] = []

    class Bob(ScriptedModel):
        async def close(self) -> None:
            closed.append(self.name)

    models = {"ann": NeverCloses("ann", []), "bob": Bob("bob", lambda request: {"reasoning": "r", "answer": "A"})}
    results = moot.run({"name": "cup", "models": models, "questions": CASES})
    assert "ann was not closed: RuntimeError: no" in caplog.messages
    assert [row["value"] for row in results.figures["accuracy"]] == [1.0, 1.0]
    assert closed == ["bob"]


NEVER_CLOSES = """
import sys
import moot
from moot.cli import main

class NeverCloses(moot.ScriptedModel):
    async def close(self):
        raise RuntimeError("no\\nmoot: forged")

sys.argv = ["moot", "--version"]
try:
    main()
except SystemExit:
    pass
ann = NeverCloses("ann", lambda request: {"reasoning": "r", "answer": "A"})
moot.run({"name": "cup", "models": {"ann": ann}, "questions": [moot.Case(moot.Question("1", "Which?"), "A")]})
"""


def test_a_command_tells_which_model_was_not_closed_and_why() -> None:
    """Though it tells no words of warnings."""
    given = {**os.environ, "PYTHONPATH": str(Path(moot.__file__).parents[1])}
    ended = subprocess.run([sys.executable, "-c", NEVER_CLOSES], env=given, capture_output=True, text=True, check=True)
    assert "ann was not closed: RuntimeError: no moot: forged" in ended.stderr.splitlines()


@dataclass(frozen=True)
class First(Odd):
    name: ClassVar[str] = "mine"


@dataclass(frozen=True)
class Last(Odd):
    name: ClassVar[str] = "mine"


def test_two_classes_of_one_name_are_refused() -> None:
    model = ann()
    keys: dict[str, Any] = {"name": "cup", "models": {"ann": model}, "questions": CASES}
    refused = r"'mine' is the name of .*First already.*expected another name"
    with pytest.raises(moot.MootError, match=refused):
        moot.run({**keys, "strategies": [First(), Last()]})
    with pytest.raises(moot.MootError, match=refused):
        moot.run({**keys, "strategies": [First()]}, strategies=[Last()])
    assert not model.requests


@dataclass(frozen=True)
class Separated(Odd):
    name: ClassVar[str] = "sep"
    sep: str = "-"

    async def oddity(self) -> Any:
        return Verdict("A", "answered", who=("ann",))

    async def play(self, question: Question, team: Any) -> Any:
        await team.drafts(question)
        return Verdict("A" if self.sep == ", " else "B", "answered", who=("ann",))


def test_a_value_in_quotes_is_read_back_as_it_is() -> None:
    claims = ['accuracy(sep(sep=",")) > 0.9', 'accuracy( sep( sep = ", " ) ) > 0.9']
    results = moot.run(
        {
            "name": "cup",
            "models": {"ann": ann()},
            "questions": CASES,
            "strategies": [Separated(","), Separated(", ")],
            "hypotheses": claims,
        }
    )
    assert [row["value"] for row in results.figures["hypotheses"]] == [0.0, 1.0]


def letter(request: Request, answer: str = "A") -> dict[str, Any]:
    """Whatever is asked: something that fits."""
    return cast(dict[str, Any], instance(request.schema or {}, {"answer": answer, "solution": answer}, draw))


def draw(*salt: object) -> float:
    return random.Random(str(salt)).random()


def discussed(rule: Any, model: ScriptedModel) -> moot.Results:
    discussion = {"personas": "none", "max_turns": 2, "vote_from": 2, "decision": rule.name}
    models = {"ann": model, "bob": ScriptedModel("bob", lambda request: letter(request, "B"))}
    keys = {"name": "cup", "models": models, "questions": CASES, "strategies": [{"discuss": discussion}]}
    return moot.run(keys, ballots=[rule])


class ForTheFirst:
    """A rule by which the first option always wins."""

    name = "for-the-first"

    def problem(self, ballot: Any, options: int) -> Any:
        return None

    def count(self, ballots: Any, options: int) -> Any:
        votes = float(sum(ballot is not None for ballot in ballots))
        points = tuple(votes if option == 0 else 0.0 for option in range(options))
        return Tally(points, (0,) if votes else (), spoilt=0, voters=len(ballots))


def rule_with(rule_name: str, **parts: Any) -> Any:
    return type("Rule", (ForTheFirst,), {"name": rule_name, **parts})()


def raises(*args: Any) -> Any:
    raise RuntimeError("no such luck")


ODD_RULES = {
    "no-problem": (
        rule_with("no-problem", problem=None),
        "is no rule of voting; expected an object with name, problem",
    ),
    "raises-problem": (rule_with("raises-problem", problem=raises), "problem: RuntimeError: no such luck"),
    "odd-problem": (
        rule_with("odd-problem", problem=lambda *_: True),
        "problem: expected words or None, found True",
    ),
    "raises": (rule_with("raises", count=raises), "count: RuntimeError: no such luck"),
    "none": (rule_with("none", count=lambda *_: None), "count: expected a Tally, found NoneType"),
    "outside": (
        rule_with("outside", count=lambda _, ballots, options: Tally((1.0,) * options, (99,), 0, len(ballots))),
        "count: winners: expected options from 0 to",
    ),
    "nobody": (
        rule_with("nobody", count=lambda _, ballots, options: Tally((0.0,) * options, (), 0, len(ballots))),
        "count: winners: expected at least one option where all want the same, found nobody",
    ),
    "first-but-nobody": (
        rule_with("first-but-nobody", count=lambda _, ballots, options: Tally((1.0,) * options, (), 0, len(ballots))),
        "count: winners: expected somebody, since option 0 has 1.0 points, found nobody",
    ),
    "few-points": (
        rule_with("few-points", count=lambda _, ballots, options: Tally((), (0,), 0, len(ballots))),
        "count: points: expected a number for each of",
    ),
    "nan": (
        rule_with("nan", count=lambda _, ballots, options: Tally((float("nan"),) * options, (0,), 0, len(ballots))),
        "count: points: expected a number for each of",
    ),
}


@pytest.mark.parametrize("odd", ODD_RULES)
def test_a_rule_that_counts_oddly_is_refused_before_any_call(odd: str) -> None:
    rule, words = ODD_RULES[odd]
    model = ScriptedModel("ann", letter)
    try:
        with pytest.raises(moot.MootError) as refused:
            discussed(rule, model)
    finally:
        GIVEN_RULES.pop(rule.name, None)
    assert words in str(refused.value)
    assert odd == "no-problem" or f"rule of voting {odd!r}: " in str(refused.value)
    assert not model.requests


def test_a_sound_rule_is_played() -> None:
    assert discussed(ForTheFirst(), ScriptedModel("ann", letter)).state == "done"


class OnlyLater(ForTheFirst):
    """Sound as long as nobody really votes."""

    name = "only-later"
    voting = False

    def problem(self, ballot: Any, options: int) -> Any:
        if self.voting:
            raise RuntimeError("no such luck")
        return None

    def count(self, ballots: Any, options: int) -> Any:
        return Tally((1.0,) * options, (99,)) if self.voting else super().count(ballots, options)


@pytest.mark.parametrize(("part", "words"), [("problem", "problem: RuntimeError: no such luck"), ("count", "winners")])
def test_a_rule_that_is_odd_in_play_is_blamed_itself(part: str, words: str) -> None:
    rule = OnlyLater()
    if part == "count":
        rule.problem = lambda ballot, options: None  # type: ignore[method-assign]

    def voting(request: Request) -> dict[str, Any]:
        rule.voting = True
        return letter(request)

    results = discussed(rule, ScriptedModel("ann", voting))
    (cause,) = results.failures
    assert cause.startswith("rule of voting 'only-later': ")
    assert words in cause


def lineups_of(given: Any, **declared: Any) -> Any:
    @dataclass(frozen=True)
    class Lined(Odd):
        name: ClassVar[str] = "lined"
        traits: ClassVar[Traits] = Traits(prompts=("draft",), **declared)

        def lineups(self, team: Any) -> Any:
            return given(team)

    return Lined()


def led_by(named: str, given: Any, captain: Any = "leads") -> Any:
    """A strategy with the option `captain`, whose line-ups may forget it."""

    @dataclass(frozen=True)
    class Led(Captained, Odd):
        name: ClassVar[str] = "lined"
        traits: ClassVar[Traits] = Traits(prompts=("draft",), captain=captain)

        def lineups(self, team: Any) -> Any:
            return given(replace(team, captain="ann"))

    return Led(captain=named)


def fails(team: Any) -> Any:
    raise KeyError("captain")


ODD_LINEUPS = {
    "none": (lineups_of(lambda team: None), "lineups: expected a tuple of teams, found NoneType"),
    "empty": (lineups_of(lambda team: ()), "lineups: expected at least one team, found none for the team 'all'"),
    "bare": (lineups_of(lambda team: team), "lineups: expected a tuple of teams, found a Team; write (team,)"),
    "names": (lineups_of(lambda team: ("ann", "bob")), "lineups: expected a tuple of teams, found a str in it"),
    "raises": (lineups_of(fails), "lineups: KeyError: 'captain'"),
    "nobody": (
        lineups_of(lambda team: (replace(team, players=()),)),
        "lineups: expected players, found a team of none",
    ),
    "alone": (
        lineups_of(lambda team: (team,), alone=True, drafts="single-call"),
        "its traits say alone, one player and no team; found a line-up of 2",
    ),
    "another-captain": (
        led_by("bob", by_captain),
        "lineups: expected line-ups under 'bob', whom its option captain names; found one under 'ann':"
        " by_captain(team, self.captain) of moot.strategies.captaincy heeds it",
    ),
    "not-each": (
        led_by("each", by_captain),
        "lineups: expected a line-up under 'bob', since its option captain is each",
    ),
    "no-captain": (led_by("bob", lambda team: (replace(team, captain=None),), captain=None), "found one under nobody"),
    "repeats": (
        lineups_of(lambda team: (team,), repeats=3),
        "repeats: it is said to decide several times from the same drafts, and no drafts are declared",
    ),
    "served": (lineups_of(lambda team: (team,), served={"early_stop": True}), "served: it has no option 'early_stop'"),
}


@pytest.mark.parametrize("odd", ODD_LINEUPS)
def test_lineups_of_no_teams_are_refused_before_any_call(odd: str) -> None:
    strategy, words = ODD_LINEUPS[odd]
    models = {"ann": ann(), "bob": ScriptedModel("bob", lambda request: {"reasoning": "r", "answer": "A"})}
    with pytest.raises(moot.MootError) as refused:
        moot.run({"name": "cup", "models": models, "questions": CASES, "strategies": [strategy]})
    assert "strategies.0" in str(refused.value)
    assert "strategy 'lined': " in str(refused.value)
    assert words in str(refused.value)
    assert not any(model.requests for model in models.values())


def with_traits(found: Any) -> Any:
    @dataclass(frozen=True)
    class Declared(Odd):
        name: ClassVar[str] = "declared"

        @property
        def traits(self) -> Any:
            return found()

    return Declared()


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (lambda: Traits(drafts="singel-call"), "traits: drafts: expected one of"),  # type: ignore[arg-type]
        (lambda: Traits().captian, "AttributeError: 'Traits' object has no attribute 'captian'"),  # type: ignore[attr-defined]
        (lambda: {"alone": True}, "traits: expected Traits(...), found {'alone': True}"),
    ],
)
def test_traits_that_cannot_be_told_are_refused_before_any_call(found: Any, words: str) -> None:
    model = ann()
    with pytest.raises(moot.MootError) as refused:
        moot.run({"name": "cup", "models": {"ann": model}, "questions": CASES, "strategies": [with_traits(found)]})
    assert words in str(refused.value)
    assert "declared" in str(refused.value).lower()
    assert not model.requests


def shaped(shape: Any) -> ScriptedModel:
    class Shaped(ScriptedModel):
        def shape(self, request: Request) -> Any:
            return shape()

    return Shaped("ann", lambda request: {"reasoning": "r", "answer": "A"})


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (
            lambda: {"model": {1, 2}},
            "model 'ann': shape: expected JSON, found TypeError: Object of type set is not JSON serializable",
        ),
        (lambda: None, "model 'ann': shape: expected a mapping, found NoneType"),
        (lambda: {}["model"], "model 'ann': shape: KeyError: 'model'"),
    ],
)
def test_a_shape_that_is_no_json_is_refused_before_any_call(shape: Any, words: str) -> None:
    model = shaped(shape)
    with pytest.raises(moot.MootError) as refused:
        moot.run({"name": "cup", "models": {"ann": model}, "questions": CASES})
    assert "models.ann" in str(refused.value)
    assert words in str(refused.value)
    assert not model.requests


def test_a_shape_that_turns_odd_fails_its_question_only() -> None:
    class Turning(ScriptedModel):
        def shape(self, request: Request) -> Any:
            return {"model": {1, 2}} if request.question_id == "q1" else super().shape(request)

    model = Turning("ann", lambda request: {"reasoning": "r", "answer": "A"})
    results = moot.run({"name": "cup", "models": {"ann": model}, "questions": CASES})
    assert results.figures["accuracy"][0]["outcomes"] == {"answered": 3, "failed": 1}
    (cause,) = results.failures
    assert "model 'ann': shape: expected JSON" in cause


def test_a_model_that_cancels_itself_is_blamed_itself() -> None:
    class Cancelling(ScriptedModel):
        async def generate(self, request: Request) -> Reply:
            raise asyncio.CancelledError

    models = {"ann": ann(), "bob": Cancelling("bob", [])}
    results = moot.run({"name": "cup", "models": models, "questions": CASES, "strategies": ["solo", "vote"]})
    assert set(results.failures) == {"ModelBroke: model 'bob': CancelledError"}
    assert results.figures["accuracy"][-1]["outcomes"] == {"answered": 4}


def replying(reply: Any) -> ScriptedModel:
    class Replying(ScriptedModel):
        async def generate(self, request: Request) -> Any:
            return reply

    return Replying("ann", [])


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(None), "expected a Reply with a text, found None"),  # type: ignore[arg-type]
        (Reply("A", finish=None), "expected a Reply with a finish in words, found None"),  # type: ignore[arg-type]
        (Reply("A", usage=None), "expected a Reply with Usage as its usage, found None"),  # type: ignore[arg-type]
        (Reply("A", cost_usd="1"), "expected a Reply with a number or None as its cost_usd, found '1'"),  # type: ignore[arg-type]
        (Reply("A", cost_usd=-1.0), "expected a Reply with a number or None as its cost_usd, found -1.0"),
        (Reply("A", logprobs={1, 2}), "expected a Reply with logprobs in JSON, found"),
        (Reply("A", usage=Usage(prompt="3")), "expected a Reply with Usage of whole numbers, found"),  # type: ignore[arg-type]
    ],
)
def test_a_reply_with_odd_parts_is_blamed_on_its_model(reply: Reply, words: str) -> None:
    results = moot.run({"name": "cup", "models": {"ann": replying(reply)}, "questions": CASES})
    assert results.figures["accuracy"][0]["outcomes"] == {"failed": 4}
    (cause,) = results.failures
    assert cause.startswith("ModelBroke: model 'ann': ")
    assert words in cause


class Counting:
    name = "counting"
    needs: Any = Needs()

    def figures(self, run: Any) -> Any:
        return {"cells_counted": len(run.cells)}

    def sections(self, figures: Any) -> Any:
        return ()


def measure_with(**parts: Any) -> Any:
    return type("Measure", (Counting,), parts)()


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (measure_with(needs=None), "measure 'counting': needs: expected Needs(...) as its needs, found None"),
        (measure_with(needs=property(raises)), "measure 'counting': needs: RuntimeError: no such luck"),
        (measure_with(figures=None), "is no measure"),
        (measure_with(name=""), "is no measure"),
    ],
)
def test_a_measure_that_cannot_be_asked_is_refused_before_any_call(measure: Any, words: str) -> None:
    model = ann()
    with pytest.raises(moot.MootError) as refused:
        moot.run({"name": "cup", "models": {"ann": model}, "questions": CASES}, measures=[measure])
    assert words in str(refused.value)
    assert not model.requests


def test_two_measures_of_one_name_are_refused() -> None:
    model = ann()
    keys: Any = {"name": "cup", "models": {"ann": model}, "questions": CASES}
    with pytest.raises(moot.MootError, match="measure 'counting' is given twice; expected another name"):
        moot.run(keys, measures=[measure_with(), measure_with()])
    assert not model.requests


def writes(place: str) -> Any:
    def figures(self: Any, run: Any) -> Any:
        if place == "key":
            run.so_far["accuracy"] = []
        elif place == "row":
            run.so_far["accuracy"][0]["value"] = 0.5
        else:
            run.so_far["accuracy"].clear()
        return {}

    return figures


def section(**parts: Any) -> Any:
    sound = {"id": "own", "title": "Own", "words": (), "columns": (Column("n", "n", "share"),), "rows": [{"n": 0.5}]}
    return lambda self, figures: [Section(**{**sound, **parts})]


READ_ONLY = "TypeError: figures of others can be read and not written"
ODD_MEASURES = {
    "writes-key": ({"figures": writes("key")}, READ_ONLY),
    "writes-row": ({"figures": writes("row")}, READ_ONLY),
    "writes-list": ({"figures": writes("list")}, READ_ONLY),
    "writes-later": ({"sections": lambda self, figures: figures.pop("accuracy")}, READ_ONLY),
    "none": ({"figures": lambda self, run: None}, "figures: expected a mapping, found NoneType"),
    "numbers": ({"figures": lambda self, run: {1: 2}}, "figures: expected words as keys, found 1"),
    "reserved": (
        {"figures": lambda self, run: {"plugin_failures": []}},
        "figures: 'plugin_failures' is a key of the report itself, whether or not",
    ),
    "no-sections": ({"sections": lambda self, figures: None}, "sections: expected Section objects, found NoneType"),
    "dicts": ({"sections": lambda self, figures: [{}]}, "sections: expected Section objects, found a dict among them"),
    "words": (
        {"sections": section(words="one text")},
        "sections: own: words: expected a tuple of sentences, found 'one",
    ),
    "columns": (
        {"sections": section(columns=("n",))},
        "sections: own: columns: expected a tuple of Column, found ('n',)",
    ),
    "unit": (
        {"sections": section(columns=(Column("n", "n", "percent"),))},  # type: ignore[arg-type]
        "sections: own: columns: n: expected one of",
    ),
    "rows": ({"sections": section(rows=[(1,)])}, "sections: own: rows: expected mappings, found (1,)"),
    "nan": (
        {"sections": section(rows=[{"n": float("nan")}])},
        "sections: own: rows: n: expected a number, words or None, found nan",
    ),
    "interval": (
        {
            "sections": section(
                columns=(Column("n", "n", "share", low="l", high="h"),), rows=[{"n": 1, "l": "x", "h": 2}]
            )
        },
        "sections: own: rows: l: expected a number or None, found 'x'",
    ),
    "chart": ({"sections": section(chart="dots")}, "sections: own: chart: expected a Chart or None, found 'dots'"),
    "chart-kind": (
        {"sections": section(chart=Chart("pie", "n", "n"))},  # type: ignore[arg-type]
        "sections: own: chart: kind: expected one of",
    ),
    "misspelt-column": (
        {"sections": section(columns=(Column("n", "n"), Column("m", "m")))},
        "sections: own: columns: m: key: expected a key that some row has, one of n, found 'm'",
    ),
    "misspelt-interval": (
        {"sections": section(columns=(Column("n", "n", "share", "n_low", "n_high"),))},
        "sections: own: columns: n: low: expected a key that some row has, one of n, found 'n_low'",
    ),
    "misspelt-chart": (
        {"sections": section(chart=Chart("dots", "n", "m"))},
        "sections: own: chart: y: expected a key that some row has, one of n, found 'm'",
    ),
    **{
        f"misspelt-{part}": (
            {"sections": section(chart=replace(Chart("dots", "n", "n"), **{part: "m"}))},
            f"sections: own: chart: {part}: expected a key that some row has, one of n, found 'm'",
        )
        for part in ("x", "label", "series", "panel")
    },
    "place": ({"sections": section(place=None)}, "sections: own: place: expected a whole number, found None"),
    "id": ({"sections": section(id=None)}, "sections: None: id: expected letters, digits, . _ -, found None"),
}


@pytest.mark.parametrize("odd", ODD_MEASURES)
def test_a_measure_that_gives_odd_things_is_named_and_all_else_stands(odd: str) -> None:
    parts, words = ODD_MEASURES[odd]
    results = moot.run(
        {"name": "cup", "models": {"ann": ann()}, "questions": CASES},
        measures=[measure_with(**parts)],
    )
    (failure,) = results.figures["plugin_failures"]
    assert failure["name"] == "counting"
    assert words in failure["error"]
    assert results.figures["accuracy"][0]["value"] == 1.0
    assert "accuracy" in {shown.id for shown in results.sections}
    assert html.escape(words.split(":")[0]) in results._repr_html_()


def test_figures_of_others_can_be_read_and_copied() -> None:
    def figures(self: Any, run: Any) -> Any:
        so_far = run.so_far
        row = copy.deepcopy(so_far["accuracy"][0])
        row["value"] = 2.0
        assert json.loads(json.dumps(so_far["accuracy"]))[0]["value"] == 1.0
        assert isinstance(so_far["accuracy"], list)
        return {"copied": [row, dict(so_far["accuracy"][0]) | {"value": 3.0}]}

    keys: Any = {"name": "cup", "models": {"ann": ann()}, "questions": CASES}
    results = moot.run(keys, measures=[measure_with(figures=figures)])
    assert [row["value"] for row in results.figures["copied"]] == [2.0, 3.0]
    assert results.figures["accuracy"][0]["value"] == 1.0
