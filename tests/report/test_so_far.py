"""What is told of a run while it goes on: no verdict before all is played, and how quick each model is now."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

import moot
from moot import Case, Question, ScriptedModel
from moot.report.figures import find_experiment
from moot.report.so_far import OF_WHAT_WAS_FAST, RECENT_S, STOPPED, so_far

COUNT = 3
NOW = 1_000_000.0


def scripted(says: str) -> Callable[[Any], dict[str, str]]:
    return lambda request: {"reasoning": "r", "answer": says}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("so-far") / "moot.db"
    cases = [Case(Question(f"q{number}", f"Which, {number}?"), "A") for number in range(COUNT)]
    models = {name: ScriptedModel(name, scripted(says)) for name, says in (("ann", "A"), ("bob", "B"))}
    moot.run({"name": "cup", "models": models, "questions": cases, "strategies": ["solo"]}, store=path)
    return path


def told(store: Path, *statements: str) -> dict[str, Any]:
    """After these changes, which nobody else sees."""
    with create_engine(f"sqlite:///{store}").connect() as connection:
        for statement in statements:
            connection.execute(text(statement))
        found = so_far(connection, find_experiment(connection, "cup"), NOW)
        connection.rollback()
    return found


RUNNING = "UPDATE runs SET state = 'running', facts = '{}'"
LESS = "DELETE FROM episodes WHERE rowid = (SELECT max(rowid) FROM episodes)"


@pytest.mark.parametrize(
    ("statements", "missing", "over"),
    [((), 0, True), ((RUNNING,), 0, False), ((LESS,), 1, False), ((LESS, RUNNING), 1, False)],
    ids=["played", "all played, and still running", "stopped", "going on"],
)
def test_a_verdict_waits_until_all_is_played_and_the_run_is_over(
    store: Path, statements: tuple[str, ...], missing: int, over: bool
) -> None:
    found = told(store, *statements)
    assert (found["missing"], found["over"]) == (missing, over)
    running = RUNNING in statements
    assert (found["notes"] in ([OF_WHAT_WAS_FAST], [STOPPED])) is not over
    assert (found["notes"] == [OF_WHAT_WAS_FAST]) is running, "what was put in order before it stopped is no guess"
    assert any("ann" in note for note in found["notes"]) is over


def test_how_quick_a_model_is_goes_by_its_replies_of_late(store: Path) -> None:
    """The least that half of them, and nine in ten, do not exceed; an hour ago it was another endpoint."""
    timed = (
        f"UPDATE calls SET created_at = {NOW - 1}, latency_s = (SELECT count(*) FROM calls AS other"
        " WHERE other.model = calls.model AND other.key <= calls.key)"
    )
    late = f"UPDATE calls SET created_at = {NOW - RECENT_S - 1}, latency_s = 90 WHERE model = 'bob'"
    once = (
        "UPDATE calls SET created_at = {at}, latency_s = 7 WHERE key = (SELECT max(key) FROM calls WHERE model = 'bob')"
    )
    rows = {row["model"]: row for row in told(store, timed, late, once.format(at=NOW - RECENT_S + 1))["models"]}
    ann, bob = rows["ann"], rows["bob"]
    assert (ann["median_s"], ann["slow_s"], ann["recent"], ann["last_s"]) == (2, 3, 3, 1)
    assert (bob["median_s"], bob["slow_s"], bob["recent"], bob["replies"]) == (7, 7, 1, 3)
    assert (ann["slow"], bob["slow"]) == (False, True)
