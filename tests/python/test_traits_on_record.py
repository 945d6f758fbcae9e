"""What a strategy of one's own says of itself: the report goes by what it says now, and what it does not say is told."""

from __future__ import annotations

import html
import json
import sqlite3
import warnings
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest

import moot
from moot import Case, Question, ScriptedModel, Traits, Verdict
from moot.store import queries, store_at
from moot.team import Team

CASES = [Case(Question("1", "Capital of France?"), "Paris")]
SAID: dict[str, Traits | None] = {}
"""What `First` says of itself at the moment: its next version says something else."""


@dataclass(frozen=True)
class First:
    """The first who has an answer."""

    name: ClassVar[str] = "first"

    @property
    def traits(self) -> Traits | None:
        return SAID["first"]

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = tuple(await team.drafts(question))
        return Verdict(drafts[0].text, "answered", answers=drafts, who=(drafts[0].player,))


def played(store: Path) -> moot.Results:
    models = {
        name: ScriptedModel(name, lambda request: {"reasoning": "", "answer": "Paris"}) for name in ("ann", "bob")
    }
    return moot.run({"name": "cup", "models": models, "questions": CASES, "strategies": [First()]}, store=store)


def stored(store: Path, column: str) -> list[Any]:
    with closing(sqlite3.connect(store)) as database:
        return [json.loads(value) for (value,) in database.execute(f"SELECT {column} FROM cells")]


def test_traits_of_a_cell_are_those_that_are_declared_now(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    SAID["first"] = Traits(prompts=("draft",))
    assert played(place).frame("drafts").height == 0, "nobody says that they were given alone"
    SAID["first"] = Traits(prompts=("draft",), drafts="single-call", word="player", hears="nothing", asks="nobody")
    again = played(place)
    assert stored(place, "traits") == [json.loads(json.dumps(SAID["first"].json()))]
    assert again.frame("drafts").height == 2
    assert again.frame("calls").height == 2, "nothing was played again"
    SAID["first"] = Traits(prompts=("draft",))
    assert played(place).frame("drafts").height == 0, "and a promise may be taken back"


async def test_options_on_record_are_those_that_were_played(tmp_path: Path) -> None:
    """A default that a newer version changed was another one when this cell was played; a new option is added."""
    cell = {"id": "c", "strategy": "s", "label": "s", "spec": "{}", "traits": "{}"}
    cell |= {"team": None, "captain": None, "player": None, "cohort": None}
    row = {"id": "e", "name": "cup", "config": "{}", "size": 0, "created_at": 0.0}
    then = {"given": {"rounds": 4}, "default": {"order": "fixed"}}
    now = {"given": {"rounds": 4}, "default": {"order": "shuffled", "abstain": False}}
    store = await store_at(f"sqlite:///{tmp_path}/s.db").open()
    try:
        for options in (then, now):
            cells = [{**cell, "options": json.dumps(options)}]
            await store.run(partial(queries.declare_experiment, row=row, cells=cells))
    finally:
        await store.close()
    expected = {"given": {"rounds": 4}, "default": {"order": "fixed", "abstain": False}}
    assert stored(tmp_path / "s.db", "options") == [expected]


def test_what_a_strategy_does_not_say_is_told(tmp_path: Path) -> None:
    SAID["first"] = None
    with pytest.warns(UserWarning, match="first: it declares no traits, so its answers are measured") as caught:
        results = played(tmp_path / "s.db")
    assert [str(warning.message) for warning in caught] == list(results.warnings)
    assert caught[0].filename == __file__, "it points at who called, not into moot"
    assert html.escape(results.warnings[0]) in results._repr_html_()
    SAID["first"] = Traits(prompts=("draft",))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert played(tmp_path / "other.db").warnings == ()


async def test_inside_of_a_running_loop_it_is_told_too(tmp_path: Path) -> None:
    SAID["first"] = None
    models = {
        name: ScriptedModel(name, lambda request: {"reasoning": "", "answer": "Paris"}) for name in ("ann", "bob")
    }
    with pytest.warns(UserWarning, match="first: it declares no traits") as caught:
        await moot.arun({"name": "cup", "models": models, "questions": CASES, "strategies": [First()]})
    assert caught[0].filename == __file__
