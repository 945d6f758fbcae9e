"""Figures and pages are the same whether a store is read from end to end or looked up row by row."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.measures import source as plays
from moot.report.figures import Figures, figures, find_experiment
from moot.report.page import words
from moot.report.page.questions import QuestionData, read_questions
from moot.report.sections import all_sections
from moot.store import bulk_read, store_at

ALONE = ["solo"]
TOGETHER = ["solo", "vote", "silent"]

Read = tuple[Figures, QuestionData]


async def play(folder: Path, strategies: list[str], url: str | None = None) -> str:
    rows = [
        {"id": f"q{n}", "text": f"What is {n} + {n}?", "answer": str(2 * n), "category": f"c{n % 3}"} for n in range(30)
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    models = {name: {"provider": "simulated", "accuracy": share} for name, share in (("ann", 0.7), ("bob", 0.5))}
    content: dict[str, Any] = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": models,
        "strategies": strategies,
        "repeats": 2,
        "store": url or f"sqlite:///{folder / 'cup.db'}",
    }
    if strategies != ALONE:
        content["teams"] = {"two": {"players": list(models), "captain": "each"}}
    (folder / "cup.yaml").write_text(json.dumps(content), encoding="utf-8")
    plan = build(read_experiment(folder / "cup.yaml"))
    store = await plan.store().open()
    try:
        await Runner(plan, store).run()
    finally:
        await store.close()
    return str(content["store"])


async def read(url: str) -> Read:
    store = await store_at(url).open()
    try:
        return await store.run(
            lambda connection: (
                figures(connection, find_experiment(connection)),
                read_questions(connection, find_experiment(connection)),
            )
        )
    finally:
        await store.close()


@pytest.mark.parametrize("strategies", [ALONE, TOGETHER])
async def test_no_way_of_reading_changes_anything(
    tmp_path: Path, strategies: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = await play(tmp_path, strategies)
    whole = await read(url)
    assert whole[1].columns["repeats"] == 2
    assert len(whole[1].columns["ids"]) == 30

    with monkeypatch.context() as patch:
        for module in (plays, words):
            patch.setattr(module, "pays", lambda *_: False)
        assert await read(url) == whole, "looked up"

    monkeypatch.setattr(bulk_read, "AHEAD", 8)
    monkeypatch.setattr(bulk_read, "AT_ONCE", 2)
    assert await read(url) == whole, "little is kept of what was read past"
    database = sqlite3.connect(tmp_path / "cup.db")
    with database:
        for table in ("episodes", "calls"):
            database.execute(f"CREATE TEMP TABLE moved AS SELECT * FROM {table} ORDER BY random()")
            database.execute(f"DELETE FROM {table}")
            database.execute(f"INSERT INTO {table} SELECT * FROM moved")
            database.execute("DROP TABLE moved")
    database.close()
    assert await read(url) == whole, "written in another order"


async def test_calls_that_another_experiment_has_paid_are_found(tmp_path: Path) -> None:
    url = await play(tmp_path, TOGETHER)
    whole = await read(url)
    database = sqlite3.connect(tmp_path / "cup.db")
    with database:
        database.execute("UPDATE calls SET experiment = 'earlier' WHERE key < '8'")
    database.close()
    again = await read(url)
    assert again[1] == whole[1]
    assert again[0]["accuracy"] == whole[0]["accuracy"]


async def test_a_server_gives_the_same(tmp_path: Path, postgres: Any) -> None:
    (tmp_path / "there").mkdir()
    here = await read(await play(tmp_path, TOGETHER))
    there = await read(await play(tmp_path / "there", TOGETHER, postgres.database()))
    assert there[1].columns == here[1].columns
    timeless = [[{**row, "seconds": None} for row in each["accuracy"]] for each in (here[0], there[0])]
    assert timeless[0] == timeless[1]
    assert there[0]["frontier"] == here[0]["frontier"]


def test_rows_that_differ_in_their_cohort_have_names_of_their_own() -> None:
    row = {"label": "peer-review", "strategy": "peer-review", "team": "both", "captain": None, "value": 0.5, "low": 0.4}
    row |= {"high": 0.6, "n": 30, "outcomes": {"answered": 30}, "missing": 0, "ungraded": 0, "disputed": 0}
    sections = {
        each.id: each
        for each in all_sections({"accuracy": [{**row, "cohort": name} for name in ("open", "closed")], "runs": []})
    }
    assert [each["name"] for each in sections["accuracy"].rows] == ["peer-review, open", "peer-review, closed"]
    for name in ("accuracy", "outcomes"):
        assert "cohort" in [column.key for column in sections[name].columns]
