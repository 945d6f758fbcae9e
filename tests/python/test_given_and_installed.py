"""What is installed and given as an object as well: it is one thing, by whichever way it was imported, as it was given."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from installing import write_points

import moot
from moot import Case, Question, ScriptedModel
from moot.ballots import rule
from moot.errors import UsageError

CORE = """
from dataclasses import dataclass, replace
from typing import ClassVar

from moot import Score, Traits, Verdict
from moot.ballots.plurality import SimpleVoting
from moot.measures.section import Column, Section
from moot.needs import Needs


@dataclass(frozen=True)
class Levels:
    level: int = 1
    name: ClassVar[str] = "levels"
    needs: ClassVar[Needs] = Needs()

    def figures(self, run):
        return {"level": [{"level": self.level}]}

    def sections(self, figures):
        yield Section("level", "Levels", (), (Column("level", "level"),), figures.get("level", ()))


@dataclass(frozen=True)
class FirstSays:
    name: ClassVar[str] = "first-says"
    traits: ClassVar[Traits] = Traits(prompts=("draft",), drafts="single-call", word="player")

    def lineups(self, team):
        return (replace(team, captain=None),)

    async def play(self, question, team):
        drafts = await team.drafts(question)
        return Verdict(drafts[0].text, drafts[0].outcome, who=(drafts[0].player,), answers=drafts)


@dataclass(frozen=True)
class Partly:
    part: float = 0.25
    name: ClassVar[str] = "partly"

    async def grade(self, case, verdict):
        return Score(self.part, "part")


@dataclass(frozen=True)
class Loudest(SimpleVoting):
    name: str = "loudest"
"""
POINTS = {
    "moot.measures": {"levels": "exporting:Levels"},
    "moot.strategies": {"first-says": "exporting:FirstSays"},
    "moot.graders": {"partly": "exporting:Partly"},
    "moot.ballots": {"loudest": "exporting:Loudest"},
}


def run(options: dict[str, Any] | None = None, **keys: Any) -> moot.Results:
    models = {name: ScriptedModel(name, lambda _: {"reasoning": "r", "answer": "Paris"}) for name in ("ann", "bob")}
    cases = [Case(Question("1", "Capital of France?"), "Paris")]
    return moot.run({"name": "cup", "models": models, "questions": cases, **keys}, **(options or {}))


@pytest.fixture
def pack(tmp_path: Path, installed: Callable[[Path], None]) -> Any:
    """A package whose entry points name what it imports from a module of its own."""
    (tmp_path / "exporting").mkdir()
    (tmp_path / "exporting" / "core.py").write_text(CORE, encoding="utf-8")
    names = "FirstSays, Levels, Loudest, Partly"
    (tmp_path / "exporting" / "__init__.py").write_text(f"from exporting.core import {names}\n", encoding="utf-8")
    write_points(tmp_path, "a-pack", POINTS)
    installed(tmp_path)
    return importlib.import_module("exporting")


def test_a_class_that_its_package_exports_is_the_one_that_is_installed(pack: Any) -> None:
    keys = {"strategies": [pack.FirstSays(), "first-says"], "grader": pack.Partly()}
    results = run({"measures": [pack.Levels()], "ballots": [pack.Loudest()]}, **keys)
    assert not results.warnings
    assert {(row["label"], row["value"]) for row in results.figures["accuracy"]} == {("first-says", 0.25)}
    assert type(rule("loudest")) is pack.Loudest


def test_what_is_given_is_taken_with_its_options(pack: Any) -> None:
    results = run({"measures": [pack.Levels(level=5)], "graders": [pack.Partly(part=0.5)]}, strategies=["vote"])
    assert results.figures["level"] == [{"level": 5}]
    assert [section.rows for section in results.sections if section.id == "level"] == [[{"level": 5}]]
    assert results.figures["accuracy"][0]["value"] == 0.5


def test_another_class_of_an_installed_name_is_refused(pack: Any) -> None:
    class Levels(pack.Levels):  # type: ignore[misc, name-defined]
        pass

    with pytest.raises(UsageError, match="measure 'levels' is exporting:Levels already; expected another name"):
        run({"measures": [Levels()]})


def test_a_measure_that_has_another_name_than_it_is_installed_by_is_refused(
    pack: Any, tmp_path: Path, installed: Callable[[Path], None]
) -> None:
    write_points(tmp_path, "b-pack", {"moot.measures": {"heights": "exporting:Levels"}})
    installed(tmp_path)
    results = run({"measures": [pack.Levels(level=2)]})
    (failure,) = results.figures["plugin_failures"]
    assert (failure["name"], failure["error"]) == (
        "heights",
        "expected 'heights' as its name, which it is brought under, found 'levels'",
    )
    assert results.figures["level"] == [{"level": 2}], "the other is none of it, and is taken"
