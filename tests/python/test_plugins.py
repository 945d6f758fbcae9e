"""Everything that can be plugged in, found by a real entry point and given as an object; unknown names say what there is."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from installing import write_points

import moot
from moot import Case, Question, ScriptedModel
from moot.ballots import rule
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.cli.schema import experiment_schema
from moot.errors import FileError, UsageError
from moot.experiment.build import build
from moot.grade import graders
from moot.testing import check_log_format, check_model

CASES = [Case(Question("1", "Capital of France?"), "Paris"), Case(Question("2", "Capital of Spain?"), "Madrid")]


def says(name: str, word: str) -> ScriptedModel:
    return ScriptedModel(name, lambda request: {"reasoning": "known", "answer": word})


def keys(**more: Any) -> dict[str, Any]:
    return {
        "name": "cup",
        "models": {"ann": says("ann", "Paris"), "bob": says("bob", "Madrid")},
        "questions": CASES,
        **more,
    }


def values(results: moot.Results) -> dict[str, float | None]:
    return {row["label"]: row["value"] for row in results.figures["accuracy"] if row.get("player") is None}


@pytest.fixture
def plugged(plugin: Path) -> Any:
    return importlib.import_module("moot_plugin")


@pytest.mark.usefixtures("plugin")
def test_a_strategy_by_entry_point_and_as_an_object_is_one_and_the_same() -> None:
    from moot_plugin import First

    by_name = moot.Experiment(**(both := keys(strategies=["first", {"first": {"skip": 1}}])))
    as_object = moot.Experiment(**{**both, "strategies": [First(), First(skip=1)]})
    assert by_name == as_object
    assert values(moot.run(by_name)) == {"first": 0.5, "first(skip=1)": 0.5}
    with pytest.raises(FileError, match=r"strategies.0.first.skip: expected a whole number from 0 on, found -1"):
        build(moot.Experiment(**keys(strategies=[{"first": {"skip": -1}}])).as_file)


ODD_PACKAGE = """
from dataclasses import dataclass
from moot.strategies.vote import Vote

@dataclass(frozen=True)
class Odd(Vote):
    name = {name!r}
    {option}: bool = False
"""


@pytest.mark.parametrize(
    ("point", "name", "words"),
    [
        (
            "odd, fixed",
            "odd, fixed",
            "name: expected letters, digits, . _ - and at most 100 of them, found 'odd, fixed'",
        ),
        ("odd@ann", "odd@ann", "name: expected letters, digits, . _ - and at most 100 of them, found 'odd@ann'"),
        ("odd", "odd(1)", "name: expected letters, digits, . _ - and at most 100 of them, found 'odd(1)'"),
        ("odd", None, "name: expected a text, found None"),
        (
            "odd",
            "vote",
            "name: its class calls itself 'vote', and results are kept under that; expected one name in both",
        ),
        (
            "shy",
            "shy",
            "'abstain' stands beside the options of every strategy, and says from where on its answers are given;"
            " expected another name of its option",
        ),
    ],
)
def test_the_name_of_a_strategy_that_a_package_brings_is_checked(
    point: str, name: str | None, words: str, installed: Callable[[Path], None], tmp_path: Path, capsys: Any
) -> None:
    (tmp_path / "odd_pack.py").write_text(
        ODD_PACKAGE.format(name=name, option="abstain" if name == "shy" else "quiet"), encoding="utf-8"
    )
    points = {"moot.strategies": {point: "odd_pack:Odd"}}
    write_points(tmp_path, "odd-pack", points)
    installed(tmp_path)
    file = tmp_path / "cup.yaml"
    models = {"ann": {"provider": "simulated", "accuracy": 0.5}}
    file.write_text(
        yaml.safe_dump({"name": "cup", "models": models, "questions": {"builtin": "general-en"}, "strategies": [point]})
    )
    try:
        assert run_app(app, ["run", str(file), "--quiet"]) == 2
    finally:
        sys.modules.pop("odd_pack", None)
    told = capsys.readouterr().err.strip()
    assert f"strategy {point!r} of the package odd-pack (odd_pack:Odd): {words}" in " ".join(told.split())
    assert len(told.splitlines()) == 1


def test_the_name_of_a_strategy_object_is_checked() -> None:
    from moot.strategies.vote import Vote

    class Odd(Vote):
        name = "odd, fixed"

    with pytest.raises(
        FileError, match=r"strategies.0: Odd: name: expected letters, digits, . _ - .* found 'odd, fixed'"
    ):
        moot.Experiment(**keys(strategies=[Odd()]))


@pytest.mark.usefixtures("plugin")
def test_a_model_by_entry_point_has_its_own_typed_keys() -> None:
    models = {
        "pol": {"provider": "parrot", "word": "Paris"},
        "eve": {"provider": "echo", "answer": "madrid", "upper": True},
    }
    results = moot.run(keys(models=models))
    rows = {row["player"]: row["value"] for row in results.figures["accuracy"]}
    assert rows == {"pol": 0.5, "eve": 0.5}
    config = json.loads(json.dumps(build(moot.Experiment(**keys(models=models)).as_file).public_config))
    assert config["models"] == models


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("model", "says"),
    [
        ({"provider": "parot"}, "models.pol.provider: 'parot' is unknown; expected endpoint, local, litellm, simulated, "
         "recorded, echo or parrot; did you mean 'parrot'?"),
        ({"provider": "parrot"}, "models.pol: provider 'parrot' needs the option 'word'"),
        ({"provider": "parrot", "word": "a", "times": "2"}, "models.pol.times: expected a whole number, found '2'"),
        ({"provider": "parrot", "wort": "a"}, "models.pol.wort: provider 'parrot' has no option 'wort'; expected "),
        ({"provider": "parrot", "word": "a", "name": "b"}, "models.pol.name: unknown key"),
        ({"provider": "echo", "answer": 5}, "models.pol.answer: expected a text, found 5"),
        ({"provider": "echo", "answer": "a", "upper": "no"}, "models.pol.upper: expected true or false, found 'no'"),
        ({"provider": "echo"}, "models.pol: provider 'echo' needs the option 'answer'"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_plugged_model_is_said_like_any_other(model: dict[str, Any], says: str, tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        build(moot.Experiment(**keys(models={"pol": model})).as_file)
    assert str(caught.value).startswith(says)
    path = tmp_path / "cup.yaml"
    path.write_text(yaml.safe_dump({"name": "cup", "questions": {"builtin": "facts-en"}, "models": {"pol": model}}))
    with pytest.raises(FileError) as caught:
        build(moot.Experiment.from_file(path).as_file)
    assert (caught.value.file, caught.value.key) == (path, says.partition(": ")[0])
    assert caught.value.line is not None


async def test_a_plugged_model_keeps_what_every_model_promises(plugged: Any) -> None:
    await check_model(plugged.Parrot("pol", "Paris"))


def test_without_the_package_its_provider_is_unknown() -> None:
    with pytest.raises(FileError, match=r"models.pol.provider: 'parrot' is unknown; expected endpoint, local, litellm"):
        moot.Experiment(**keys(models={"pol": {"provider": "parrot", "word": "a"}}))


@pytest.mark.usefixtures("plugin")
def test_a_grader_by_entry_point_is_asked_and_its_scores_are_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cup.yaml"
    models = {"pol": {"provider": "parrot", "word": "Paradise"}}
    questions = [{"id": case.question.id, "text": case.question.text, "answer": case.answer} for case in CASES]
    (tmp_path / "cup.jsonl").write_text("\n".join(map(json.dumps, questions)))
    written = {"name": "cup", "questions": {"file": "cup.jsonl"}, "models": models}
    path.write_text(yaml.safe_dump(written))
    assert [row["value"] for row in moot.run(path).figures["accuracy"]] == [0.0]
    path.write_text(yaml.safe_dump({**written, "grader": "prefix"}))
    assert run_app(app, ["grade", str(path)]) == 0
    assert "prefix: 2 answers: 2 by prefix" in capsys.readouterr().out
    assert run_app(app, ["report", str(path), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert [row["value"] for row in figures["accuracy"]] == [0.5]
    scores = moot.open_store(str(tmp_path / "cup.db")).frame("scores")
    assert sorted(set(scores["grader"])) == ["match", "prefix"]
    path.write_text(yaml.safe_dump(written))
    assert [row["value"] for row in moot.run(path).figures["accuracy"]] == [0.0], "and back, without a call"


@pytest.mark.usefixtures("plugin")
def test_what_a_grader_leaves_open_goes_to_the_judges_and_else_stays_ungraded() -> None:
    asks = {"ann": says("ann", "Paris?")}
    ungraded = moot.run(keys(models=asks, grader="prefix"))
    (row,) = ungraded.figures["accuracy"]
    assert row["ungraded"] == 2
    judge = ScriptedModel("judy", lambda request: {"grades": [{"id": 1, "is_correct": True}]})
    judged = moot.run(keys(models={**asks, "judy": judge}, grader="prefix", judge={"models": ["judy"]}))
    (row,) = judged.figures["accuracy"]
    assert (row["value"], row["ungraded"]) == (1.0, 0)
    assert set(judged.frame("scores")["grader"]) == {"prefix+judy"}
    assert len(judge.requests) == 2


def test_a_grader_given_as_an_object(plugged: Any) -> None:
    @plugged.dataclass(frozen=True)
    class Generous(plugged.Prefix):
        name = "generous"

        async def grade(self, case: Case, verdict: moot.Verdict) -> moot.Score:
            return moot.Score(1.0, "generous")

    assert values(moot.run(keys(strategies=["vote"]), graders=[Generous()])) == {"vote": 1.0}
    assert values(moot.run(keys(strategies=["vote"], grader=Generous()))) == {"vote": 1.0}
    named = moot.run(keys(strategies=["vote"], grader="match"), graders=[Generous()])
    assert values(named) != {"vote": 1.0}, "what the experiment names goes first"
    graders._GIVEN.clear()
    with pytest.raises(FileError, match=r"grader: grader 'generous' is unknown; expected one of match, prefix"):
        build(moot.Experiment(**keys(grader="generous")).as_file)


def test_a_grader_that_breaks_or_waits(plugged: Any) -> None:
    import asyncio

    class Slow(plugged.Prefix):
        name = "slow"

        async def grade(self, case: Case, verdict: moot.Verdict) -> moot.Score:
            await asyncio.sleep(0)
            if case.question.id == "2":
                raise RuntimeError("no ink")
            return moot.Score(1.0, "slow")

    results = moot.run(keys(models={"ann": says("ann", "x")}, grader=Slow()))
    (row,) = results.figures["accuracy"]
    assert (row["ungraded"], row["outcomes"]) == (1, {"answered": 2}), "a grader that breaks calls nothing wrong"
    assert "slow: RuntimeError: no ink" in results.frame("scores")["detail"].to_list()
    graders._GIVEN.clear()


def test_a_ballot_by_entry_point_and_as_an_object(plugged: Any) -> None:
    assert rule("dictator") == plugged.Dictator()

    class Tyrant(plugged.Dictator):
        name = "tyrant"

    with pytest.raises(UsageError, match="rule of voting 'tyrant' is unknown; expected one of approval-voting"):
        rule("tyrant")
    discuss = {"discuss": {"agents": 2, "decision": "tyrant", "vote_from": 1, "max_turns": 1}}
    with pytest.raises(FileError, match=r"strategies.0: decision: expected one of .*dictator"):
        build(moot.Experiment(**keys(strategies=[discuss])).as_file)
    simulated = {name: {"provider": "simulated", "accuracy": 0.9} for name in ("ann", "bob")}
    results = moot.run(keys(models=simulated, strategies=[discuss]), ballots=[Tyrant()])
    assert results.state == "done"
    from moot.ballots import _GIVEN, register

    with pytest.raises(UsageError, match="'dictator' is moot_plugin:Dictator already"):
        register(type("Other", (plugged.Dictator,), {"name": "dictator"})())
    _GIVEN.clear()


@pytest.mark.usefixtures("plugin")
def test_a_dataset_by_entry_point_and_as_an_object(tmp_path: Path) -> None:
    from moot_plugin import Pairs

    (tmp_path / "pairs.jsonl").write_text('{"q": "Capital of France?", "a": "Paris"}\n')
    questions = {"format": "pairs", "file": str(tmp_path / "pairs.jsonl")}
    by_name = moot.run(keys(questions=questions, strategies=["vote"]))
    as_object = moot.run(keys(questions={**questions, "format": Pairs()}, strategies=["vote"]))
    assert values(by_name) == values(as_object)
    assert by_name.frame("episodes")["question_id"].to_list() == ["pair-1"]
    with pytest.raises(FileError, match=r"questions.format: format 'pears' is unknown; expected one of .*pairs"):
        build(moot.Experiment(**keys(questions={**questions, "format": "pears"})).as_file)


@pytest.mark.usefixtures("plugin")
def test_logs_by_entry_point(tmp_path: Path) -> None:
    from moot_plugin import Minutes

    file = tmp_path / "minutes.txt"
    file.write_text("ann: Capital of France? Paris\nbob: Capital of France? Lyon\n")
    check_log_format(Minutes(), [file])
    logs = {"file": str(file), "format": "minutes"}
    models = {name: {"provider": "recorded", "model": name, **logs} for name in ("ann", "bob")}
    results = moot.run({"name": "cup", "questions": logs, "models": models, "strategies": ["solo"]})
    assert {row["player"]: row["value"] for row in results.figures["accuracy"]} == {"ann": 1.0, "bob": 0.0}


@pytest.mark.usefixtures("plugin")
def test_a_measure_by_entry_point_is_taken() -> None:
    results = moot.run(keys())
    assert results.figures["parroted"] == 4
    assert "parroted" in [section.id for section in results.sections]


def test_the_schema_allows_what_is_installed_and_nothing_else(plugin: Path) -> None:
    written = {
        "name": "cup",
        "questions": {"format": "pairs", "file": "x.jsonl"},
        "models": {"pol": {"provider": "parrot", "word": "Paris"}},
        "strategies": ["first", {"first": {"skip": 1}}, {"vote": None}],
        "grader": "prefix",
    }
    schema = experiment_schema()
    jsonschema.validate(written, schema)
    for wrong in (
        {"models": {"pol": {"provider": "parot", "word": "Paris"}}},
        {"grader": "prefx"},
        {"questions": {"format": "pears", "file": "x.jsonl"}},
        {"strategies": ["frist"]},
        {"strategies": [{"vote": {}, "solo": {}}]},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**written, **wrong}, schema)


def test_without_plug_ins_the_schema_has_none() -> None:
    schema = experiment_schema()
    assert "PluggedSpec" not in json.dumps(schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"name": "cup", "models": {"pol": {"provider": "parrot"}}}, schema)


def test_the_command_line_finds_them_all(plugin: Path, tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text('{"q": "Capital of France?", "a": "Paris"}\n')
    written = {
        "name": "cup",
        "questions": {"format": "pairs", "file": "pairs.jsonl"},
        "models": {"pol": {"provider": "parrot", "word": "Parma"}, "eve": {"provider": "echo", "answer": "x"}},
        "strategies": ["first"],
        "grader": "prefix",
    }
    (tmp_path / "cup.yaml").write_text(yaml.safe_dump(written))
    path = os.pathsep.join([str(plugin), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path}
    for command in (["run", "cup.yaml", "--quiet"], ["report", "cup.yaml", "--all"]):
        ran = subprocess.run(
            [sys.executable, "-m", "moot", *command], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert ran.returncode == 0, ran.stderr
    assert "first" in ran.stdout
    assert "100.0 %" in ran.stdout
    assert "How much was said" in ran.stdout
