"""Other people's packages that break: the report says which and why in one line, and keeps all else; no run is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from page_data import page_text

import moot
from moot import Case, Question, ScriptedModel
from moot.ballots import _GIVEN as GIVEN_BALLOTS
from moot.ballots import Tally
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import FileError, UsageError
from moot.experiment.build import build
from moot.grade import graders
from moot.needs import Needs
from moot.simulate.schema_instance import instance

CASES = [Case(Question("1", "Capital of France?"), "Paris"), Case(Question("2", "Capital of Spain?"), "Madrid")]
PACKAGE = """
from moot.measures.section import Column, Section
from moot.needs import Needs

class Sound:
    name = "sound"
    needs = Needs()
    def figures(self, run):
        return {"sound": 7}
    def sections(self, figures):
        yield Section("sound", "Sound and whole", (), (Column("n", "n"),), [{"n": figures["sound"]}])

class BreaksInFigures(Sound):
    name = "breaks-in-figures"
    def figures(self, run):
        raise ZeroDivisionError("no plays\\nat all")

class BreaksInSections(Sound):
    name = "breaks-in-sections"
    def figures(self, run):
        return {"kept": 1}
    def sections(self, figures):
        yield Section("half", "Half of it", (), (Column("n", "n"),), [{"n": 1}])
        raise KeyError("other half")

class BreaksInNeeds(Sound):
    name = "breaks-in-needs"
    needs = property(lambda self: 1 / 0)
    def figures(self, run):
        return {"needy": 1}
    def sections(self, figures):
        return ()

class NoJson(Sound):
    name = "no-json"
    def figures(self, run):
        return {"set": {1, 2}}

class Twice(Sound):
    name = "twice"
"""
POINTS = {
    "breaks-in-figures": "broken_pack:BreaksInFigures",
    "breaks-in-sections": "broken_pack:BreaksInSections",
    "breaks-in-needs": "broken_pack:BreaksInNeeds",
    "no-json": "broken_pack:NoJson",
    "not-there": "broken_pack_without:Anything",
    "sound": "broken_pack:Sound",
    "twice": "broken_pack:Twice",
}
ERRORS = {
    "breaks-in-figures": "ZeroDivisionError: no plays at all",
    "breaks-in-needs": "ZeroDivisionError: division by zero",
    "breaks-in-sections": "KeyError: 'other half'",
    "no-json": "figures are no JSON: TypeError: Object of type set is not JSON serializable",
    "not-there": "cannot be loaded: ModuleNotFoundError: No module named 'broken_pack_without'",
    "twice": "gives 'sound', which another measure has given already; expected a key of its own",
}


@pytest.fixture
def broken(tmp_path: Path, installed: Callable[[Path], None]) -> Path:
    folder = tmp_path / "site"
    (folder / "broken_pack-0.1.0.dist-info").mkdir(parents=True)
    (folder / "broken_pack.py").write_text(PACKAGE, encoding="utf-8")
    (folder / "broken_pack-0.1.0.dist-info" / "METADATA").write_text("Name: broken-pack\nVersion: 0.1.0\n")
    lines = ["[moot.measures]", *(f"{name} = {place}" for name, place in POINTS.items())]
    groups = ("strategies", "graders", "ballots", "datasets", "selectors", "models", "retrievers")
    lines += [line for group in groups for line in (f"[moot.{group}]", "absent = broken_pack_without:Anything")]
    (folder / "broken_pack-0.1.0.dist-info" / "entry_points.txt").write_text("\n".join(lines))
    installed(folder)
    return folder


def keys(**more: Any) -> dict[str, Any]:
    models = {name: ScriptedModel(name, lambda _: {"reasoning": "r", "answer": "Paris"}) for name in ("ann", "bob")}
    return {"name": "cup", "models": models, "questions": CASES, **more}


@pytest.mark.usefixtures("broken")
def test_every_measure_that_breaks_is_named_and_all_else_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cup.yaml"
    models = {"ann": {"provider": "simulated", "accuracy": 0.5}}
    content = {"name": "cup", "models": models, "questions": {"builtin": "facts-en", "sample": 3}}
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    assert run_app(app, ["run", str(path)]) == 0
    assert f"{len(ERRORS)} plug-ins failed" in " ".join(capsys.readouterr().out.split())
    assert run_app(app, ["report", str(path), "--all"]) == 0
    shown = capsys.readouterr().out
    assert run_app(app, ["report", str(path), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    failures = {row["name"]: row for row in figures["plugin_failures"]}
    assert {name: row["error"] for name, row in failures.items()} == ERRORS
    assert {row["kind"] for row in failures.values()} == {"measure"}
    assert (figures["sound"], figures["kept"], figures["needy"]) == (7, 1, 1)
    assert figures["accuracy"][0]["outcomes"] == {"answered": 3}
    assert run_app(app, ["report", str(path), "-o", str(tmp_path / "r.html")]) == 0
    for view in (" ".join(shown.split()), page_text(tmp_path / "r.html")):
        assert "Sound and whole" in view
        for name, error in ERRORS.items():
            assert name in view
            assert error.replace("'", "&#x27;") in view or error in view or error.split(": ")[-1] in view


def test_a_measure_that_is_an_object_breaks_in_the_same_way() -> None:
    class Breaks:
        name = "breaks"
        needs = Needs()

        def figures(self, run: Any) -> dict[str, Any]:
            raise RuntimeError("no ink")

        def sections(self, figures: Any) -> list[Any]:
            return []

    results = moot.run(keys(), measures=[Breaks()])
    assert results.state == "done"
    failure = {"kind": "measure", "name": "breaks", "error": "RuntimeError: no ink"}
    assert results.figures["plugin_failures"] == [failure]
    (section,) = [section for section in results.sections if section.id == "plugin-failures"]
    assert section.rows == [failure]
    assert results.figures["accuracy"][0]["value"] == 0.5


def test_without_any_there_is_no_word_of_them() -> None:
    results = moot.run(keys())
    assert "plugin_failures" not in results.figures
    assert "plugin-failures" not in [section.id for section in results.sections]


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({"strategies": ["absent"]}, "strategy"),
        ({"grader": "absent"}, "grader"),
        ({"strategies": [{"discuss": {"decision": "absent"}}]}, "rule of voting"),
        ({"questions": {"format": "absent", "file": "rows.jsonl"}}, "format"),
        ({"models": {"ann": {"provider": "absent"}}}, "provider"),
        (
            {"strategies": [{"discuss": {"challenge": "facts", "facts": "absent"}}]},
            "retriever",
        ),
    ],
)
@pytest.mark.usefixtures("broken")
def test_what_cannot_be_loaded_is_one_message_before_any_call(
    more: dict[str, Any], kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.jsonl").write_text('{"q": "Capital of France?", "a": "Paris"}\n')
    words = rf"{kind} 'absent'.* cannot be loaded: ModuleNotFoundError: No module named 'broken_pack_without'.*expected"
    with pytest.raises((FileError, UsageError), match=words):
        build(moot.Experiment(**keys(**more)).as_file)


def test_a_grader_that_is_no_coroutine_or_gives_no_score_leaves_ungraded() -> None:
    class Rude:
        name = "rude"

        def grade(self, case: Case, verdict: moot.Verdict) -> Any:
            if case.question.id == "1":
                raise RuntimeError("no ink")
            return self._half()

        async def _half(self) -> float:
            return 0.5

    results = moot.run(keys(grader=Rude()))
    graders._GIVEN.clear()
    assert {row["ungraded"] for row in results.figures["accuracy"]} == {2}
    details = set(results.frame("scores")["detail"])
    assert details == {"rude: RuntimeError: no ink", "rude: expected a Score, found float"}


def test_a_rule_of_voting_that_breaks_is_named_and_loses_nothing_else() -> None:
    opened: list[str] = []

    class Torn:
        name = "torn"

        def problem(self, ballot: Any, options: int) -> str | None:
            return None

        def count(self, ballots: Any, options: int) -> Tally:
            if opened:
                raise RuntimeError("the urn is open")
            votes = float(sum(ballot is not None for ballot in ballots))
            return Tally((votes, *[0.0] * (options - 1)), (0,) if votes else (), voters=len(ballots))

    discuss = {"discuss": {"agents": 2, "decision": "torn", "vote_from": 1, "max_turns": 1}}

    def voter(name: str, word: str) -> ScriptedModel:
        script = _voter(word)
        return ScriptedModel(name, lambda request: opened.append(name) or script(request))  # type: ignore[func-returns-value]

    models = {name: voter(name, word) for name, word in (("ann", "Paris"), ("bob", "Lyon"))}
    results = moot.run(keys(models=models, strategies=["solo", discuss]), ballots=[Torn()])
    GIVEN_BALLOTS.clear()
    (row,) = [row for row in results.figures["accuracy"] if row["strategy"] == "discuss"]
    assert row["outcomes"] == {"failed": 2}
    causes = {json.loads(verdict).get("cause") for verdict in results.frame("verdicts")["verdict"]} - {None}
    assert causes == {"rule of voting 'torn': count: RuntimeError: the urn is open"}


def _voter(word: str) -> Callable[[moot.Request], Any]:
    def script(request: moot.Request) -> Any:
        words = {"solution": word, "answer": word, "reasoning": "r", "message": "m"}
        return instance(request.schema or {}, words, lambda _: 0.5)

    return script
