"""Stores of every version that wrote another kind of them: opened, reported and gone on with, and nothing is asked again."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import step_experiment
from beside import rows

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.store import migrating

FIXTURES = Path(__file__).parent / "fixtures" / "steps"
STEPS = tuple(step_experiment.STEPS)
CALLS = "SELECT key, model, text, finish, prompt_tokens, completion_tokens, cost_usd FROM calls ORDER BY key"
OTHER_CALLS = ("0001-first-tables",)
"""Before 0.1.0, simulated models had fewer parameters, and these are part of what a call is."""
SCORES = "SELECT label, player, captain, value FROM scores JOIN cells ON cells.id = cell"


@pytest.fixture(params=STEPS)
def step(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def file(step: str, tmp_path: Path) -> Path:
    """The file that the old version played, with its store beside it."""
    store = gzip.decompress((FIXTURES / f"{step}.db.gz").read_bytes())
    (tmp_path / "step.db").write_bytes(store)
    return step_experiment.written(tmp_path, step)


def moot(*words: str | Path) -> int:
    return run_app(app, [str(word) for word in words])


def accuracies(file: Path, capsys: pytest.CaptureFixture[str]) -> dict[tuple[Any, ...], tuple[float, int]]:
    capsys.readouterr()
    assert moot("report", file, "--json") == 0
    table = json.loads(capsys.readouterr().out)["accuracy"]
    return {(row["label"], row.get("player") or row.get("captain")): (row["value"], row["n"]) for row in table}


def added_up(store: Path) -> dict[tuple[Any, ...], tuple[float, int]]:
    """The same from the rows that the old version wrote, by hand."""
    values = defaultdict(list)
    for label, player, captain, value in rows(store, SCORES):
        values[label, player or captain].append(value)
    return {key: (sum(scores) / len(scores), len(scores)) for key, scores in values.items()}


def test_there_is_a_store_for_every_step_but_those_that_came_with_another() -> None:
    came_with_another = {
        "0002-cohorts",
        "0003-hypotheses",
        "0006-options-and-sets",
        "0015-rubric-points",
        "0016-preferences",
        "0017-titles-and-votes",
    }
    today = max(migrating.MIGRATIONS)
    assert set(STEPS) | came_with_another | {today} == set(migrating.MIGRATIONS), "see make_step_stores.py"


def test_its_figures_are_those_that_it_holds_and_going_on_asks_nothing_again(
    file: Path, step: str, capsys: pytest.CaptureFixture[str]
) -> None:
    store = file.with_suffix(".db")
    assert max(rows(store, "SELECT name FROM migrations")) == (step,)
    held, calls = added_up(store), rows(store, CALLS)
    assert held
    assert calls
    expected = {key: (pytest.approx(value), n) for key, (value, n) in held.items()}
    assert accuracies(file, capsys) == expected
    assert max(rows(store, "SELECT name FROM migrations")) == (max(migrating.MIGRATIONS),)
    assert moot("run", file, "--quiet") == 0
    if step not in OTHER_CALLS:
        assert rows(store, CALLS) == calls
    assert {call[0] for call in calls} <= {call[0] for call in rows(store, CALLS)}
    if step not in OTHER_CALLS:
        assert accuracies(file, capsys) == expected
